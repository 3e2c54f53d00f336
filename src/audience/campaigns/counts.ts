// How far a campaign has come, by its own counters and the queue.
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { queueStore } from '#src/messages/queue/store.ts';
import { MAX_WAITING, type OwnCounts } from './rules.ts';
import { campaignStore, HANDED_OVER } from './store.ts';

/** Mails that wait are among the last that were handed over: what is behind them was tried, in the order of the queue. */
const LOOKED_AT = 2 * MAX_WAITING;

export interface Progress {
  readonly handedOver: number;
  /** Of its mails, how many were never tried to the end. */
  readonly waiting: number;
  /** Since its beginning. */
  readonly own: OwnCounts;
}

export const countsOf = (db: TenantDb, seq: number): Progress => {
  const counters = campaignStore(db).counters(seq);
  const handedOver = counters.get(HANDED_OVER) ?? 0;
  const waiting = handedOver === 0 ? 0 : queueStore(db).firstAttempts(seq, LOOKED_AT);
  const own = {
    tried: handedOver - waiting,
    hardBounced: counters.get('hard_bounced') ?? 0,
    complained: counters.get('complained') ?? 0,
  };
  return { handedOver, waiting, own };
};
