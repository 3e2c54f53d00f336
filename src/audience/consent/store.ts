// The consent ledger's rows. Entries are appended through `ledger.ts` alone.
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';

export interface ConsentRow {
  seq: number;
  id: string;
  /** Null: about a list. */
  address_hash: Buffer | null;
  facts_json: string;
  openings_json: string;
  hash: Buffer;
}

export interface ConsentHead {
  readonly seq: number;
  readonly hash: Buffer;
  readonly mac: Buffer;
}

export type DocumentKind = 'wording' | 'form' | 'mail';

export const consentStore = perConnection((db: TenantDb) => {
  const insert = db.prepare<ConsentRow>(
    `INSERT INTO consent_entries (seq, id, address_hash, facts_json, openings_json, hash)
     VALUES (:seq, :id, :address_hash, :facts_json, :openings_json, :hash)`,
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
  const after = db.prepare<[number, number], ConsentRow>(
    'SELECT * FROM consent_entries WHERE seq > ? ORDER BY seq LIMIT ?',
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
    insert: (row: ConsentRow): void => {
      insert.run(row);
    },
    /** Undefined before the first entry. */
    head: (): ConsentHead | undefined => head.get(),
    putHead: (row: ConsentHead): void => {
      putHead.run(row);
    },
    bySeq: (seq: number): ConsentRow | undefined => bySeq.get(seq),
    ofPerson: (person: Buffer): ConsentRow[] => ofPerson.all(person),
    after: (seq: number, limit: number): ConsentRow[] => after.all(seq, limit),
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
