// A suppression as events tell of it.
import type { TenantDb } from '#src/db/sqlite.ts';
import type { EventData } from '#src/events/schema.ts';
import { tenantStore } from '#src/tenants/store.ts';
import type { SuppressionFacts } from './rules.ts';

export const suppressionData = (
  db: TenantDb,
  address: string | null,
  { id, scope, project_id, route_id, reason }: SuppressionFacts,
): EventData => {
  const store = tenantStore(db);
  return {
    suppression: {
      id,
      address,
      scope,
      project_id,
      route_id,
      project_slug: project_id === null ? null : (store.project(project_id)?.slug ?? null),
      route_slug: route_id === null ? null : (store.route(route_id)?.slug ?? null),
      reason,
    },
  };
};
