// One request and its answer while they are in flight: what handlers see of it (RequestContext), and what the steps note
// down for the answer and the access log.

import type { ServerResponse } from 'node:http';
import type { Request } from 'express';
import Negotiator from 'negotiator';
import { anonymous, type Caller } from '#src/kernel/access.ts';
import type { Change } from '#src/kernel/change.ts';
import { AppError, type ErrorCode } from '#src/kernel/errors.ts';
import { newId } from '#src/kernel/id.ts';
import {
  answerDefault,
  defaultLanguage,
  type Language,
  languages,
  type MemberLanguage,
  memberLanguages,
} from '#src/kernel/language.ts';
import type { Log } from '#src/kernel/log.ts';
import { prefersPage } from '#src/kernel/page.ts';
import { etagOf, namesVersion } from '#src/kernel/record-version.ts';
import type { ForeignShape, RequestContext, Route, RouteResult } from '#src/kernel/route.ts';
import { toAppError } from '#src/kernel/route.ts';
import { inEnglish, type Speak } from '#src/kernel/say.ts';
import { MINUTE, SECOND } from '#src/kernel/time.ts';
import { answersPages } from './api-facts.ts';
import { ClientGone, hasBody } from './body.ts';
import { type Compress, mayCompress } from './compression.ts';
import { refusalPage } from './refusal-page.ts';

/** Who says texts of refusals in a language. */
export type SpeakIn = (language: MemberLanguage) => Speak;

const CLIENT_REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

export class Exchange implements RequestContext {
  readonly request: Request;
  readonly response: ServerResponse;
  readonly requestId = newId();
  readonly startedAt = performance.now();
  /** '' for a target like `a://b?c`. */
  path: string;
  readonly clientAddress: string;
  /** Whether the path is one of the API: no caching, rate limit. */
  isApi = false;
  /** Where the path is one of another API. */
  shape: ForeignShape | undefined;
  /** The header of the answer; steps add their fields before anything is sent. */
  readonly headers: Record<string, string>;
  caller: Caller = anonymous;
  route: Route | undefined;
  params: Record<string, string> = {};
  tenantId: string | null = null;
  bytesIn = 0;
  /** The body takes so much of the budget of all bodies. */
  bytesHeld = 0;
  /** The owner of that room. It stays the same where the body shows who the caller is, so that no one else's room is given back. */
  bodyOwner = '';
  /** The room of a large answer, until it has been read. */
  answerHeld = 0;
  isSettled = false;
  /** The body as it came, where it may have to be forwarded. */
  bodyBytes: Buffer | null = null;
  bytesOut = 0;
  errorCode: ErrorCode | undefined;
  /** Ids of messages that the request has made. */
  made: readonly string[] = [];
  /** The handler has asked for the version that If-Match names. */
  versionAsked = false;
  readonly #log: Log;
  readonly speakIn: SpeakIn;
  /** Set once the request is admitted. */
  readmit = async (): Promise<Caller> => this.caller;
  #ownLog: Log | undefined;
  #change: Change | undefined;

  constructor(request: Request, response: ServerResponse, log: Log, speakIn: SpeakIn = () => inEnglish) {
    this.speakIn = speakIn;
    this.request = request;
    this.response = response;
    this.path = '';
    this.clientAddress = request.ip ?? '';
    this.#log = log;
    this.headers = {
      'X-Request-Id': this.requestId,
      'X-Content-Type-Options': 'nosniff',
      'X-Frame-Options': 'DENY',
      'Referrer-Policy': 'no-referrer',
      'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    };
    this.goTo(request.path ?? '');
  }

  /** The request is taken as one for `path`. */
  goTo(path: string): void {
    this.path = path;
    this.isApi = path.startsWith('/api/');
    if (this.isApi) this.headers['Cache-Control'] = 'no-store';
  }

  get method(): string {
    return this.request.method;
  }

  /** Made at first use: most requests log nothing of their own. */
  get log(): Log {
    this.#ownLog ??= this.#log.child({ request_id: this.requestId });
    return this.#ownLog;
  }

  get change(): Change {
    const { caller, route, clientAddress, requestId } = this;
    this.#change ??= {
      actor: { kind: caller.kind, id: caller.account?.id ?? caller.credentialId, name: caller.name },
      action: typeof route?.audit === 'string' ? route.audit : '',
      clientAddress,
      requestId,
      recorded: false,
    };
    return this.#change;
  }

