// One request and what comes back, over one connection (RFC 9110, RFC 9112). An answer counts as soon as its headers are
// there; of its body a little is read, for a tenant that wants to know why its receiver refuses. Where there was no answer, the
// reason is given in words of our own, because the texts of errors name addresses and files of the operator.
import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { DAY, SECOND } from '../time.ts';
import type { OutboundRequest } from './outbound.ts';
import { OutboundFailure, type Target } from './target.ts';

export const MAX_BODY_OCTETS = 64 * 1_024;
/** After the headers the answer is known; a receiver that takes longer for its body would hold a place for nothing. */
const BODY_MS = 2 * SECOND;
/** Early hints and the like; no receiver needs more. */
const MAX_INTERIM = 16;

/** A request without a body is a GET, unless `method` says otherwise. */
export interface Exchanged extends Omit<OutboundRequest, 'body'> {
  readonly body: OutboundRequest['body'] | null;
  readonly method?: 'HEAD';
  /** How much of the answer is kept, at most 64 KiB; an excerpt where absent. */
  readonly keep?: number;
}

export interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** The beginning of the body, where it is text. */
  readonly beginning: Buffer;
}

/** The receiver closed a kept connection at the moment it was used again: the request may be sent on another one. */
export class StaleConnection extends Error {}

/** Resolves with the beginning; what is read beyond it lets the connection be used again. */
const readBeginning = (response: IncomingMessage, keep: number, signal: AbortSignal): Promise<Buffer> =>
  new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let octets = 0;
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      if (!response.complete) response.destroy();
      resolve(Buffer.concat(chunks).subarray(0, keep));
    };
    const timer = setTimeout(done, BODY_MS);
    signal.addEventListener('abort', done);
    response.on('data', (chunk: Buffer) => {
      if (octets < keep) chunks.push(Buffer.from(chunk.subarray(0, keep)));
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

/** A list is written down by node at once, and not kept for changes. */
const headersOf = (target: Target, { headers, body }: Exchanged): string[] => [
  ...Object.entries(headers).flat(),
  ...['Host', target.authority],
  ...(body === null ? [] : ['Content-Length', String(Buffer.byteLength(body))]),
  ...['Accept-Encoding', 'identity'],
];

/**
 * Ends with `signal`, rejecting with its reason while there is no answer.
 * @throws StaleConnection, OutboundFailure, and what the network says
 */
export const exchange = (
  target: Target,
  outgoing: Exchanged,
  options: Pick<RequestOptions, 'agent' | 'lookup'> & { readonly servername: string },
  signal: AbortSignal,
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const request = (target.isSecure ? requestHttps : requestHttp)({
      ...options,
      method: outgoing.method ?? (outgoing.body === null ? 'GET' : 'POST'),
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
    // The socket no longer belongs to the request.
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
      readBeginning(response, outgoing.keep ?? EXCERPT_OCTETS, signal).then((octets) =>
        resolve({ status, retryAfter, beginning: isText(response) ? octets : Buffer.alloc(0) }),
      );
    });
    request.on('error', (error) => {
      settled();
      // A connection that breaks after the headers ends the reading; the answer is valid.
      if (isAnswered) return;
      const closed = ['ECONNRESET', 'EPIPE'].includes(codeOf(error));
      reject(request.reusedSocket && closed ? new StaleConnection() : error);
    });
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
    else request.end(outgoing.body ?? undefined);
  });

/** How much of an answer is kept. */
const EXCERPT_OCTETS = 1_024;

const MAX_RETRY_AFTER_MS = DAY;
/** The form of dates in use today; the two obsolete ones (RFC 9110 §5.6.7) are not read. */
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** The beginning of a body as one line of text: no control characters, nothing that changes the direction of reading, no half characters. */
export const excerptOf = (octets: Buffer): string =>
  octets.length === 0
    ? ''
    : new TextDecoder()
        // With `stream`, a character that is cut off at the end is left out.
        .decode(octets.subarray(0, EXCERPT_OCTETS), { stream: true })
        .replace(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
        .trim();

/** Retry-After (RFC 9110 §10.2.3) in ms from `now`, at most a day; null where there is none that can be read. */
export const retryAfterOf = (header: string | undefined, now: number): number | null => {
  const text = header?.trim() ?? '';
  const wait = /^\d{1,15}$/.test(text)
    ? Number(text) * SECOND
    : HTTP_DATE.test(text)
      ? Date.parse(text) - now
      : Number.NaN;
  return Number.isNaN(wait) ? null : Math.min(Math.max(wait, 0), MAX_RETRY_AFTER_MS);
};

export const TIMED_OUT = 'no answer within the time';
export const STOPPING = 'the service was stopping';

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed without an answer',
  EPIPE: 'the connection was closed without an answer',
  ETIMEDOUT: 'the host could not be reached in time',
  EHOSTUNREACH: 'the host could not be reached',
  ENETUNREACH: 'the host could not be reached',
  EADDRNOTAVAIL: 'the host could not be reached',
  EHOSTDOWN: 'the host could not be reached',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  CERT_NOT_YET_VALID: 'the certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate comes from an authority that is not trusted',
  UNABLE_TO_GET_ISSUER_CERT: 'the certificate comes from an authority that is not trusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the certificate comes from an authority that is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate comes without those between it and a trusted authority',
  CERT_REVOKED: 'the certificate was revoked',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another host name',
  EPROTO: 'TLS 1.2 or later could not be agreed on',
  HPE_HEADER_OVERFLOW: 'the headers of the answer are too long',
};

/** The beginning of the code decides. */
const families: readonly (readonly [beginning: string, says: string])[] = [
  ['ERR_SSL_', 'TLS 1.2 or later could not be agreed on'],
  ['ERR_TLS_', 'TLS 1.2 or later could not be agreed on'],
  ['HPE_', 'the answer is not HTTP'],
];

export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : '';

export const failureWords = (error: unknown): string => {
  if (error instanceof OutboundFailure) return error.message;
  const code = codeOf(error);
  return (
    words[code] ??
    families.find(([beginning]) => code.startsWith(beginning))?.[1] ??
    'the request could not be sent'
  );
};
