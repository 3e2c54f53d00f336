// Which addresses a tenant's mail is forwarded to, and whether they want it. An address is asked by mail, and nothing goes to it
// before it has agreed; what it has said holds as long as some mailbox of the tenant forwards to it.

import { auditStore } from '#src/events/audit-store.ts';
import { followStore } from '#src/events/follow-store.ts';
import type { InboundOptions } from '#src/inbound/options.ts';
import { inboundSettingsStore } from '#src/inbound/settings-store.ts';
import type { Change } from '#src/kernel/change.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { DAY, toIso } from '#src/kernel/time.ts';
import { addressKey, mailboxOf, maskAddress, parseAddress } from '#src/mail/address.ts';
import type { Address } from '#src/mail/mailbox.ts';
import { forwardStore } from './store.ts';
import { type TargetRow, targetStore } from './target-store.ts';

/** The link of the mail can be used to agree for so long. */
export const CONFIRM_WITHIN_MS = 7 * DAY;
/** So many mails ask one mailbox, by whichever of its addresses. */
export const MAX_ASKS = 3;
/** How often an address was asked, and that it has declined, is remembered for so long after the last mailbox forwards there. */
const KEPT_MS = 90 * DAY;
/** The failure of a target that does not want the mail. */
export const DECLINED = 'declined';
/** The failure of a target whose mail came back without a reply that says why. */
export const BOUNCED = 'bounced';

/** The addresses that are wanted as targets, by address key. */
const wantedBy = ({ addresses, catch_all }: InboundOptions): ReadonlyMap<string, Address> => {
  const targets = [...addresses, catch_all].flatMap(({ forward_to }) =>
    forward_to === null ? [] : parseAddress(forward_to).address,
  );
  return new Map(targets.map((address) => [addressKey(address), address]));
};

/** Whether anything follows from a mail that the tenant receives. */
export const isFollowed = (db: TenantDb): boolean => {
  const { options } = inboundSettingsStore(db).current();
  const { automatic_reply, addresses, catch_all } = options;
  return (
    automatic_reply !== null ||
    [...addresses, catch_all].some(({ forward_to }) => forward_to !== null) ||
    forwardStore(db).hasPending()
  );
};

/** A target as the audit shows it: addresses there cannot be erased. */
const audited = ({ address, status, failure }: TargetRow) => ({
  address: maskAddress(address as Address),
  status,
  failure,
});

/** Gives the target another status, which the audit keeps. */
export const setStatus = (
  db: TenantDb,
  before: TargetRow,
  after: Pick<TargetRow, 'status' | 'failure'>,
  { change, now }: { readonly change: Change; readonly now: number },
  notice: 'owners are notified of a failure' | 'owners are not notified' = 'owners are notified of a failure',
): void => {
  const row: TargetRow = {
    ...before,
    ...after,
    owners_told: after.status === 'failed' && notice !== 'owners are not notified' ? 0 : 1,
    changed_at: now,
  };
  targetStore(db).update(row);
  const target = { type: 'forward_target', id: String(before.seq) };
  auditStore(db).record(change, { target, before: audited(before), after: audited(row) }, now);
};

/** How often the mailbox of an address was asked. */
export const asksOf = (db: TenantDb): ((address: string) => number) => {
  const rows = Map.groupBy(targetStore(db).all(), ({ address }) => mailboxOf(address));
  return (address) => (rows.get(mailboxOf(address)) ?? []).reduce((sum, { asks }) => sum + asks, 0);
};

const isKept = ({ asks, changed_at }: TargetRow, now: number): boolean =>
  asks > 0 && changed_at + KEPT_MS >= now;

/** Removes targets that no mailbox forwards to, and that need not be remembered any longer. */
export const removeOldTargets = (db: TenantDb, now: number): void => {
  const wanted = wantedBy(inboundSettingsStore(db).current().options);
  for (const row of targetStore(db).all())
    if (!wanted.has(row.address_key) && !isKept(row, now)) targetStore(db).remove(row.seq);
};

/**
 * Called in the transaction that changes how a tenant receives mail, after the options are written: the targets that are new
 * are to be asked, those that are no longer named end, and mail received from now on is followed.
 */
export const setForwardTargets = (db: TenantDb, now: number): void => {
  const { options } = inboundSettingsStore(db).current();
  const store = targetStore(db);
  const wanted = wantedBy(options);
  for (const row of store.all())
    if (!wanted.has(row.address_key) && row.status !== 'removed' && row.failure !== DECLINED)
      store.update({ ...row, status: 'removed', failure: null, owners_told: 1, changed_at: now });
  for (const [key, address] of wanted) {
    const known = store.byKey(key);
    if (!known) store.insert(key, address, now);
    else if (known.status === 'removed') {
      // Its last mail may still be used.
      const isAsked = known.asked_at !== null && known.asked_at + CONFIRM_WITHIN_MS > now;
      const asked_at = isAsked ? known.asked_at : null;
      store.update({ ...known, status: 'unconfirmed', asked_at, changed_at: now });
    }
  }
  removeOldTargets(db, now);
  const follow = followStore(db);
  if (!isFollowed(db)) follow.removeCursor('forwards');
  else if (follow.cursor('forwards') === undefined) follow.moveCursor('forwards', follow.last());
};

export interface ForwardTarget {
  readonly address: string;
  readonly status: 'unconfirmed' | 'confirmed' | 'failed';
  /** Why it failed: `declined` by the address, `bounced`, or the reply of its server; or a Hindrance. */
  readonly reason: string | null;
  /** ISO 8601: when the address was asked last; null: it has not been yet. */
  readonly asked_at: string | null;
  /** ISO 8601: since when it has that status. */
  readonly since: string;
}

const iso = (time: number | null): string | null => (time === null ? null : toIso(time));

/** The state of each address that the options forward to. */
export const forwardTargets = (db: TenantDb): readonly ForwardTarget[] => {
  const wanted = wantedBy(inboundSettingsStore(db).current().options);
  const asks = asksOf(db);
  return targetStore(db)
    .all()
    .flatMap(({ address_key, address, status, failure, asked_at, changed_at }) => {
      if (status === 'removed' || !wanted.has(address_key)) return [];
      const isAskedEnough = status === 'unconfirmed' && asks(address) >= MAX_ASKS;
      const reason = failure ?? (isAskedEnough ? 'asked_enough' : null);
      return { address, status, reason, asked_at: iso(asked_at), since: toIso(changed_at) };
    });
};

export interface ForwardState {
  readonly to: string;
  readonly status: 'pending' | 'sent' | 'failed' | 'suppressed';
  /** The last reply, or why there was no attempt. */
  readonly diagnostic: string | null;
  /** ISO 8601 */
  readonly at: string;
}

/** What became of the copies of a mail received. */
export const forwardsOf = (db: TenantDb, messageSeq: number): readonly ForwardState[] =>
  forwardStore(db)
    .ofMessage(messageSeq)
    .filter(({ kind }) => kind === 'forward')
    .map(({ target, status, diagnostic, changed_at }) => ({
      to: target,
      status,
      diagnostic,
      at: toIso(changed_at),
    }));
