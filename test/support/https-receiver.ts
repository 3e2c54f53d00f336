// Servers for tests that stand for a tenant's receiver: https (or http) on 127.0.0.1, with a certificate of this process,
// scripted request by request, also to do what no decent server does. What arrives can be awaited, nothing is polled.
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import {
  createServer as createHttpServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import type { TlsOptions } from 'node:tls';
import { type Certificate, createCertificate } from '#test/support/certificate.ts';

export interface ReceivedRequest {
  /** In the order of arrival, from 1. */
  readonly number: number;
  /** Of its connection, from 1. */
  readonly connection: number;
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** As it came. Empty where bodies are not kept. */
  readonly body: Buffer;
}

/** A whole answer; 200 without a body where nothing else is said. */
export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** A number: so many bytes, made while they are sent; Infinity never ends. */
  readonly body?: string | Buffer | number;
  /** After the headers and what there is of a body: silence, or a reset. The body is announced longer than it comes. */
  readonly ending?: 'hang' | 'reset';
}

/** Bytes as they are put on the wire, and what comes after them: the connection is not used for another request. */
export interface Raw {
  readonly raw: Iterable<string | Buffer>;
  /** ms between two of them. */
  readonly everyMs?: number;
  /** `close` where absent. */
  readonly ending?: 'close' | 'reset' | 'hang';
}

/** `hang`: never an answer; `reset`: RST in the place of one; `close`: FIN. */
export type Answer = Reply | Raw | 'hang' | 'reset' | 'close';

/** What to answer: always the same, or decided at the request, or later. */
export type Script = Answer | ((request: ReceivedRequest) => Answer | Promise<Answer>);

export interface HttpsReceiverOptions {
  /** Plain http. */
  readonly plain?: boolean;
  /** The one of this process where absent: for localhost, 127.0.0.1, ::1, hooks.example and *.hooks.example. */
  readonly certificate?: Certificate;
  readonly tls?: Pick<TlsOptions, 'maxVersion' | 'ciphers' | 'SNICallback'>;
  /** Of 127.0.0.1; any free one where absent. */
  readonly port?: number;
  /** Requests are kept with their bodies; `false` for many: they are counted, and handed to the script without a body. */
  readonly keep?: boolean;
  readonly answer?: Script;
}

export interface HttpsReceiver extends AsyncIterable<ReceivedRequest> {
  /** `https://127.0.0.1:port` */
  readonly origin: string;
  readonly port: number;
  /** PEM file that trusts it, for `security.outbound_ca_file`: receivers of one process share their certificate. */
  readonly caFile: string;
  /** The same as text. */
  readonly ca: string;
  /** As they arrived. */
  readonly requests: readonly ReceivedRequest[];
  readonly count: number;
  /** Connections so far, and those open now. */
  readonly connections: { readonly total: number; readonly open: number };
  /** `/a` below its origin, by an address or a name. */
  url(path?: string, host?: string): string;
  /** From the next request on. */
  setAnswer(answer: Script): void;
  /** The next requests get these, one each, before the standing answer holds again. */
  answerNext(...answers: readonly Script[]): void;
  /** What new connections meet before TLS; `null`: as usual. */
  setConnect(how: 'reset' | 'hang' | null): void;
  /** Request bodies are not read from now on. */
  stopReading(): void;
  /** The next request that was not taken by `next` yet. */
  next(): Promise<ReceivedRequest>;
  /** The first `count` requests, once so many have come. */
  received(count: number): Promise<readonly ReceivedRequest[]>;
  /** Resolves once no connection is open. */
  noConnection(): Promise<void>;
  /** Drops what is open and goes on listening. */
  dropAll(): void;
  stop(): Promise<void>;
}

export const RECEIVER_NAMES = ['localhost', '127.0.0.1', '::1', 'hooks.example', '*.hooks.example'];

const shared: { certificate?: Certificate } = {};
/** The certificate of all receivers of this process that are given none. */
export const receiverCertificate = (): Certificate => {
  shared.certificate ??= createCertificate(RECEIVER_NAMES);
  return shared.certificate;
};

/** What was sent before a reset is lost where it has not been read yet; a client in this process reads before the immediate. */
const READ_MS = 100;
const PIECE = Buffer.alloc(64 * 1024, 'x');

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    if (milliseconds === 0) setImmediate(resolve);
    else setTimeout(resolve, milliseconds);
  });

/** Resolves when there is room again, or nobody is there any more. */
const drained = async (stream: Writable): Promise<void> => {
  const done = new AbortController();
  const { signal } = done;
  await Promise.race([once(stream, 'drain', { signal }), once(stream, 'close', { signal })]).catch(
    () => null,
  );
  done.abort();
};

const sendBody = async (response: ServerResponse, bytes: number): Promise<void> => {
  for (let left = bytes; left > 0 && !response.destroyed; left -= PIECE.length)
    if (!response.write(left < PIECE.length ? PIECE.subarray(0, left) : PIECE)) await drained(response);
};

/** `reset` is of the connection below TLS, which alone can be. */
const sendReply = async (reply: Reply, response: ServerResponse, reset: () => void): Promise<void> => {
  const { status = 200, headers = {}, body = '', ending } = reply;
  const length = typeof body === 'number' ? body : Buffer.byteLength(body);
  for (const [name, value] of Object.entries(headers))
    response.setHeader(name, typeof value === 'string' ? value : [...value]);
  const isFramed = response.hasHeader('content-length') || response.hasHeader('transfer-encoding');
  if (Number.isFinite(length) && !isFramed && status !== 204 && status !== 304)
    response.setHeader('content-length', ending === undefined ? length : length + 1);
  response.writeHead(status);
  response.flushHeaders();
  if (typeof body === 'number') await sendBody(response, body);
  else if (length > 0) response.write(body);
  if (ending === 'reset') setTimeout(setImmediate, READ_MS, reset);
  else if (ending === undefined) response.end();
};

