// Mail received, in the tenant's file: a row for lists and its source in pieces.
import { remembered } from '#src/kernel/db/memory.ts';
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';
import { PIECE_BYTES } from './mail.ts';

export type InboundState = 'inbox' | 'held' | 'quarantined';

export interface InboundRow {
  seq: number;
  id: string;
  state: InboundState;
  state_reason: string | null;
  mail_from: string;
  recipients_json: string;
  from_json: string;
  to_json: string;
  cc_json: string;
  subject: string;
  sent_at: number | null;
  internet_message_id: string | null;
  in_reply_to: string | null;
  references_json: string;
  reply_to_seq: number | null;
  thread_id: string;
  auth_json: string;
  spam_json: string;
  size_bytes: number;
  search_text: string;
  received_at: number;
  read_at: number | null;
}

export type NewInboundRow = Omit<InboundRow, 'seq' | 'read_at'>;

const COLUMNS = [
  'id',
  'state',
  'state_reason',
  'mail_from',
  'recipients_json',
  'from_json',
  'to_json',
  'cc_json',
  'subject',
  'sent_at',
  'internet_message_id',
  'in_reply_to',
  'references_json',
  'reply_to_seq',
  'thread_id',
  'auth_json',
  'spam_json',
  'size_bytes',
  'search_text',
  'received_at',
] as const satisfies (keyof NewInboundRow)[];

export interface InboundCounts {
  total: number;
  /** In the inbox. */
  unread: number;
  held: number;
  quarantined: number;
}

export const inboundStore = perConnection((db: TenantDb) => {
  const insert = db.prepare<NewInboundRow>(
    `INSERT INTO inbound_messages (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map((name) => `:${name}`).join(', ')})`,
  );
  const insertPiece = db.prepare<[number, number, Uint8Array]>(
    'INSERT INTO inbound_pieces (message_seq, position, content) VALUES (?, ?, ?)',
  );
  const piece = db
    .prepare<[number, number], Buffer>(
      'SELECT content FROM inbound_pieces WHERE message_seq = ? AND position = ?',
    )
    .pluck();
  const byId = db.prepare<[string], InboundRow>('SELECT * FROM inbound_messages WHERE id = ?');
  const bySeq = db.prepare<[number], InboundRow>('SELECT * FROM inbound_messages WHERE seq = ?');
  const threadOf = db
    .prepare<[string], string>(
      'SELECT thread_id FROM inbound_messages WHERE internet_message_id = ? ORDER BY seq LIMIT 1',
    )
    .pluck();
  const total = db.prepare<[], number>('SELECT coalesce(sum(size_bytes), 0) FROM inbound_messages').pluck();
  const bytes = remembered(db, () => ({ stored: total.get() ?? 0 }));
  const counts = db.prepare<[], InboundCounts>(
    `SELECT count(*) AS total, count(*) FILTER (WHERE state = 'inbox' AND read_at IS NULL) AS unread,
       count(*) FILTER (WHERE state = 'held') AS held, count(*) FILTER (WHERE state = 'quarantined') AS quarantined
     FROM inbound_messages`,
  );
  return {
    /** The number of the new row. `source` is all that is kept of the mail. */
    insert: (row: NewInboundRow, source: Buffer): number => {
      const seq = Number(insert.run(row).lastInsertRowid);
      for (let at = 0, position = 0; at < source.length; at += PIECE_BYTES, position += 1)
        insertPiece.run(seq, position, source.subarray(at, at + PIECE_BYTES));
      bytes().stored += row.size_bytes;
      return seq;
    },
    byId: (id: string): InboundRow | undefined => byId.get(id),
    bySeq: (seq: number): InboundRow | undefined => bySeq.get(seq),
    /** Undefined behind the last one. */
    piece: (seq: number, position: number): Buffer | undefined => piece.get(seq, position),
    /** Of the conversation to which a mail received with that Message-ID belongs. */
    threadOf: (internetMessageId: string): string | undefined => threadOf.get(internetMessageId),
    counts: (): InboundCounts => counts.get() ?? { total: 0, unread: 0, held: 0, quarantined: 0 },
    /** Bytes of all mail that is kept. */
    storedBytes: (): number => bytes().stored,
    /** Called by each change that removes mail. */
    forgetBytes: (): void => bytes.forget(),
  };
});
