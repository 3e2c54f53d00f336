// Routes of a practice, over which its messages leave. A shared route serves all projects; a caller limited to projects
// sends over it, but changes only routes of these projects.

import { z } from 'zod';
import { auditStore } from '#src/events/audit-store.ts';
import { type Caller, mayUseProject } from '#src/kernel/access.ts';
import type { Base } from '#src/kernel/base.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { newId } from '#src/kernel/id.ts';
import { listOf, listQuery, pageOf } from '#src/kernel/list.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { freeSlug, notFound, requireAllProjects, requireRoom } from './project-routes.ts';
import { type Answering, requireArriving } from './reply-address.ts';
import { createRouteBody, patchRouteBody, presentRoute, routeSchema, tenantParams } from './schema.ts';
import { type RouteRow, tenantStore } from './store.ts';

const routeParams = z.strictObject({
  ...tenantParams.shape,
  routeID: z.string().max(63).toLowerCase().describe('UUID or slug'),
});

const defaultIsForAll = (): AppError =>
  new AppError('conflict', 'The default route serves all projects and cannot belong to one.', {
    hint: 'Set project_id to null first, or choose another route.',
  });

const flag = (value: boolean | undefined, otherwise: 0 | 1): 0 | 1 =>
  value === undefined ? otherwise : value ? 1 : 0;

export const isVisible = (caller: Pick<Caller, 'projects'>, { project_id }: RouteRow): boolean =>
  project_id === null || mayUseProject(caller, project_id);

/** Throws `not_found` for a route that the caller does not see. */
const visibleRoute = (db: TenantDb, idOrSlug: string, caller: Caller): RouteRow => {
  const row = tenantStore(db).route(idOrSlug);
  if (!row || !isVisible(caller, row)) throw notFound('route');
  return row;
};

/** Throws if the caller may not change routes of that project; null: of all projects. */
const requireProject = (db: TenantDb, caller: Caller, projectId: string | null): void => {
  if (projectId === null) requireAllProjects(caller, 'routes.manage', 'A shared route');
  else if (!tenantStore(db).project(projectId) || !mayUseProject(caller, projectId))
    throw notFound('project');
};

export const routeRoutes = (
  { storage, clock }: Pick<Base, 'storage' | 'clock'>,
  answering: () => Answering,
): Route[] => {
  const files = storage.tenants;
  return [
    defineRoute({
      method: 'get',
      path: '/api/practices/{id}/routes',
      tag: 'Projects and routes',
      id: 'listRoutes',
      summary: 'Routes',
      access: 'authenticated',
      stability: 'stable',
      params: tenantParams,
      query: z.strictObject(listQuery),
      responses: {
        200: {
          description: 'All; who is limited to projects sees those of their projects and the shared ones.',
          body: listOf(routeSchema),
        },
      },
      handle: async ({ params, query }, { caller }) => {
        const rows = await files.read(params.id, (db) => tenantStore(db).routes());
        const visible = rows.filter((row) => isVisible(caller, row));
        return { status: 200, body: pageOf(visible, query, presentRoute) };
      },
    }),
    defineRoute({
      method: 'post',
      path: '/api/practices/{id}/routes',
      tag: 'Projects and routes',
      id: 'createRoute',
      summary: 'Create a route',
      access: 'routes.manage',
      audit: 'route.create',
      stability: 'stable',
      params: tenantParams,
      body: createRouteBody,
      responses: { 201: { description: 'The route.', body: routeSchema } },
      errors: ['conflict'],
      handle: async ({ params, body }, { caller, change }) => {
        const created = await files.write(params.id, (db) => {
          const store = tenantStore(db);
          requireProject(db, caller, body.project_id ?? null);
          requireRoom(store.routes(), 'routes');
          requireArriving(db, answering(), body.reply_address);
          const tracked = body.type === 'marketing' ? 1 : 0;
          const row: RouteRow = {
            id: newId(),
            slug: freeSlug(body.slug, body.name, (taken) => store.route(taken) !== undefined),
            name: body.name,
            type: body.type,
            project_id: body.project_id ?? null,
            is_default: 0,
            track_opens: flag(body.track_opens, tracked),
            track_clicks: flag(body.track_clicks, tracked),
            plain_text_fallback: flag(body.plain_text_fallback, 1),
            reply_address: body.reply_address ?? null,
            created_at: clock.now(),
          };
          store.insertRoute(row);
          const target = { type: 'route', id: row.id };
          const after = presentRoute(row);
          auditStore(db).record(change, { target, before: null, after }, row.created_at);
          return after;
        });
        return { status: 201, body: created };
      },
    }),
    defineRoute({
      method: 'patch',
      path: '/api/practices/{id}/routes/{routeID}',
      tag: 'Projects and routes',
      id: 'updateRoute',
      summary: 'Change a route',
      access: 'routes.manage',
      audit: 'route.update',
      stability: 'stable',
      params: routeParams,
      body: patchRouteBody,
      responses: { 200: { description: 'The route.', body: routeSchema } },
      errors: ['conflict'],
      handle: async ({ params, body }, { caller, change }) => {
        const changed = await files.write(params.id, (db) => {
          const row = visibleRoute(db, params.routeID, caller);
          requireProject(db, caller, row.project_id);
          if (body.project_id !== undefined) requireProject(db, caller, body.project_id);
          if (body.project_id && row.is_default === 1) throw defaultIsForAll();
          requireArriving(db, answering(), body.reply_address);
          const next: RouteRow = {
            ...row,
            name: body.name ?? row.name,
            project_id: body.project_id === undefined ? row.project_id : body.project_id,
            track_opens: flag(body.track_opens, row.track_opens),
            track_clicks: flag(body.track_clicks, row.track_clicks),
            plain_text_fallback: flag(body.plain_text_fallback, row.plain_text_fallback),
            reply_address: body.reply_address === undefined ? row.reply_address : body.reply_address,
          };
          tenantStore(db).updateRoute(next);
          const target = { type: 'route', id: row.id };
          const after = presentRoute(next);
          auditStore(db).record(change, { target, before: presentRoute(row), after }, clock.now());
          return after;
        });
        return { status: 200, body: changed };
      },
    }),
    defineRoute({
      method: 'post',
      path: '/api/practices/{id}/routes/{routeID}/default',
      tag: 'Projects and routes',
      id: 'setDefaultRoute',
      summary: 'Make a route the default',
      access: 'routes.manage',
      audit: 'route.make_default',
      stability: 'stable',
      params: routeParams,
      responses: { 200: { description: 'The route.', body: routeSchema } },
      errors: ['conflict'],
      handle: async ({ params }, { caller, change }) => {
        const changed = await files.write(params.id, (db) => {
          const row = visibleRoute(db, params.routeID, caller);
          requireAllProjects(caller, 'routes.manage', 'The default route');
          if (row.project_id !== null) throw defaultIsForAll();
          tenantStore(db).makeDefaultRoute(row.id);
          const target = { type: 'route', id: row.id };
          const after = presentRoute({ ...row, is_default: 1 });
          auditStore(db).record(change, { target, before: presentRoute(row), after }, clock.now());
          return after;
        });
        return { status: 200, body: changed };
      },
    }),
  ];
};
