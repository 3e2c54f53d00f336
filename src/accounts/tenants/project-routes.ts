// Projects of a practice, and the routes over which its messages leave. A caller limited to projects sees and changes these and
// their routes; the others answer as if they did not exist. A shared route serves all projects: such a caller sends over it and
// changes nothing of it.

import { z } from 'zod';
import { auditStore } from '#src/events/audit-store.ts';
import { requireCurrent } from '#src/events/require-current.ts';
import { type Caller, mayUseProject, type Permission } from '#src/kernel/access.ts';
import type { Base } from '#src/kernel/base.ts';
import type { Change } from '#src/kernel/change.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { idSchema } from '#src/kernel/fields.ts';
import { newId } from '#src/kernel/id.ts';
import { listOf, listQuery, pageOf } from '#src/kernel/list.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { say, type Text } from '#src/kernel/say.ts';
import { registryStore } from './registry-store.ts';
import { type Answering, requireArriving } from './reply-address.ts';
import { slugify } from './rules.ts';
import {
  createProjectBody,
  createRouteBody,
  patchProjectBody,
  patchRouteBody,
  presentProject,
  presentRoute,
  projectSchema,
  routeSchema,
  tenantParams,
} from './schema.ts';
import { type ProjectRow, type RouteRow, tenantStore } from './store.ts';

const projectParams = z.strictObject({ ...tenantParams.shape, projectID: idSchema });
const routeParams = z.strictObject({
  ...tenantParams.shape,
  routeID: z.string().max(63).toLowerCase().describe('UUID or slug'),
});

const described = { tag: 'Projects and routes', stability: 'stable' } as const;

const noSuch = {
  erasure: say`There is no such erasure.`,
  person: say`There is no such person on a list.`,
  practice: say`There is no such practice.`,
  project: say`There is no such project.`,
  route: say`There is no such route.`,
  suppression: say`There is no such suppression.`,
};
type Missing = keyof typeof noSuch;

export const notFound = (what: Missing): AppError => new AppError('not_found', noSuch[what]);

/** Throws `forbidden` for a caller limited to projects, because the change concerns all projects. */
export const requireAllProjects = (
  caller: Pick<Caller, 'projects'>,
  permission: Permission,
  what: Text,
): void => {
  if (caller.projects === null) return;
  throw new AppError('forbidden', say`${what} concerns all projects, and this access is limited to some.`, {
    hint: say`Ask a member who has access to all projects.`,
    extra: { permission },
  });
};

/** Lists of them are read at once, and no practice needs this many. */
const MAX_OF_EACH = 1_000;

export const requireRoom = (present: readonly unknown[], what: Text): void => {
  if (present.length < MAX_OF_EACH) return;
  throw new AppError('conflict', say`A practice has at most ${MAX_OF_EACH} ${what}.`, {
    hint: say`Change one that is there already.`,
  });
};

export const freeSlug = (
  wanted: string | undefined,
  name: string,
  isTaken: (slug: string) => boolean,
): string => {
  const slug = wanted ?? slugify(name);
  if (slug === '') {
    throw new AppError('invalid_request', say`No slug can be made from the name.`, {
      extra: { fields: [{ path: 'body.slug', message: say`expected a slug, because the name yields none` }] },
    });
  }
  if (isTaken(slug)) throw new AppError('conflict', say`The slug ${slug} is taken.`);
  return slug;
};

