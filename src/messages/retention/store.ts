// What a tenant's file holds of old content, old deliveries and old events, table by table, and its removal. Rows are found
// by their key: messages, deliveries, events and captures are numbered in the order in which they came.
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';
import type { StoredRow } from './rules.ts';

/** A message of which anything is still to be sent keeps all of its content, whatever its age: paused, scheduled, delayed. */
const waits = (seq: string): string =>
  `EXISTS (SELECT 1 FROM recipients JOIN queue ON queue.recipient_id = recipients.id WHERE recipients.message_seq = ${seq})`;

const dueAt = 'max(messages.created_at, coalesce(messages.scheduled_at, 0))';

const bytesOf = (...columns: readonly string[]): string =>
  columns.map((column) => `coalesce(octet_length(${column}), 0)`).join(' + ');

/** A captured mail of a message is content as the message's own is; others are mails to the operator. */
const isOfMessage = 'EXISTS (SELECT 1 FROM messages WHERE messages.id = message_id)';

const captured = (held: string): string =>
  `SELECT seq AS key, captured_at AS at, captured_at AS since, size_bytes AS bytes, ${held} AS held FROM captures
   WHERE seq > ? ORDER BY seq`;

const removeCapture = ['DELETE FROM captures WHERE seq = ?'];

interface Statements {
  /** Rows after a key, in its order. */
  readonly scan: string;
  /** In this order, of one key. */
  readonly remove: readonly string[];
}

const tables = {
  bodies: {
    scan: `SELECT message_seq AS key, created_at AS at, ${dueAt} AS since,
             ${bytesOf('text', 'html', 'sealed', 'headers_json', 'data_json', 'calendar_json')} AS bytes,
             ${waits('message_bodies.message_seq')} AS held
           FROM message_bodies JOIN messages ON messages.seq = message_seq
           WHERE message_seq > ? ORDER BY message_seq`,
    remove: [
      `DELETE FROM message_bodies WHERE message_seq = ? AND NOT ${waits('message_bodies.message_seq')}`,
    ],
  },
  // A message's attachments are at most as many as fit into it.
  attachments: {
    scan: `SELECT message_seq AS key, min(created_at) AS at, ${dueAt} AS since,
             sum(attachments.size_bytes) AS bytes, ${waits('attachments.message_seq')} AS held
           FROM attachments JOIN messages ON messages.seq = message_seq
           WHERE message_seq > ? GROUP BY message_seq ORDER BY message_seq`,
    remove: [
      `INSERT OR IGNORE INTO removed_attachments
         SELECT seq FROM messages WHERE seq = ? AND NOT ${waits('messages.seq')}`,
      `DELETE FROM attachments WHERE message_seq = ? AND NOT ${waits('attachments.message_seq')}`,
    ],
  },
  /** Of bulks: it goes with the last message that has it, or that came to have it. */
  sharedContents: {
    scan: `SELECT id AS key, created_at AS at, created_at AS since, ${bytesOf('text', 'html')} AS bytes,
             EXISTS (SELECT 1 FROM message_bodies WHERE shared_id = shared_contents.id) AS held
           FROM shared_contents WHERE id > ? ORDER BY id`,
    remove: [
      `DELETE FROM shared_contents WHERE id = ?
         AND NOT EXISTS (SELECT 1 FROM message_bodies WHERE shared_id = shared_contents.id)`,
    ],
  },
  captures: { scan: captured(`NOT ${isOfMessage}`), remove: removeCapture },
  operatorMails: { scan: captured(isOfMessage), remove: removeCapture },
  /** What is still to be told stays; the body of the others goes with the event. */
  deliveries: {
    scan: `SELECT seq AS key, created_at AS at, updated_at AS since, ${bytesOf('response_excerpt', 'error')} AS bytes,
             status = 'pending' AS held
           FROM webhook_deliveries WHERE seq > ? ORDER BY seq`,
    remove: ["DELETE FROM webhook_deliveries WHERE seq = ? AND status <> 'pending'"],
  },
  events: {
    scan: `SELECT seq AS key, at, at AS since, ${bytesOf('data_json')} AS bytes, 0 AS held FROM events
           WHERE seq > ? ORDER BY seq`,
    remove: ['DELETE FROM events WHERE seq = ?'],
  },
} as const satisfies Readonly<Record<string, Statements>>;

export type Removable = keyof typeof tables;
/** What refers to others goes before them. */
export const removables = Object.keys(tables) as readonly Removable[];

export const retentionStore = perConnection((db: TenantDb) => {
  const prepared = removables.map((name) => {
    const { scan, remove }: Statements = tables[name];
    const statements = {
      scan: db.prepare<[number], StoredRow>(scan),
      remove: remove.map((sql) => db.prepare<[number]>(sql)),
    };
    return [name, statements] as const;
  });
  const of = new Map(prepared);
  const statementsOf = (name: Removable) => {
    const statements = of.get(name);
    if (!statements) throw new Error(`nothing is known of ${name}`);
    return statements;
  };
  return {
    /** Rows after that key, read as they are asked for; nothing else may be asked of the file meanwhile. */
    rowsAfter: (name: Removable, key: number): IterableIterator<StoredRow> =>
      statementsOf(name).scan.iterate(key),
    /**
     * Removes them, but for those that are held by now. What they filled is overwritten: SQLite would leave it in the
     * free pages of the file until something else needs them.
     */
    remove: (name: Removable, keys: readonly number[]): void => {
      db.pragma('secure_delete = ON');
      try {
        for (const key of keys) for (const statement of statementsOf(name).remove) statement.run(key);
      } finally {
        db.pragma('secure_delete = OFF');
      }
    },
  };
});
