// API tokens: the records that their owners see in the tenant's file, and in platform.db the rows that let their bearers in. Both
// have the SHA-256 of the token, so that the registry's row can be made again, and a stolen file lets no one in.
import { rememberedBy } from '#src/kernel/db/memory.ts';
import { type PlatformDb, perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';
import { TenantMoved } from '#src/kernel/moved.ts';
import type { TokenScope } from './rules.ts';

export interface TokenRow {
  id: string;
  hash: Buffer;
  name: string;
  scope: TokenScope;
  project_id: string | null;
  expires_at: number | null;
  /** JSON list of networks (CIDR); null: from anywhere. */
  allowed_json: string | null;
  created_at: number;
  last_used_at: number | null;
}

export const tokenStore = perConnection((db: TenantDb) => {
  const insert = db.prepare<TokenRow>(
    `INSERT INTO api_tokens (id, hash, name, scope, project_id, expires_at, allowed_json, created_at, last_used_at)
     VALUES (:id, :hash, :name, :scope, :project_id, :expires_at, :allowed_json, :created_at, :last_used_at)`,
  );
  const remove = db.prepare<[string]>('DELETE FROM api_tokens WHERE id = ?');
  const all = db.prepare<[], TokenRow>('SELECT * FROM api_tokens ORDER BY id');
  const count = db.prepare<[], number>('SELECT count(*) FROM api_tokens').pluck();
  const get = db.prepare<[string], TokenRow>('SELECT * FROM api_tokens WHERE id = ?');
  const touch = db.prepare<[number, string]>('UPDATE api_tokens SET last_used_at = ? WHERE id = ?');
  const projectExists = db.prepare<[string], number>('SELECT 1 FROM projects WHERE id = ?').pluck();
  return {
    insert: (row: TokenRow): void => {
      insert.run(row);
    },
    /** False if there was none. */
    remove: (id: string): boolean => remove.run(id).changes > 0,
    all: (): TokenRow[] => all.all(),
    count: (): number => count.get() ?? 0,
    get: (id: string): TokenRow | undefined => get.get(id),
    touch: (id: string, at: number): void => {
      touch.run(at, id);
    },
    projectExists: (id: string): boolean => projectExists.get(id) !== undefined,
  };
});

export interface CredentialRow {
  token_id: string;
  tenant_id: string;
  /** Null for a team token. */
  project_id: string | null;
  /** The audit names the token by it. */
  name: string;
  /** The token is not valid from then on; null: it never expires. */
  expires_at: number | null;
  /** JSON list of networks (CIDR) that it may be used from; null: from anywhere. */
  allowed_json: string | null;
}

/** A token as requests ask for it. */
export interface Credential extends Omit<CredentialRow, 'allowed_json'> {
  readonly allowed: readonly string[] | null;
  /** Null: it is not revoked. */
  readonly revoked_at: number | null;
}

// Every request asks for its token, so tokens are remembered, by their hash alone. What lets no one in is not, so that
// guesses fill nothing. A request may be answered by what no sync has ended for yet: a revocation counts from its transaction
// on, and where that is undone or its sync fails, the file is asked again; a token that is being made is known to no one
// before it is on the disk.
export const credentialStore = perConnection((db: PlatformDb) => {
  const insert = db.prepare<CredentialRow & { hash: Buffer; now: number }>(
    `INSERT INTO credentials (hash, token_id, tenant_id, project_id, name, expires_at, allowed_json, created_at)
     VALUES (:hash, :token_id, :tenant_id, :project_id, :name, :expires_at, :allowed_json, :now)`,
  );
  const find = db.prepare<
    [Buffer],
    CredentialRow & Pick<Credential, 'revoked_at'> & { moved_json: string | null }
  >(
    `SELECT token_id, tenant_id, project_id, name, expires_at, allowed_json, revoked_at,
       (SELECT moved_json FROM tenants WHERE id = tenant_id) AS moved_json
     FROM credentials WHERE hash = ?`,
  );
  const byHash = rememberedBy(db, (hash: string): Credential | undefined => {
    const row = find.get(Buffer.from(hash, 'base64'));
    if (row === undefined) return undefined;
    const { allowed_json, moved_json, ...rest } = row;
    if (moved_json !== null) throw new TenantMoved(JSON.parse(moved_json));
    return { ...rest, allowed: allowed_json === null ? null : JSON.parse(allowed_json) };
  });
  const revoke = db.prepare<[number, string, string]>(
    'UPDATE credentials SET revoked_at = ? WHERE token_id = ? AND tenant_id = ?',
  );
  const register = db.prepare<CredentialRow & { hash: Buffer; created_at: number }>(
    `INSERT INTO credentials (hash, token_id, tenant_id, project_id, name, expires_at, allowed_json, created_at)
     VALUES (:hash, :token_id, :tenant_id, :project_id, :name, :expires_at, :allowed_json, :created_at)
     ON CONFLICT DO NOTHING`,
  );
  const ofTenant = db.prepare<[string], { token_id: string }>(
    'SELECT token_id FROM credentials WHERE tenant_id = ? AND revoked_at IS NULL',
  );
  const hashesOf = db
    .prepare<[string], string>(
      'SELECT lower(hex(hash)) FROM credentials WHERE tenant_id = ? AND revoked_at IS NULL ORDER BY created_at, hash',
    )
    .pluck();
  const removeRevoked = db.prepare<[number, number]>(
    'DELETE FROM credentials WHERE hash IN (SELECT hash FROM credentials WHERE revoked_at < ? LIMIT ?)',
  );
  return {
    insert: (hash: Buffer, row: CredentialRow, now: number): void => {
      insert.run({ ...row, hash, now });
    },
    /** Expired and revoked ones too. Throws TenantMoved, whatever else is wrong with the token: the new host says so. */
    find: (hash: Buffer): Credential | undefined => byHash(hash.toString('base64')),
    revoke: (tokenId: string, tenantId: string, now: number): void => {
      revoke.run(now, tokenId, tenantId);
      byHash.forget();
    },
    /** Makes the row again; one that was revoked stays so. */
    register: (row: CredentialRow & { hash: Buffer; created_at: number }): void => {
      register.run(row);
    },
    /** Ids of the tenant's tokens that are not revoked. */
    ofTenant: (tenantId: string): string[] => ofTenant.all(tenantId).map(({ token_id }) => token_id),
    /** Hashes of the tenant's tokens that are not revoked, in hexadecimal; also of those that have expired. */
    hashesOf: (tenantId: string): string[] => hashesOf.all(tenantId),
    /** At most `limit` of those that were revoked before; returns how many. */
    removeRevoked: (before: number, limit: number): number => {
      const { changes } = removeRevoked.run(before, limit);
      if (changes > 0) byHash.forget();
      return changes;
    },
    /** With a tenant its tokens are removed. */
    forget: (): void => byHash.forget(),
  };
});