const defaultIsForAll = (): AppError =>
  new AppError('conflict', say`The default route serves all projects and cannot belong to one.`, {
    hint: say`Set project_id to null first, or choose another route.`,
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
  if (projectId === null) requireAllProjects(caller, 'routes.manage', say`A shared route`);
  else if (!tenantStore(db).project(projectId) || !mayUseProject(caller, projectId))
    throw notFound('project');
};

/** What the API shows of it, with its entry in the audit. */
const recorded = <R extends { readonly id: string }, S>(
  db: TenantDb,
  change: Change,
  { type, present }: { readonly type: 'project' | 'route'; readonly present: (row: R) => S },
  { before, after }: { readonly before: R | null; readonly after: R },
  now: number,
): S => {
  const shown = present(after);
  const target = { type, id: after.id };
  auditStore(db).record(change, { target, before: before && present(before), after: shown }, now);
  return shown;
};
/** All that people may change, and what never changes. */
const version = (record: unknown): unknown => record;

const PROJECT = { type: 'project', present: presentProject } as const;
const ROUTE = { type: 'route', present: presentRoute } as const;

export const projectRoutes = (
  { storage, clock }: Pick<Base, 'storage' | 'clock'>,
  answering: () => Answering,
): Route[] => {
  const files = storage.tenants;
  return [
    defineRoute({
      method: 'get',
      path: '/api/practices/{id}/projects',
      ...described,
      id: 'listProjects',
      summary: 'Projects',
      access: 'authenticated',
      params: tenantParams,
      query: z.strictObject(listQuery),
      responses: {
        200: {
          description: 'All; who is limited to projects (a project token, a member) sees those.',
          body: listOf(projectSchema),
        },
      },
      handle: async ({ params, query }, { caller }) => {
        const rows = await files.read(params.id, (db) => tenantStore(db).projects());
        const visible = rows.filter((row) => mayUseProject(caller, row.id));
        return { status: 200, body: pageOf(visible, query, presentProject) };
      },
    }),
    defineRoute({
      method: 'post',
      path: '/api/practices/{id}/projects',
      ...described,
      id: 'createProject',
      summary: 'Create a project',
      access: 'projects.manage',
      audit: 'project.create',
      params: tenantParams,
      body: createProjectBody,
      responses: { 201: { description: 'The project.', body: projectSchema } },
      errors: ['conflict'],
      handle: async ({ params, body }, { caller, change }) => {
        requireAllProjects(caller, 'projects.manage', say`A new project`);
        const id = newId();
        // The registry is written before the project is made: a row without a project leads to a practice that has no such
        // project.
        await storage.platform.write((db) => registryStore(db).addProject(id, params.id));
        const created = await files.write(params.id, (db) => {
          const store = tenantStore(db);
          requireRoom(store.projects(), say`projects`);
          requireArriving(db, answering(), body.reply_address);
          const slug = freeSlug(body.slug, body.name, (taken) => store.projectBySlug(taken) !== undefined);
          const row: ProjectRow = {
            id,
            name: body.name,
            slug,
            is_default: 0,
            archived_at: null,
            reply_address: body.reply_address ?? null,
            created_at: clock.now(),
          };
          store.insertProject(row);
          return recorded(db, change, PROJECT, { before: null, after: row }, row.created_at);
        });
        return { status: 201, body: created };
      },
    }),
    defineRoute({
      method: 'get',
      path: '/api/practices/{id}/projects/{projectID}',
      ...described,
      id: 'getProject',
      summary: 'A project',
      access: 'authenticated',
      version,
      params: projectParams,
      responses: { 200: { description: 'The project.', body: projectSchema } },
      errors: ['not_found'],
      handle: async ({ params }, { caller }) => {
        const row = await files.read(params.id, (db) => tenantStore(db).project(params.projectID));
        if (!row || !mayUseProject(caller, row.id)) throw notFound('project');
        return { status: 200, body: presentProject(row) };
      },
    }),
    defineRoute({
      method: 'patch',
      path: '/api/practices/{id}/projects/{projectID}',
      ...described,
      id: 'updateProject',
      summary: 'Change or archive a project',
      access: 'projects.manage',
      audit: 'project.update',
      version,
      params: projectParams,
      body: patchProjectBody,
      responses: { 200: { description: 'The project.', body: projectSchema } },
      errors: ['conflict'],
      handle: async ({ params, body }, { caller, change, otherVersion }) => {
        const changed = await files.write(params.id, (db) => {
          const row = tenantStore(db).project(params.projectID);
          if (!row || !mayUseProject(caller, row.id)) throw notFound('project');
          requireCurrent(db, { otherVersion }, presentProject(row), {
            targetId: row.id,
            actions: ['project.create', 'project.update'],
          });
          if (body.archived && row.is_default === 1) {
            throw new AppError('conflict', say`The default project cannot be archived.`);
          }
          requireArriving(db, answering(), body.reply_address);
          const now = clock.now();
          const next: ProjectRow = { ...row, name: body.name ?? row.name };
          if (body.reply_address !== undefined) next.reply_address = body.reply_address;
          if (body.archived !== undefined) next.archived_at = body.archived ? (row.archived_at ?? now) : null;
          tenantStore(db).updateProject(next);
          return recorded(db, change, PROJECT, { before: row, after: next }, now);
        });
        return { status: 200, body: changed };
      },
    }),
    defineRoute({
      method: 'get',
      path: '/api/practices/{id}/routes',
      ...described,
      id: 'listRoutes',
      summary: 'Routes',
      access: 'authenticated',
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
      ...described,
      id: 'createRoute',
      summary: 'Create a route',
      access: 'routes.manage',
      audit: 'route.create',
      params: tenantParams,
      body: createRouteBody,
      responses: { 201: { description: 'The route.', body: routeSchema } },
      errors: ['conflict'],
      handle: async ({ params, body }, { caller, change }) => {
        const created = await files.write(params.id, (db) => {
          const store = tenantStore(db);
          requireProject(db, caller, body.project_id ?? null);
          requireRoom(store.routes(), say`routes`);
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
          return recorded(db, change, ROUTE, { before: null, after: row }, row.created_at);
        });
        return { status: 201, body: created };
      },
    }),
    defineRoute({
      method: 'get',
      path: '/api/practices/{id}/routes/{routeID}',
      ...described,
      id: 'getRoute',
      summary: 'A route',
      access: 'authenticated',
      version,
      params: routeParams,
      responses: { 200: { description: 'The route.', body: routeSchema } },
      errors: ['not_found'],
      handle: async ({ params }, { caller }) => {
        const row = await files.read(params.id, (db) => visibleRoute(db, params.routeID, caller));
        return { status: 200, body: presentRoute(row) };
      },
    }),
    defineRoute({
      method: 'patch',
      path: '/api/practices/{id}/routes/{routeID}',
      ...described,
      id: 'updateRoute',
      summary: 'Change a route',
      access: 'routes.manage',
      audit: 'route.update',
      version,
      params: routeParams,
      body: patchRouteBody,
      responses: { 200: { description: 'The route.', body: routeSchema } },
      errors: ['conflict'],
      handle: async ({ params, body }, { caller, change, otherVersion }) => {
        const changed = await files.write(params.id, (db) => {
          const row = visibleRoute(db, params.routeID, caller);
          requireProject(db, caller, row.project_id);
          requireCurrent(db, { otherVersion }, presentRoute(row), {
            targetId: row.id,
            actions: ['route.create', 'route.update', 'route.make_default'],
          });
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
          return recorded(db, change, ROUTE, { before: row, after: next }, clock.now());
        });
        return { status: 200, body: changed };
      },
    }),
    defineRoute({
      method: 'post',
      path: '/api/practices/{id}/routes/{routeID}/default',
      ...described,
      id: 'setDefaultRoute',
      summary: 'Make a route the default',
      access: 'routes.manage',
      audit: 'route.make_default',
      params: routeParams,
      responses: { 200: { description: 'The route.', body: routeSchema } },
      errors: ['conflict'],
      handle: async ({ params }, { caller, change }) => {
        const changed = await files.write(params.id, (db) => {
          const row = visibleRoute(db, params.routeID, caller);
          requireAllProjects(caller, 'routes.manage', say`The default route`);
          if (row.project_id !== null) throw defaultIsForAll();
          tenantStore(db).makeDefaultRoute(row.id);
          return recorded(db, change, ROUTE, { before: row, after: { ...row, is_default: 1 } }, clock.now());
        });
        return { status: 200, body: changed };
      },
    }),
  ];
};
