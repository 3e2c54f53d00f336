// Answers onto the connection: results of handlers, and errors in their public form (decisions: `{code, error, hint}`
// and extras). Where the client is still sending a body nobody will read, the answer goes out first and the connection
// closes after it: a close over unread bytes would reset it, and the client would never see the answer.
import { type AppError, toAppError } from '#src/kernel/errors.ts';
import { prefersPage } from '#src/kernel/page.ts';
import type { RouteResult } from '#src/kernel/route.ts';
import { MINUTE, SECOND } from '#src/kernel/time.ts';
import { ClientGone, hasBody } from './body.ts';
import type { Exchange } from './exchange.ts';
import { refusalPage } from './refusal-page.ts';
import { answersPages } from './route-facts.ts';
import { isStream, sendStream } from './stream.ts';

/** A body no larger than this is quietly read off, so that the connection can be used again. */
const DISCARD_BYTES = 64 * 1024;
/** More is read off only so that clients that send everything before they listen reach their answer. */
const LINGER_BYTES = 64 * 1024 * 1024;
const LINGER_MS = 30 * SECOND;

type Headers = Record<string, string | string[]>;

/** `extra` wins over `base`, whatever the case of its names. */
const mergeHeaders = (
  base: Headers,
  extra: Readonly<Record<string, string | readonly string[]>>,
): Headers => {
  const names = new Set(Object.keys(extra).map((name) => name.toLowerCase()));
  const kept = Object.entries(base).filter(([name]) => !names.has(name.toLowerCase()));
  return { ...Object.fromEntries(kept), ...extra } as Headers;
};

/** Whether bytes of the request are, or may be, still to come that nobody wants. */
const isUnread = ({ request }: Exchange): boolean => !request.complete && hasBody(request);

const isSmall = ({ request }: Exchange): boolean =>
  request.headers['transfer-encoding'] === undefined &&
  Number(request.headers['content-length']) <= DISCARD_BYTES;

/** Reads and drops what the client still sends, within bounds, then ends the response and with it the connection. */
const linger = ({ request, response }: Exchange): void => {
  let dropped = 0;
  const finish = (): void => {
    clearTimeout(timer);
    request.off('data', count).off('end', finish).off('close', finish);
    response.end();
  };
  const count = (chunk: Buffer): void => {
    dropped += chunk.length;
    if (dropped > LINGER_BYTES) finish();
  };
  const timer = setTimeout(finish, LINGER_MS);
  request.on('error', finish).on('end', finish).on('close', finish).on('data', count).resume();
};

const isBodiless = (status: number): boolean => status === 204 || status === 304;

export interface AnswerTerms {
  /** Takes room for an answer of so many bytes until the exchange ends; throws where there is none. */
  readonly hold: (bytes: number) => void;
  /** Whoever reads nothing of a large answer or a stream for so long has gone, and gives the room back. ms. */
  readonly unreadMs: number;
}

/** Smaller ones are held by the thousand. */
const LARGE_BYTES = 1024 * 1024;
const usualTerms: AnswerTerms = { hold: () => {}, unreadMs: MINUTE };

/**
 * Sends what a handler returned. Throws, with nothing sent, what makes no answer, and large ones for which `hold` has no
 * room; streams may fail later.
 */
export const answer = async (
  exchange: Exchange,
  result: RouteResult,
  given: Partial<AnswerTerms> = {},
): Promise<void> => {
  const terms = { ...usualTerms, ...given };
  const headers: Headers = result.headers ? mergeHeaders(exchange.headers, result.headers) : exchange.headers;
  if (result.body === undefined || isBodiless(result.status)) {
    if (!isBodiless(result.status)) headers['Content-Length'] = '0';
    return send(exchange, result.status, headers, undefined, terms);
  }
  headers['Content-Type'] = result.contentType ?? 'application/json';
  if (result.contentType !== undefined && isStream(result.body))
    return sendStream(exchange, result.status, headers, result.body, terms.unreadMs);
  const asIs =
    result.contentType !== undefined &&
    (typeof result.body === 'string' || result.body instanceof Uint8Array);
  send(
    exchange,
    result.status,
    headers,
    asIs ? (result.body as string | Uint8Array) : JSON.stringify(result.body),
    terms,
  );
};

const send = (
  exchange: Exchange,
  status: number,
  headers: Headers,
  body: string | Uint8Array | undefined,
  { hold, unreadMs }: AnswerTerms,
): void => {
  const { response, request } = exchange;
  if (body !== undefined) {
    const bytes = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
    if (bytes > LARGE_BYTES && request.method !== 'HEAD') {
      hold(bytes);
      response.setTimeout(unreadMs, () => response.destroy());
    }
    headers['Content-Length'] = String(bytes);
    exchange.bytesOut = bytes;
  }
  const unread = isUnread(exchange);
  if (unread && !isSmall(exchange)) headers.Connection = 'close';
  response.writeHead(status, headers);
  // A client that waits for 100 Continue and gets this instead sends no body (RFC 9110 §10.1.1).
  const waits = request.headers.expect !== undefined;
  if (!unread || isSmall(exchange) || waits) {
    response.end(body);
    return;
  }
  if (body === undefined) response.flushHeaders();
  else response.write(body);
  if (request.destroyed) response.end();
  else linger(exchange);
};

const logError = (exchange: Exchange, error: AppError): void => {
  if (error.status < 500) {
    exchange.log.debug({ code: error.code, error: error.message }, 'request refused');
  } else if (error.code === 'internal_error') {
    exchange.log.error({ err: error.cause ?? error, route: exchange.route?.path }, 'request failed');
  } else {
    exchange.log.warn({ err: error, route: exchange.route?.path }, 'request refused');
  }
};

/** A browser, at a route that has pages or where there is none outside of the API. */
const isReadByPerson = (exchange: Exchange): boolean => {
  const { route, isApi } = exchange;
  return (route === undefined ? !isApi : answersPages(route)) && prefersPage(exchange);
};

/** Sends the public form of anything thrown, as JSON or as a page; what is not public goes to the log. */
export const answerError = async (
  exchange: Exchange,
  thrown: unknown,
  serviceName: string,
): Promise<void> => {
  const { response, headers } = exchange;
  if (thrown instanceof ClientGone || response.destroyed) return;
  const error = toAppError(thrown);
  exchange.errorCode = error.code;
  logError(exchange, error);
  if (response.headersSent) {
    // The status has gone out already: only a broken connection still says that the answer is not whole.
    response.destroy();
    return;
  }
  if (error.code === 'unauthorized') headers['WWW-Authenticate'] = exchange.route?.challenge ?? 'Bearer';
  const retryAfter = error.extra.retry_after;
  if (typeof retryAfter === 'number') headers['Retry-After'] = String(retryAfter);
  await answer(
    exchange,
    isReadByPerson(exchange)
      ? refusalPage(error, exchange.language, serviceName)
      : { status: error.status, body: error },
  );
};
