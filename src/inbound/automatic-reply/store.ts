// Who got an automatic reply lately, in the tenant's file, by keyed hashes of their addresses.
import { createHmac, type KeyObject } from 'node:crypto';
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';
import { addressKey } from '#src/mail/address.ts';
import type { Address } from '#src/mail/mailbox.ts';

/** `key`: derived for the purpose `forwarding`. */
export const senderHash = (key: KeyObject, tenantId: string, sender: Address): Buffer =>
  createHmac('sha256', key)
    .update(`automatic-reply|1|${tenantId}|${addressKey(sender)}`)
    .digest();

export const automaticReplyStore = perConnection((db: TenantDb) => {
  const insert = db.prepare<[Buffer, number]>(
    'INSERT INTO automatic_replies (sender_hash, replied_at) VALUES (?, ?) ON CONFLICT DO NOTHING',
  );
  const countSince = db
    .prepare<[number], number>('SELECT count(*) FROM automatic_replies WHERE replied_at > ?')
    .pluck();
  const hasBefore = db
    .prepare<[number], number>('SELECT 1 FROM automatic_replies WHERE replied_at < ?')
    .pluck();
  const removeBefore = db.prepare<[number]>('DELETE FROM automatic_replies WHERE replied_at < ?');
  return {
    /** False where the sender is there already. */
    add: (hash: Buffer, now: number): boolean => insert.run(hash, now).changes > 0,
    countSince: (time: number): number => countSince.get(time) ?? 0,
    hasBefore: (time: number): boolean => hasBefore.get(time) !== undefined,
    removeBefore: (time: number): void => {
      removeBefore.run(time);
    },
  };
});
