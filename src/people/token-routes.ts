// API tokens: list, create, revoke.

import { z } from 'zod';
import type { TokenBrake } from '#src/accounts/entry/slowed-token.ts';
import { tokenStore } from '#src/accounts/entry/token-store.ts';
import { tenantParams } from '#src/accounts/tenants/schema.ts';
import type { Base } from '#src/kernel/base.ts';
import { createKeyedQueue } from '#src/kernel/concurrency.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { idSchema } from '#src/kernel/fields.ts';
import { listOf, listQuery, pageOf } from '#src/kernel/list.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { say, type Text } from '#src/kernel/say.ts';
import { DAY } from '#src/kernel/time.ts';
import { createdTokenSchema, createTokenBody, presentToken, tokenSchema } from './token-schema.ts';
import { createToken, maySeeToken, revokeToken } from './tokens.ts';

const PATH = '/api/practices/{id}/api-tokens';
/** Ten years of at most 366 days. */
const LONGEST_LIFE_MS = 10 * 366 * DAY;

const invalid = (field: string, message: Text): AppError =>
  new AppError('invalid_request', say`The token cannot be limited like that.`, {
    extra: { fields: [{ path: `body.${field}`, message }] },
  });

const requireProject = (scope: string, projectId: string | null): void => {
  if (scope === 'project' && projectId === null)
    throw invalid('project_id', say`required for scope \`project\``);
  if (scope === 'team' && projectId !== null) throw invalid('project_id', say`only for scope \`project\``);
};

const expiryOf = (text: string | null | undefined, now: number): { expiresAt?: number } => {
  if (text === null || text === undefined) return {};
  const expiresAt = Date.parse(text);
  if (expiresAt <= now) throw invalid('expires_at', say`expected a time in the future`);
  if (expiresAt > now + LONGEST_LIFE_MS) throw invalid('expires_at', say`expected at most 10 years ahead`);
  return { expiresAt };
};

/** Whether the token is slowed: by a room above. */
export type BrakeOf = (db: TenantDb, tokenId: string, now: number) => TokenBrake;

export const tokenRoutes = (base: Pick<Base, 'storage' | 'clock'>, brakeOf: BrakeOf): Route[] => {
  const deps = { ...base, queue: createKeyedQueue() };
  return [
    defineRoute({
      method: 'get',
      path: PATH,
      tag: 'Tokens',
      id: 'listApiTokens',
      summary: 'API tokens',
      access: 'tokens.manage',
      stability: 'stable',
      params: tenantParams,
      query: z.strictObject(listQuery),
      responses: {
        200: {
          description: 'Records, never the secrets. A caller limited to projects sees the tokens of those.',
          body: listOf(tokenSchema),
        },
      },
      handle: async ({ params: { id }, query }, { caller }) => {
        const now = deps.clock.now();
        const rows = await deps.storage.tenants.read(id, (db) =>
          tokenStore(db)
            .all()
            .map((row) => ({ ...row, brake: brakeOf(db, row.id, now) })),
        );
        const visible = rows.filter((row) => maySeeToken(caller, row));
        return { status: 200, body: pageOf(visible, query, (row) => presentToken(row, row.brake)) };
      },
    }),
    defineRoute({
      method: 'post',
      path: PATH,
      tag: 'Tokens',
      id: 'createApiToken',
      summary: 'Create an API token',
      description:
        'A token never has more permissions than its maker. One made by a token inherits its expiry and its addresses, ' +
        'and may be limited further.',
      access: 'tokens.manage',
      audit: 'token.create',
      stability: 'stable',
      params: tenantParams,
      body: createTokenBody,
      responses: { 201: { description: 'The record with the secret, this once.', body: createdTokenSchema } },
      errors: ['conflict'],
      handle: async ({ params: { id }, body }, { caller, change }) => {
        const projectId = body.project_id ?? null;
        requireProject(body.scope, projectId);
        const wanted = {
          name: body.name,
          scope: body.scope,
          projectId,
          ...expiryOf(body.expires_at, deps.clock.now()),
          ...(body.allowed_addresses ? { allowed: [...new Set(body.allowed_addresses)] } : {}),
        };
        const { row, token } = await createToken(deps, id, wanted, { caller, change });
        return { status: 201, body: { ...presentToken(row), token } };
      },
    }),
    defineRoute({
      method: 'delete',
      path: `${PATH}/{tokenID}`,
      tag: 'Tokens',
      id: 'revokeApiToken',
      summary: 'Revoke an API token',
      access: 'tokens.manage',
      audit: 'token.revoke',
      stability: 'stable',
      params: z.strictObject({ ...tenantParams.shape, tokenID: idSchema }),
      responses: { 204: { description: 'It is no longer valid.' } },
      handle: async ({ params: { id, tokenID } }, { caller, change }) => {
        await revokeToken(deps, id, tokenID, { caller, change });
        return { status: 204 };
      },
    }),
  ];
};
