// Turns credentials into callers. Secrets are compared as SHA-256 digests: the admin token's in constant time, a token's
// or session's by a lookup of its digest. The time of that lookup reveals nothing about the secret.
import { timingSafeEqual } from 'node:crypto';
import { tokenPermissions, tokenPrefix } from '#src/accounts/entry/rules.ts';
import { type Credential, credentialStore } from '#src/accounts/entry/token-store.ts';
import { anonymous, type Caller, type Credentials, operatorPermissions } from '#src/kernel/access.ts';
import {
  hashBearer,
  type LastUsed,
  noSuchToken,
  nothingSent,
  notOurToken,
  SESSION_PREFIX,
  tokenExpired,
  tokenRevoked,
  wrongAdminToken,
} from '#src/kernel/credentials.ts';
import type { DurableFile } from '#src/kernel/db/durable-file.ts';
import type { PlatformDb } from '#src/kernel/db/sqlite.ts';
import { isWithin } from '#src/kernel/ip-networks.ts';
import type { Clock } from '#src/kernel/time.ts';
import type { Sessions } from './sessions.ts';

export interface AuthenticateDeps {
  readonly platform: DurableFile<PlatformDb>;
  readonly clock: Clock;
  /** Null: no request can act as the operator. */
  readonly adminToken: string | null;
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

/**
 * Throws `unauthorized` where the token does not let in. From an address that the token is not for it is unknown: who found it
 * there learns nothing about it.
 */
const requireUsable = (found: Credential | undefined, clientAddress: string, now: number): Credential => {
  if (!found || (found.allowed !== null && !isWithin(clientAddress, found.allowed))) throw noSuchToken();
  if (found.revoked_at !== null) throw tokenRevoked();
  if (found.expires_at !== null && now >= found.expires_at) throw tokenExpired(found.expires_at);
  return found;
};

const tokenCaller = ({ token_id, tenant_id, project_id, name }: Credential): Caller => ({
  ...anonymous,
  kind: project_id === null ? 'team_token' : 'project_token',
  credentialId: token_id,
  name,
  tenantId: tenant_id,
  projects: project_id === null ? null : new Set([project_id]),
  permissions: tokenPermissions[project_id === null ? 'team' : 'project'],
});

/** The caller with one credential. Throws `unauthorized`, and `forbidden` for a write by cookie without CSRF token. */
export const createAuthenticate = ({ platform, clock, adminToken, lastUsed, sessions }: AuthenticateDeps) => {
  const adminHash = adminToken === null ? null : hashBearer(adminToken);

  const byToken = (token: string, clientAddress: string, isOnceMore: boolean): Caller => {
    // This does not wait for a sync in progress: token-store.ts says why that is right.
    const found = platform.peek((db) => credentialStore(db).find(hashBearer(token)));
    const credential = requireUsable(found, clientAddress, clock.now());
    if (!isOnceMore) lastUsed.note(credential.tenant_id, credential.token_id);
    return tokenCaller(credential);
  };

  const byBearer = (bearer: string, clientAddress: string, isOnceMore: boolean): Promise<Caller> | Caller => {
    if (bearer.startsWith(SESSION_PREFIX)) return sessions.byBearer(bearer, isOnceMore);
    const isToken = Object.values(tokenPrefix).some((prefix) => bearer.startsWith(prefix));
    if (!isToken) throw notOurToken();
    return byToken(bearer, clientAddress, isOnceMore);
  };

  return async (
    { bearer, adminToken: given, cookie, csrfToken, isWrite, isOnceMore = false }: Credentials,
    clientAddress: string,
  ): Promise<Caller> => {
    if (given !== null) {
      if (adminHash !== null && timingSafeEqual(hashBearer(given), adminHash)) return operator;
      throw wrongAdminToken();
    }
    if (bearer !== null) return byBearer(bearer, clientAddress, isOnceMore);
    if (cookie !== null) return sessions.byCookie({ cookie, csrfToken, isWrite, isOnceMore });
    throw nothingSent();
  };
};
