// Calls of the API, typed by its own description: `call('GET /api/practices/{id}', { id })`. What is in the path is filled in,
// `body` is sent as JSON, all else is the query; what is undefined is left out, in the query also what is empty. A session that is
// over, or a sign-in that is too old for what was asked, is made good by a dialog (`signInAgain`), and the call is repeated: nothing
// that was typed is lost.
import type { Operations } from '#api';
import { language } from '#dashboard/words.ts';
import { isFromService, isReachable, pause, reached, reachedWithin } from './reach.ts';

export type OperationName = keyof Operations & string;
export type Input<K extends OperationName> = Operations[K]['input'] | WithForm<Operations[K]['input']>;
/** Bodies that take a file take a form with it as well. */
type WithForm<I> = I extends { readonly body: infer B }
  ? Extract<B, { file: unknown }> extends never
    ? never
    : Omit<I, 'body'> & { readonly body: FormData }
  : never;
export type Answer<K extends OperationName> = Operations[K]['answer'];

export interface FieldProblem {
  readonly path: string;
  readonly message: string;
}

/** What the API answered in the place of the record. `status` 0: no answer came. */
export class Refusal extends Error {
  readonly body: RefusalBody;
  readonly status: number;
  readonly code: string;
  readonly hint: string | undefined;
  readonly requestId: string | undefined;
  readonly fields: readonly FieldProblem[];
  /** The language of its texts: English where the API has none in the language of the dashboard. */
  readonly language: string | undefined;

  constructor(status: number, body: RefusalBody, headers = new Headers()) {
    super(body.error ?? '');
    this.status = status;
    this.body = body;
    this.code = body.code ?? 'unknown';
    this.hint = body.hint;
    this.requestId = headers.get('X-Request-Id') ?? undefined;
    this.language = headers.get('Content-Language') ?? undefined;
    this.fields = Array.isArray(body.fields) ? body.fields : [];
  }
}

interface RefusalBody {
  readonly code?: string;
  readonly error?: string;
  readonly hint?: string;
  readonly fields?: readonly FieldProblem[];
  readonly current?: object;
  readonly etag?: string;
  readonly saved_by?: string | null;
  readonly saved_at?: string | null;
}

/**
 * The record from which a form was filled. Where someone else has saved it since then, a dialog shows both versions; see
 * parts/conflict.tsx.
 */
export interface Over<R extends object> {
  readonly record: R;
  /** What of the record the body changes, by the names of the body; the record itself where absent. */
  readonly fields?: (record: R) => object;
  /** What people call the fields. */
  readonly names: Readonly<Record<string, string>>;
  /** What people call values that are chosen from a list, by field. */
  readonly values?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Fills the form with what the other one has saved. */
  readonly take: (current: R) => void;
}

/** The other version was taken: nothing was saved, and nothing failed. */
export class TakenOver extends Error {}

export interface Conflict {
  readonly over: Over<never>;
  readonly mine: object;
  readonly theirs: object;
  readonly savedBy: string | null;
  readonly savedAt: string | null;
}

/** Set by the shell: asks which version is right, and resolves with undefined where that is left open. */
let decide: (conflict: Conflict) => Promise<'mine' | 'theirs' | undefined> = async () => undefined;
export const onConflict = (ask: typeof decide): void => {
  decide = ask;
};

/** The versions of records (ETag), as they were loaded or saved. */
const versions = new WeakMap<object, string>();

const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one ?? null) === JSON.stringify(other ?? null);

/** What was changed of the record: what only the other one has changed stays as that one saved it. */
const changedIn = (body: object, before: object): object => {
  const was = new Map(Object.entries(before));
  return Object.fromEntries(
    Object.entries(body).filter(
      ([name, value]) => value !== undefined && (!was.has(name) || !isSame(value, was.get(name))),
    ),
  );
};

export type SignInReason = 'session_over' | 'sign_in_again';

/** Set by the shell: asks for a new sign-in, and resolves with whether there was one. */
let signInAgain: (reason: SignInReason) => Promise<boolean> = async () => false;
export const onSignInNeeded = (ask: typeof signInAgain): void => {
  signInAgain = ask;
};

let csrfToken = '';
export const useCsrfToken = (token: string): void => {
  csrfToken = token;
};

const requestFor = (name: string, input: Readonly<Record<string, unknown>>): Request => {
  const [method = 'GET', pattern = ''] = name.split(' ');
  const { body, ...rest } = input;
  const query = new URLSearchParams();
  let path = pattern;
  for (const [key, value] of Object.entries(rest)) {
    if (value === undefined || value === null || value === '') continue;
    if (path.includes(`{${key}}`)) path = path.replace(`{${key}}`, encodeURIComponent(String(value)));
    else for (const one of Array.isArray(value) ? value : [value]) query.append(key, String(one));
  }
  const headers = new Headers({ Accept: 'application/json', 'Accept-Language': language.value });
  if (method !== 'GET') headers.set('X-CSRF-Token', csrfToken);
  // Files and forms with files say themselves what they are.
  const isFile = body instanceof Blob || body instanceof FormData;
  if (body !== undefined && !isFile) headers.set('Content-Type', 'application/json');
  const sent = body === undefined || isFile ? body : JSON.stringify(body);
  const url = query.size > 0 ? `${path}?${query}` : path;
  return new Request(url, { method, headers, body: sent });
};

