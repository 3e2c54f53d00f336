// The HTTP side of `sendwerk dev`. Pages of the web that a developer visits in the same browser must neither read the mails nor
// delete them: on loopback it answers to names of this machine alone, and writes for no other site.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, isIP } from 'node:net';
import type { Log } from '#src/kernel/log.ts';
import type { ListenAddress } from '../listener.ts';
import { type Answer, type Asked, Refused } from './answers.ts';
import { MAX_MESSAGE_BYTES } from './capture-smtp.ts';

/** A mail in JSON with its files in base64. */
const MAX_BODY_BYTES = 2 * MAX_MESSAGE_BYTES;

export interface DevServerOptions {
  readonly listen: ListenAddress;
  readonly answer: (asked: Asked) => Promise<Answer>;
  readonly log: Log;
}

export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));

/** Names that no one on the web can point to this machine. */
const isOwnName = (authority: string): boolean => {
  const host = authority
    .replace(/:\d+$/, '')
    .replace(/^\[|\]$/g, '')
    .toLowerCase();
  return host === 'localhost' || host.endsWith('.localhost') || isIP(host) !== 0;
};

const readBody = async (request: IncomingMessage): Promise<Buffer> => {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    length += piece.length;
    if (length > MAX_BODY_BYTES) throw new Refused(413, `the body has more than ${MAX_BODY_BYTES} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
};

export const createDevServer = ({ listen, answer, log }: DevServerOptions) => {
  const askedIn = async (request: IncomingMessage): Promise<Asked> => {
    const { method = 'GET', url = '/', headers } = request;
    if (isLoopback(listen.host) && !isOwnName(headers.host ?? 'localhost'))
      throw new Refused(403, 'on loopback it answers to localhost and to addresses; see --listen');
    const isRead = method === 'GET' || method === 'HEAD';
    if (!isRead && headers['sec-fetch-site'] === 'cross-site')
      throw new Refused(403, 'a page of another site may not write here');
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    return { method, path: pathname, query: searchParams, body: await readBody(request) };
  };
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { status, type, headers, body } = await askedIn(request)
      .then(answer)
      .catch((error: unknown): Answer => {
        const refused = error instanceof Refused ? error : null;
        if (refused === null) log.error({ err: error }, 'a request failed');
        const text = refused?.message ?? 'internal error';
        return { status: refused?.status ?? 500, type: 'text/plain; charset=utf-8', body: text };
      });
    response.writeHead(status ?? 200, {
      'Content-Type': type,
      'Content-Length': Buffer.byteLength(body),
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      ...headers,
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  };
  const server = createServer((request, response) => {
    handle(request, response).catch((error) => {
      log.warn({ err: error }, 'a request was cut off');
      response.destroy();
    });
  });

  return {
    start: async (): Promise<number> => {
      server.listen(listen.port, listen.host);
      await once(server, 'listening');
      return (server.address() as AddressInfo).port;
    },
    stop: async (): Promise<void> => {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
};
