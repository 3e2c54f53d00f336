// Confirmation mails whose bytes are not in the ledger yet.
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';

export interface ConfirmationMailRow {
  message_seq: number;
  subscriber_seq: number;
  /** The entry of the request that it answers. */
  request_seq: number;
  /** When a relay took it; null: not yet. */
  sent_at: number | null;
  /** Until when it waits for the plan's cap to end; null: it does not. */
  held_until: number | null;
}

/** A mail that is still to leave. */
export interface QueuedMail {
  readonly message_seq: number;
  readonly recipient_id: number;
}

export const confirmationMailStore = perConnection((db: TenantDb) => {
  const insert = db.prepare<Omit<ConfirmationMailRow, 'sent_at'>>(
    `INSERT INTO confirmation_mails (message_seq, subscriber_seq, request_seq, held_until)
     VALUES (:message_seq, :subscriber_seq, :request_seq, :held_until)`,
  );
  const isQueued = `EXISTS (SELECT 1 FROM queue JOIN recipients ON recipients.id = queue.recipient_id
       WHERE recipients.message_seq = confirmation_mails.message_seq)`;
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
     WHERE sent_at IS NULL AND NOT ${isQueued} ORDER BY message_seq LIMIT ?`,
  );
  const queued = db.prepare<[number], QueuedMail & { claimed: 0 | 1 | 2 }>(
    `SELECT confirmation_mails.message_seq, queue.recipient_id, queue.claimed
     FROM confirmation_mails JOIN recipients ON recipients.message_seq = confirmation_mails.message_seq
       JOIN queue ON queue.recipient_id = recipients.id
     WHERE subscriber_seq = ? AND sent_at IS NULL`,
  );
  // The other way round each subscriber of the list would be read.
  const queuedOfList = db.prepare<[number, number], QueuedMail>(
    `SELECT confirmation_mails.message_seq, queue.recipient_id
     FROM confirmation_mails CROSS JOIN subscribers ON subscribers.seq = subscriber_seq
       CROSS JOIN recipients ON recipients.message_seq = confirmation_mails.message_seq
       CROSS JOIN queue ON queue.recipient_id = recipients.id
     WHERE list_seq = ? AND sent_at IS NULL AND claimed = 0 LIMIT ?`,
  );
  const isHeld = db
    .prepare<[], number>('SELECT 1 FROM confirmation_mails WHERE held_until IS NOT NULL LIMIT 1')
    .pluck();
  const held = db.prepare<[number], QueuedMail>(
    `SELECT confirmation_mails.message_seq, recipients.id AS recipient_id
     FROM confirmation_mails JOIN recipients ON recipients.message_seq = confirmation_mails.message_seq
     WHERE held_until IS NOT NULL ORDER BY confirmation_mails.message_seq LIMIT ?`,
  );
  const letGo = db.prepare<[number]>('UPDATE confirmation_mails SET held_until = NULL WHERE message_seq = ?');
  const remove = db.prepare<[number]>('DELETE FROM confirmation_mails WHERE message_seq = ?');
  const removeOfPerson = db.prepare<[Buffer]>(
    'DELETE FROM confirmation_mails WHERE subscriber_seq IN (SELECT seq FROM subscribers WHERE address_hash = ?)',
  );
  return {
    /** The mails that a relay took, the oldest first. */
    sent: (limit: number): number[] => sent.all(limit),
    /** The mails that no relay took, and that do not wait, the oldest first, with what was asked. */
    firstUnsent: (limit: number) => firstUnsent.all(limit),
    /** Mails to the subscriber that are still to leave; `claimed`: an attempt holds it. */
    queued: (subscriberSeq: number) => queued.all(subscriberSeq),
    /** Mails about the list that are still to leave, and that no attempt holds. */
    queuedOfList: (listSeq: number, limit: number): QueuedMail[] => queuedOfList.all(listSeq, limit),
    isAnyHeld: (): boolean => isHeld.get() !== undefined,
    /** Mails that wait for the plan's cap to end, the oldest first. */
    held: (limit: number): QueuedMail[] => held.all(limit),
    letGo: (messageSeq: number): void => {
      letGo.run(messageSeq);
    },
    row: (messageSeq: number): ConfirmationMailRow | undefined => row.get(messageSeq),
    remove: (messageSeq: number): void => {
      remove.run(messageSeq);
    },
    insert: (row: Omit<ConfirmationMailRow, 'sent_at'>): void => {
      insert.run(row);
    },
    /** The ledger waits for none of them any more. */
    removeOfPerson: (hash: Buffer): void => {
      removeOfPerson.run(hash);
    },
  };
});
