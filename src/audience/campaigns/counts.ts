// How far a campaign has come, by its own counters and the queue.
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { queueStore } from '#src/messages/queue/store.ts';
import { MAX_WAITING, mayBeDeferred, type OwnCounts } from './rules.ts';
import { campaignStore, HANDED_OVER } from './store.ts';

/** Mails that were never tried are among the last that were handed over, in the order of the queue. */
const LOOKED_AT = 2 * MAX_WAITING;

export interface Progress {
  /** How many of its mails have no outcome yet. The counters follow the log, so for a moment these are too many. */
  readonly queued: number;
  /** How many of these were never tried to the end. */
  readonly waiting: number;
  /** How many of these were tried and are to be tried again; exact where they may be too many. */
  readonly deferred: number;
  /** The campaign's own counts since its beginning. */
  readonly own: OwnCounts;
}

export const countsOf = (db: TenantDb, seq: number): Progress => {
  const counters = campaignStore(db).counters(seq);
  const countOf = (name: string): number => counters.get(name) ?? 0;
  const handedOver = countOf(HANDED_OVER);
  const tried = countOf('sent') + countOf('refused') + countOf('failed') + countOf('suppressed');
  const queued = Math.max(0, handedOver - tried);
  const waiting = queued === 0 ? 0 : queueStore(db).firstAttempts(seq, LOOKED_AT);
  const bound = mayBeDeferred(tried);
  const deferred = Math.max(0, queued - waiting);
  return {
    queued,
    waiting,
    deferred: deferred < bound ? deferred : queueStore(db).deferred(seq, bound),
    own: { tried, hardBounced: countOf('hard_bounced'), complained: countOf('complained') },
  };
};
