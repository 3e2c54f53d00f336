// Invitations in platform.db, by the SHA-256 of the token in their link. One for each membership: a new one takes the
// place of the old.
import { type PlatformDb, perConnection } from '#src/kernel/db/sqlite.ts';

export interface InvitationRow {
  hash: Buffer;
  account_id: string;
  tenant_id: string;
  expires_at: number;
}

export const invitationStore = perConnection((db: PlatformDb) => {
  const put = db.prepare<InvitationRow>(
    `INSERT INTO invitations (hash, account_id, tenant_id, expires_at)
     VALUES (:hash, :account_id, :tenant_id, :expires_at)
     ON CONFLICT (account_id, tenant_id) DO UPDATE SET hash = excluded.hash, expires_at = excluded.expires_at`,
  );
  const find = db.prepare<[Buffer], InvitationRow>('SELECT * FROM invitations WHERE hash = ?');
  const take = db.prepare<[Buffer]>('DELETE FROM invitations WHERE hash = ?');
  const remove = db.prepare<[string, string]>(
    'DELETE FROM invitations WHERE account_id = ? AND tenant_id = ?',
  );
  return {
    /** The account must have its membership in the index. */
    put: (row: InvitationRow): void => {
      put.run(row);
    },
    find: (hash: Buffer): InvitationRow | undefined => find.get(hash),
    /** False where there is none any more. */
    take: (hash: Buffer): boolean => take.run(hash).changes > 0,
    remove: (accountId: string, tenantId: string): void => {
      remove.run(accountId, tenantId);
    },
  };
});
