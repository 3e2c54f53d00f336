// A practice at a glance: what it has used of its plan, how its domain and its reputation stand, what is left before it
// goes live.
import type { z } from 'zod';
import { monthOf, utcDay } from '#src/counters/rules.ts';
import { counterStore, type RouteCounts } from '#src/counters/store.ts';
import type { TenantDb } from '#src/db/sqlite.ts';
import { lastCheck } from '#src/domains/custom/last-check.ts';
import { hostInQuestion } from '#src/domains/records/host-facts.ts';
import { type Caller, mayUseProject } from '#src/kernel/access.ts';
import { DAY, toIso, toIsoOrNull } from '#src/kernel/time.ts';
import { presentPractice } from '#src/tenants/present.ts';
import { type RouteRow, tenantStore } from '#src/tenants/store.ts';
import { type Installation, practiceFacts } from './facts.ts';
import { failingIn, goLiveChecks, remainingOf } from './rules.ts';
import type { overviewSchema } from './schema.ts';

type Overview = z.infer<typeof overviewSchema>;

const REPUTATION_DAYS = 30;
/** With fewer sent a share says nothing, and the guardrail does not look at it. */
const GUARDRAIL_MIN_SENT = 20;

const rate = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);

const reputationOf = (route: RouteRow, counts: RouteCounts | undefined) => {
  const { sent = 0, delivered = 0, hard_bounced = 0, soft_bounced = 0, complaints = 0 } = counts ?? {};
  return {
    route: { id: route.id, slug: route.slug, type: route.type },
    sent,
    delivered,
    hard_bounced,
    soft_bounced,
    complaints,
    bounce_rate: rate(hard_bounced, sent),
    complaint_rate: rate(complaints, delivered),
    counts_towards_guardrail: sent >= GUARDRAIL_MIN_SENT,
  };
};

/** Of the routes that the caller may know, whether or not anything went over them. */
const reputationFor = (db: TenantDb, caller: Caller, now: number): Overview['reputation'] => {
  const today = utcDay(now);
  const counts = new Map(
    counterStore(db)
      .perRoute(today - REPUTATION_DAYS + 1, today + 1)
      .map((row) => [row.route_id, row]),
  );
  const routes = tenantStore(db)
    .routes()
    .filter(({ project_id }) => project_id === null || mayUseProject(caller, project_id));
  return { days: REPUTATION_DAYS, routes: routes.map((route) => reputationOf(route, counts.get(route.id))) };
};

const dnsOf = (db: TenantDb): Overview['dns'] => {
  const { host, kind, pending } = hostInQuestion(tenantStore(db).practice());
  if (kind === 'managed') return { host, pending, ok: true, checked_at: null, failing: [] };
  const last = lastCheck(db, host);
  return {
    host,
    pending,
    ok: last?.check.ok ?? null,
    checked_at: toIsoOrNull(last?.checkedAt ?? null),
    failing: last === null ? [] : failingIn(last.check),
  };
};

export const overviewOf = (
  db: TenantDb,
  installation: Installation,
  caller: Caller,
  now: number,
): Overview => {
  const row = tenantStore(db).practice();
  const practice = presentPractice(row, now);
  const { id, name, slug, status, pause, plan, monthly_cap, safe_mode } = practice;
  const { domain, domain_kind, pending_domain, managed_host, default_from } = practice;
  const month = monthOf(now);
  const used = counterStore(db).usage(month.name).accepted;
  const remaining = remainingOf(goLiveChecks(practiceFacts(db, installation, now), now));
  return {
    practice: { id, name, slug, created_at: practice.created_at },
    plan: {
      plan,
      monthly_cap,
      used,
      share: used / monthly_cap,
      resets_at: toIso(month.nextFirstDay * DAY),
    },
    sending: { status, pause, safe_mode },
    domain: { domain, domain_kind, pending_domain, managed_host, default_from },
    dns: dnsOf(db),
    warmup: practice.warmup,
    reputation: reputationFor(db, caller, now),
    go_live: { ready: remaining.length === 0, remaining },
  };
};
