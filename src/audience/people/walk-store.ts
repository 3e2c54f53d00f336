// Reads a table of `places` from a place on, for rows that may quote an address, and changes such rows. A call blocks the event
// loop, so it ends when its time is over, and the next one continues.
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Place } from './places.ts';

/** Values of the primary key. */
export type Key = readonly (string | number)[];
export type Values = Readonly<Record<string, string | number | null>>;

export interface Slice {
  /** Rows that fit a pattern. */
  readonly hits: readonly Key[];
  /** The last row that was looked at. */
  readonly last: Key | null;
  readonly isEnd: boolean;
}

/** A piece of a file that is imported; an address may be in two. */
export interface ImportPiece {
  readonly import_seq: number;
  readonly position: number;
  readonly content: Buffer;
}

/** A large row takes longer. */
const SCAN_MS = 4;
/** Erasing one takes up to 8 ms: a message is indexed once more, and segments of the index are merged. */
const MAX_HITS = 3;

const named = (prefix: string, values: readonly (string | number)[]) =>
  Object.fromEntries(values.map((value, index) => [`${prefix}${index}`, value]));

export const walkStore = perConnection((db: TenantDb) => {
  const prepared = new Map<string, ReturnType<TenantDb['prepare']>>();
  const prepare = (sql: string) => {
    const statement = prepared.get(sql) ?? db.prepare(sql);
    prepared.set(sql, statement);
    return statement;
  };
  const isRow = ({ keys }: Place): string => keys.map((key, index) => `${key} = :k${index}`).join(' AND ');
  const pieceAfter = db.prepare<[number, number], ImportPiece>(
    `SELECT import_seq, position, content FROM import_pieces WHERE (import_seq, position) > (?, ?)
     ORDER BY import_seq, position LIMIT 1`,
  );
  const sharedInQueue = db
    .prepare<[number], number>(
      `SELECT 1 FROM message_bodies AS body
         JOIN recipients ON recipients.message_seq = body.message_seq
         JOIN queue ON queue.recipient_id = recipients.id
       WHERE body.shared_id = ? LIMIT 1`,
    )
    .pluck();
  // Opens and clicks say when and where a person read; a reply of a server may quote more than the address.
  const reduceEvents = db.prepare<[number, number]>(
    `UPDATE events SET data_json = json_remove(data_json, '$.diagnostic', '$.ip', '$.user_agent', '$.url')
     WHERE message_seq = ? AND recipient_id = ? AND data_json IS NOT NULL`,
  );
  const hideRecipient = db.prepare<[string, number]>(
    'UPDATE recipients SET address = ?, diagnostic = NULL WHERE id = ?',
  );
  const endForward = db.prepare<[number]>(
    "UPDATE inbound_forwards SET status = 'failed', next_attempt_at = NULL WHERE seq = ? AND next_attempt_at IS NOT NULL",
  );
  const removeUnsent = db.prepare<[Buffer]>(
    'DELETE FROM confirmation_mails WHERE subscriber_seq IN (SELECT seq FROM subscribers WHERE address_hash = ?)',
  );
  const kept = db.prepare<
    { hash: Buffer; key: string },
    { suppressions: number; consent_entries: number; member: number; audit_entries: number }
  >(
    `SELECT (SELECT count(*) FROM suppressions WHERE address_hash = :hash) AS suppressions,
       (SELECT count(*) FROM consent_entries WHERE address_hash = :hash) AS consent_entries,
       (SELECT count(*) FROM members WHERE email_key = :key) AS member,
       (SELECT count(*) FROM audit WHERE actor_kind = 'member' AND lower(actor_name) = :key) AS audit_entries`,
  );
  return {
    /** The next one of all files that are imported. */
    pieceAfter: ({ import_seq, position }: Omit<ImportPiece, 'content'>): ImportPiece | undefined =>
      pieceAfter.get(import_seq, position),
    /** Whether mail with that content is still to be sent. */
    isSharedInQueue: (id: number): boolean => sharedInQueue.get(id) !== undefined,
    scan: (place: Place, patterns: readonly string[], after: Key | null): Slice => {
      const { table, keys, searched } = place;
      const fits = searched.flatMap((column) =>
        patterns.map((_, index) => String.raw`${column} LIKE :p${index} ESCAPE '\'`),
      );
      const columns = keys.join(', ');
      const from =
        after === null ? '1' : `(${columns}) > (${keys.map((_, index) => `:k${index}`).join(', ')})`;
      const rows = prepare(
        `SELECT ${columns}, (${fits.join(' OR ')}) AS fits FROM ${table} WHERE ${from} ORDER BY ${columns}`,
      ).iterate({ ...named('p', patterns), ...named('k', after ?? []) }) as IterableIterator<
        Record<string, string | number>
      >;
      const end = performance.now() + SCAN_MS;
      const hits: Key[] = [];
      let last = after;
      for (const row of rows) {
        last = keys.map((key) => row[key] ?? '');
        if (row.fits === 1) hits.push(last);
        if (hits.length >= MAX_HITS || performance.now() >= end) return { hits, last, isEnd: false };
      }
      return { hits, last, isEnd: true };
    },
    row: (place: Place, key: Key): Values | undefined =>
      prepare(
        `SELECT ${[...place.keys, ...place.searched].join(', ')} FROM ${place.table} WHERE ${isRow(place)}`,
      ).get(named('k', key)) as Values | undefined,
    update: (place: Place, key: Key, values: Values): void => {
      const names = Object.keys(values);
      if (names.length === 0) return;
      // A link of two people may be the same one now.
      prepare(
        `UPDATE OR REPLACE ${place.table} SET ${names.map((name) => `${name} = :${name}`).join(', ')} WHERE ${isRow(place)}`,
      ).run({ ...values, ...named('k', key) });
    },
    remove: (place: Place, key: Key): void => {
      prepare(`DELETE FROM ${place.table} WHERE ${isRow(place)}`).run(named('k', key));
    },
    /** What the events of a recipient say beside what happened when. */
    reduceEvents: (messageSeq: number, recipientId: number): void => {
      reduceEvents.run(messageSeq, recipientId);
    },
    hideRecipient: (id: number, pseudonym: string): void => {
      hideRecipient.run(pseudonym, id);
    },
    /** Nothing more is tried. */
    endForward: (seq: number): void => {
      endForward.run(seq);
    },
    /** Confirmation mails of the person that the ledger still waits for. */
    removeUnsent: (hash: Buffer): void => {
      removeUnsent.run(hash);
    },
    /** What stays of a person; `key`: the address in lower case. */
    kept: (hash: Buffer, key: string) =>
      kept.get({ hash, key }) ?? { suppressions: 0, consent_entries: 0, member: 0, audit_entries: 0 },
  };
});
