// The HTTP server: node's own with bounds against clients that are slow or take too much, express's requests on it, and the declared
// routes. In clear for a proxy in front and for commands; by HTTPS as well where that is configured (secure.ts).
import {
  createServer,
  IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import express, { type Request } from 'express';
import { type ByteBudget, createByteBudget } from '#src/kernel/byte-budget.ts';
import { AppError, type ErrorCode } from '#src/kernel/errors.ts';
import { newId } from '#src/kernel/id.ts';
import { type Log, REQUEST_LINE } from '#src/kernel/log.ts';
import { redactText } from '#src/kernel/redact.ts';
import { say, type Text } from '#src/kernel/say.ts';
import { MINUTE, SECOND } from '#src/kernel/time.ts';
import { Exchange, type SpeakIn } from './exchange.ts';
import { type HttpMetrics, STATUS_CLASSES } from './metrics.ts';
import { clientAddressOf, type Trust, whyMalformed } from './request-head.ts';
import type { SecureOptions } from './secure.ts';
import { budgetOwner, createServe, type ServeOptions } from './serve.ts';

export interface HttpServerOptions extends ServeOptions {
  readonly speakIn?: SpeakIn;
  readonly listen: { readonly host: string; readonly port: number };
  /** Whose X-Forwarded-For is believed: no one's, that of a number of proxies in front, or of proxies in these networks. */
  readonly trustProxy: false | number | readonly string[];
  /** HTTPS; null: a proxy in front has it. */
  readonly secure?: SecureOptions | null;
  readonly log: Log;
  /** Told of each request that came by an API token, once it is answered or its client has left. */
  readonly noteRequest?: (
    token: {
      readonly id: string;
      readonly name: string;
      readonly tenantId: string;
      readonly projects: ReadonlySet<string> | null;
    },
    request: {
      readonly at: number;
      readonly method: string;
      readonly path: string;
      readonly status: number | null;
      readonly code: ErrorCode | null;
      readonly ms: number;
      readonly requestId: string;
      readonly messageIds: readonly string[];
    },
  ) => void;
  readonly metrics?: HttpMetrics;
  /** Holds request bodies until they are answered. */
  readonly bodies: ByteBudget;
  /** Times for node's server instead of the usual ones: how long a head may take, and how often that is looked at. */
  readonly times?: Partial<Pick<typeof serverSettings, 'headersTimeout' | 'connectionsCheckingInterval'>>;
  /** Bytes of large answers held at once, until they are read. */
  readonly heldAnswerBytes?: number;
}

export interface HttpServer {
  /** Resolves with the address listened on, and the ports of HTTPS and of what leads there; rejects where one is taken. */
  start(): Promise<{ address: string; port: number; tlsPort: number | null; redirectPort: number | null }>;
  /** Takes no new connections and resolves when the requests in flight are answered, at the latest after `graceMs` (30 s). */
  stop(graceMs?: number): Promise<void>;
}

/** One practice may have two of the largest: the source of a message with all the attachments that it may have. */
const HELD_ANSWER_BYTES = 256 * 1024 * 1024;

const serverSettings = {
  /** A request's head is at most 16 KiB: seconds even on the slowest line. */
  headersTimeout: 15 * SECOND,
  /** A body of 48 MiB over 1 Mbit/s takes 400 s; what stalls is cut off much earlier. */
  requestTimeout: 10 * MINUTE,
  /** Longer than the idle time of the usual proxies (60 s), so that they close first and no request meets a closed connection. */
  keepAliveTimeout: 65 * SECOND,
  connectionsCheckingInterval: 5 * SECOND,
  maxHeaderSize: 16 * 1024,
};
const MAX_HEADERS = 100;
/** Below the usual limit of open files, which SQLite needs too. */
const MAX_CONNECTIONS = 10_000;
/** The slowest honest answer, and what supervisors grant before they kill. */
const STOP_GRACE_MS = 30 * SECOND;
const IDLE_SWEEP_MS = 50;
const MAX_LOGGED_PATH = 200;

/** Throws Error where the list of routes is defective; listens only once started. */
export const createHttpServer = (options: HttpServerOptions): HttpServer => {
  const { log, bodies } = options;
  const answers = createByteBudget(options.heldAnswerBytes ?? HELD_ANSWER_BYTES);
  const serve = createServe(options, { bodies, answers });
  let inFlight = 0;
  let stopping = false;

  const count = ({ response, errorCode }: Exchange): void => {
    const hundreds = response.headersSent ? Math.floor(response.statusCode / 100) : 0;
    options.metrics?.requests.note?.({ status: STATUS_CLASSES[hundreds] ?? 'none' }, 1);
    if (errorCode === 'internal_error') options.metrics?.internalErrors.note?.({}, 1);
  };

  const noteRequest = (exchange: Exchange): void => {
    const { kind, credentialId: id, name, tenantId, projects } = exchange.caller;
    if ((kind !== 'team_token' && kind !== 'project_token') || tenantId === null || !exchange.route) return;
    const { request, response } = exchange;
    options.noteRequest?.(
      { id, name, tenantId, projects },
      {
        at: options.clock.now(),
        method: request.method,
        path: exchange.route.path,
        status: response.headersSent ? response.statusCode : null,
        code: exchange.errorCode ?? null,
        ms: elapsed(exchange),
        requestId: exchange.requestId,
        messageIds: exchange.made,
      },
    );
  };

  const settle = (exchange: Exchange): void => {
    inFlight -= 1;
    exchange.isSettled = true;
    bodies.release(exchange.bodyOwner, exchange.bytesHeld);
    exchange.bytesHeld = 0;
    answers.release(budgetOwner(exchange), exchange.answerHeld);
    count(exchange);
    noteRequest(exchange);
    logAccess(log, exchange);
  };

  const handle: RequestListener = (request, response) => {
    const problem = whyMalformed(request);
    if (problem !== null) {
      refuseHead(response, problem);
      return;
    }
    let exchange: Exchange;
    try {
      exchange = new Exchange(request as Request, response, log, options.speakIn);
    } catch {
      refuseHead(response, say`The target of the request has no path that can be read.`);
      return;
    }
    inFlight += 1;
    if (stopping) exchange.headers.Connection = 'close';
    response.on('close', () => settle(exchange));
    void serve(exchange);
  };

  const bounds = { ...serverSettings, ...options.times };
  const bounded = <Bounded extends Server>(server: Bounded): Bounded => {
    server.maxHeadersCount = MAX_HEADERS;
    server.maxConnections = MAX_CONNECTIONS;
    // Else node itself would invite bodies that are refused by their head.
    server.on('checkContinue', handle);
    server.on('clientError', refuseMalformed);
    return server;
  };
  const plain = bounded(
    createServer({ ...bounds, IncomingMessage: expressRequests(options.trustProxy) }, handle),
  );
  const servers: Server[] = [plain];

  /** Loaded where it is configured only. */
  const startSecure = async ({ secure, trustProxy }: HttpServerOptions) => {
    if (!secure) return { tlsPort: null, redirectPort: null };
    const { createRedirect, createSecureServer } = await import('./secure.ts');
    // Clients come here themselves: a number of proxies would be one of the client's own making.
    const trusted = typeof trustProxy === 'number' ? false : trustProxy;
    const https = bounded(
      createSecureServer(secure, { ...bounds, IncomingMessage: expressRequests(trusted) }, handle),
    );
    servers.push(https);
    const { port: tlsPort } = await listen(https, secure.listen);
    if (secure.redirect === null) return { tlsPort, redirectPort: null };
    const redirect = createRedirect(secure);
    servers.push(redirect);
    const { port: redirectPort } = await listen(redirect, secure.redirect);
    return { tlsPort, redirectPort };
  };

  const stopOne = async (server: Server, deadline: number): Promise<void> => {
    // What a start that failed has not begun.
    if (!server.listening) return;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    // Connections that have not sent a whole head count as busy to node, but none of their requests is in flight.
    const sweep = setInterval(() => {
      if (inFlight === 0 || performance.now() > deadline) server.closeAllConnections();
      else server.closeIdleConnections();
    }, IDLE_SWEEP_MS);
    if (inFlight === 0) server.closeAllConnections();
    await closed;
    clearInterval(sweep);
  };

  return {
    start: async () => ({ ...(await startSecure(options)), ...(await listen(plain, options.listen)) }),
    async stop(graceMs = STOP_GRACE_MS) {
      stopping = true;
      const deadline = performance.now() + graceMs;
      await Promise.all(servers.map((server) => stopOne(server, deadline)));
    },
  };
};

/**
 * Requests as express sees them: `path`, `query`, and `ip` behind proxies it trusts, each found out when it is asked for. What else
 * express would do to each request (its prototype, a router of one layer) took more than these three.
 */
const expressRequests = (trustProxy: HttpServerOptions['trustProxy']): typeof IncomingMessage => {
  const app = express();
  app.set('query parser', 'simple');
  app.set('trust proxy', trustProxy);
  const trust: Trust = app.get('trust proxy fn');
  class ExpressRequest extends IncomingMessage {}
  Object.setPrototypeOf(ExpressRequest.prototype, app.request);
  Object.defineProperty(ExpressRequest.prototype, 'ip', {
    get(this: IncomingMessage): string {
      const forwarded = this.headers['x-forwarded-for'];
      return clientAddressOf(this.socket.remoteAddress ?? '', forwarded?.toString(), trust);
    },
  });
  return ExpressRequest;
};

const listen = (server: Server, { host, port }: { host: string; port: number }) =>
  new Promise<{ address: string; port: number }>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const bound = server.address();
      if (typeof bound === 'object' && bound) resolve({ address: bound.address, port: bound.port });
    });
  });

