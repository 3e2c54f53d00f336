// The window of the guardrail for a route: the last 30 UTC days, or the exact time since the last resumption.
import { utcDay } from '#src/accounts/counters/rules.ts';
import { counterStore } from '#src/accounts/counters/store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { type Counts, since, windowCounters, windowDay } from './rules.ts';
import { type BaselineRow, reputationStore } from './store.ts';

/** The baseline of a day that has left the window is ignored. */
const afterBaseline = (counts: Counts, baseline: BaselineRow | undefined, firstDay: number): Counts =>
  since(counts, baseline !== undefined && baseline.day >= firstDay ? baseline : undefined);

export const windowOf = (db: TenantDb, routeId: string, resumedAt: number | null, now: number): Counts => {
  const first = windowDay(now, resumedAt);
  const counts = counterStore(db).ofRoute(routeId, first, utcDay(now) + 1);
  return afterBaseline(counts, reputationStore(db).baseline(routeId), first);
};

const nothing = Object.fromEntries(windowCounters.map((outcome) => [outcome, 0])) as Counts;

/** One reading gives the windows of all routes of the tenant. */
export const windowsOf = (
  db: TenantDb,
  resumedAt: number | null,
  now: number,
): ((routeId: string) => Counts) => {
  const first = windowDay(now, resumedAt);
  const perRoute = counterStore(db).perRoute(first, utcDay(now) + 1);
  const counts = new Map(perRoute.map((row) => [row.route_id, row]));
  const baselines = new Map(
    reputationStore(db)
      .baselines()
      .map((row) => [row.route_id, row]),
  );
  return (routeId) => afterBaseline(counts.get(routeId) ?? nothing, baselines.get(routeId), first);
};
