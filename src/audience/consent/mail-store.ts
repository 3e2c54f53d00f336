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
  const sent = db
    .prepare<[number], number>(
      'SELECT message_seq FROM confirmation_mails WHERE sent_at IS NOT NULL ORDER BY sent_at LIMIT ?',
    )
    .pluck();
  const row = db.prepare<[number], ConfirmationMailRow>(
    'SELECT * FROM confirmation_mails WHERE message_seq = ?',
  );
  const firstUnsent = db.prepare<[number], { message_seq: number; facts_json: string | null }>(
    `SELECT message_seq, facts_json FROM confirmation_mails LEFT JOIN consent_entries ON seq = request_seq
     WHERE sent_at IS NULL ORDER BY message_seq LIMIT ?`,
  );
  const remove = db.prepare<[number]>('DELETE FROM confirmation_mails WHERE message_seq = ?');
  return {
    /** Of mails that a relay took, the oldest first. */
    sent: (limit: number): number[] => sent.all(limit),
    /** Of mails that no relay took, the oldest first, with what was asked. */
    firstUnsent: (limit: number) => firstUnsent.all(limit),
    row: (messageSeq: number): ConfirmationMailRow | undefined => row.get(messageSeq),
    remove: (messageSeq: number): void => {
      remove.run(messageSeq);
    },
    insert: (row: Omit<ConfirmationMailRow, 'sent_at'>): void => {
      insert.run(row);
    },
  };
});
