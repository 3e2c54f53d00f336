// Many messages by one request: the answer for each, and for the whole.
//
// A request may have one idempotency key: while it runs, the key is kept with the request's digest, and each message has a key
// of its own, made of the request's key and its place. So a repetition after a crash sends none twice and goes on with
// the rest, and a request with another body is refused. At the end the whole answer is kept under the key, unless a part
// of it could be another one next time: then the repetition tries that part again.
import { tenantStore } from '#src/accounts/tenants/store.ts';
import type { Caller } from '#src/kernel/access.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { errorTable } from '#src/kernel/error-table.ts';
import type { AppError } from '#src/kernel/errors.ts';
import { memberLanguageOf } from '#src/kernel/language.ts';
import type { Log } from '#src/kernel/log.ts';
import { type RequestContext, toAppError } from '#src/kernel/route.ts';
import type { Speak } from '#src/kernel/say.ts';
import { type Accepted, rooted } from './accept.ts';
import { answerIn, findKept, IDEMPOTENCY_PERIOD, type KeyedRequest, keepAnswer } from './answer.ts';
import { usualProject } from './evaluate.ts';
import { idempotencyStore } from './idempotency-store.ts';
import type { IntakeContext } from './intake-context.ts';
import type { SendAnswer } from './schema.ts';

/** `{status_code, code, error, hint, …}` */
export interface ItemRefusal {
  readonly status_code: number;
  readonly code: string;
  readonly error: string;
  readonly hint: string;
}

export type Outcome =
  | { readonly kind: 'accepted'; readonly answer: SendAnswer }
  /** `isKept`: as failed. `mayPass`: the same request may be answered otherwise when it is repeated. */
  | {
      readonly kind: 'refused';
      readonly refusal: ItemRefusal;
      readonly isKept: boolean;
      readonly mayPass: boolean;
    };

/** A failure of the service is worth another try; a decision of it is not. */
const mayPass = ({ status, code }: AppError): boolean => status >= 500 || code === 'idempotency_in_progress';

const refusedAs = (error: AppError, root: string, speak: Speak, isKept: boolean): Outcome => {
  const { code, error: message, hint, ...extra } = error.saidBy(speak);
  return {
    kind: 'refused',
    refusal: { status_code: errorTable[code].status, code, error: message, hint, ...rooted(extra, root) },
    isKept,
    mayPass: mayPass(error),
  };
};

/** The outcome of one item, whatever it throws; `root` is its path in the request. */
export const outcomeOf = async (
  root: string,
  { log, speak }: Pick<ManyRequest, 'log' | 'speak'>,
  attempt: () => Promise<Accepted>,
): Promise<Outcome> => {
  try {
    const accepted = await attempt();
    return accepted.kind === 'accepted'
      ? { kind: 'accepted', answer: answerIn(memberLanguageOf(speak.language), accepted.answer) }
      : refusedAs(accepted.error, root, speak, true);
  } catch (thrown) {
    const error = toAppError(thrown);
    if (error.code === 'internal_error') log.error({ err: thrown, item: root }, 'an item failed by a defect');
    return refusedAs(error, root, speak, false);
  }
};

/** 202 where at least one was accepted, even if all its recipients are suppressed; else 422. */
export const statusOf = (outcomes: readonly Outcome[]): 202 | 422 =>
  outcomes.some(({ kind }) => kind === 'accepted') ? 202 : 422;

/** The status of a request that has not been answered yet. */
const RUNNING = 0;

/** What every request for many messages has. */
export interface ManyRequest {
  readonly tenantId: string;
  /** See Submission. */
  readonly tokenId?: string | null;
  /** Ids of the projects that the credential is limited to; null: all. */
  readonly projects: Caller['projects'];
  readonly noteMade?: RequestContext['noteMade'];
  /** The idempotency key of the whole; null: a repetition is a new request. */
  readonly key: string | null;
  readonly log: Log;
  /** Says texts in the language of the answer. */
  readonly speak: Speak;
}

