// What follows from an attempt at an alert's message, in one transaction.

import { auditStore } from '#src/events/audit-store.ts';
import { type DisabledReason, disabledFor } from '#src/followers/disabling.ts';
import { systemChange } from '#src/kernel/change.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { OutboundOutcome } from '#src/kernel/outbound/outbound.ts';
import type { ClaimDeps, ClaimedAlert } from './claim.ts';
import { isFailingTooLong, nextAttemptAt, verdictOf } from './rules.ts';
import { auditedAlert } from './schema.ts';
import { type AlertRow, alertStore } from './store.ts';

/** A disabled alert gathers nothing any more, and what it had gathered is not sent. Enabled again it starts from nothing. */
export const disabled = (row: AlertRow, reason: DisabledReason, now: number): AlertRow => ({
  ...row,
  ...disabledFor(reason, now),
  due_at: null,
  attempts: 0,
});

export const removeGathered = (db: TenantDb, number: number): void => {
  alertStore(db).removeCounts(number, 'gathered');
  alertStore(db).removeCounts(number, 'sending');
};

const settleDelivered = (db: TenantDb, row: AlertRow, { now, policy }: ClaimDeps): void => {
  const store = alertStore(db);
  store.removeCounts(row.number, 'sending');
  const gathered = [...store.counts(row.number, 'gathered').values()];
  const first = Math.min(...gathered.map(({ firstAt }) => firstAt));
  store.update({
    ...row,
    attempts: 0,
    due_at: gathered.length === 0 ? null : first + policy.gather,
    failing_since: null,
    last_sent_at: now,
    last_error: null,
  });
};

const disableFailing = (
  db: TenantDb,
  row: AlertRow,
  failing: AlertRow,
  reason: DisabledReason,
  { now, key }: ClaimDeps,
): void => {
  const after: AlertRow = disabled(failing, reason, now);
  alertStore(db).update(after);
  removeGathered(db, row.number);
  auditStore(db).record(
    systemChange('alert.disable'),
    {
      target: { type: 'alert', id: row.id },
      before: auditedAlert(row, key),
      after: auditedAlert(after, key),
    },
    now,
  );
};

/** `disabled`: the owners are to be notified. Nothing is done where the alert is gone, or was restarted since. */
export const settle = (
  db: TenantDb,
  { key: number, attempt }: Pick<ClaimedAlert, 'key' | 'attempt'>,
  outcome: OutboundOutcome,
  deps: ClaimDeps,
): { readonly disabled: boolean } => {
  const row = alertStore(db).byNumber(number);
  if (row === undefined || row.attempts !== attempt) return { disabled: false };
  const verdict = verdictOf(outcome);
  if (verdict.kind === 'delivered') {
    settleDelivered(db, row, deps);
    return { disabled: false };
  }
  const { now, policy, random } = deps;
  // The time is not after now: the clock may have been set back.
  const since = Math.min(row.failing_since ?? now, now);
  const failing = { ...row, failing_since: since, last_error: verdict.error };
  if (verdict.kind === 'gone' || isFailingTooLong(since, now, policy)) {
    disableFailing(db, row, failing, verdict.kind === 'gone' ? 'gone' : 'failing', deps);
    return { disabled: true };
  }
  const again = nextAttemptAt(attempt, now, policy, random());
  alertStore(db).update({ ...failing, due_at: Math.max(again, now + verdict.notBefore) });
  return { disabled: false };
};

/** A claimed message that was not sent is due at once, without the attempt. */
export const giveBack = (
  db: TenantDb,
  claimed: readonly Pick<ClaimedAlert, 'key' | 'attempt'>[],
  now: number,
): void => {
  for (const { key, attempt } of claimed) {
    const row = alertStore(db).byNumber(key);
    if (row?.attempts === attempt) alertStore(db).update({ ...row, attempts: attempt - 1, due_at: now });
  }
};
