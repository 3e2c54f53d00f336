// The search index: each message's text, and the trigrams of all texts. Messages are indexed after their acceptance, in the
// order of their numbers, because indexing would make each acceptance a tenth of a millisecond slower. The highest number
// in the index is its progress. A trigger removes deleted messages.
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Mailbox } from '#src/mail/mailbox.ts';
import { searchText } from './search-text.ts';

interface FindableRow {
  seq: number;
  subject: string;
  tags_json: string;
  project_id: string;
  route_id: string;
  template_id: string | null;
  message_kind: string;
  to_json: string;
  cc_json: string;
  bcc_json: string;
  addresses_json: string;
}

const FINDABLE = `seq, subject, tags_json, project_id, route_id, template_id, message_kind, to_json, cc_json, bcc_json,
  (SELECT json_group_array(address) FROM recipients WHERE message_seq = messages.seq) AS addresses_json`;

const namesIn = (json: string): string[] =>
  json.includes('"name"') ? (JSON.parse(json) as Mailbox[]).flatMap(({ name }) => name ?? []) : [];

const textOf = (row: FindableRow): string =>
  searchText({
    seq: row.seq,
    subject: row.subject,
    addresses: JSON.parse(row.addresses_json),
    names: [row.to_json, row.cc_json, row.bcc_json].flatMap(namesIn),
    tags: JSON.parse(row.tags_json),
    routeId: row.route_id,
    templateId: row.template_id,
    projectId: row.project_id,
    kind: row.message_kind,
  });

export interface SearchText {
  readonly seq: number;
  readonly text: string;
}

export const searchIndexStore = perConnection((db: TenantDb) => {
  const indexedTo = db.prepare<[], number | null>('SELECT max(seq) FROM search_texts').pluck();
  const newest = db.prepare<[], number | null>('SELECT max(seq) FROM messages').pluck();
  const following = db.prepare<[number, number], FindableRow>(
    `SELECT ${FINDABLE} FROM messages WHERE seq > ? ORDER BY seq LIMIT ?`,
  );
  const before = db.prepare<[number, number, number], FindableRow>(
    `SELECT ${FINDABLE} FROM messages WHERE seq < ? AND seq >= ? ORDER BY seq DESC LIMIT ?`,
  );
  const bySeq = db.prepare<[number], FindableRow>(`SELECT ${FINDABLE} FROM messages WHERE seq = ?`);
  const forgetTrigrams = db.prepare<[number]>(
    `INSERT INTO search_trigrams (search_trigrams, rowid, text)
     SELECT 'delete', seq, text FROM search_texts WHERE seq = ?`,
  );
  const updateText = db.prepare<[string, number]>('UPDATE search_texts SET text = ? WHERE seq = ?');
  const addTrigrams = db.prepare<[number]>(
    'INSERT INTO search_trigrams (rowid, text) SELECT seq, text FROM search_texts WHERE seq = ?',
  );
  const insertText = db.prepare<[number, string]>('INSERT INTO search_texts (seq, text) VALUES (?, ?)');
  const insertTrigrams = db.prepare<[number]>(
    'INSERT INTO search_trigrams (rowid, text) SELECT seq, text FROM search_texts WHERE seq > ?',
  );
  // Takes about 7 ms at most. The number of changes shows whether there was anything to merge (FTS5 §6.10).
  const merge = db.prepare("INSERT INTO search_trigrams (search_trigrams, rank) VALUES ('merge', 64)");
  const totalChanges = db.prepare<[], number>('SELECT total_changes()').pluck();
  const toText = (row: FindableRow): SearchText => ({ seq: row.seq, text: textOf(row) });
  return {
    /** Number of the last message in the index; 0 if there is none. */
    indexedTo: (): number => indexedTo.get() ?? 0,
    /** How many messages are not indexed yet. Gaps in the numbers are counted too. */
    behind: (): number => (newest.get() ?? 0) - (indexedTo.get() ?? 0),
    /** Indexes at most `limit` further messages and returns their count. */
    indexNext: (limit: number): number => {
      const from = indexedTo.get() ?? 0;
      const rows = following.all(from, limit);
      for (const { seq, text } of rows.map(toText)) insertText.run(seq, text);
      insertTrigrams.run(from);
      return rows.length;
    },
    /** Brings the text of a message that has changed up to date, where it is in the index. */
    rewrite: (seq: number): void => {
      const row = bySeq.get(seq);
      if (row === undefined || forgetTrigrams.run(seq).changes === 0) return;
      updateText.run(textOf(row), seq);
      addTrigrams.run(seq);
    },
    /** Merges some of the index's segments, because a search reads every segment. False: nothing is left to merge. */
    tidy: (): boolean => {
      const before = totalChanges.get() ?? 0;
      merge.run();
      return (totalChanges.get() ?? 0) - before >= 2;
    },
    /** The text of a message, computed as the index will store it; null where there is no such message. */
    textOf: (seq: number): string | null => {
      const row = bySeq.get(seq);
      return row === undefined ? null : textOf(row);
    },
    /** Texts of messages before `position` and not before `from`, computed as the index will store them; newest first. */
    unindexedTexts: (position: number, from: number, limit: number): SearchText[] =>
      before.all(position, from, limit).map(toText),
  };
});
