// Mail received, in the tenant's file: a row for lists, a text for searches, and its source in pieces. What is removed is
// overwritten: a mail is gone with its row, and its pieces follow in transactions of their own, because a large mail has many.
import { remembered } from '#src/kernel/db/memory.ts';
import { type Each, eachRow, overwriting, perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';
import type { StoredRow } from '#src/kernel/old-rows.ts';
import { threadStore } from './desk/thread-store.ts';
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
  received_at: number;
  read_at: number | null;
}

export type NewInboundRow = Omit<InboundRow, 'seq' | 'read_at'> & {
  /** See `searchTextOf`. */
  readonly search_text: string;
};

/** A megabyte, which takes some milliseconds; of small mails some hundred. */
const PIECES_AT_ONCE = 4;
const MAILS_AT_ONCE = 200;

/** What a mail takes at least: its row, its search text and the pages that they share. */
const LEAST_BYTES = 4_096;
/** The bytes that count against the room for mail. */
export const countedBytes = (sourceBytes: number): number => Math.max(sourceBytes, LEAST_BYTES);

/** Nothing of a large mail is copied but where two of its parts meet. */
const inPieces = (parts: readonly Buffer[]): Buffer[] => {
  const pieces: Buffer[][] = [];
  let room = 0;
  for (const part of parts)
    for (let at = 0; at < part.length; ) {
      if (room === 0) pieces.push([]);
      room ||= PIECE_BYTES;
      const taken = part.subarray(at, at + room);
      pieces.at(-1)?.push(taken);
      at += taken.length;
      room -= taken.length;
    }
  return pieces.map((piece) => (piece.length === 1 && piece[0]) || Buffer.concat(piece));
};

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
  'received_at',
] as const satisfies (keyof NewInboundRow)[];

export interface InboundCounts {
  total: number;
  /** The unread ones in the inbox. */
  unread: number;
  held: number;
  quarantined: number;
}

