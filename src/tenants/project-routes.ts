// Projects and routes of a practice.
import { z } from 'zod';
import type { TenantFiles } from '#src/db/tenant-files.ts';
import { AppError } from '#src/kernel/errors.ts';
import { newId } from '#src/kernel/id.ts';
import { listOf, listQuery, pageOf } from '#src/kernel/list.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import type { Clock } from '#src/kernel/time.ts';
import { tenantParams } from './practice-routes.ts';
import { presentProject, presentRoute } from './present.ts';
import { slugify } from './rules.ts';
import {
  createProjectBody,
  createRouteBody,
  patchProjectBody,
  patchRouteBody,
  projectSchema,
  routeSchema,
} from './schema.ts';
import { type ProjectRow, type RouteRow, tenantStore } from './store.ts';

const projectParams = z.strictObject({ ...tenantParams.shape, projectID: z.uuid() });
const routeParams = z.strictObject({
  ...tenantParams.shape,
  routeID: z.string().max(63).describe('UUID or slug'),
});

const notFound = (what: string): AppError => new AppError('not_found', `There is no such ${what}.`);

const defaultIsForAll = (): AppError =>
  new AppError('conflict', 'The default route serves all projects and cannot belong to one.', {
    hint: 'Set project_id to null first, or choose another route.',
  });

const freeSlug = (wanted: string | undefined, name: string, isTaken: (slug: string) => boolean): string => {
  const slug = wanted ?? slugify(name);
  if (slug === '') {
    throw new AppError('invalid_request', 'No slug can be made from the name.', {
      extra: { fields: [{ path: 'body.slug', message: 'expected a slug, because the name yields none' }] },
    });
  }
  if (isTaken(slug)) throw new AppError('conflict', `The slug ${slug} is taken.`);
  return slug;
};

const flag = (value: boolean | undefined, otherwise: 0 | 1): 0 | 1 =>
  value === undefined ? otherwise : value ? 1 : 0;

