// Vendor B's message streams are routes. The two that every practice has are named as there; others by their slugs.
import { type RouteRow, tenantStore } from '#src/accounts/tenants/store.ts';
import { slugOfStream } from '#src/intake/pascal-fields.ts';
import { type Caller, mayUseProject } from '#src/kernel/access.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { say } from '#src/kernel/say.ts';

const OUTBOUND = 'outbound';
const OUTGOING = slugOfStream(OUTBOUND);

export const streamOf = ({ slug }: Pick<RouteRow, 'slug'>): string => (slug === OUTGOING ? OUTBOUND : slug);

/** The stream of the message with that route. */
export const streamOfRoute = (db: TenantDb, routeId: string): string => {
  const route = tenantStore(db).route(routeId);
  return route ? streamOf(route) : '';
};

/** The route of a stream. Throws `not_found` where the caller does not see it. */
export const routeOfStream = (db: TenantDb, stream: string, caller: Pick<Caller, 'projects'>): RouteRow => {
  const route = tenantStore(db).route(slugOfStream(stream));
  if (!route || (route.project_id !== null && !mayUseProject(caller, route.project_id)))
    throw new AppError('not_found', say`There is no such stream.`);
  return route;
};
