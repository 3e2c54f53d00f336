// A tenant's sealed DKIM keys, in its own file.

import { perConnection, type TenantDb } from '#src/db/sqlite.ts';
import type { DkimSigner } from '#src/mail/dkim-key.ts';

export interface DkimKeyRow {
  token: string;
  domain: string;
  algorithm: DkimSigner['algorithm'];
  role: 'active' | 'next';
  sealed_key: Buffer;
  created_at: number;
}

export const dkimKeyStore = perConnection((db: TenantDb) => {
  const insert = db.prepare<DkimKeyRow>(
    `INSERT INTO dkim_keys (token, domain, algorithm, role, sealed_key, created_at)
     VALUES (:token, :domain, :algorithm, :role, :sealed_key, :created_at)`,
  );
  const active = db.prepare<[string], DkimKeyRow>(
    "SELECT * FROM dkim_keys WHERE domain = ? AND role = 'active' ORDER BY algorithm DESC",
  );
  return {
    insert: ({ token, domain, algorithm, role, sealed_key, created_at }: DkimKeyRow): void => {
      insert.run({ token, domain, algorithm, role, sealed_key, created_at });
    },
    /** Those that sign for a host: RSA first. */
    active: (domain: string): DkimKeyRow[] => active.all(domain),
  };
});
