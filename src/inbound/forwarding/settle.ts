// What the outcome of an attempt, or a report about a copy, does to its row and to the address that it went to.
import { consequenceOf, type Report } from '#src/feedback/rules.ts';
import { systemChange } from '#src/kernel/change.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { addressKey } from '#src/mail/address.ts';
import type { Address } from '#src/mail/mailbox.ts';
import { formatReply } from '#src/mail/reply.ts';
import type { RetryPolicy } from '#src/messages/queue/rules.ts';
import { laterAt, type Result } from './rules.ts';
import { type ForwardRow, forwardStore } from './store.ts';
import { targetStore } from './target-store.ts';
import { setStatus } from './targets.ts';

const ended = (
  db: TenantDb,
  row: ForwardRow,
  status: 'sent' | 'failed',
  diagnostic: string,
  now: number,
): void => forwardStore(db).update({ ...row, status, diagnostic, next_attempt_at: null, changed_at: now });

/** The address does not exist: nothing more goes there. True where that is new. */
const endTarget = (db: TenantDb, address: string, failure: string, now: number): boolean => {
  const target = targetStore(db).byKey(addressKey(address as Address));
  if (target?.status !== 'confirmed') return false;
  setStatus(
    db,
    target,
    { status: 'failed', failure },
    { change: systemChange('inbound.forward_target'), now },
  );
  return true;
};

/** Called once for a claimed row. True where the forwarding to that address has ended by it. */
export const settle = (
  db: TenantDb,
  claimed: ForwardRow,
  result: Result,
  policy: RetryPolicy,
  now: number,
): boolean => {
  const row = forwardStore(db).bySeq(claimed.seq);
  // A report may have ended it while the attempt was in flight.
  if (row?.status !== 'pending') return false;
  const { diagnostic } = result;
  if (result.kind === 'later') {
    const attempts = result.isOwn ? claimed.attempts : claimed.attempts - 1;
    const facts = { isOwn: result.isOwn, planned: claimed.next_attempt_at ?? now, createdAt: row.created_at };
    const next_attempt_at = laterAt(policy, facts, now);
    const status = next_attempt_at === null ? 'failed' : 'pending';
    forwardStore(db).update({ ...row, attempts, next_attempt_at, status, diagnostic, changed_at: now });
    return false;
  }
  ended(db, row, result.kind === 'sent' ? 'sent' : 'failed', diagnostic, now);
  return result.kind === 'gone' && endTarget(db, row.target, diagnostic, now);
};

/** Claimed rows of which no attempt was made: they are due at once, and have one attempt less. */
export const giveBack = (db: TenantDb, rows: readonly ForwardRow[], now: number): void => {
  for (const { seq, attempts } of rows) {
    if (forwardStore(db).bySeq(seq)?.status === 'pending') forwardStore(db).claim(seq, attempts - 1, now);
  }
};

export type ReportedCopy = 'changed' | 'unchanged' | 'unknown';

/**
 * A report about a copy. It goes no further than here: the tenant has the mail, and its sender is not to learn where it was
 * forwarded. `ended`: so has the forwarding to that address.
 */
export const applyReport = (
  db: TenantDb,
  seq: number,
  report: Report,
  now: number,
): { readonly result: ReportedCopy; readonly ended: boolean } => {
  const row = forwardStore(db).bySeq(seq);
  if (row?.kind !== 'forward') return { result: 'unknown', ended: false };
  const found = consequenceOf(report, { address: row.target, events: [] });
  const isFailure = found?.signal === 'hard_bounced' || found?.signal === 'soft_bounced';
  if (!isFailure || (row.status !== 'sent' && row.status !== 'pending'))
    return { result: 'unchanged', ended: false };
  const diagnostic = found.reply === null ? 'A report says that it failed.' : formatReply(found.reply);
  ended(db, row, 'failed', diagnostic, now);
  return {
    result: 'changed',
    ended: found.signal === 'hard_bounced' && endTarget(db, row.target, diagnostic, now),
  };
};
