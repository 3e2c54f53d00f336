// What is due of a tenant, with all that sending it needs: the attempt and the time of the next one are on the disk before the
// network is touched. What must not be sent any more ends here.
import type { KeyObject } from 'node:crypto';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { suppressionStore } from '#src/feedback/suppressions/store.ts';
import { inboundStore } from '#src/inbound/store.ts';
import { isAllowedInSafeMode } from '#src/intake/gates/recipient-gates.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Limits } from '#src/kernel/limits.ts';
import { DAY, HOUR } from '#src/kernel/time.ts';
import { addressKey } from '#src/mail/address.ts';
import { headFieldsOf } from '#src/mail/field-block.ts';
import type { Address } from '#src/mail/mailbox.ts';
import { addressHash } from '#src/messages/pseudonym.ts';
import type { RetryPolicy } from '#src/messages/queue/rules.ts';
import type { WorkItem } from '#src/work/in-flight.ts';
import type { Claim } from '#src/work/queue.ts';
import { isLoop, nextAttemptAt, type Refusal, refusalOf } from './rules.ts';
import { type ForwardRow, forwardStore } from './store.ts';
import { targetStore } from './target-store.ts';

/** An attempt that is to be made now. Its key is the seq of the row, its target an address. */
export interface ClaimedForward extends WorkItem {
  /** As the claim has written it. */
  readonly row: ForwardRow;
}

export interface ClaimDeps {
  readonly policy: () => RetryPolicy;
  readonly limits: () => Limits;
  /** Derived for the purpose `suppressions`. */
  readonly suppressionKey: KeyObject;
  /** To whom a practice in safe mode may write. */
  readonly safeMode: () => Parameters<typeof isAllowedInSafeMode>[1];
}

const ROWS_PER_TURN = 50;
/** A resumption wakes the queue; this is for one that was missed. */
const PAUSED_RECHECK_MS = HOUR;

/** Whether the tenant's own state lets it write to the address. */
export const isStranger = (
  db: TenantDb,
  address: Address,
  { safeMode }: Pick<ClaimDeps, 'safeMode'>,
): boolean => tenantStore(db).practice().safe_mode === 1 && !isAllowedInSafeMode({ address }, safeMode());

const refusal = (db: TenantDb, row: ForwardRow, deps: ClaimDeps, now: number): Refusal | null => {
  const address = row.target as Address;
  const { id } = tenantStore(db).practice();
  const suppressions = suppressionStore(db).ofAddress(addressHash(deps.suppressionKey, id, address));
  const fields = headFieldsOf(inboundStore(db).piece(row.message_seq, 0) ?? Buffer.alloc(0));
  const facts = {
    target: targetStore(db).byKey(addressKey(address))?.status,
    isLoop: isLoop(fields, row.recipient),
    isSuppressed: suppressions.some(({ scope }) => scope === 'team'),
    isStranger: isStranger(db, address, deps),
    lastHour: forwardStore(db).copiesBefore(row, now - HOUR),
    lastDay: forwardStore(db).copiesBefore(row, now - DAY),
  };
  return refusalOf(facts, deps.limits());
};

/** Whether a row is due and has room, and when the next one is due. Reads only. */
export const lookAtDue = (
  db: TenantDb,
  { isInFlight, room }: Pick<Claim<ClaimedForward>, 'isInFlight' | 'room'>,
  now: number,
): { readonly rows: readonly ForwardRow[]; readonly next: number | null; readonly more: boolean } => {
  const pending = forwardStore(db)
    .pending(ROWS_PER_TURN)
    .filter(({ seq }) => !isInFlight(seq));
  const due = pending.filter(({ next_attempt_at }) => (next_attempt_at ?? now) <= now);
  const next = pending[due.length]?.next_attempt_at ?? null;
  if (due.length > 0 && tenantStore(db).practice().paused_at !== null)
    return { rows: [], next: now + PAUSED_RECHECK_MS, more: false };
  const rows = due.filter(({ target }) => room(target) > 0);
  return { rows, next, more: rows.length === ROWS_PER_TURN };
};

/** `more`: some ended instead, and what is behind them may be due. */
export const claimDue = (
  db: TenantDb,
  claim: Pick<Claim<ClaimedForward>, 'isInFlight' | 'room' | 'take'>,
  deps: ClaimDeps,
  now: number,
): { readonly next: number | null; readonly more: boolean } => {
  const store = forwardStore(db);
  const { rows, next, more } = lookAtDue(db, claim, now);
  for (const row of rows) {
    if (claim.room(row.target) === 0) continue;
    const refused = row.kind === 'forward' ? refusal(db, row, deps, now) : null;
    if (refused !== null) {
      store.update({ ...row, ...refused, next_attempt_at: null, changed_at: now });
      continue;
    }
    const attempts = row.attempts + 1;
    const planned = nextAttemptAt(deps.policy(), attempts, now, Math.random());
    store.claim(row.seq, attempts, planned);
    const bytes = inboundStore(db).bySeq(row.message_seq)?.size_bytes ?? 0;
    claim.take({
      key: row.seq,
      target: row.target,
      bytes,
      row: { ...row, attempts, next_attempt_at: planned },
    });
  }
  return { next, more };
};
