// Suppresses an address whose mail comes back again and again, though no reply says that it does not exist: a mailbox that is
// full for weeks, a server that is gone. A message that arrives begins the count again, and one that arrived and came back all
// the same is one that came back. What is refused because of its sender or its content says nothing about the address.

import { tenantStore } from '#src/accounts/tenants/store.ts';
import type { NightlyTask } from '#src/kernel/base.ts';
import type { Config } from '#src/kernel/config/config.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import type { TenantKey } from '#src/kernel/keys.ts';
import { type Clock, DAY } from '#src/kernel/time.ts';
import type { Address } from '#src/mail/mailbox.ts';
import { addressHash } from '#src/messages/pseudonym.ts';
import type { MessageRow, RecipientRow } from '#src/messages/store.ts';
import { addSuppression, wholeTeam } from './change.ts';
import { softBounceStore } from './soft-bounce-store.ts';

/** `count` messages within `days` days; a count of 0 suppresses none. */
export type SoftBounceLimit = Config['suppressions']['soft_bounces'];

/** Names of rules by which bounces are classified (mail/bounce-class.ts). */
const notOfTheAddress: ReadonlySet<string> = new Set([
  'auth_policy',
  'block',
  'content',
  'relaying_denied',
  'sender_address',
  'too_large',
]);

export interface SoftBounce {
  readonly message: MessageRow;
  readonly address: Address;
  readonly rule: string | undefined;
}

const hashOf = (db: TenantDb, key: TenantKey, address: Address): Buffer =>
  addressHash(key, tenantStore(db).practice().id, address);

/** Called in the transaction that stores the bounce. `key` is that of `addressHash`. */
export const countSoftBounce = (
  db: TenantDb,
  key: TenantKey,
  { message, address, rule }: SoftBounce,
  { count, days }: SoftBounceLimit,
  now: number,
): void => {
  if (count === 0 || notOfTheAddress.has(rule ?? '')) return;
  const store = softBounceStore(db);
  const hash = hashOf(db, key, address);
  store.addBounce(hash, message.seq, now);
  if (store.count(hash, now - days * DAY) < count) return;
  const note = `${count} soft bounces within ${days} days and no delivery in between`;
  const added = { address, place: wholeTeam, sourceMessageId: message.id, note };
  addSuppression(db, key, { ...added, reason: 'soft_bounces' }, now);
};

/** The message has reached that recipient. */
export const noteArrival = (
  db: TenantDb,
  key: TenantKey,
  { address, message_seq }: RecipientRow,
  now: number,
): void => {
  const store = softBounceStore(db);
  if (!store.isEmpty()) store.addArrival(hashOf(db, key, address as Address), message_seq, now);
};

const ROWS_PER_BATCH = 500;

export const removeOldSoftBounces = (
  files: TenantFiles,
  clock: Clock,
  limit: () => SoftBounceLimit,
): NightlyTask => ({
  what: 'soft bounces that no longer count',
  run: async (id, signal, pace) => {
    if (await files.read(id, (db) => softBounceStore(db).isEmpty())) return;
    const before = clock.now() - limit().days * DAY;
    const removeSome = () => files.write(id, (db) => softBounceStore(db).removeOld(before, ROWS_PER_BATCH));
    while (!signal.aborted && (await pace(removeSome)) === ROWS_PER_BATCH);
  },
});
