// Idempotency keys: requests with one key run one after the other, the first does the work, and the others are answered
// with what the first one left. An answer is kept for a day.

import { createKeyedQueue } from '#src/kernel/concurrency.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Pace } from '#src/kernel/pace.ts';
import { DAY, SECOND } from '#src/kernel/time.ts';
import { idempotencyStore, type KeptAnswer } from './idempotency-store.ts';
import type { RequestQueue } from './intake-context.ts';

/** How long a key answers with what was answered first. */
export const IDEMPOTENCY_PERIOD = DAY;
const PATIENCE_MS = 30 * SECOND;
/** They take some 5 ms of a transaction. */
const ANSWERS_PER_TRANSACTION = 500;

export interface KeyedRequest {
  readonly key: string;
  /** SHA-256 of the request's content. */
  readonly digest: Buffer;
}

const inProgress = (): AppError =>
  new AppError('idempotency_in_progress', 'The first request with this idempotency key is still running.');

export const createRequestQueue = (patienceMs: number = PATIENCE_MS): RequestQueue => {
  const queue = createKeyedQueue();
  return {
    run: async (tenantId, key, work) => {
      if (key === null) return work();
      const { promise: begins, resolve: begin } = Promise.withResolvers<boolean>();
      let gaveUp = false;
      const patience = setTimeout(() => begin(false), patienceMs);
      const running = queue(`${tenantId} ${key}`, async () => {
        if (gaveUp) throw inProgress();
        begin(true);
        return work();
      });
      running.catch(() => undefined);
      const hasBegun = await begins;
      clearTimeout(patience);
      if (hasBegun) return running;
      gaveUp = true;
      throw inProgress();
    },
  };
};

/** What is kept under the key. `scope` is the id of a project. Throws `idempotency_conflict`. */
export const findKept = (
  db: TenantDb,
  scope: string,
  { key, digest }: KeyedRequest,
  now: number,
): KeptAnswer | null => {
  const kept = idempotencyStore(db).get(scope, key, now - IDEMPOTENCY_PERIOD);
  if (!kept) return null;
  if (kept.request_hash.equals(digest)) return kept;
  throw new AppError('idempotency_conflict', 'This idempotency key was used for another request.');
};

export const keepAnswer = (
  db: TenantDb,
  scope: string,
  { key, digest }: KeyedRequest,
  { status, body }: { readonly status: number; readonly body: unknown },
  now: number,
): void => {
  const answer = { request_hash: digest, status, response_json: JSON.stringify(body) };
  idempotencyStore(db).put(scope, key, answer, now, now - IDEMPOTENCY_PERIOD);
};

/**
 * Removes the answers whose day is over. New requests remove some of them; those of a practice that no longer sends would
 * stay. Ends between two transactions when `signal` aborts; `pace` may rest after each.
 */
export const removeExpiredAnswers = async (
  files: Pick<TenantFiles, 'read' | 'write'>,
  tenantId: string,
  now: number,
  signal: AbortSignal,
  pace: Pace,
): Promise<void> => {
  const expired = now - IDEMPOTENCY_PERIOD;
  const oldest = await files.read(tenantId, (db) => idempotencyStore(db).oldest());
  if (oldest === undefined || oldest > expired) return;
  for (let removed = ANSWERS_PER_TRANSACTION; removed === ANSWERS_PER_TRANSACTION && !signal.aborted; )
    removed = await pace(() =>
      files.write(tenantId, (db) => idempotencyStore(db).removeExpired(expired, ANSWERS_PER_TRANSACTION)),
    );
};
