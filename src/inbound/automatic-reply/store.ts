// Who got an automatic reply lately, in the tenant's file, by keyed hashes of their addresses.
import { createHmac } from 'node:crypto';
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';
import type { TenantKey } from '#src/kernel/keys.ts';
import { addressKey } from '#src/mail/address.ts';
import type { Address } from '#src/mail/mailbox.ts';

/** `key`: derived for the purpose `suppressions`. */
export const senderHash = (key: TenantKey, tenantId: string, sender: Address): Buffer =>
  createHmac('sha256', key(tenantId))
    .update(`automatic-reply|1|${tenantId}|${addressKey(sender)}`)
    .digest();

export const automaticReplyStore = perConnection((db: TenantDb) => {
  const insert = db.prepare<[Buffer, number]>(
    'INSERT INTO automatic_replies (sender_hash, replied_at) VALUES (?, ?) ON CONFLICT DO NOTHING',
  );
  const count = db
    .prepare<[number, number], number>(
      'SELECT count(*) FROM automatic_replies WHERE replied_at > ? AND replied_at <= ?',
    )
    .pluck();
  const hasBeyond = db
    .prepare<[number, number], number>(
      'SELECT 1 FROM automatic_replies WHERE replied_at < ? OR replied_at > ? LIMIT 1',
    )
    .pluck();
  const removeBeyond = db.prepare<[number, number]>(
    'DELETE FROM automatic_replies WHERE replied_at < ? OR replied_at > ?',
  );
  return {
    /** False where the sender is there already. */
    add: (hash: Buffer, now: number): boolean => insert.run(hash, now).changes > 0,
    countBetween: (after: number, until: number): number => count.get(after, until) ?? 0,
    /** What is later than now was written before the clock was set back. */
    hasBeyond: (before: number, now: number): boolean => hasBeyond.get(before, now) !== undefined,
    removeBeyond: (before: number, now: number): void => {
      removeBeyond.run(before, now);
    },
  };
});
