// Finds and removes old content, deliveries and events in a tenant's file, table by table. Rows are found by their key,
// without an index on time: messages, deliveries, events and captures are numbered in the order in which they were stored.
import { type Each, eachRow, overwriting, perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';
import { DAY } from '#src/kernel/time.ts';

import type { StoredRow } from './rules.ts';

/** A message that is still to be sent to any recipient (paused, scheduled, delayed) keeps all of its content at any age. */
export const waits = (seq: string): string =>
  `EXISTS (SELECT 1 FROM recipients JOIN queue ON queue.recipient_id = recipients.id WHERE recipients.message_seq = ${seq})`;

/** When it was to be sent. */
export const dueAt = 'max(messages.created_at, coalesce(messages.scheduled_at, 0))';

const bytesOf = (...columns: readonly string[]): string =>
  columns.map((column) => `coalesce(octet_length(${column}), 0)`).join(' + ');

/** A captured copy of a message is kept as long as the message's content; other captures are mails to the operator. */
const isOfMessage = 'EXISTS (SELECT 1 FROM messages WHERE messages.id = message_id)';

const captured = (held: string): string =>
  `SELECT seq AS key, captured_at AS at, captured_at AS since, size_bytes AS bytes, ${held} AS held FROM captures
   WHERE seq > ? ORDER BY seq`;

const removeCapture = ['DELETE FROM captures WHERE seq = ?'];

const reportedDays = (table: string): string =>
  `SELECT seq AS key, day * ${DAY} AS at, day * ${DAY} AS since, 100 AS bytes, 0 AS held FROM ${table}
   WHERE seq > ? ORDER BY seq`;

interface Statements {
  /** Rows after a key, in its order. */
  readonly scan: string;
  /** Statements that remove one key, in their order. */
  readonly remove: readonly string[];
}

const tables = {
  bodies: {
    scan: `SELECT message_seq AS key, created_at AS at, ${dueAt} AS since,
             ${bytesOf('text', 'html', 'sealed', 'headers_json', 'data_json', 'calendar_json', 'parts_json')} AS bytes,
             ${waits('message_bodies.message_seq')} AS held
           FROM message_bodies JOIN messages ON messages.seq = message_seq
           WHERE message_seq > ? ORDER BY message_seq`,
    remove: [
      `DELETE FROM message_bodies WHERE message_seq = ? AND NOT ${waits('message_bodies.message_seq')}`,
    ],
  },
  // All attachments of a message are one row here; the size limit of a message bounds them.
  attachments: {
    scan: `SELECT message_seq AS key, min(created_at) AS at, ${dueAt} AS since,
             sum(attachments.size_bytes) AS bytes, ${waits('attachments.message_seq')} AS held
           FROM attachments JOIN messages ON messages.seq = message_seq
           WHERE message_seq > ? GROUP BY message_seq ORDER BY message_seq`,
    remove: [
      `INSERT OR IGNORE INTO removed_attachments
         SELECT seq FROM messages WHERE seq = ? AND NOT ${waits('messages.seq')}`,
      `DELETE FROM attachments WHERE message_seq = ? AND NOT ${waits('attachments.message_seq')}`,
      // What is signed has the content of its files in it. Without attachments no copy is composed again.
      `UPDATE message_bodies SET parts_json = NULL
         WHERE message_seq = ? AND NOT ${waits('message_bodies.message_seq')}`,
    ],
  },
  /** Content of bulks. It is removed when no message uses it any more, or when none came to use it. */
  sharedContents: {
    scan: `SELECT id AS key, created_at AS at, created_at AS since, ${bytesOf('text', 'html', 'data_json')} AS bytes,
             EXISTS (SELECT 1 FROM message_bodies WHERE shared_id = shared_contents.id) AS held
           FROM shared_contents WHERE id > ? ORDER BY id`,
    remove: [
      `DELETE FROM shared_contents WHERE id = ?
         AND NOT EXISTS (SELECT 1 FROM message_bodies WHERE shared_id = shared_contents.id)`,
    ],
  },
  captures: { scan: captured(`NOT ${isOfMessage}`), remove: removeCapture },
  operatorMails: { scan: captured(isOfMessage), remove: removeCapture },
  /** A pending delivery stays. The body of a delivery is made from its event, so it is not stored here. */
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
  /** What receivers report: days come nearly in the order of their rows. */
  domainReports: {
    scan: `SELECT seq AS key, received_at AS at, received_at AS since, 200 AS bytes, 0 AS held FROM domain_reports
           WHERE seq > ? ORDER BY seq`,
    remove: ['DELETE FROM domain_reports WHERE seq = ?'],
  },
  dmarcSources: { scan: reportedDays('dmarc_sources'), remove: ['DELETE FROM dmarc_sources WHERE seq = ?'] },
  tlsSessions: { scan: reportedDays('tls_sessions'), remove: ['DELETE FROM tls_sessions WHERE seq = ?'] },
} as const satisfies Readonly<Record<string, Statements>>;

export type Removable = keyof typeof tables;
/** The kinds in the order of removal: rows that refer to others come before them. */
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
    if (!statements) throw new Error(`no statements for ${name}`);
    return statements;
  };
  return {
    /** Rows after that key. */
    rowsAfter: (name: Removable, key: number): Each<StoredRow> => eachRow(statementsOf(name).scan, key),
    /** Removes the rows, except those that are held by now. Their bytes are overwritten. */
    remove: (name: Removable, keys: readonly number[]): void =>
      overwriting(db, () => {
        for (const key of keys) for (const statement of statementsOf(name).remove) statement.run(key);
      }),
  };
});
