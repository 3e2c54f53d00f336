// The keys that sign, or signed, evidence of consent: their public halves, with the times of their use.
import { type PlatformDb, perConnection } from '#src/kernel/db/sqlite.ts';
import type { PublishedKey } from '#src/kernel/evidence-key.ts';

export const evidenceKeyStore = perConnection((db: PlatformDb) => {
  const all = db.prepare<[], PublishedKey>(
    'SELECT fingerprint, x, since, until FROM evidence_keys ORDER BY since, fingerprint',
  );
  const retire = db.prepare<[number]>('UPDATE evidence_keys SET until = ? WHERE until IS NULL');
  const put = db.prepare<PublishedKey>(
    `INSERT INTO evidence_keys (fingerprint, x, since, until) VALUES (:fingerprint, :x, :since, :until)
     ON CONFLICT (fingerprint) DO UPDATE SET until = NULL`,
  );
  return {
    /** The oldest first. */
    all: (): readonly PublishedKey[] => all.all(),
    /** The key signs from now on; the one before signed until now. */
    use: (key: PublishedKey): void => {
      retire.run(key.since);
      put.run(key);
    },
  };
});
