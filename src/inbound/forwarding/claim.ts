// What is due of a tenant, with all that sending it needs: the attempt and the time of the next one are on the disk before the
// network is touched. What must not be sent any more ends here.

import { tenantStore } from '#src/accounts/tenants/store.ts';
import { suppressionStore } from '#src/feedback/suppressions/store.ts';
import { inboundStore } from '#src/inbound/store.ts';
import { isAllowedInSafeMode } from '#src/intake/gates/content-gates.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { TenantKey } from '#src/kernel/keys.ts';
import type { Limits } from '#src/kernel/limits.ts';
import { DAY, HOUR } from '#src/kernel/time.ts';
import type { WorkItem } from '#src/kernel/work/in-flight.ts';
import type { Claim } from '#src/kernel/work/queue.ts';
import { addressKey } from '#src/mail/address.ts';
import { headFieldsOf } from '#src/mail/field-block.ts';
import type { Address } from '#src/mail/mailbox.ts';
import { addressHash } from '#src/messages/pseudonym.ts';
import type { RetryPolicy } from '#src/messages/queue/rules.ts';
import { isLoop, longestWait, mostInADay, nextAttemptAt, type Refusal, refusalOf } from './rules.ts';
import { type ForwardRow, forwardStore, type Kind } from './store.ts';
import { targetStore } from './target-store.ts';

/** An attempt that is to be made now. Its key is the seq of the row, its target an address. */
export interface ClaimedForward extends WorkItem {
  /** The row as the claim has written it. */
  readonly row: ForwardRow;
}

export interface ClaimDeps {
  readonly limits: () => Limits;
  /** Derived for the purpose `suppressions`. */
  readonly suppressionKey: TenantKey;
  /** Who a practice in safe mode may write to. */
  readonly safeMode: () => Parameters<typeof isAllowedInSafeMode>[1];
}

/** Some 100 µs each. */
const ROWS_PER_TURN = 20;
/** What is behind rows without room is found among so many. */
const ROWS_LOOKED_AT = 200;
/** A resumption wakes the queue; this is for one that was missed. */
const PAUSED_RECHECK_MS = HOUR;

/** Whether the tenant's own state lets it write to the address. */
export const isStranger = (
  db: TenantDb,
  address: Address,
  { safeMode }: Pick<ClaimDeps, 'safeMode'>,
): boolean => tenantStore(db).practice().safe_mode === 1 && !isAllowedInSafeMode({ address }, safeMode());

export const isSuppressed = (
  db: TenantDb,
  address: Address,
  { suppressionKey }: Pick<ClaimDeps, 'suppressionKey'>,
): boolean =>
  suppressionStore(db)
    .ofAddress(addressHash(suppressionKey, tenantStore(db).practice().id, address))
    .some(({ scope }) => scope === 'team');

const refusal = (db: TenantDb, row: ForwardRow, deps: ClaimDeps): Refusal | null => {
  const address = row.target as Address;
  const { custom_domain } = tenantStore(db).practice();
  const limits = deps.limits();
  const store = forwardStore(db);
  return refusalOf({
    target: targetStore(db).byKey(addressKey(address))?.status,
    isSuppressed: isSuppressed(db, address, deps),
    isStranger: isStranger(db, address, deps),
    isTooMany: () =>
      store.follows(limits.forwards_per_hour, row, HOUR, 'target') ||
      store.follows(limits.forwards_per_day, row, DAY, 'target') ||
      store.follows(mostInADay(limits, custom_domain === null), row, DAY, 'all'),
    isLoop: () =>
      isLoop(headFieldsOf(inboundStore(db).piece(row.message_seq, 0) ?? Buffer.alloc(0)), row.recipient),
  });
};

interface Looking {
  readonly kind: Kind;
  readonly policy: RetryPolicy;
  readonly now: number;
}

/** Whether a row is due and has room, and when the next one is due. Reads only. */
export const lookAtDue = (
  db: TenantDb,
  { isInFlight, room }: Pick<Claim<ClaimedForward>, 'isInFlight' | 'room'>,
  { kind, policy, now }: Looking,
): { readonly rows: readonly ForwardRow[]; readonly next: number | null; readonly more: boolean } => {
  const isFree = ({ seq }: ForwardRow): boolean => !isInFlight(seq);
  const pending = forwardStore(db).pending(kind, ROWS_LOOKED_AT).filter(isFree);
  const due = pending.filter(({ next_attempt_at }) => (next_attempt_at ?? now) <= now);
  const next = pending[due.length]?.next_attempt_at ?? null;
  due.push(
    ...forwardStore(db)
      .pendingBeyond(kind, now + longestWait(policy), ROWS_PER_TURN)
      .filter(isFree),
  );
  if (due.length > 0 && tenantStore(db).practice().paused_at !== null)
    return { rows: [], next: now + PAUSED_RECHECK_MS, more: false };
  const rows = due.filter(({ target }) => room(target) > 0).slice(0, ROWS_PER_TURN);
  return { rows, next, more: rows.length === ROWS_PER_TURN };
};

/** `more`: some ended instead, and what is behind them may be due. */
export const claimDue = (
  db: TenantDb,
  claim: Pick<Claim<ClaimedForward>, 'isInFlight' | 'room' | 'take'>,
  looking: Looking,
  deps: ClaimDeps,
): { readonly next: number | null; readonly more: boolean } => {
  const { policy, now } = looking;
  const store = forwardStore(db);
  const { rows, next, more } = lookAtDue(db, claim, looking);
  for (const row of rows) {
    if (claim.room(row.target) === 0) continue;
    const refused = row.kind === 'forward' ? refusal(db, row, deps) : null;
    if (refused !== null) {
      store.update({ ...row, ...refused, next_attempt_at: null, changed_at: now });
      continue;
    }
    const attempts = row.attempts + 1;
    const planned = nextAttemptAt(policy, attempts, now, Math.random());
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
