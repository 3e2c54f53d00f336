// Who objected to tracking, by the hash that suppressions have too. The consent ledger has the objection itself; this is what sending
// and the links of mails ask. It is the person's word for all mail of the practice, and stays longer than lists, imports and erasure.
import { remembered } from '#src/kernel/db/memory.ts';
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';

export const objectionStore = perConnection((db: TenantDb) => {
  const any = db.prepare<[], number>('SELECT 1 FROM tracking_objections LIMIT 1').pluck();
  const entryOf = db
    .prepare<[Buffer], number>('SELECT consent_seq FROM tracking_objections WHERE address_hash = ?')
    .pluck();
  const put = db.prepare<[Buffer, number]>(
    `INSERT INTO tracking_objections (address_hash, consent_seq) VALUES (?, ?)
     ON CONFLICT (address_hash) DO UPDATE SET consent_seq = excluded.consent_seq`,
  );
  const remove = db.prepare<[Buffer]>('DELETE FROM tracking_objections WHERE address_hash = ?');
  const isEmpty = remembered(db, () => any.get() === undefined);
  return {
    /** Whether no one has objected: then no address needs to be hashed. */
    isEmpty: (): boolean => isEmpty(),
    /** The entry of the consent ledger by which the person objected; null: they have not. */
    entryOf: (person: Buffer): number | null => (isEmpty() ? null : (entryOf.get(person) ?? null)),
    put: (person: Buffer, consentSeq: number): void => {
      put.run(person, consentSeq);
      isEmpty.forget();
    },
    remove: (person: Buffer): void => {
      remove.run(person);
      isEmpty.forget();
    },
  };
});
