// Making, using and revoking API tokens. The record lies in the tenant's file, the hash that lets in lies in the
// registry. Creation writes the record first and the hash last, revocation the other way round: whatever a crash leaves
// in between, no token works that its owner cannot see.
import { hash, randomBytes } from 'node:crypto';
import type { Storage } from '#src/db/storage.ts';
import { AppError } from '#src/kernel/errors.ts';
import { newId } from '#src/kernel/id.ts';
import type { Clock } from '#src/kernel/time.ts';
import { credentialStore } from './credential-store.ts';
import { type TokenScope, tokenPrefix } from './rules.ts';
import { type TokenRow, tokenStore } from './store.ts';

const SECRET_BYTES = 32;
/** 256 bits in base 62. */
const SECRET_CHARS = 43;
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const base62 = (bytes: Buffer): string => {
  let number = BigInt(`0x${bytes.toString('hex')}`);
  let text = '';
  for (let digit = 0; digit < SECRET_CHARS; digit++) {
    text = BASE62[Number(number % 62n)] + text;
    number /= 62n;
  }
  return text;
};

/** What is stored in a token's stead. */
export const hashToken = (token: string): Buffer => hash('sha256', token, 'buffer');

export interface NewToken {
  readonly name: string;
  readonly scope: TokenScope;
  readonly projectId: string | null;
}

export interface TokenDeps {
  readonly storage: Storage;
  readonly clock: Clock;
}

/** Resolves with the record and the token itself, which is never shown again. Throws `not_found` for the project. */
export const createToken = async (
  { storage, clock }: TokenDeps,
  tenantId: string,
  { name, scope, projectId }: NewToken,
): Promise<{ row: TokenRow; token: string }> => {
  const token = tokenPrefix[scope] + base62(randomBytes(SECRET_BYTES));
  const now = clock.now();
  const row: TokenRow = {
    id: newId(),
    name,
    scope,
    project_id: projectId,
    created_at: now,
    last_used_at: null,
  };
  await storage.tenants.write(tenantId, (db) => {
    if (projectId !== null && !tokenStore(db).projectExists(projectId)) {
      throw new AppError('not_found', 'There is no such project.');
    }
    tokenStore(db).insert(row);
  });
  await storage.platform.write((db) =>
    credentialStore(db).insert(
      hashToken(token),
      { token_id: row.id, tenant_id: tenantId, project_id: projectId },
      now,
    ),
  );
  return { row, token };
};

/** Throws `not_found`. */
export const revokeToken = async (
  { storage }: TokenDeps,
  tenantId: string,
  tokenId: string,
): Promise<void> => {
  await storage.platform.write((db) => credentialStore(db).revoke(tokenId, tenantId));
  const removed = await storage.tenants.write(tenantId, (db) => tokenStore(db).remove(tokenId));
  if (!removed) throw new AppError('not_found', 'There is no such token.');
};
