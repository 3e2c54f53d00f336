// A request for many messages under one idempotency key. While it runs, the key is known with the request's digest;
// each message has a key of its own, made of the request's and its place. So a repetition after a crash in the middle
// sends none twice and goes on with the rest, and one with another body is refused. At the end the whole answer stands
// under the key, unless a part of it could be another one next time: then the repetition tries that part again.

import { tenantStore } from '#src/accounts/tenants/store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { type AcceptDeps, IDEMPOTENCY_PERIOD } from './accept.ts';
import type { Outcome } from './many.ts';
import { idempotencyStore } from './store.ts';

/** Answers have a status; what runs has none yet. */
const RUNNING = 0;

export interface WholeRequest {
  readonly tenantId: string;
  /** Ids of the projects the credential is limited to; null: all. */
  readonly projects: ReadonlySet<string> | null;
  /** The one that was asked for; null where there is none, or each message names its own. */
  readonly projectId: string | null;
  /** Null: a repetition is a new request. */
  readonly key: string | null;
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

/** Under no key that a client can give: those are one line. */
export const keyOfPart = (key: string, index: number): string => `${key}\n${index}`;

/** Where the key is kept: as that of a single message from the same credential would be. Throws `not_found`. */
const scopeOf = (db: TenantDb, { projects, projectId }: WholeRequest): string => {
  if (projectId !== null) {
    if (projects === null || projects.has(projectId)) return projectId;
    throw new AppError('not_found', 'There is no such project.');
  }
  const { id } = tenantStore(db).defaultProject();
  return projects === null || projects.has(id) ? id : ([...projects].toSorted()[0] ?? id);
};

/** Notes that it runs, or finds what was answered. Throws `idempotency_conflict`. */
const begin = (db: TenantDb, request: WholeRequest, key: string, now: number): Answered | null => {
  const store = idempotencyStore(db);
  const scope = scopeOf(db, request);
  const kept = store.get(scope, key, now - IDEMPOTENCY_PERIOD);
  if (kept && !kept.request_hash.equals(request.digest))
    throw new AppError('idempotency_conflict', 'This idempotency key was used for another request.');
  if (kept && kept.status !== RUNNING)
    return { status: kept.status, body: JSON.parse(kept.response_json), replayed: true };
  const running = { request_hash: request.digest, status: RUNNING, response_json: '' };
  store.put(scope, key, running, now, now - IDEMPOTENCY_PERIOD);
  return null;
};

type Fate = 'keep' | 'free' | 'try again';

/** What becomes of the key: `free` where nothing was stored under it. */
const fateOf = (outcomes: readonly Outcome[]): Fate => {
  if (outcomes.some((outcome) => outcome.kind === 'refused' && outcome.mayPass)) return 'try again';
  return outcomes.some((outcome) => outcome.kind === 'accepted' || outcome.isKept) ? 'keep' : 'free';
};

/** Null: the key is free again. */
const finish = (
  db: TenantDb,
  request: WholeRequest,
  key: string,
  answer: WholeAnswer | null,
  now: number,
): void => {
  const store = idempotencyStore(db);
  const scope = scopeOf(db, request);
  const kept = store.get(scope, key, now - IDEMPOTENCY_PERIOD);
  // Another request under the key has been quicker.
  if (kept && !kept.request_hash.equals(request.digest)) return;
  if (answer === null) store.remove(scope, key);
  else {
    const { status, body } = answer;
    const row = { request_hash: request.digest, status, response_json: JSON.stringify(body) };
    store.put(scope, key, row, now, now - IDEMPOTENCY_PERIOD);
  }
};

/**
 * Does the work, or answers as it was answered before. What `work` rejects with is a refusal of the whole, by which the
 * key is free again. Rejects with `not_found`, `idempotency_conflict`, and `idempotency_in_progress` after half a minute.
 */
export const answerWhole = (
  deps: AcceptDeps,
  request: WholeRequest,
  work: () => Promise<WholeAnswer>,
): Promise<Answered> => {
  const { tenantId, key } = request;
  const answered = ({ status, body }: WholeAnswer): Answered => ({ status, body, replayed: false });
  if (key === null) return work().then(answered);
  const write = <T>(change: (db: TenantDb) => T) => deps.files.write(tenantId, change);
  const turn = `whole ${request.projectId ?? ''} ${key}`;
  return deps.repeats.inTurn(tenantId, turn, async () => {
    const repeated = await write((db) => begin(db, request, key, deps.clock.now()));
    if (repeated) return repeated;
    // Where this cannot be written, the key stays that of a request that runs: the repetition finds each message by its
    // own key.
    const end = (answer: WholeAnswer | null) =>
      write((db) => finish(db, request, key, answer, deps.clock.now())).catch(() => undefined);
    const answer = await work().catch(async (refusal: unknown) => {
      await end(null);
      throw refusal;
    });
    const fate = fateOf(answer.outcomes);
    if (fate !== 'try again') await end(fate === 'keep' ? answer : null);
    return answered(answer);
  });
};