export const projectRoutes = (deps: { files: TenantFiles; clock: Clock }): Route[] => {
  const { files, clock } = deps;
  return [
    defineRoute({
      method: 'get',
      path: '/api/practices/{id}/projects',
      tag: 'Projects and routes',
      summary: 'Projects',
      access: 'authenticated',
      stability: 'stable',
      params: tenantParams,
      query: z.strictObject(listQuery),
      responses: { 200: { description: 'All; a project token sees its own.', body: listOf(projectSchema) } },
      handle: async ({ params, query }, { caller }) => {
        const rows = await files.read(params.id, (db) => tenantStore(db).projects());
        const visible = rows.filter((row) => caller.projectId === null || row.id === caller.projectId);
        return { status: 200, body: pageOf(visible, query, presentProject) };
      },
    }),
    defineRoute({
      method: 'post',
      path: '/api/practices/{id}/projects',
      tag: 'Projects and routes',
      summary: 'Create a project',
      access: 'projects.manage',
      stability: 'stable',
      params: tenantParams,
      body: createProjectBody,
      responses: { 201: { description: 'The project.', body: projectSchema } },
      errors: ['conflict'],
      handle: async ({ params, body }) => {
        const created = await files.write(params.id, (db) => {
          const store = tenantStore(db);
          const slug = freeSlug(body.slug, body.name, (taken) => store.projectBySlug(taken) !== undefined);
          const row: ProjectRow = {
            id: newId(),
            name: body.name,
            slug,
            is_default: 0,
            archived_at: null,
            created_at: clock.now(),
          };
          store.insertProject(row);
          return row;
        });
        return { status: 201, body: presentProject(created) };
      },
    }),
    defineRoute({
      method: 'patch',
      path: '/api/practices/{id}/projects/{projectID}',
      tag: 'Projects and routes',
      summary: 'Rename or archive a project',
      access: 'projects.manage',
      stability: 'stable',
      params: projectParams,
      body: patchProjectBody,
      responses: { 200: { description: 'The project.', body: projectSchema } },
      errors: ['conflict'],
      handle: async ({ params, body }) => {
        const changed = await files.write(params.id, (db) => {
          const row = tenantStore(db).project(params.projectID);
          if (!row) throw notFound('project');
          if (body.archived && row.is_default === 1) {
            throw new AppError('conflict', 'The default project cannot be archived.');
          }
          row.name = body.name ?? row.name;
          if (body.archived !== undefined)
            row.archived_at = body.archived ? (row.archived_at ?? clock.now()) : null;
          tenantStore(db).updateProject(row);
          return row;
        });
        return { status: 200, body: presentProject(changed) };
      },
    }),
    defineRoute({
      method: 'get',
      path: '/api/practices/{id}/routes',
      tag: 'Projects and routes',
      summary: 'Routes',
      access: 'authenticated',
      stability: 'stable',
      params: tenantParams,
      query: z.strictObject(listQuery),
      responses: {
        200: {
          description: "All; a project token sees its project's and the shared ones.",
          body: listOf(routeSchema),
        },
      },
      handle: async ({ params, query }, { caller }) => {
        const rows = await files.read(params.id, (db) => tenantStore(db).routes());
        const visible = rows.filter(
          (row) =>
            caller.projectId === null || row.project_id === null || row.project_id === caller.projectId,
        );
        return { status: 200, body: pageOf(visible, query, presentRoute) };
      },
    }),
    defineRoute({
      method: 'post',
      path: '/api/practices/{id}/routes',
      tag: 'Projects and routes',
      summary: 'Create a route',
      access: 'routes.manage',
      stability: 'stable',
      params: tenantParams,
      body: createRouteBody,
      responses: { 201: { description: 'The route.', body: routeSchema } },
      errors: ['conflict'],
      handle: async ({ params, body }) => {
        const created = await files.write(params.id, (db) => {
          const store = tenantStore(db);
          if (body.project_id !== undefined && !store.project(body.project_id)) throw notFound('project');
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
            created_at: clock.now(),
          };
          store.insertRoute(row);
          return row;
        });
        return { status: 201, body: presentRoute(created) };
      },
    }),
    defineRoute({
      method: 'patch',
      path: '/api/practices/{id}/routes/{routeID}',
      tag: 'Projects and routes',
      summary: 'Change a route',
      access: 'routes.manage',
      stability: 'stable',
      params: routeParams,
      body: patchRouteBody,
      responses: { 200: { description: 'The route.', body: routeSchema } },
      errors: ['conflict'],
      handle: async ({ params, body }) => {
        const changed = await files.write(params.id, (db) => {
          const store = tenantStore(db);
          const row = store.route(params.routeID);
          if (!row) throw notFound('route');
          if (body.project_id && !store.project(body.project_id)) throw notFound('project');
          if (body.project_id && row.is_default === 1) throw defaultIsForAll();
          const next: RouteRow = {
            ...row,
            name: body.name ?? row.name,
            project_id: body.project_id === undefined ? row.project_id : body.project_id,
            track_opens: flag(body.track_opens, row.track_opens),
            track_clicks: flag(body.track_clicks, row.track_clicks),
            plain_text_fallback: flag(body.plain_text_fallback, row.plain_text_fallback),
          };
          store.updateRoute(next);
          return next;
        });
        return { status: 200, body: presentRoute(changed) };
      },
    }),
    defineRoute({
      method: 'post',
      path: '/api/practices/{id}/routes/{routeID}/default',
      tag: 'Projects and routes',
      summary: 'Make a route the default',
      access: 'routes.manage',
      stability: 'stable',
      params: routeParams,
      responses: { 200: { description: 'The route.', body: routeSchema } },
      errors: ['conflict'],
      handle: async ({ params }) => {
        const changed = await files.write(params.id, (db) => {
          const row = tenantStore(db).route(params.routeID);
          if (!row) throw notFound('route');
          if (row.project_id !== null) throw defaultIsForAll();
          tenantStore(db).makeDefaultRoute(row.id);
          return { ...row, is_default: 1 as const };
        });
        return { status: 200, body: presentRoute(changed) };
      },
    }),
  ];
};
