// Answers kept under idempotency keys go when their day is over. What comes in takes some of the old along; of a practice
// that sends nothing any more they would stay.
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import type { Pace } from '#src/kernel/pace.ts';
import { IDEMPOTENCY_PERIOD } from './accept.ts';
import { idempotencyStore } from './store.ts';

/** Some 5 ms of a transaction. */
const ANSWERS_PER_TRANSACTION = 500;

/** Ends between two transactions when `signal` aborts; `pace` may rest after each. */
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
