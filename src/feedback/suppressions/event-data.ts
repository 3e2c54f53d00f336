// A suppression as events contain it.

import { tenantStore } from '#src/accounts/tenants/store.ts';
import type { EventData } from '#src/events/store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { SuppressionFacts } from '#src/messages/suppression-rules.ts';

/** Of its project or route, where they are known. */
export const slugsOf = (
  db: TenantDb,
  { project_id, route_id }: Pick<SuppressionFacts, 'project_id' | 'route_id'>,
) => ({
  project_slug: project_id === null ? null : (tenantStore(db).project(project_id)?.slug ?? null),
  route_slug: route_id === null ? null : (tenantStore(db).route(route_id)?.slug ?? null),
});

export const suppressionData = (
  db: TenantDb,
  address: string | null,
  { id, scope, project_id, route_id, reason }: SuppressionFacts,
): EventData => {
  const slugs = slugsOf(db, { project_id, route_id });
  return { suppression: { id, address, scope, project_id, route_id, ...slugs, reason } };
};
