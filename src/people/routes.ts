// API tokens: list, create, revoke.
import { z } from 'zod';
import { AppError } from '#src/kernel/errors.ts';
import { listOf, listQuery, pageOf } from '#src/kernel/list.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { createdTokenSchema, createTokenBody, presentToken, tokenSchema } from './schema.ts';
import { tokenStore } from './store.ts';
import { createToken, revokeToken, type TokenDeps } from './tokens.ts';

const params = z.strictObject({ id: z.uuid().describe('the practice') });
const PATH = '/api/practices/{id}/api-tokens';

const requireProject = (scope: string, projectId: string | undefined): void => {
  const message =
    scope === 'project' && projectId === undefined
      ? 'required for scope `project`'
      : scope === 'team' && projectId !== undefined
        ? 'only for scope `project`'
        : null;
  if (message === null) return;
  throw new AppError('invalid_request', 'The token cannot be limited like that.', {
    extra: { fields: [{ path: 'body.project_id', message }] },
  });
};

export const tokenRoutes = (deps: TokenDeps): Route[] => [
  defineRoute({
    method: 'get',
    path: PATH,
    tag: 'Tokens',
    summary: 'API tokens',
    access: 'tokens.manage',
    stability: 'stable',
    params,
    query: z.strictObject(listQuery),
    responses: { 200: { description: 'Records, never the secrets.', body: listOf(tokenSchema) } },
    handle: async ({ params: { id }, query }) => {
      const rows = await deps.storage.tenants.read(id, (db) => tokenStore(db).all());
      return { status: 200, body: pageOf(rows, query, presentToken) };
    },
  }),
  defineRoute({
    method: 'post',
    path: PATH,
    tag: 'Tokens',
    summary: 'Create an API token',
    access: 'tokens.manage',
    stability: 'stable',
    params,
    body: createTokenBody,
    responses: { 201: { description: 'The record with the secret, this once.', body: createdTokenSchema } },
    handle: async ({ params: { id }, body }) => {
      requireProject(body.scope, body.project_id);
      const { row, token } = await createToken(deps, id, {
        name: body.name,
        scope: body.scope,
        projectId: body.project_id ?? null,
      });
      return { status: 201, body: { ...presentToken(row), token } };
    },
  }),
  defineRoute({
    method: 'delete',
    path: `${PATH}/{tokenID}`,
    tag: 'Tokens',
    summary: 'Revoke an API token',
    access: 'tokens.manage',
    stability: 'stable',
    params: z.strictObject({ ...params.shape, tokenID: z.uuid() }),
    responses: { 204: { description: 'It lets nobody in any more.' } },
    handle: async ({ params: { id, tokenID } }) => {
      await revokeToken(deps, id, tokenID);
      return { status: 204 };
    },
  }),
];
