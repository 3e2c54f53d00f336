// The place where a suppression applies, as a client names it, and which callers may change it. A caller limited to projects
// sees and changes the suppressions of those. Suppressions of the whole tenant or of a shared route are shown to it only
// when it asks for one address, so that it learns why that gets no mail but cannot list all addresses.

import { notFound, requireAllProjects } from '#src/accounts/tenants/project-routes.ts';
import { type ProjectRow, type RouteRow, tenantStore } from '#src/accounts/tenants/store.ts';
import { type Caller, mayUseProject } from '#src/kernel/access.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { say, type Text } from '#src/kernel/say.ts';
import type { SuppressionFacts, SuppressionScope } from '#src/messages/suppression-rules.ts';
import type { SuppressionPlace } from './change.ts';
import type { VisiblePlaces } from './store.ts';

/** Slugs or ids. */
export interface NamedPlace {
  readonly scope?: SuppressionScope | undefined;
  readonly project_id?: string | undefined;
  readonly route_id?: string | undefined;
}

/** The projects that someone is limited to. */
type Limited = Pick<Caller, 'projects'>;

const unfit = (path: string, message: Text): AppError =>
  new AppError('invalid_request', say`\`${path}\` ${message}.`, { extra: { fields: [{ path, message }] } });

export const noSuchSuppression = (): AppError => notFound('suppression');

/** Throws `not_found` where the caller may not see it. */
export const namedProject = (db: TenantDb, idOrSlug: string, caller: Limited): ProjectRow => {
  const store = tenantStore(db);
  const row = store.project(idOrSlug) ?? store.projectBySlug(idOrSlug);
  if (!row || !mayUseProject(caller, row.id)) throw notFound('project');
  return row;
};

/** Every caller sees shared routes. Throws `not_found`. */
export const namedRoute = (db: TenantDb, idOrSlug: string, caller: Limited): RouteRow => {
  const row = tenantStore(db).route(idOrSlug);
  if (!row || (row.project_id !== null && !mayUseProject(caller, row.project_id))) throw notFound('route');
  return row;
};

const scopeOf = ({ scope, project_id, route_id }: NamedPlace): SuppressionScope => {
  if (scope !== undefined) return scope;
  if (route_id !== undefined) return 'route';
  return project_id === undefined ? 'team' : 'project';
};

const requireNone = (path: string, value: string | undefined, scope: SuppressionScope): void => {
  if (value !== undefined) throw unfit(path, say`does not belong to the scope ${scope}`);
};

/**
 * The named place, which the caller may change. `root` is its path in the request. Throws `invalid_request`, `not_found`,
 * `forbidden`.
 */
export const namedPlace = (
  db: TenantDb,
  named: NamedPlace,
  caller: Limited,
  root = 'body',
): SuppressionPlace => {
  const { project_id, route_id } = named;
  const scope = scopeOf(named);
  switch (scope) {
    case 'team':
      requireNone(`${root}.project_id`, project_id, scope);
      requireNone(`${root}.route_id`, route_id, scope);
      requireAllProjects(caller, 'suppressions.manage', say`A suppression for the whole practice`);
      return { scope, projectId: null, routeId: null };
    case 'project':
      requireNone(`${root}.route_id`, route_id, scope);
      if (project_id === undefined) throw unfit(`${root}.project_id`, say`is required for the scope project`);
      return { scope, projectId: namedProject(db, project_id, caller).id, routeId: null };
    case 'route': {
      requireNone(`${root}.project_id`, project_id, scope);
      if (route_id === undefined) throw unfit(`${root}.route_id`, say`is required for the scope route`);
      const route = namedRoute(db, route_id, caller);
      if (route.project_id === null)
        requireAllProjects(caller, 'suppressions.manage', say`A suppression on a shared route`);
      return { scope, projectId: null, routeId: route.id };
    }
    default:
      return scope satisfies never;
  }
};

/** The project of the row; null where it concerns several. */
const projectOf = (db: TenantDb, { project_id, route_id }: SuppressionFacts): string | null =>
  route_id === null ? project_id : (tenantStore(db).route(route_id)?.project_id ?? null);

export const isVisible = (db: TenantDb, row: SuppressionFacts, caller: Caller): boolean => {
  const project = projectOf(db, row);
  return project === null || mayUseProject(caller, project);
};

/** Whether `requireMayChange` lets it pass. */
export const mayChange = (db: TenantDb, row: SuppressionFacts, caller: Caller): boolean =>
  isVisible(db, row, caller) && (caller.projects === null || projectOf(db, row) !== null);

/** Throws `not_found` where the caller may not see it, and `forbidden` where it concerns other projects too. */
export const requireMayChange = (db: TenantDb, row: SuppressionFacts, caller: Caller): void => {
  if (!isVisible(db, row, caller)) throw noSuchSuppression();
  if (projectOf(db, row) === null)
    requireAllProjects(caller, 'suppressions.manage', say`A suppression of several projects`);
};

/** The limit of the caller's lists; null: no limit. */
export const visiblePlaces = (db: TenantDb, { projects }: Caller): VisiblePlaces | null =>
  projects && {
    projects: [...projects],
    routes: tenantStore(db)
      .routes()
      .filter(({ project_id }) => project_id !== null && projects.has(project_id))
      .map(({ id }) => id),
  };
