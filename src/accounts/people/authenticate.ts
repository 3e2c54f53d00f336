// Turns credentials into callers. Secrets are compared as SHA-256 digests: the admin token's in constant time, a token's
// or session's by a lookup of its digest. The time of that lookup reveals nothing about the secret.
import { timingSafeEqual } from 'node:crypto';
import { anonymous, type Caller } from '#src/kernel/access.ts';
import type { DurableFile } from '#src/kernel/db/durable-file.ts';
import type { PlatformDb } from '#src/kernel/db/sqlite.ts';
import { isWithin } from '#src/kernel/ip-networks.ts';
import type { Clock } from '#src/kernel/time.ts';
import { hashBearer } from './bearer.ts';
import type { LastUsed } from './last-used.ts';
import { operatorPermissions, tokenPermissions, tokenPrefix } from './rules.ts';
import { SESSION_PREFIX, type Sessions } from './sessions.ts';
import { type Credential, credentialStore } from './token-store.ts';

export interface Credentials {
  readonly bearer: string | null;
  readonly adminToken: string | null;
  /** The header. */
  readonly cookie: string | null;
  readonly csrfToken: string | null;
  /** The request may change something: a cookie alone is not enough. */
  readonly isWrite: boolean;
  /** The same request was let in before and is still in flight: the credential has not been used again. */
  readonly isOnceMore?: boolean | undefined;
}

export interface AuthenticateDeps {
  readonly platform: DurableFile<PlatformDb>;
  readonly clock: Clock;
  /** Null: no request can act as the operator. */
  readonly adminToken: string | null;
  /** Of tokens. */
  readonly lastUsed: LastUsed;
  readonly sessions: Pick<Sessions, 'byBearer' | 'byCookie'>;
}

const operator: Caller = {
  ...anonymous,
  kind: 'operator',
  credentialId: 'operator',
  name: 'operator',
  permissions: operatorPermissions,
  isOwner: true,
};

const isUsable = ({ expires_at, allowed }: Credential, clientAddress: string, now: number): boolean =>
  (expires_at === null || now < expires_at) && (allowed === null || isWithin(clientAddress, allowed));

const tokenCaller = ({ token_id, tenant_id, project_id, name }: Credential): Caller => ({
  ...anonymous,
  kind: project_id === null ? 'team_token' : 'project_token',
  credentialId: token_id,
  name,
  tenantId: tenant_id,
  projects: project_id === null ? null : new Set([project_id]),
  permissions: tokenPermissions[project_id === null ? 'team' : 'project'],
});

/**
 * Null if the credential is unknown, revoked, expired, or used from an address that it does not allow. Of several
 * credentials the admin token counts first, then the bearer. Throws `forbidden` for a write by cookie without CSRF token.
 */
export const createAuthenticate = ({ platform, clock, adminToken, lastUsed, sessions }: AuthenticateDeps) => {
  const adminHash = adminToken === null ? null : hashBearer(adminToken);

  const byToken = (token: string, clientAddress: string, isOnceMore: boolean): Caller | null => {
    // Without waiting for a sync in progress: why that is right is written in token-store.ts.
    const credential = platform.peek((db) => credentialStore(db).find(hashBearer(token)));
    if (!credential || !isUsable(credential, clientAddress, clock.now())) return null;
    if (!isOnceMore) lastUsed.note(credential.tenant_id, credential.token_id);
    return tokenCaller(credential);
  };

  const byBearer = (
    bearer: string,
    clientAddress: string,
    isOnceMore: boolean,
  ): Promise<Caller | null> | Caller | null => {
    if (bearer.startsWith(SESSION_PREFIX)) return sessions.byBearer(bearer, isOnceMore);
    const isToken = Object.values(tokenPrefix).some((prefix) => bearer.startsWith(prefix));
    return isToken ? byToken(bearer, clientAddress, isOnceMore) : null;
  };

  return async (
    { bearer, adminToken: given, cookie, csrfToken, isWrite, isOnceMore = false }: Credentials,
    clientAddress: string,
  ): Promise<Caller | null> => {
    if (given !== null)
      return adminHash !== null && timingSafeEqual(hashBearer(given), adminHash) ? operator : null;
    if (bearer !== null) return byBearer(bearer, clientAddress, isOnceMore);
    return cookie === null ? null : sessions.byCookie({ cookie, csrfToken, isWrite, isOnceMore });
  };
};