const HEAD_HINT = say`Send a complete head of at most 16 KiB, then the body without pauses.`;

const malformed = (message: Text) => {
  const problem = new AppError('invalid_request', message, { hint: HEAD_HINT, extra: { fields: [] } });
  const body = JSON.stringify(problem);
  const headers = {
    'X-Request-Id': newId(),
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  };
  return { headers, body };
};

/** Answers in node's own way, so that the answer comes after the answers to the requests before it. */
const refuseHead = (response: ServerResponse, message: Text): void => {
  const { headers, body } = malformed(message);
  response.writeHead(400, headers).end(body);
};

/**
 * Answers what is not HTTP at all, or too slow or too long in its head, where the connection still takes an answer. Browsers open
 * connections before they need them, and take an answer that nothing has asked for for that to their next request: so a
 * connection without a byte is closed without one.
 */
const refuseMalformed = (error: NodeJS.ErrnoException, socket: Duplex): void => {
  const isLate = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  const isIdle = isLate && socket instanceof Socket && socket.bytesRead === 0;
  if (error.code === 'ECONNRESET' || !socket.writable || isIdle) {
    socket.destroy();
    return;
  }
  const { headers, body } = malformed(
    isLate
      ? say`The request did not come in time.`
      : say`The request is not well-formed HTTP/1.1, or its head is too long.`,
  );
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const status = isLate ? '408 Request Timeout' : '400 Bad Request';
  socket.end(`HTTP/1.1 ${status}\r\n${head.join('')}\r\n${body}`, () => socket.destroy());
};