/** Undefined: no answer came. */
const fetched = async (request: Request, abort?: AbortSignal): Promise<Response | undefined> => {
  try {
    const response = await fetch(request, { signal: abort });
    return isFromService(response) ? response : undefined;
  } catch (error) {
    if (abort?.aborted) throw error;
    return undefined;
  }
};

/** What a person did is not done much later, when they think of something else. */
const WRITE_WAITS_MS = 60_000;
/** The service is there and this alone fails, or it is about to restart. */
const MAX_FAILURES = 4;
const FAILED_MS = 500;

/**
 * Without an answer, what reads is asked again once the service is there, and so is for some time what writes with an
 * Idempotency-Key. Any other write may have been done: whoever asked for it decides.
 */
const send = async (request: Request, abort?: AbortSignal): Promise<Response> => {
  const isRead = request.method === 'GET';
  const isRepeated = isRead || request.headers.has('Idempotency-Key');
  const waitsMs = isRead ? undefined : WRITE_WAITS_MS;
  for (let failures = 1; ; failures++) {
    const isLast = !isRepeated || failures === MAX_FAILURES;
    const response = await fetched(request.clone(), abort);
    if (response && (response.status !== 503 || isLast)) {
      isReachable.value = true;
      return response;
    }
    if (!response) isReachable.value = false;
    if (isLast) break;
    await pause(failures * FAILED_MS, abort);
    try {
      if (await reachedWithin(abort, waitsMs)) failures = 0;
    } catch (error) {
      if (abort?.aborted) throw error;
      break;
    }
  }
  void reached();
  throw new Refusal(0, { code: 'unreachable' });
};

const refusalOf = async (response: Response): Promise<Refusal> => {
  const body = (await response.json().catch(() => ({}))) as RefusalBody;
  return new Refusal(response.status, body, response.headers);
};

const needsSignIn = ({ status, code }: Refusal): SignInReason | undefined => {
  if (status === 401) return 'session_over';
  return code === 'sign_in_again' ? 'sign_in_again' : undefined;
};

export interface CallOptions<R extends object = never> {
  readonly abort?: AbortSignal;
  /** Sends the version of that record in If-Match. */
  readonly over?: Over<R>;
  /** Field values that are no parameters, for example `Idempotency-Key`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A refusal for want of a session is thrown as it is. */
  readonly withoutSession?: true;
}

/** The body that is sent after a conflict. Rejects with TakenOver, and with the refusal where nothing was decided. */
const settled = async <R extends object>(over: Over<R>, body: object, refusal: Refusal): Promise<object> => {
  const { current, saved_by: savedBy = null, saved_at: savedAt = null } = refusal.body;
  const fieldsOf = over.fields ?? ((record: R): object => record);
  const mine = changedIn(body, fieldsOf(over.record));
  const theirs = current as R;
  const isChanged = Object.keys(mine).length > 0;
  const conflict = { over, mine, theirs, savedBy, savedAt };
  const decided = isChanged ? await decide(conflict as unknown as Conflict) : 'theirs';
  if (decided === 'mine') return mine;
  if (decided === undefined) throw refusal;
  over.take(theirs);
  throw new TakenOver();
};

/** Rejects with Refusal, and with AbortError where it was given up. */
export const call = async <K extends OperationName>(
  name: K,
  input: Input<K>,
  { abort, headers = {}, withoutSession, over }: CallOptions<Answer<K> & object> = {},
): Promise<Answer<K>> => {
  let given = input as Readonly<Record<string, unknown>>;
  let version = over && versions.get(over.record);
  for (;;) {
    const request = requestFor(name, given);
    if (version !== undefined) request.headers.set('If-Match', version);
    for (const [field, value] of Object.entries(headers)) request.headers.set(field, value);
    const response = await send(request, abort);
    if (response.ok) {
      const isJson = response.headers.get('Content-Type')?.startsWith('application/json') ?? false;
      const answer: unknown = await (isJson ? response.json() : response.text());
      const etag = response.headers.get('ETag');
      if (etag !== null && typeof answer === 'object' && answer !== null) versions.set(answer, etag);
      return answer as Answer<K>;
    }
    const refusal = await refusalOf(response);
    const { current, etag } = refusal.body;
    if (over && current && etag !== undefined && refusal.code === 'version_conflict') {
      versions.set(current, etag);
      version = etag;
      given = { ...given, body: await settled(over, given.body as object, refusal) };
      continue;
    }
    const reason = withoutSession ? undefined : needsSignIn(refusal);
    if (reason === undefined || !(await signInAgain(reason))) throw refusal;
  }
};

/** A key for the header field `Idempotency-Key`: what is sent twice with the same key is done once. */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );

/** The address of a GET, for links, downloads and frames. */
export const addressOf = <K extends OperationName & `GET ${string}`>(name: K, input: Input<K>): string =>
  new URL(requestFor(name, input as Readonly<Record<string, unknown>>).url).href.slice(
    location.origin.length,
  );