  get language(): Language {
    return this.namedLanguage ?? defaultLanguage;
  }

  get namedLanguage(): Language | null {
    return this.#wanted(languages);
  }

  /** Other APIs answer in English, whatever is asked for. */
  get answerLanguage(): MemberLanguage {
    return this.shape === undefined ? (this.#wanted(memberLanguages) ?? answerDefault) : answerDefault;
  }

  get speak(): Speak {
    return this.speakIn(this.answerLanguage);
  }

  /** `Accept-Language: *` names none. */
  #wanted<Offered extends Language>(offered: readonly Offered[]): Offered | null {
    const named = this.request.headers['accept-language'] ?? '*';
    const wanted = new Negotiator(this.request).languages([...offered]);
    return named.trim() === '*' ? null : (offered.find((one) => one === wanted[0]) ?? null);
  }

  /** The id the client gave its request: for its own search in the log, never taken for ours. */
  get clientRequestId(): string | undefined {
    const id = this.request.headers['x-request-id'];
    return typeof id === 'string' && CLIENT_REQUEST_ID.test(id) ? id : undefined;
  }

  header = (name: string): string | undefined => {
    const value = this.request.headers[name];
    if (typeof value !== 'string') return undefined;
    return this.countOf(name) === 1 ? value : undefined;
  };

  noteMade = (messageIds: readonly string[]): void => {
    this.made = messageIds;
  };

  otherVersion = (record: object): string | null => {
    this.versionAsked = true;
    const ifMatch = this.request.headers['if-match'];
    if (ifMatch === undefined || this.route?.version === undefined) return null;
    const etag = etagOf(this.route.version, record);
    return namesVersion(ifMatch, etag) ? null : etag;
  };

  /** How often the request has a header: node joins some repeated ones and drops others. */
  countOf = (name: string): number => {
    const raw = this.request.rawHeaders;
    let count = 0;
    for (let index = 0; index < raw.length; index += 2) {
      const candidate = raw[index];
      if (candidate?.length === name.length && candidate.toLowerCase() === name) count += 1;
    }
    return count;
  };
}

// Answers onto the connection: results of handlers, and errors in their public form (`{code, error, hint}` and extras).
// Where the client is still sending a body that is not read, the answer goes out first and the connection closes after
// it: a close over unread bytes would reset the connection, and the client would never see the answer.

/** A body no larger than this is read and dropped, so that the connection can be used again. */
const DISCARD_BYTES = 64 * 1024;
/** More is read only so that clients that send everything before they listen reach their answer. */
const LINGER_BYTES = 64 * 1024 * 1024;
const LINGER_MS = 30 * SECOND;
/** Smaller answers are held by the thousand. */
const LARGE_BYTES = 1024 * 1024;

type Headers = Record<string, string | string[]>;
type Chunk = string | Uint8Array;

export interface AnswerTerms {
  /** Takes room for an answer of that size until the exchange ends; throws where there is none. */
  readonly hold: (bytes: number) => void;
  readonly compress?: Compress;
  /** A client that reads nothing of a large answer or a stream for so long is cut off. ms; a minute where absent. */
  readonly unreadMs?: number | undefined;
}

/** Errors are small. */
const errorTerms: AnswerTerms = { hold: () => {} };

/** `extra` wins over `base`, whatever the case of its names. */
const mergeHeaders = (base: Headers, extra: RouteResult['headers'] = {}): Headers => {
  const added = Object.keys(extra);
  if (added.length === 0) return base;
  const names = new Set(added.map((name) => name.toLowerCase()));
  const kept = Object.entries(base).filter(([name]) => !names.has(name.toLowerCase()));
  return { ...Object.fromEntries(kept), ...extra } as Headers;
};

