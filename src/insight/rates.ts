// Counts the outcomes of a practice's mails per route and day, and shows how near each route is to the guardrail's limits.
import type { z } from 'zod';
import { dayName, utcDay } from '#src/accounts/counters/rules.ts';
import {
  type CountedOutcome,
  countedOutcomes,
  counterStore,
  type RouteCounts,
} from '#src/accounts/counters/store.ts';
import { type PracticeRow, type RouteRow, tenantStore } from '#src/accounts/tenants/store.ts';
import { pauseFacts } from '#src/feedback/reputation/pause.ts';
import {
  bounceLimit,
  type Counts,
  complaintLimit,
  deliveriesOf,
  type Limit,
  MIN_MESSAGES,
  messagesOf,
  nearnessOf,
  rate,
  windowFrom,
} from '#src/feedback/reputation/rules.ts';
import { windowsOf } from '#src/feedback/reputation/window.ts';
import { type Caller, mayUseProject } from '#src/kernel/access.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { say } from '#src/kernel/say.ts';
import { toIso } from '#src/kernel/time.ts';
import type { ratesSchema } from './rates-schema.ts';

type Rates = z.infer<typeof ratesSchema>;
type Tally = Record<CountedOutcome | 'accepted', number>;

/** The guardrail counts a shared route for all projects together. */
export const maySeeGuardrail = ({ projects }: Caller, { project_id }: RouteRow): boolean =>
  projects === null || project_id !== null;

/** The routes that the caller may see, also those that have sent nothing. */
export const visibleRoutes = (db: TenantDb, caller: Caller): RouteRow[] =>
  tenantStore(db)
    .routes()
    .filter(({ project_id }) => project_id === null || mayUseProject(caller, project_id));

export const routeFacts = ({ id, slug, type }: RouteRow) => ({ id, slug, type });

export const ratesOf = (counts: Pick<Tally, keyof Counts>) => ({
  bounce_rate: rate(counts.hard_bounced, messagesOf(counts)),
  complaint_rate: rate(counts.complaints, deliveriesOf(counts)),
});

/** Sums the counts of some days by route, of the caller's projects alone. A route without any has zeros. */
export const countsPerRoute = (
  db: TenantDb,
  { projects }: Caller,
  from: number,
  to: number,
): ((routeId: string) => Tally) => {
  const rows = new Map(
    counterStore(db)
      .perRoute(from, to, projects)
      .map((row: RouteCounts) => [row.route_id, row]),
  );
  return (routeId) => {
    const row = rows.get(routeId);
    const ofOutcomes = Object.fromEntries(
      countedOutcomes.map((outcome) => [outcome, row?.[outcome] ?? 0]),
    ) as Record<CountedOutcome, number>;
    return { accepted: row?.accepted ?? 0, ...ofOutcomes };
  };
};

const asShare = ({ part, whole }: Limit): number => part / whole;

export const guardrailOf = (
  practice: PracticeRow,
  routeId: string,
  counts: Counts,
  now: number,
): NonNullable<Rates['routes'][number]['guardrail']> => {
  const { nearness, hardBouncesLeft, complaintsLeft } = nearnessOf(counts);
  const facts = practice.pause_by === 'guardrail' ? pauseFacts(practice) : null;
  const hasPaused = facts?.by === 'guardrail' && facts.route.id === routeId;
  return {
    window_from: toIso(windowFrom(now, practice.resumed_at)),
    min_messages: MIN_MESSAGES,
    bounce_limit: asShare(bounceLimit),
    complaint_limit: asShare(complaintLimit),
    messages: messagesOf(counts),
    deliveries: deliveriesOf(counts),
    hard_bounced: counts.hard_bounced,
    complaints: counts.complaints,
    ...ratesOf(counts),
    hard_bounces_left: hardBouncesLeft,
    complaints_left: complaintsLeft,
    state: hasPaused ? 'paused' : nearness,
  };
};

/** Throws `not_found` for a route that the caller does not see. */
export const ratesFor = (
  db: TenantDb,
  caller: Caller,
  days: number,
  route: string | undefined,
  now: number,
): Rates => {
  const routes = visibleRoutes(db, caller).filter(
    ({ id, slug }) => route === undefined || route === id || route === slug,
  );
  if (route !== undefined && routes.length === 0)
    throw new AppError('not_found', say`There is no such route.`);
  const practice = tenantStore(db).practice();
  const today = utcDay(now);
  const first = today - days + 1;
  const countsOf = countsPerRoute(db, caller, first, today + 1);
  const windowFor = windowsOf(db, practice.resumed_at, now);
  const ids = routes.map(({ id }) => id);
  return {
    days,
    from: dayName(first),
    to: dayName(today),
    routes: routes.map((row) => {
      const counts = countsOf(row.id);
      const deliveries = deliveriesOf(counts);
      return {
        route: routeFacts(row),
        ...counts,
        ...ratesOf(counts),
        open_rate: rate(counts.opens, deliveries),
        click_rate: rate(counts.clicks, deliveries),
        guardrail: maySeeGuardrail(caller, row)
          ? guardrailOf(practice, row.id, windowFor(row.id), now)
          : null,
      };
    }),
    per_day: counterStore(db)
      .perDay(first, today + 1, ids, caller.projects)
      .map(({ day, ...counts }) => ({ day: dayName(day), ...counts })),
  };
};