export const inboundStore = perConnection((db: TenantDb) => {
  const threads = threadStore(db);
  const insert = db.prepare<Omit<NewInboundRow, 'search_text'>>(
    `INSERT INTO inbound_messages (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map((name) => `:${name}`).join(', ')})`,
  );
  const insertText = db.prepare<[number, string]>(
    'INSERT INTO inbound_texts (message_seq, text) VALUES (?, ?)',
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
  const threadOfAnswers = db
    .prepare<[number], string>(
      'SELECT thread_id FROM inbound_messages WHERE reply_to_seq = ? ORDER BY seq LIMIT 1',
    )
    .pluck();
  const total = db
    .prepare<[number], number>('SELECT coalesce(sum(max(size_bytes, ?)), 0) FROM inbound_messages')
    .pluck();
  /** Asked for before a row is written: what is not known yet is summed up then. */
  const bytes = remembered(db, () => ({ stored: total.get(LEAST_BYTES) ?? 0 }));
  const setAside = db
    .prepare<[number], number>(
      "SELECT coalesce(sum(max(size_bytes, ?)), 0) FROM inbound_messages WHERE state IN ('held', 'quarantined')",
    )
    .pluck();
  const setReadAt = db.prepare<[number | null, number]>(
    'UPDATE inbound_messages SET read_at = ? WHERE seq = ?',
  );
  const release = db.prepare<[number]>(
    "UPDATE inbound_messages SET state = 'inbox', state_reason = NULL WHERE seq = ?",
  );
  const setReason = db.prepare<[string, number]>(
    'UPDATE inbound_messages SET state_reason = ? WHERE seq = ?',
  );
  const waitingSince = db
    .prepare<[string, number, number], number>(
      `SELECT seq FROM inbound_messages
       WHERE state = 'held' AND state_reason = ? AND received_at <= ? ORDER BY seq LIMIT ?`,
    )
    .pluck();
  const remove = db.prepare<[number]>('DELETE FROM inbound_messages WHERE seq = ?');
  const isInThread = db
    .prepare<[string], number>('SELECT 1 FROM inbound_messages WHERE thread_id = ? LIMIT 1')
    .pluck();
  const unread = db
    .prepare<[], number>(
      "SELECT count(*) FROM inbound_messages INDEXED BY inbound_messages_counts WHERE state = 'inbox' AND read_at IS NULL",
    )
    .pluck();
  /** Counted once: each mail that comes and each one that is read would count them all otherwise. */
  const unreadCount = remembered(db, () => ({ count: unread.get() ?? 0 }));
  /** Called before the row is written. */
  const countUnread = (added: number): void => {
    const known = unreadCount();
    known.count += added;
  };
  const isUnread = ({ state, read_at }: Pick<InboundRow, 'state' | 'read_at'>): number =>
    state === 'inbox' && read_at === null ? 1 : 0;
  const noteRemoved = db.prepare<[number]>('INSERT INTO inbound_removed (seq) VALUES (?)');
  const removed = db.prepare<[number], number>('SELECT seq FROM inbound_removed LIMIT ?').pluck();
  const isRemoved = db.prepare<[number], number>('SELECT 1 FROM inbound_removed WHERE seq = ?').pluck();
  const forgetRemoved = db.prepare<[number]>('DELETE FROM inbound_removed WHERE seq = ?');
  const piecesOf = db.prepare<[number, number], { rowid: number; bytes: number }>(
    'SELECT rowid, length(content) AS bytes FROM inbound_pieces WHERE message_seq = ? LIMIT ?',
  );
  const removePiece = db.prepare<[number]>('DELETE FROM inbound_pieces WHERE rowid = ?');
  const after = db.prepare<[number], StoredRow>(
    `SELECT seq AS key, received_at AS at, received_at AS since, 0 AS bytes, 0 AS held FROM inbound_messages
     WHERE seq > ? ORDER BY seq`,
  );
  const counts = db.prepare<[], InboundCounts>(
    `SELECT (SELECT count(*) FROM inbound_messages) AS total,
       (SELECT count(*) FROM inbound_messages WHERE state = 'inbox' AND read_at IS NULL) AS unread,
       (SELECT count(*) FROM inbound_messages WHERE state = 'held') AS held,
       (SELECT count(*) FROM inbound_messages WHERE state = 'quarantined') AS quarantined`,
  );
  return {
    /** The number of the new row. `source`, one behind the other, is all that is kept of the mail. */
    insert: ({ search_text, ...row }: NewInboundRow, source: readonly Buffer[]): number => {
      const total = bytes();
      countUnread(row.state === 'inbox' ? 1 : 0);
      const seq = Number(insert.run(row).lastInsertRowid);
      insertText.run(seq, search_text);
      for (const [position, piece] of inPieces(source).entries()) insertPiece.run(seq, position, piece);
      total.stored += countedBytes(row.size_bytes);
      return seq;
    },
    byId: (id: string): InboundRow | undefined => byId.get(id),
    bySeq: (seq: number): InboundRow | undefined => bySeq.get(seq),
    /** Undefined behind the last one. */
    piece: (seq: number, position: number): Buffer | undefined => piece.get(seq, position),
    /** The conversation to which a mail received with that Message-ID belongs. */
    threadOf: (internetMessageId: string): string | undefined => threadOf.get(internetMessageId),
    /** The conversation of the answers to a message of ours. */
    threadOfAnswers: (messageSeq: number): string | undefined => threadOfAnswers.get(messageSeq),
    /** Whether a mail received belongs to that conversation. */
    hasThread: (threadId: string): boolean => isInThread.get(threadId) !== undefined,
    counts: (): InboundCounts => counts.get() ?? { total: 0, unread: 0, held: 0, quarantined: 0 },
    /** See `countedBytes`; of all mail that is kept. */
    storedBytes: (): number => bytes().stored,
    /** The bytes of those that are held or quarantined. */
    setAsideBytes: (): number => setAside.get(LEAST_BYTES) ?? 0,
    /** The number of unread mails in the inbox. No row is read where it is known. */
    unread: (): number => unreadCount().count,
    setReadAt: (row: InboundRow, at: number | null): void => {
      countUnread(isUnread({ ...row, read_at: at }) - isUnread(row));
      setReadAt.run(at, row.seq);
    },
    release: (row: InboundRow): void => {
      countUnread(isUnread({ ...row, state: 'inbox' }) - isUnread(row));
      release.run(row.seq);
    },
    /** Why a mail that is held waits from now on. */
    setReason: (seq: number, reason: string): void => {
      setReason.run(reason, seq);
    },
    /** Numbers of some mails that are held for that reason since then, or longer. */
    waitingSince: (reason: string, at: number): number[] => waitingSince.all(reason, at, MAILS_AT_ONCE),
    /** Mail after that number, for retention. */
    rowsAfter: (seq: number): Each<StoredRow> => eachRow(after, seq),
    /** Their pieces are left to `removePieces`. A conversation of which no mail is left ends, with its notes. */
    remove: (seqs: readonly number[]): void => {
      const total = bytes();
      overwriting(db, () => {
        for (const seq of seqs) {
          const row = bySeq.get(seq);
          if (row === undefined) continue;
          countUnread(-isUnread(row));
          remove.run(seq);
          noteRemoved.run(seq);
          total.stored -= countedBytes(row.size_bytes);
          if (isInThread.get(row.thread_id) === undefined) threads.end(row.thread_id);
        }
      });
    },
    /** Whether a mail that was removed has pieces left; null: any. */
    hasRemoved: (seq: number | null): boolean =>
      (seq === null ? removed.get(1) : isRemoved.get(seq)) !== undefined,
    /** Removes some pieces of that removed mail; null: of all removed mail. */
    removePieces: (only: number | null): void => {
      let room = PIECES_AT_ONCE * PIECE_BYTES;
      overwriting(db, () => {
        for (const seq of only === null ? removed.all(MAILS_AT_ONCE) : [only]) {
          const wanted = Math.ceil(room / PIECE_BYTES);
          if (wanted <= 0) break;
          const pieces = piecesOf.all(seq, wanted);
          for (const { rowid, bytes } of pieces) {
            removePiece.run(rowid);
            room -= bytes;
          }
          if (pieces.length < wanted) forgetRemoved.run(seq);
        }
      });
    },
  };
});