/** Whether bytes of the request are, or may be, still to come, that are not read. */
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

const isStream = (body: unknown): body is AsyncIterable<Chunk> =>
  typeof body === 'object' && body !== null && Symbol.asyncIterator in body;

/**
 * Sends what a handler returned. Throws, with nothing sent, what makes no answer, and large ones for which `hold` has no
 * room; streams may fail later.
 */
export const answer = async (exchange: Exchange, result: RouteResult, terms: AnswerTerms): Promise<void> => {
  const { status, body, contentType } = result;
  const headers = mergeHeaders(exchange.headers, result.headers);
  if (body === undefined || isBodiless(status)) {
    if (!isBodiless(status)) headers['Content-Length'] = '0';
    return send(exchange, status, headers, undefined, terms);
  }
  headers['Content-Type'] = contentType ?? 'application/json';
  if (contentType !== undefined && isStream(body)) return sendStream(exchange, status, headers, body, terms);
  const asIs = contentType !== undefined && (typeof body === 'string' || body instanceof Uint8Array);
  if (body instanceof AppError) headers['Content-Language'] = body.speakOf(exchange.speak).language;
  const plain = asIs ? body : JSON.stringify(body instanceof AppError ? body.saidBy(exchange.speak) : body);
  const { route, request } = exchange;
  if (status !== 200 || terms.compress === undefined || route === undefined || !mayCompress(route))
    return send(exchange, status, headers, plain, terms);
  headers.Vary = [headers.Vary ?? [], 'Accept-Encoding'].flat().join(', ');
  const accepted = request.headers['accept-encoding']?.toString();
  const bytes = typeof plain === 'string' ? Buffer.byteLength(plain) : plain.length;
  // The whole answer is in memory while it is compressed, and counts as that until it is sent.
  if (bytes > LARGE_BYTES && request.method !== 'HEAD') terms.hold(bytes);
  const compressed = await terms.compress(route, accepted, headers['Content-Type'], plain);
  if (compressed !== null) headers['Content-Encoding'] = compressed.encoding;
  send(exchange, status, headers, compressed?.body ?? plain, { ...terms, hold: () => {} });
};

const send = (
  exchange: Exchange,
  status: number,
  headers: Headers,
  body: Chunk | undefined,
  { hold, unreadMs = MINUTE }: AnswerTerms,
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

/** Resolves when the connection takes more, and when it takes nothing any more. */
const drained = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });

/**
 * Resolves when all has been handed to the connection, and when the client has left or read nothing for `unreadMs`. The
 * source is ended by `return()` at once then, not with its next chunk, which may take long to come. Rejects where the
 * source does.
 */
const sendStream = async (
  exchange: Exchange,
  status: number,
  headers: Headers,
  body: AsyncIterable<Chunk>,
  { unreadMs = MINUTE }: AnswerTerms,
): Promise<void> => {
  const { request, response } = exchange;
  const source = body[Symbol.asyncIterator]();
  const leave = (): void => void Promise.resolve(source.return?.()).catch(() => {});
  if (response.destroyed) return leave();
  response.once('close', leave);
  // A body that is not read would hold up the connection, and the server would not notice that the client has left.
  request.resume();
  response.writeHead(status, headers);
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  response.setTimeout(unreadMs, () => response.destroy());
  for (let next = await source.next(); !next.done; next = await source.next()) {
    if (response.destroyed) return;
    exchange.bytesOut += Buffer.byteLength(next.value);
    if (!response.write(next.value)) await drained(response);
  }
  response.end();
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
  // A foreign form has codes of its own, and a page says all that there is.
  if (!exchange.shape?.refusals && !isReadByPerson(exchange))
    headers.Link = `</reference/errors#${error.code}>; rel="help"`;
  const result =
    exchange.shape?.refusals?.write(error) ??
    (isReadByPerson(exchange)
      ? refusalPage(error, exchange.language, exchange.speakIn, serviceName)
      : { status: error.status, body: error });
  await answer(exchange, result, errorTerms);
};
