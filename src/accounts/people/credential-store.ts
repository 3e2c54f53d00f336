// Live credentials in platform.db, by the SHA-256 of their token: a stolen file lets nobody in.
import { type PlatformDb, perConnection } from '#src/kernel/db/sqlite.ts';

export interface CredentialRow {
  token_id: string;
  tenant_id: string;
  /** Null for a team token. */
  project_id: string | null;
  /** Whom the audit names. */
  name: string;
  /** From then on it lets nobody in; null: never. */
  expires_at: number | null;
  /** JSON list of networks (CIDR) that it may be used from; null: from anywhere. */
  allowed_json: string | null;
}

export const credentialStore = perConnection((db: PlatformDb) => {
  const insert = db.prepare<CredentialRow & { hash: Buffer; now: number }>(
    `INSERT INTO credentials (hash, token_id, tenant_id, project_id, name, expires_at, allowed_json, created_at)
     VALUES (:hash, :token_id, :tenant_id, :project_id, :name, :expires_at, :allowed_json, :now)`,
  );
  const find = db.prepare<[Buffer], CredentialRow>(
    'SELECT token_id, tenant_id, project_id, name, expires_at, allowed_json FROM credentials WHERE hash = ?',
  );
  const revoke = db.prepare<[string, string]>('DELETE FROM credentials WHERE token_id = ? AND tenant_id = ?');
  return {
    insert: (hash: Buffer, row: CredentialRow, now: number): void => {
      insert.run({ ...row, hash, now });
    },
    find: (hash: Buffer): CredentialRow | undefined => find.get(hash),
    revoke: (tokenId: string, tenantId: string): void => {
      revoke.run(tokenId, tenantId);
    },
  };
});
