// Finds and removes old rows of a tenant's file, table by table, by the statements that rooms hand in; those of the content of
// messages are here. Rows are found by their key, without an index on time: they are numbered in the order in which they were stored.
import { type Each, eachRow, overwriting, perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';
import type { OldRows, StoredRow } from '#src/kernel/old-rows.ts';
import { DAY } from '#src/kernel/time.ts';
import { oldImages } from '../image-store.ts';

/** A bulk's content is stored minutes before its messages; only content older than this can have lost its bulk. */
const UNUSED_CONTENT_MS = DAY;

/** A message that is still to be sent to any recipient (paused, scheduled, delayed) keeps all of its content at any age. */
export const waits = (seq: string): string =>
  `EXISTS (SELECT 1 FROM recipients JOIN queue ON queue.recipient_id = recipients.id WHERE recipients.message_seq = ${seq})`;

/** When it was to be sent. */
export const dueAt = 'max(messages.created_at, coalesce(messages.scheduled_at, 0))';

const bytesOf = (...columns: readonly string[]): string =>
  columns.map((column) => `coalesce(octet_length(${column}), 0)`).join(' + ');

export const bodies: OldRows = {
  keptFor: ({ bodies }) => bodies,
  scan: `SELECT message_seq AS key, created_at AS at, ${dueAt} AS since,
           ${bytesOf('text', 'html', 'sealed', 'headers_json', 'data_json', 'calendar_json', 'parts_json')} AS bytes,
           ${waits('message_bodies.message_seq')} AS held
         FROM message_bodies JOIN messages ON messages.seq = message_seq
         WHERE message_seq > ? ORDER BY message_seq`,
  remove: [`DELETE FROM message_bodies WHERE message_seq = ? AND NOT ${waits('message_bodies.message_seq')}`],
};

// All attachments of a message are one row here; the size limit of a message bounds them.
export const attachments: OldRows = {
  keptFor: ({ attachments }) => attachments,
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
};

/** Content of bulks. It is removed when no message uses it any more, or when none came to use it. */
const sharedContents: OldRows = {
  keptFor: () => UNUSED_CONTENT_MS,
  scan: `SELECT id AS key, created_at AS at, created_at AS since, ${bytesOf('text', 'html', 'data_json')} AS bytes,
           EXISTS (SELECT 1 FROM message_bodies WHERE shared_id = shared_contents.id) AS held
         FROM shared_contents WHERE id > ? ORDER BY id`,
  remove: [
    `DELETE FROM shared_contents WHERE id = ?
       AND NOT EXISTS (SELECT 1 FROM message_bodies WHERE shared_id = shared_contents.id)`,
  ],
};

export const oldContent: readonly OldRows[] = [bodies, attachments, sharedContents, oldImages];

export const retentionStore = perConnection((db: TenantDb) => {
  const prepared = new Map<OldRows, ReturnType<typeof prepare>>();
  const prepare = ({ scan, remove }: OldRows) => ({
    scan: db.prepare<[number], StoredRow>(scan),
    remove: remove.map((sql) => db.prepare<[number]>(sql)),
  });
  const statementsOf = (rows: OldRows) => {
    const statements = prepared.get(rows) ?? prepare(rows);
    prepared.set(rows, statements);
    return statements;
  };
  return {
    /** Rows after that key. */
    rowsAfter: (rows: OldRows, key: number): Each<StoredRow> => eachRow(statementsOf(rows).scan, key),
    /** Removes the rows, except those that are held by now. Their bytes are overwritten. */
    remove: (rows: OldRows, keys: readonly number[]): void =>
      overwriting(db, () => {
        for (const key of keys) for (const statement of statementsOf(rows).remove) statement.run(key);
      }),
  };
});
