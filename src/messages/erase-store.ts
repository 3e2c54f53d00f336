// What an erasure asks of messages and changes in them beside what retention does.
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';

export const messageEraseStore = perConnection((db: TenantDb) => {
  const sharedInQueue = db
    .prepare<[number], number>(
      `SELECT 1 FROM message_bodies AS body
         JOIN recipients ON recipients.message_seq = body.message_seq
         JOIN queue ON queue.recipient_id = recipients.id
       WHERE body.shared_id = ? LIMIT 1`,
    )
    .pluck();
  const hideRecipient = db.prepare<[string, number]>(
    'UPDATE recipients SET address = ?, diagnostic = NULL WHERE id = ?',
  );
  return {
    /** Whether mail with that content is still to be sent. */
    isSharedInQueue: (id: number): boolean => sharedInQueue.get(id) !== undefined,
    hideRecipient: (id: number, pseudonym: string): void => {
      hideRecipient.run(pseudonym, id);
    },
  };
});