const sendRaw = async (answer: Raw, socket: Socket, reset: () => void): Promise<void> => {
  const { raw, everyMs = 0, ending = 'close' } = answer;
  for (const piece of raw) {
    if (socket.destroyed) return;
    if (!socket.write(piece)) await drained(socket);
    await pause(everyMs);
  }
  if (ending === 'close') socket.end();
  if (ending === 'reset') reset();
};

const send = async (answer: Answer, response: ServerResponse, below: Socket | undefined): Promise<void> => {
  const { socket } = response.req;
  const reset = (): void => {
    below?.resetAndDestroy();
  };
  if (answer === 'hang') return;
  if (answer === 'reset') reset();
  else if (answer === 'close') socket.end();
  else if ('raw' in answer) await sendRaw(answer, socket, reset);
  else await sendReply(answer, response, reset);
};

const readAll = async (request: IncomingMessage, keep: boolean): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) if (keep) chunks.push(chunk);
  return Buffer.concat(chunks);
};

const writeAuthority = (certificate: Certificate): { path: string; remove(): void } => {
  const directory = mkdtempSync(join(tmpdir(), 'receiver-'));
  const path = join(directory, 'ca.pem');
  writeFileSync(path, certificate.certificate);
  return { path, remove: () => rmSync(directory, { recursive: true, force: true }) };
};

export const startHttpsReceiver = async (options: HttpsReceiverOptions = {}): Promise<HttpsReceiver> => {
  const { plain = false, keep = true, tls = {} } = options;
  const certificate = options.certificate ?? receiverCertificate();
  const authority = writeAuthority(certificate);
  const requests: ReceivedRequest[] = [];
  const coming: Script[] = [];
  /** By the port of their client: TLS wraps the socket that was accepted. */
  const open = new Map<number, { readonly number: number; readonly socket: Socket }>();
  /** Asked again after everything that happens; those that have come true are taken off. */
  const watchers = new Set<() => boolean>();
  let standing: Script = options.answer ?? {};
  let onConnect: 'reset' | 'hang' | null = null;
  let reads = true;
  let total = 0;
  let count = 0;
  let taken = 0;
  let stopped = false;

  const happened = (): void => {
    for (const watcher of watchers) if (watcher()) watchers.delete(watcher);
  };
  const until = (isTrue: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      watchers.add(() => {
        const done = isTrue();
        if (done) resolve();
        return done;
      });
      happened();
    });

  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = reads ? await readAll(request, keep) : Buffer.alloc(0);
    const { method = '', url: path = '', headers } = request;
    count += 1;
    const connection = open.get(request.socket.remotePort ?? 0);
    const received = { number: count, connection: connection?.number ?? 0, method, path, headers, body };
    if (keep) requests.push(received);
    const script = coming.shift() ?? standing;
    happened();
    await send(typeof script === 'function' ? await script(received) : script, response, connection?.socket);
  };
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    // Whoever asked may be gone before the end: that is what many tests are about.
    receive(request, response).catch(() => request.socket.destroy());
  };
  const patience = { keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0 };
  const http = plain
    ? createHttpServer(patience, listener)
    : createHttpsServer(
        { ...patience, ...tls, cert: certificate.certificate, key: certificate.key },
        listener,
      );
  http.on('tlsClientError', () => {});

  const server: Server = createServer({ noDelay: true }, (socket) => {
    total += 1;
    const { remotePort = 0 } = socket;
    open.set(remotePort, { number: total, socket });
    socket.on('error', () => {});
    socket.once('close', () => {
      open.delete(remotePort);
      happened();
    });
    if (onConnect === 'reset') socket.resetAndDestroy();
    else if (onConnect === null) http.emit('connection', socket);
    // Unread, it would not notice that the client has gone.
    else socket.resume();
    happened();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const { port } = address;
  const scheme = plain ? 'http' : 'https';
  const dropAll = (): void => {
    for (const { socket } of open.values()) socket.destroy();
  };
  const next = async (): Promise<ReceivedRequest> => {
    if (!keep) throw new Error('this receiver keeps no requests');
    const place = taken;
    taken += 1;
    await until(() => requests.length > place || stopped);
    const request = requests[place];
    if (request === undefined) throw new Error('the receiver has stopped');
    return request;
  };
  const received = async (wanted: number): Promise<readonly ReceivedRequest[]> => {
    await until(() => count >= wanted || stopped);
    if (count < wanted) throw new Error(`the receiver has stopped after ${count} requests`);
    return requests.slice(0, wanted);
  };

  return {
    origin: `${scheme}://127.0.0.1:${port}`,
    port,
    caFile: authority.path,
    ca: certificate.certificate,
    requests,
    get count() {
      return count;
    },
    get connections() {
      return { total, open: open.size };
    },
    url: (path = '/', host = '127.0.0.1') => `${scheme}://${host}:${port}${path}`,
    setAnswer: (answer) => {
      standing = answer;
    },
    answerNext: (...answers) => {
      coming.push(...answers);
    },
    setConnect: (how) => {
      onConnect = how;
    },
    stopReading: () => {
      reads = false;
    },
    next,
    received,
    noConnection: () => until(() => open.size === 0),
    dropAll,
    stop: async () => {
      if (stopped) return;
      stopped = true;
      happened();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      dropAll();
      await closed;
      authority.remove();
    },
    async *[Symbol.asyncIterator]() {
      while (!stopped) {
        const request = await next().catch(() => null);
        if (request === null) return;
        yield request;
      }
    },
  };
};
