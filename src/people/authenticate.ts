// Credentials to callers. Secrets are compared as SHA-256 digests: the admin token's in constant time, a token's by
// looking its digest up, whose timing tells nothing about any token.
import { timingSafeEqual } from 'node:crypto';
import type { DurableFile } from '#src/db/durable-file.ts';
import type { PlatformDb } from '#src/db/sqlite.ts';
import type { Caller } from '#src/kernel/access.ts';
import { credentialStore } from './credential-store.ts';
import type { LastUsed } from './last-used.ts';
import { operatorPermissions, tokenPermissions, tokenPrefix } from './rules.ts';
import { hashToken } from './tokens.ts';

export interface Credentials {
  readonly bearer: string | null;
  readonly adminToken: string | null;
}

export interface AuthenticateDeps {
  readonly platform: DurableFile<PlatformDb>;
  /** Null where the operator has none: then nobody is the operator. */
  readonly adminToken: string | null;
  readonly lastUsed: LastUsed;
}

const operator: Caller = {
  kind: 'operator',
  credentialId: 'operator',
  tenantId: null,
  projectId: null,
  permissions: operatorPermissions,
};

/** Null where the credential is unknown or revoked. The admin token decides where both are given. */
export const createAuthenticate = ({ platform, adminToken, lastUsed }: AuthenticateDeps) => {
  const adminHash = adminToken === null ? null : hashToken(adminToken);
  return async ({ bearer, adminToken: given }: Credentials): Promise<Caller | null> => {
    if (given !== null)
      return adminHash !== null && timingSafeEqual(hashToken(given), adminHash) ? operator : null;
    if (bearer === null || !Object.values(tokenPrefix).some((prefix) => bearer.startsWith(prefix)))
      return null;
    const row = await platform.read((db) => credentialStore(db).find(hashToken(bearer)));
    if (!row) return null;
    lastUsed.note(row.tenant_id, row.token_id);
    return {
      kind: row.project_id === null ? 'team_token' : 'project_token',
      credentialId: row.token_id,
      tenantId: row.tenant_id,
      projectId: row.project_id,
      permissions: tokenPermissions[row.project_id === null ? 'team' : 'project'],
    };
  };
};
