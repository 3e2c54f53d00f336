// Making and revoking API tokens. The record is in the tenant's file, the row that lets its bearer in is in the
// registry. Creation writes the record first and the hash last, revocation the other way round: after a crash in between
// no token works that its owner cannot see. A tenant's creations and revocations run one after the other, because a
// revocation between the halves of a creation would leave the hash alone.

import { requirePermission } from '#src/accounts/entry/enter.ts';
import { exceeds, type TokenScope, tokenPermissions, tokenPrefix } from '#src/accounts/entry/rules.ts';
import { credentialStore, type TokenRow, tokenStore } from '#src/accounts/entry/token-store.ts';
import { auditStore } from '#src/events/audit-store.ts';
import { type Caller, mayUseProject } from '#src/kernel/access.ts';
import type { Change } from '#src/kernel/change.ts';
import type { KeyedQueue } from '#src/kernel/concurrency.ts';
import {
  createLastUsed,
  hashBearer,
  type LastUsed,
  newBearer,
  tokenRevoked,
} from '#src/kernel/credentials.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { AppError } from '#src/kernel/errors.ts';
import { newId } from '#src/kernel/id.ts';
import { isWithin } from '#src/kernel/ip-networks.ts';
import { say, type Text } from '#src/kernel/say.ts';
import type { Clock } from '#src/kernel/time.ts';
import { presentToken } from './token-schema.ts';

export interface NewToken {
  readonly name: string;
  readonly scope: TokenScope;
  readonly projectId: string | null;
  /** Null or absent: never. */
  readonly expiresAt?: number | null;
  /** Networks in canonical form; null or absent: from anywhere. */
  readonly allowed?: readonly string[] | null;
}

export interface TokenDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly queue: KeyedQueue;
}

interface By {
  readonly caller: Caller;
  readonly change: Change;
}

/** All tokens are read at once to show the list. */
const MAX_TOKENS = 1_000;

const noSuchToken = (): AppError => new AppError('not_found', say`There is no such token.`);
const noSuchProject = (): AppError => new AppError('not_found', say`There is no such project.`);

const beyondMaker = (field: string, message: Text): AppError =>
  new AppError('invalid_request', say`A token cannot make one with wider limits than its own.`, {
    extra: { fields: [{ path: `body.${field}`, message }] },
  });

/** A caller who is limited to projects knows the tokens of these projects only. */
export const maySeeToken = (caller: Caller, { project_id }: Pick<TokenRow, 'project_id'>): boolean =>
  caller.projects === null || (project_id !== null && mayUseProject(caller, project_id));

/**
 * The token as the caller may make it: no one gives more than they have. A token that expires or is limited to networks passes
 * that on. Throws `not_found` for a project that the caller may not use, `forbidden`, `invalid_request`.
 */
export const mintable = (db: TenantDb, caller: Caller, wanted: NewToken): NewToken => {
  if (wanted.projectId !== null && !mayUseProject(caller, wanted.projectId)) throw noSuchProject();
  const permission = exceeds(caller, tokenPermissions[wanted.scope]);
  if (permission !== undefined) {
    throw new AppError('forbidden', say`A ${wanted.scope} token may do what its maker may not.`, {
      hint: say`A token cannot have more permissions than its maker: ask someone who has the permission.`,
      extra: { permission },
    });
  }
  if (caller.kind !== 'team_token') return wanted;
  const own = tokenStore(db).get(caller.credentialId);
  if (own === undefined) throw tokenRevoked();
  return narrowed(wanted, own);
};

/** The wanted token within the limits of the token that makes it. */
const narrowed = (wanted: NewToken, own: TokenRow): NewToken => {
  const { expiresAt = own.expires_at, allowed = null } = wanted;
  if (own.expires_at !== null && (expiresAt === null || expiresAt > own.expires_at))
    throw beyondMaker('expires_at', say`expected no later than the expiry of the token that makes it`);
  const around: readonly string[] | null = own.allowed_json === null ? null : JSON.parse(own.allowed_json);
  if (around !== null && allowed?.some((network) => !isWithin(network, around)))
    throw beyondMaker(
      'allowed_addresses',
      say`expected addresses that the token which makes it is allowed too`,
    );
  return { ...wanted, expiresAt, allowed: allowed ?? around };
};

const requireRoom = (db: TenantDb): void => {
  if (tokenStore(db).count() < MAX_TOKENS) return;
  throw new AppError('conflict', say`A practice has at most ${MAX_TOKENS} tokens.`, {
    hint: say`Revoke tokens that are no longer needed; those that have expired count too.`,
  });
};

/**
 * Resolves with the record and the token itself, which is never shown again. Throws as `mintable`, `conflict` if there are
 * too many, and `not_found` also for a caller who is no longer a member.
 */
export const createToken = (
  { storage, clock, queue }: TokenDeps,
  tenantId: string,
  wanted: NewToken,
  { caller, change }: By,
): Promise<{ row: TokenRow; token: string }> =>
  queue(tenantId, async () => {
    const token = newBearer(tokenPrefix[wanted.scope]);
    const now = clock.now();
    const row = await storage.tenants.write(tenantId, (db): TokenRow => {
      const maker = requirePermission(db, caller, 'tokens.manage');
      const { name, scope, projectId, expiresAt = null, allowed = null } = mintable(db, maker, wanted);
      if (projectId !== null && !tokenStore(db).projectExists(projectId)) throw noSuchProject();
      requireRoom(db);
      const made: TokenRow = {
        id: newId(),
        hash: hashBearer(token),
        name,
        scope,
        project_id: projectId,
        expires_at: expiresAt,
        allowed_json: allowed && JSON.stringify(allowed),
        created_at: now,
        last_used_at: null,
      };
      tokenStore(db).insert(made);
      const target = { type: 'token', id: made.id };
      auditStore(db).record(change, { target, before: null, after: presentToken(made) }, now);
      return made;
    });
    const { name, project_id, expires_at, allowed_json } = row;
    const limits = { name, project_id, expires_at, allowed_json };
    await storage.platform.write((db) =>
      credentialStore(db).insert(row.hash, { token_id: row.id, tenant_id: tenantId, ...limits }, now),
    );
    return { row, token };
  });

/** Throws `not_found`, also for a token that the caller may not know of. */
export const revokeToken = (
  { storage, clock, queue }: TokenDeps,
  tenantId: string,
  tokenId: string,
  by: By,
): Promise<void> =>
  queue(tenantId, async () => {
    const row = await storage.tenants.read(tenantId, (db) => tokenStore(db).get(tokenId));
    if (row === undefined || !maySeeToken(by.caller, row)) throw noSuchToken();
    await storage.platform.write((db) => credentialStore(db).revoke(tokenId, tenantId, clock.now()));
    await storage.tenants.write(tenantId, (db) => {
      if (!tokenStore(db).remove(tokenId)) throw noSuchToken();
      const target = { type: 'token', id: tokenId };
      auditStore(db).record(by.change, { target, before: presentToken(row), after: null }, clock.now());
    });
  });

/** The place of a token is its tenant. */
export const createTokensLastUsed = (files: TenantFiles, clock: Clock): LastUsed =>
  createLastUsed('tokens', clock, (tenantId, uses) =>
    files.write(tenantId, (db) => {
      for (const [id, at] of uses) tokenStore(db).touch(id, at);
    }),
  );
