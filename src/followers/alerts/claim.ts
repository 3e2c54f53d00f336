// Takes what is due: all that has been gathered becomes one message, also where an earlier attempt at a part of it failed. The
// attempt and the time of the next one are written before the network is touched, so that a crash never hammers a chat tool:
// it sends the message once more, at that time.

import { tenantStore } from '#src/accounts/tenants/store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Language } from '#src/kernel/language.ts';
import type { WorkItem } from '#src/work/in-flight.ts';
import type { Claim } from '#src/work/queue.ts';
import { openUrl } from './present.ts';
import { type AlertKind, type AlertPolicy, add, longestWait, nextAttemptAt } from './rules.ts';
import { type AlertRow, alertStore, type Counts } from './store.ts';

/** A message to be sent. Its key is the number of the alert, its target the id. */
export interface ClaimedAlert extends WorkItem {
  readonly key: number;
  readonly kind: AlertKind;
  readonly language: Language;
  readonly url: string;
  /** From 1. */
  readonly attempt: number;
  /** Name of the practice. */
  readonly practice: string;
  readonly counts: Counts;
}

export interface ClaimDeps {
  readonly now: number;
  readonly policy: AlertPolicy;
  /** 32 bytes, derived for alerts alone. */
  readonly key: Buffer;
  /** In [0, 1). */
  readonly random: () => number;
}

/** What is due later than its kind of wait sets it got its time from a clock that has been set back since. */
export const isDue = (
  { status, due_at, attempts }: AlertRow,
  { now, policy }: Pick<ClaimDeps, 'now' | 'policy'>,
): boolean => {
  if (status !== 'active' || due_at === null) return false;
  return due_at <= now || due_at > now + (attempts === 0 ? policy.gather : longestWait(policy));
};

const mergedCounts = (db: TenantDb, number: number): Counts => {
  const store = alertStore(db);
  const sending = store.counts(number, 'sending');
  for (const [event, count] of store.counts(number, 'gathered'))
    store.putCount(number, 'sending', event, add(sending.get(event), count));
  store.removeCounts(number, 'gathered');
  return store.counts(number, 'sending');
};

const claimOne = (db: TenantDb, row: AlertRow, practice: string, deps: ClaimDeps): ClaimedAlert => {
  const { now, policy, key, random } = deps;
  const { number, id, kind, language } = row;
  const attempt = row.attempts + 1;
  const counts = mergedCounts(db, number);
  alertStore(db).update({
    ...row,
    attempts: attempt,
    due_at: nextAttemptAt(attempt, now, policy, random()),
  });
  const url = openUrl(key, row);
  return { key: number, target: id, bytes: 0, kind, language, url, attempt, practice, counts };
};

/** Takes those that are due and have room, those due longest first. */
export const claimDue = (
  db: TenantDb,
  { room, isInFlight, take }: Claim<ClaimedAlert>,
  deps: ClaimDeps,
): void => {
  const due = alertStore(db)
    .all()
    .filter((row) => isDue(row, deps) && !isInFlight(row.number))
    .toSorted((a, b) => (a.due_at ?? 0) - (b.due_at ?? 0));
  for (const row of due) if (room(row.id) > 0) take(claimOne(db, row, tenantStore(db).practice().name, deps));
};
