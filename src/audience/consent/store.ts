// The consent ledger's rows. Entries are appended through `ledger.ts` alone.
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { type Each, eachRow, overwriting, perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';
import type { StoredRow } from '#src/kernel/old-rows.ts';
import type { PersonalName } from './entry.ts';

export interface ConsentRow {
  seq: number;
  id: string;
  /** Null: about a list. */
  address_hash: Buffer | null;
  facts_json: string;
  openings_json: string;
  hash: Buffer;
}

/** `asked`: the consent was never confirmed. `ended`: it was, and has ended. */
export type ClientTerm = 'asked' | 'ended';

export interface NewConsentRow extends ConsentRow {
  /** The period for which what is said of the client is kept, and when it began; null: the consent lasts. */
  readonly client_term: ClientTerm | null;
  readonly client_since: number | null;
}

export interface ConsentHead {
  readonly seq: number;
  readonly hash: Buffer;
  readonly mac: Buffer;
}

/** The entry by which a list got a wording. */
interface WordingRow {
  readonly seq: number;
  /** The hash of the text, in hex. */
  readonly hash: string;
  readonly version: number;
}

export type DocumentKind = 'wording' | 'form' | 'mail';

/** What is said of the client, which is kept for a while. */
export type ClientValue = Extract<PersonalName, 'ip' | 'user_agent'>;

/** There is an index on that condition. */
const openedSince = (name: ClientValue): string => {
  const at = "CAST(unixepoch(facts_json ->> '$.at', 'subsec') * 1000 AS INTEGER)";
  return `SELECT seq AS key, ${at} AS at, ${at} AS since, 100 AS bytes, 0 AS held FROM consent_entries
   WHERE seq > ? AND openings_json ->> '$.${name}' IS NOT NULL ORDER BY seq`;
};

/** There is an index on that condition. */
const dueOf = (name: ClientValue): string =>
  `SELECT seq FROM consent_entries WHERE client_term = ? AND client_since < ? AND openings_json ->> '$.${name}' IS NOT NULL
   ORDER BY client_since LIMIT ?`;

export const consentStore = perConnection((db: TenantDb) => {
  const insert = db.prepare<NewConsentRow>(
    `INSERT INTO consent_entries (seq, id, address_hash, facts_json, openings_json, hash, client_term, client_since)
     VALUES (:seq, :id, :address_hash, :facts_json, :openings_json, :hash, :client_term, :client_since)`,
  );
  const head = db.prepare<[], ConsentHead>('SELECT seq, hash, mac FROM consent_head');
  const putHead = db.prepare<ConsentHead>(
    `INSERT INTO consent_head (only, seq, hash, mac) VALUES (1, :seq, :hash, :mac)
     ON CONFLICT (only) DO UPDATE SET seq = excluded.seq, hash = excluded.hash, mac = excluded.mac`,
  );
  const bySeq = db.prepare<[number], ConsentRow>('SELECT * FROM consent_entries WHERE seq = ?');
  const ofPerson = db.prepare<[Buffer], ConsentRow>(
    'SELECT * FROM consent_entries WHERE address_hash = ? ORDER BY seq',
  );
  const newest = db.prepare<[number, number], ConsentRow>(
    'SELECT * FROM consent_entries WHERE seq < ? ORDER BY seq DESC LIMIT ?',
  );
  const newestOfPerson = db.prepare<[Buffer, number, number], ConsentRow>(
    'SELECT * FROM consent_entries WHERE address_hash = ? AND seq < ? ORDER BY seq DESC LIMIT ?',
  );
  const after = db.prepare<[number, number], ConsentRow>(
    'SELECT * FROM consent_entries WHERE seq > ? ORDER BY seq LIMIT ?',
  );
  const wordings = db.prepare<[string], WordingRow>(
    `SELECT seq, facts_json ->> '$.wording' AS hash, facts_json ->> '$.wording_version' AS version FROM consent_entries
     WHERE address_hash IS NULL AND facts_json ->> '$.action' = 'wording' AND facts_json ->> '$.list_id' = ? ORDER BY seq`,
  );
  const lastNumber = db
    .prepare<[], number>("SELECT seq FROM sqlite_sequence WHERE name = 'consent_entries'")
    .pluck();
  const opened = {
    ip: db.prepare<[number], StoredRow>(openedSince('ip')),
    user_agent: db.prepare<[number], StoredRow>(openedSince('user_agent')),
  };
  const due = {
    ip: db.prepare<[ClientTerm, number, number], number>(dueOf('ip')).pluck(),
    user_agent: db.prepare<[ClientTerm, number, number], number>(dueOf('user_agent')).pluck(),
  };
  const ofConsent = "address_hash = ? AND facts_json ->> '$.list_id' = ?";
  const lasts = db.prepare<[Buffer, string]>(
    `UPDATE consent_entries SET client_term = NULL, client_since = NULL WHERE ${ofConsent} AND client_term IS NOT NULL`,
  );
  const ends = db.prepare<[ClientTerm, number, Buffer, string]>(
    `UPDATE consent_entries SET client_term = ?, client_since = ? WHERE ${ofConsent} AND client_term IS NULL
       AND (openings_json ->> '$.ip' IS NOT NULL OR openings_json ->> '$.user_agent' IS NOT NULL)`,
  );
  const close = db.prepare<[string, number]>(
    'UPDATE consent_entries SET openings_json = json_remove(openings_json, ?) WHERE seq = ?',
  );
  const forgetEntries = db.prepare<[Buffer]>(
    "UPDATE consent_entries SET openings_json = '{}' WHERE address_hash = ? AND openings_json <> '{}'",
  );
  const forgetDocuments = db.prepare<[Buffer]>('DELETE FROM consent_documents WHERE address_hash = ?');
  const insertDocument = db.prepare<[Buffer, DocumentKind, Buffer | null, Buffer]>(
    `INSERT INTO consent_documents (hash, kind, address_hash, content) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  );
  const hasDocument = db.prepare<[Buffer], number>('SELECT 1 FROM consent_documents WHERE hash = ?').pluck();
  const document = db.prepare<[Buffer], { kind: DocumentKind; content: Buffer }>(
    'SELECT kind, content FROM consent_documents WHERE hash = ?',
  );
  return {
    /** Throws where the number is taken. */
    insert: (row: NewConsentRow): void => {
      insert.run(row);
    },
    /** Undefined before the first entry. */
    head: (): ConsentHead | undefined => head.get(),
    putHead: (row: ConsentHead): void => {
      putHead.run(row);
    },
    bySeq: (seq: number): ConsentRow | undefined => bySeq.get(seq),
    ofPerson: (person: Buffer): ConsentRow[] => ofPerson.all(person),
    /** The entries before that number, the newest first. */
    newest: (before: number, limit: number): ConsentRow[] => newest.all(before, limit),
    newestOfPerson: (person: Buffer, before: number, limit: number): ConsentRow[] =>
      newestOfPerson.all(person, before, limit),
    /** The entries behind that number. */
    after: (seq: number, limit: number): ConsentRow[] => after.all(seq, limit),
    /** The newest wording of the list that is meant. */
    wording: (listId: string, isMeant: (row: WordingRow) => boolean) => {
      const row = wordings.all(listId).findLast(isMeant);
      const text = row && document.get(Buffer.from(row.hash, 'hex'));
      return row && text
        ? { wording: inflateRawSync(text.content).toString(), wording_version: row.version }
        : undefined;
    },
    /** The last number that SQLite has given to an entry, also where the entry is gone. */
    lastNumber: (): number => lastNumber.get() ?? 0,
    /** Entries behind that number that have the value, for retention. */
    openedAfter: (name: ClientValue, seq: number): Each<StoredRow> => eachRow(opened[name], seq),
    /** Entries whose term began before that and that have the value, for retention. */
    due: (name: ClientValue, term: ClientTerm, before: number, limit: number): number[] =>
      due[name].all(term, before, limit),
    /** The person's consent for the list lasts: what is known of the client is kept. */
    consentLasts: (person: Buffer, listId: string): void => {
      lasts.run(person, listId);
    },
    /** The person's consent for the list lasts no longer. */
    consentEnds: (person: Buffer, listId: string, term: ClientTerm, since: number): void => {
      ends.run(term, since, person, listId);
    },
    /** Removes the value; the page of the file is overwritten. */
    close: (name: ClientValue, seqs: readonly number[]): void =>
      overwriting(db, () => {
        for (const seq of seqs) close.run(`$.${name}`, seq);
      }),
    forget: (person: Buffer) => ({
      entries: forgetEntries.run(person).changes,
      documents: forgetDocuments.run(person).changes,
    }),
    /** `person`: who is erased with it; null: it is about no person. Kept once. */
    putDocument: (hash: Buffer, kind: DocumentKind, person: Buffer | null, content: Buffer): void => {
      if (hasDocument.get(hash) === undefined)
        insertDocument.run(hash, kind, person, deflateRawSync(content));
    },
    document: (hash: Buffer): { kind: DocumentKind; content: Buffer } | undefined => {
      const row = document.get(hash);
      return row && { kind: row.kind, content: inflateRawSync(row.content) };
    },
  };
});
