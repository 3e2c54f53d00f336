// Live credentials in platform.db, by the SHA-256 of their token: a stolen file lets nobody in.
import { type PlatformDb, perConnection } from '#src/db/sqlite.ts';

export interface CredentialRow {
  token_id: string;
  tenant_id: string;
  /** Null for a team token. */
  project_id: string | null;
}

export const credentialStore = perConnection((db: PlatformDb) => {
  const insert = db.prepare<[Buffer, string, string, string | null, number]>(
    'INSERT INTO credentials (hash, token_id, tenant_id, project_id, created_at) VALUES (?, ?, ?, ?, ?)',
  );
  const find = db.prepare<[Buffer], CredentialRow>(
    'SELECT token_id, tenant_id, project_id FROM credentials WHERE hash = ?',
  );
  const revoke = db.prepare<[string, string]>('DELETE FROM credentials WHERE token_id = ? AND tenant_id = ?');
  return {
    insert: (hash: Buffer, row: CredentialRow, now: number): void => {
      insert.run(hash, row.token_id, row.tenant_id, row.project_id, now);
    },
    find: (hash: Buffer): CredentialRow | undefined => find.get(hash),
    revoke: (tokenId: string, tenantId: string): void => {
      revoke.run(tokenId, tenantId);
    },
  };
});
