// One request and what comes back, over one connection (RFC 9110, RFC 9112). An answer counts as soon as its headers are
// there; of its body a little is read, for those who look why their receiver says no.
import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { SECOND } from '../time.ts';
import { codeOf, OutboundFailure } from './failure-words.ts';
import type { OutboundRequest } from './outbound.ts';
import { EXCERPT_OCTETS } from './read-answer.ts';
import type { Target } from './target-url.ts';

const MAX_BODY_OCTETS = 64 * 1_024;
/** After the headers the answer is known; whoever takes longer for its body holds a place for nothing. */
const BODY_MS = 2 * SECOND;
/** Early hints and the like; nobody needs more. */
const MAX_INTERIM = 16;

export interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** The beginning of the body, where it is text. */
  readonly beginning: Buffer;
}

/** The receiver closed a kept connection at the moment it was used again: the request may be sent on another one. */
export class StaleConnection extends Error {}

/** Resolves with the beginning; what is read beyond it lets the connection be used again. */
const readBeginning = (response: IncomingMessage, signal: AbortSignal): Promise<Buffer> =>
  new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let octets = 0;
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      if (!response.complete) response.destroy();
      resolve(Buffer.concat(chunks).subarray(0, EXCERPT_OCTETS));
    };
    const timer = setTimeout(done, BODY_MS);
    signal.addEventListener('abort', done);
    response.on('data', (chunk: Buffer) => {
      if (octets < EXCERPT_OCTETS) chunks.push(Buffer.from(chunk.subarray(0, EXCERPT_OCTETS)));
      octets += chunk.length;
      if (octets > MAX_BODY_OCTETS) done();
    });
    response.once('end', done);
    response.once('close', done);
    response.on('error', done);
    if (signal.aborted) done();
  });

const isText = ({ headers }: IncomingMessage): boolean =>
  ['', 'identity'].includes(headers['content-encoding']?.toLowerCase() ?? '');

const headersOf = (target: Target, { headers, body }: OutboundRequest): Record<string, string | number> => ({
  ...headers,
  Host: target.authority,
  'Content-Length': Buffer.byteLength(body),
  'Accept-Encoding': 'identity',
});

/**
 * Ends with `signal`, rejecting with its reason while there is no answer.
 * @throws StaleConnection, OutboundFailure, and what the network says
 */
export const exchange = (
  target: Target,
  outgoing: OutboundRequest,
  options: Pick<RequestOptions, 'agent' | 'lookup'> & { readonly servername: string },
  signal: AbortSignal,
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const request = (target.isSecure ? requestHttps : requestHttp)({
      ...options,
      method: 'POST',
      host: target.host,
      port: target.port,
      path: target.path,
      headers: headersOf(target, outgoing),
    });
    const abort = (): void => {
      request.destroy(signal.reason);
    };
    const settled = (): void => signal.removeEventListener('abort', abort);
    let isAnswered = false;
    let interim = 0;
    request.on('information', () => {
      interim += 1;
      if (interim > MAX_INTERIM) request.destroy(new OutboundFailure('the answer never comes to its status'));
    });
    // The socket is no longer the request's then.
    request.on('upgrade', (_response, socket) => {
      socket.destroy();
      settled();
      reject(new OutboundFailure('the answer changes the protocol'));
    });
    request.once('response', (response) => {
      isAnswered = true;
      settled();
      const { statusCode: status = 0 } = response;
      const retryAfter = response.headers['retry-after'];
      readBeginning(response, signal).then((octets) =>
        resolve({ status, retryAfter, beginning: isText(response) ? octets : Buffer.alloc(0) }),
      );
    });
    request.on('error', (error) => {
      settled();
      // What breaks off behind the headers ends the reading, and the answer stands.
      if (isAnswered) return;
      const closed = ['ECONNRESET', 'EPIPE'].includes(codeOf(error));
      reject(request.reusedSocket && closed ? new StaleConnection() : error);
    });
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
    else request.end(outgoing.body);
  });