/** A path that is nearly a link of a mail holds a token and where it leads, as the link does. */
const loggedPath = (path: string): string =>
  redactText(path.replace(/(\/t\/[oc]\/).*$/is, '$1')).slice(0, MAX_LOGGED_PATH);

/** ms, with two decimals. */
const elapsed = ({ startedAt }: Pick<Exchange, 'startedAt'>): number =>
  Math.round((performance.now() - startedAt) * 100) / 100;

const logAccess = (log: Log, exchange: Exchange): void => {
  const { request, response, route, caller, clientRequestId, errorCode } = exchange;
  log.info(
    {
      request_id: exchange.requestId,
      method: request.method,
      // The pattern, because a path may hold a token; so may a path that is nearly a route's.
      route: route?.path ?? null,
      ...(route ? {} : { path: loggedPath(exchange.path) }),
      status: response.headersSent ? response.statusCode : null,
      ...(errorCode ? { code: errorCode } : {}),
      ...(response.writableFinished ? {} : { aborted: true }),
      duration_ms: elapsed(exchange),
      credential_id: caller.credentialId,
      tenant_id: caller.tenantId ?? exchange.tenantId,
      bytes_in: exchange.bytesIn,
      bytes_out: exchange.bytesOut,
      ...(clientRequestId ? { client_request_id: clientRequestId } : {}),
    },
    REQUEST_LINE,
  );
};
