// Subscribers in the tenant's file: one row for a person on a list. The person is named by the hash that suppressions have too.
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';

export const subscriberStatuses = ['pending', 'active', 'unsubscribed', 'bounced', 'complained'] as const;
export type SubscriberStatus = (typeof subscriberStatuses)[number];

export interface SubscriberRow {
  seq: number;
  id: string;
  list_seq: number;
  /** See `addressHash`. */
  address_hash: Buffer;
  address: string;
  name: string | null;
  /** Values for templates, strings by name. */
  data_json: string;
  status: SubscriberStatus;
  /** The entry of the consent ledger that made the status. */
  consent_seq: number;
  /** When the last confirmation mail was accepted. */
  asked_at: number | null;
  created_at: number;
  /** Since when it has been active, the last time. */
  confirmed_at: number | null;
  updated_at: number;
}

export const subscriberStore = perConnection((db: TenantDb) => {
  const insert = db.prepare<Omit<SubscriberRow, 'seq'>>(
    `INSERT INTO subscribers (id, list_seq, address_hash, address, name, data_json, status, consent_seq, asked_at,
       created_at, confirmed_at, updated_at)
     VALUES (:id, :list_seq, :address_hash, :address, :name, :data_json, :status, :consent_seq, :asked_at,
       :created_at, :confirmed_at, :updated_at)`,
  );
  const bySeq = db.prepare<[number], SubscriberRow>('SELECT * FROM subscribers WHERE seq = ?');
  const byId = db.prepare<[string], SubscriberRow>('SELECT * FROM subscribers WHERE id = ?');
  const onList = db.prepare<[number, Buffer], SubscriberRow>(
    'SELECT * FROM subscribers WHERE list_seq = +? AND address_hash = +?',
  );
  const ofPerson = db.prepare<[Buffer], SubscriberRow>(
    'SELECT * FROM subscribers WHERE address_hash = ? ORDER BY seq',
  );
  const activeAfter = db.prepare<[number, Buffer, number, number], SubscriberRow>(
    `SELECT * FROM subscribers
     WHERE list_seq = +? AND status = 'active' AND address_hash > +? AND confirmed_at <= +? ORDER BY address_hash LIMIT +?`,
  );
  const update = db.prepare<Omit<SubscriberRow, 'id' | 'list_seq' | 'created_at'>>(
    `UPDATE subscribers SET address_hash = :address_hash, address = :address, name = :name, data_json = :data_json,
       status = :status, consent_seq = :consent_seq, asked_at = :asked_at, confirmed_at = :confirmed_at,
       updated_at = :updated_at
     WHERE seq = :seq`,
  );
  const remove = db.prepare<[number]>('DELETE FROM subscribers WHERE seq = ?');
  return {
    /** Throws where the person is on the list already. The number of the row. */
    insert: (row: Omit<SubscriberRow, 'seq'>): number => Number(insert.run(row).lastInsertRowid),
    bySeq: (seq: number): SubscriberRow | undefined => bySeq.get(seq),
    byId: (id: string): SubscriberRow | undefined => byId.get(id),
    onList: (listSeq: number, person: Buffer): SubscriberRow | undefined => onList.get(listSeq, person),
    ofPerson: (person: Buffer): SubscriberRow[] => ofPerson.all(person),
    /** Those of a list behind a hash, in the order of their hashes, who have been active since then at the latest. */
    activeAfter: (listSeq: number, hash: Buffer, since: number, limit: number): SubscriberRow[] =>
      activeAfter.all(listSeq, hash, since, limit),
    update: (row: SubscriberRow): void => {
      update.run(row);
    },
    remove: (seq: number): void => {
      remove.run(seq);
    },
  };
});
