// One request and its answer while they are in flight: what handlers see of it (RequestContext), and what the steps note
// down for the answer and the access log.
import type { ServerResponse } from 'node:http';
import type { Request } from 'express';
import Negotiator from 'negotiator';
import { anonymous, type Caller } from '#src/kernel/access.ts';
import type { Change } from '#src/kernel/change.ts';
import type { ErrorCode } from '#src/kernel/errors.ts';
import { newId } from '#src/kernel/id.ts';
import { type Language, languages } from '#src/kernel/language.ts';
import type { Log } from '#src/kernel/log.ts';
import type { ForeignShape, RequestContext, Route } from '#src/kernel/route.ts';

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
  /** Of the answer; steps add theirs before anything is sent. */
  readonly headers: Record<string, string>;
  caller: Caller = anonymous;
  route: Route | undefined;
  /** Of the path. */
  params: Record<string, string> = {};
  tenantId: string | null = null;
  bytesIn = 0;
  /** Of the body: its room in the budget of all bodies. */
  bytesHeld = 0;
  /** Whose room that is: who the caller is found to be by the body gives back no room of theirs. */
  bodyOwner = '';
  /** Of a large answer: its room until it has been read. */
  answerHeld = 0;
  isSettled = false;
  bytesOut = 0;
  errorCode: ErrorCode | undefined;
  readonly #log: Log;
  /** Set once the request is admitted. */
  readmit = async (): Promise<Caller> => this.caller;
  #ownLog: Log | undefined;
  #change: Change | undefined;

  constructor(request: Request, response: ServerResponse, log: Log) {
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
    return this.namedLanguage ?? languages[0];
  }

  get answerLanguage(): Language {
    return this.namedLanguage ?? 'en';
  }

  /** `Accept-Language: *` names none. */
  get namedLanguage(): Language | null {
    const named = this.request.headers['accept-language'] ?? '*';
    const wanted = new Negotiator(this.request).languages([...languages]);
    return named.trim() === '*' ? null : (languages.find((one) => one === wanted[0]) ?? null);
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
