// Suppressions over HTTP: look up, list, add, remove.

import { z } from 'zod';
import { notFound } from '#src/accounts/tenants/project-routes.ts';
import { auditStore } from '#src/events/audit-store.ts';
import type { Caller } from '#src/kernel/access.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { idSchema } from '#src/kernel/fields.ts';
import { decodeCursor, encodeCursor, listOf, pageOf } from '#src/kernel/list.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import { haveWords, joinWords } from '#src/kernel/typed-words.ts';
import { AddressError, parseAddress } from '#src/mail/address.ts';
import type { Address } from '#src/mail/mailbox.ts';
import { addressHash } from '#src/messages/pseudonym.ts';
import { addSuppression, removeSuppression } from './change.ts';
import {
  isVisible,
  namedPlace,
  namedProject,
  namedRoute,
  noSuchSuppression,
  requireMayChange,
  visiblePlaces,
} from './place.ts';
import {
  auditedSuppression,
  createSuppressionBody,
  flatListBody,
  flatListQuery,
  listSuppressionsQuery,
  presentSuppression,
  suppressionSchema,
} from './schema.ts';
import { type SuppressionFilter, type SuppressionRow, suppressionStore } from './store.ts';
import type { SuppressionDeps } from './transfer.ts';

export const practiceParams = z.strictObject({ id: idSchema.describe('the practice') });
const rowParams = z.strictObject({ ...practiceParams.shape, suppressionID: idSchema });

type ListQuery = z.output<typeof listSuppressionsQuery>;

/** Throws `invalid_request`, naming the field. */
export const addressOf = (path: string, text: string): Address => {
  try {
    return parseAddress(text).address;
  } catch (error) {
    if (!(error instanceof AddressError)) throw error;
    throw new AppError('invalid_request', say`\`${path}\`: ${error.text}.`, {
      extra: { fields: [{ path, message: error.text }] },
    });
  }
};

const filterOf = (db: TenantDb, query: ListQuery, caller: Caller): SuppressionFilter => ({
  scope: query.scope ?? null,
  reason: query.reason ?? null,
  text: query.q ?? null,
  projectId: query.project_id === undefined ? null : namedProject(db, query.project_id, caller).id,
  routeId: query.route_id === undefined ? null : namedRoute(db, query.route_id, caller).id,
  within: visiblePlaces(db, caller),
});

const fits = (row: SuppressionRow, { scope, reason, text, projectId, routeId }: SuppressionFilter): boolean =>
  haveWords(joinWords(text), row.address) === 1 &&
  (scope === null || row.scope === scope) &&
  (reason === null || row.reason === reason) &&
  (projectId === null || row.project_id === projectId) &&
  (routeId === null || row.route_id === routeId);

const list = async (deps: SuppressionDeps, tenantId: string, query: ListQuery, caller: Caller) => {
  const address = query.address === undefined ? null : addressOf('query.address', query.address);
  const before = decodeCursor(query.cursor);
  return deps.files.read(tenantId, (db) => {
    const filter = filterOf(db, query, caller);
    const present = (row: SuppressionRow) => presentSuppression(db, row);
    const store = suppressionStore(db);
    if (address !== null) {
      const rows = store.rowsOfAddress(addressHash(deps.suppressionKey, tenantId, address));
      return pageOf(
        rows.filter((row) => fits(row, filter) && isVisible(db, row, caller)),
        query,
        present,
      );
    }
    const { rows, next } = store.find(filter, before, query.limit);
    return { data: rows.map(present), next_cursor: next === null ? null : encodeCursor(next) };
  });
};

const shared = { tag: 'Suppressions', access: 'suppressions.manage', stability: 'stable' } as const;
const listed = {
  200: {
    description:
      'Newest first. A page may hold fewer than `limit`, even none, while `next_cursor` is set: a call looks at 50,000 rows at most, with `q` at 2,000. Who is limited to projects sees those of their projects, and with `address` all that keep their mail from it.',
    body: listOf(suppressionSchema),
  },
} as const;

export const suppressionRoutes = (deps: SuppressionDeps): Route[] => {
  const { files, clock, suppressionKey } = deps;
  return [
    defineRoute({
      ...shared,
      method: 'get',
      path: '/api/practices/{id}/suppression',
      id: 'listSuppressions',
      summary: 'Suppressions',
      params: practiceParams,
      query: listSuppressionsQuery,
      responses: listed,
      errors: ['not_found'],
      handle: async ({ params, query }, { caller }) => ({
        status: 200,
        body: await list(deps, params.id, query, caller),
      }),
    }),
    defineRoute({
      ...shared,
      method: 'get',
      path: '/api/suppressions',
      id: 'listSuppressionsFlat',
      usedBy: 'programs that name the practice in the query',
      summary:
        'Suppressions; the practice is that of the token, or named in the query, by a project of it too',
      query: flatListQuery,
      body: flatListBody,
      responses: listed,
      errors: ['not_found'],
      handle: async ({ query: inQuery, body = {} }, { caller, tenantId }) => {
        const { practice_id, ...query } = { ...body, ...inQuery };
        if (tenantId === null)
          throw new Error('the server names the tenant of every route that requires a permission');
        if (practice_id !== undefined && practice_id !== tenantId) throw notFound('practice');
        const { project_id, ...rest } = query;
        const asked = project_id === tenantId || project_id === undefined ? rest : query;
        return { status: 200, body: await list(deps, tenantId, asked, caller) };
      },
    }),
    defineRoute({
      ...shared,
      method: 'post',
      path: '/api/practices/{id}/suppression',
      id: 'createSuppression',
      summary: 'Suppress an address',
      description:
        'From now on nothing is sent to it, in that scope, also of what is queued or scheduled already. Where it is suppressed in that scope already, the record that is there is answered with 200 and stays as it is.',
      audit: 'suppression.create',
      params: practiceParams,
      body: createSuppressionBody,
      responses: {
        200: { description: 'It was suppressed before.', body: suppressionSchema },
        201: { description: 'It is suppressed.', body: suppressionSchema },
      },
      errors: ['not_found'],
      handle: async ({ params, body }, { caller, change }) => {
        const address = addressOf('body.address', body.address);
        return files.write(params.id, (db) => {
          const now = clock.now();
          const { row, isNew } = addSuppression(
            db,
            suppressionKey,
            {
              address,
              place: namedPlace(db, body, caller),
              reason: body.reason,
              sourceMessageId: null,
              note: body.note || null,
            },
            now,
          );
          const target = { type: 'suppression', id: row.id };
          const after = auditedSuppression(db, row);
          auditStore(db).record(change, { target, before: isNew ? null : after, after }, now);
          return { status: isNew ? 201 : 200, body: presentSuppression(db, row) };
        });
      },
    }),
    defineRoute({
      ...shared,
      method: 'delete',
      path: '/api/practices/{id}/suppression/{suppressionID}',
      id: 'deleteSuppression',
      summary: 'Let go of an address',
      description: 'From now on mail goes to it again, unless another suppression keeps it from it.',
      audit: 'suppression.delete',
      params: rowParams,
      responses: { 204: { description: 'It is gone.' } },
      handle: async ({ params }, { caller, change }) => {
        await files.write(params.id, (db) => {
          const row = suppressionStore(db).byId(params.suppressionID);
          if (!row) throw noSuchSuppression();
          requireMayChange(db, row, caller);
          const target = { type: 'suppression', id: row.id };
          const before = auditedSuppression(db, row);
          removeSuppression(db, row, clock.now());
          auditStore(db).record(change, { target, before, after: null }, clock.now());
        });
        return { status: 204 };
      },
    }),
  ];
};
