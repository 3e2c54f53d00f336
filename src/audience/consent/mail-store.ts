// Confirmation mails whose bytes are not in the ledger yet.
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';

export interface ConfirmationMailRow {
  message_seq: number;
  subscriber_seq: number;
  /** The entry of the request that it answers. */
  request_seq: number;
  /** When a relay took it; null: not yet. */
  sent_at: number | null;
}

export const confirmationMailStore = perConnection((db: TenantDb) => {
  const insert = db.prepare<Omit<ConfirmationMailRow, 'sent_at'>>(
    `INSERT INTO confirmation_mails (message_seq, subscriber_seq, request_seq)
     VALUES (:message_seq, :subscriber_seq, :request_seq)`,
  );
  return {
    insert: (row: Omit<ConfirmationMailRow, 'sent_at'>): void => {
      insert.run(row);
    },
  };
});
