// Accounts in platform.db: the addresses that are members somewhere, where to look for them, and their invitations. An
// invitation is found by the SHA-256 of the token in its link; a membership has at most one.
import { type PlatformDb, perConnection } from '#src/kernel/db/sqlite.ts';
import { newId } from '#src/kernel/id.ts';
import type { Language } from '#src/kernel/language.ts';

export interface AccountRow {
  id: string;
  email_key: string;
  email: string;
  language: Language;
  /** argon2id in PHC string form. */
  password: string | null;
  created_at: number;
}

export interface MembershipRow {
  /** The tenant's number; the list is in this order. */
  number: number;
  id: string;
  slug: string;
}

export const accountStore = perConnection((db: PlatformDb) => {
  const byId = db.prepare<[string], AccountRow>('SELECT * FROM accounts WHERE id = ?');
  const byEmail = db.prepare<[string], AccountRow>('SELECT * FROM accounts WHERE email_key = ?');
  const insert = db.prepare<AccountRow>(
    `INSERT INTO accounts (id, email_key, email, language, password, created_at)
     VALUES (:id, :email_key, :email, :language, :password, :created_at)`,
  );
  const setPassword = db.prepare<[string | null, string]>('UPDATE accounts SET password = ? WHERE id = ?');
  const setLanguage = db.prepare<[Language, string]>('UPDATE accounts SET language = ? WHERE id = ?');
  const removeIfAlone = db.prepare<[string, string]>(
    'DELETE FROM accounts WHERE id = ? AND NOT EXISTS (SELECT 1 FROM memberships WHERE account_id = ?)',
  );
  const join = db.prepare<[string, string]>(
    'INSERT INTO memberships (account_id, tenant_id) VALUES (?, ?) ON CONFLICT DO NOTHING',
  );
  const leave = db.prepare<[string, string]>(
    'DELETE FROM memberships WHERE account_id = ? AND tenant_id = ?',
  );
  const isMember = db
    .prepare<[string, string], number>(
      "SELECT 1 FROM memberships JOIN tenants ON tenants.id = tenant_id WHERE account_id = ? AND tenant_id = ? AND state IN ('active', 'moved')",
    )
    .pluck();
  const memberships = db.prepare<[string, number, number], MembershipRow>(
    `SELECT number, id, slug FROM memberships JOIN tenants ON tenants.id = tenant_id
     WHERE account_id = ? AND number > ? AND state = 'active' ORDER BY number LIMIT ?`,
  );
  const joined = db
    .prepare<[string], number>(
      `SELECT count(*) FROM memberships AS m JOIN tenants ON tenants.id = m.tenant_id
       WHERE m.account_id = ? AND state = 'active' AND NOT EXISTS
         (SELECT 1 FROM invitations AS i WHERE i.account_id = m.account_id AND i.tenant_id = m.tenant_id)`,
    )
    .pluck();
  const ofTenant = db.prepare<[string], AccountRow>(
    'SELECT accounts.* FROM memberships JOIN accounts ON accounts.id = account_id WHERE tenant_id = ?',
  );
  return {
    get: (id: string): AccountRow | undefined => byId.get(id),
    byEmail: (emailKey: string): AccountRow | undefined => byEmail.get(emailKey),
    /** The account of the address, created if there is none. */
    ensure: (email: string, emailKey: string, language: Language, now: number): AccountRow => {
      const known = byEmail.get(emailKey);
      if (known) return known;
      const row = { id: newId(), email_key: emailKey, email, language, password: null, created_at: now };
      insert.run(row);
      return row;
    },
    setPassword: (id: string, password: string | null): void => {
      setPassword.run(password, id);
    },
    setLanguage: (id: string, language: Language): void => {
      setLanguage.run(language, id);
    },
    join: (accountId: string, tenantId: string): void => {
      join.run(accountId, tenantId);
    },
    /** Removes the invitation too. An account that is a member nowhere is removed with its sessions. */
    leave: (accountId: string, tenantId: string): void => {
      leave.run(accountId, tenantId);
      removeIfAlone.run(accountId, accountId);
    },
    /** Whether the tenant's file has to be asked; that of one that has moved says so. */
    isMember: (accountId: string, tenantId: string): boolean =>
      isMember.get(accountId, tenantId) !== undefined,
    /** The memberships after `afterNumber`, in the order of the tenants' numbers. */
    memberships: (accountId: string, afterNumber: number, limit: number): MembershipRow[] =>
      memberships.all(accountId, afterNumber, limit),
    /** How many tenants the account is a member of, without those whose invitation is still open. */
    countJoined: (accountId: string): number => joined.get(accountId) ?? 0,
    /** The accounts with a membership in the tenant. */
    ofTenant: (tenantId: string): AccountRow[] => ofTenant.all(tenantId),
  };
});

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
    /** False if there is none. */
    take: (hash: Buffer): boolean => take.run(hash).changes > 0,
    remove: (accountId: string, tenantId: string): void => {
      remove.run(accountId, tenantId);
    },
  };
});