interface WholeRequest extends ManyRequest {
  /** The project that the request names; null where it names none, or each message names its own. */
  readonly projectId: string | null;
  /** SHA-256 of the request's content. */
  readonly digest: Buffer;
}

export interface WholeAnswer {
  readonly status: 202 | 422;
  readonly body: unknown;
  readonly outcomes: readonly Outcome[];
}

export interface Answered {
  readonly status: number;
  readonly body: unknown;
  readonly replayed: boolean;
}

/** No client can give such a key: theirs are one line. */
export const keyOfPart = (key: string, index: number): string => `${key}\n${index}`;

/** The project under which the key is kept, as for a single message of the same credential. Throws `not_found`. */
const scopeOf = (db: TenantDb, whole: WholeRequest): string =>
  usualProject(db, whole) ?? [...(whole.projects ?? [])].toSorted()[0] ?? tenantStore(db).defaultProject().id;

/** Records that it runs, or finds what was answered. Throws `idempotency_conflict`. */
const begin = (db: TenantDb, scope: string, request: KeyedRequest, now: number): Answered | null => {
  const kept = findKept(db, scope, request, now);
  if (kept && kept.status !== RUNNING)
    return { status: kept.status, body: JSON.parse(kept.response_json), replayed: true };
  keepAnswer(db, scope, request, { status: RUNNING, body: null }, now);
  return null;
};

/** Whether the answer is kept, or the key is free again because nothing was stored; null: a repetition tries again. */
const endOf = (outcomes: readonly Outcome[]): 'keep' | 'free' | null => {
  if (outcomes.some((outcome) => outcome.kind === 'refused' && outcome.mayPass)) return null;
  return outcomes.some((outcome) => outcome.kind === 'accepted' || outcome.isKept) ? 'keep' : 'free';
};

/** A null answer: the key is free again. */
const finish = (
  db: TenantDb,
  scope: string,
  request: KeyedRequest,
  answer: WholeAnswer | null,
  now: number,
): void => {
  const store = idempotencyStore(db);
  const kept = store.get(scope, request.key, now - IDEMPOTENCY_PERIOD);
  // Another request under the key has been quicker.
  if (kept && !kept.request_hash.equals(request.digest)) return;
  if (answer === null) store.remove(scope, request.key);
  else keepAnswer(db, scope, request, answer, now);
};

/**
 * Does the work, or answers as it was answered before. A rejection of `doAll` refuses the whole request, and the key is free
 * again. Rejects with `not_found`, `idempotency_conflict`, and `idempotency_in_progress` after half a minute.
 */
export const answerWhole = (
  { files, clock, requests }: IntakeContext,
  whole: WholeRequest,
  doAll: () => Promise<WholeAnswer>,
): Promise<Answered> => {
  const { tenantId, key, digest } = whole;
  const work = async (): Promise<WholeAnswer> => {
    const answer = await doAll();
    whole.noteMade?.(
      answer.outcomes.flatMap((outcome) => (outcome.kind === 'accepted' ? [outcome.answer.id] : [])),
    );
    return answer;
  };
  const answered = ({ status, body }: WholeAnswer): Answered => ({ status, body, replayed: false });
  if (key === null) return work().then(answered);
  const request = { key, digest };
  return requests.run(tenantId, `whole ${whole.projectId ?? ''} ${key}`, async () => {
    const repeated = await files.write(tenantId, (db) => begin(db, scopeOf(db, whole), request, clock.now()));
    if (repeated) return repeated;
    // Where this cannot be written, the key stays that of a request that runs: the repetition finds each message by its
    // own key.
    const end = (answer: WholeAnswer | null) =>
      files
        .write(tenantId, (db) => finish(db, scopeOf(db, whole), request, answer, clock.now()))
        .catch(() => undefined);
    const answer = await work().catch(async (refusal: unknown) => {
      await end(null);
      throw refusal;
    });
    const ending = endOf(answer.outcomes);
    if (ending !== null) await end(ending === 'keep' ? answer : null);
    return answered(answer);
  });
};
