// A practice at a glance: what it has used of its plan, the state of its domain and its reputation, and what is left before
// it can go live.
import type { z } from 'zod';
import { monthOf, utcDay } from '#src/accounts/counters/rules.ts';
import { counterStore } from '#src/accounts/counters/store.ts';
import { presentPractice } from '#src/accounts/tenants/schema.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { withAdvice } from '#src/domains/records/host-check.ts';
import { hostInQuestion } from '#src/domains/records/host-facts.ts';
import { lastCheck } from '#src/domains/store.ts';
import { MIN_MESSAGES, messagesOf, WINDOW_DAYS } from '#src/feedback/reputation/rules.ts';
import { windowsOf } from '#src/feedback/reputation/window.ts';
import type { Caller } from '#src/kernel/access.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Speak } from '#src/kernel/say.ts';
import { DAY, toIso, toIsoOrNull } from '#src/kernel/time.ts';
import { type Installation, practiceFacts } from './facts.ts';
import { countsPerRoute, maySeeGuardrail, ratesOf, routeFacts, visibleRoutes } from './rates.ts';
import { failingIn, goLiveChecks, remainingOf } from './rules.ts';
import type { overviewSchema } from './schema.ts';

type Overview = z.infer<typeof overviewSchema>;

/** The reputation of all routes that the caller may see, also of those that have sent nothing. */
const reputationFor = (db: TenantDb, caller: Caller, now: number): Overview['reputation'] => {
  const today = utcDay(now);
  const countsOf = countsPerRoute(db, caller, today - WINDOW_DAYS + 1, today + 1);
  const windowFor = windowsOf(db, tenantStore(db).practice().resumed_at, now);
  return {
    days: WINDOW_DAYS,
    routes: visibleRoutes(db, caller).map((route) => {
      const counts = countsOf(route.id);
      const { sent, refused, delivered, hard_bounced, soft_bounced, complaints } = counts;
      return {
        route: routeFacts(route),
        ...{ sent, refused, delivered, hard_bounced, soft_bounced, complaints },
        ...ratesOf(counts),
        counts_towards_guardrail: maySeeGuardrail(caller, route)
          ? messagesOf(windowFor(route.id)) >= MIN_MESSAGES
          : null,
      };
    }),
  };
};

const dnsOf = (db: TenantDb, speak: Speak): Overview['dns'] => {
  const { host, kind, pending } = hostInQuestion(tenantStore(db).practice());
  if (kind === 'managed') return { host, pending, ok: true, checked_at: null, failing: [] };
  const last = lastCheck(db, host);
  return {
    host,
    pending,
    ok: last?.check.ok ?? null,
    checked_at: toIsoOrNull(last?.checkedAt ?? null),
    failing: last === null ? [] : failingIn(last.check).map((record) => withAdvice(speak, record)),
  };
};

export const overviewOf = (
  db: TenantDb,
  installation: Installation,
  caller: Caller,
  now: number,
  speak: Speak,
): Overview => {
  const row = tenantStore(db).practice();
  const practice = presentPractice(row, now, caller.projects);
  const { id, name, slug, status, pause, plan, monthly_cap, safe_mode } = practice;
  const { domain, domain_kind, pending_domain, managed_host, default_from } = practice;
  const month = monthOf(now);
  const used = caller.projects === null ? counterStore(db).usage(month.name).accepted : null;
  const remaining = remainingOf(goLiveChecks(practiceFacts(db, installation, now), now));
  return {
    practice: { id, name, slug, created_at: practice.created_at },
    plan: {
      plan,
      monthly_cap,
      used,
      share: used === null ? null : used / monthly_cap,
      resets_at: toIso(month.nextFirstDay * DAY),
    },
    sending: { status, pause, safe_mode },
    domain: { domain, domain_kind, pending_domain, managed_host, default_from },
    dns: dnsOf(db, speak),
    warmup: practice.warmup,
    reputation: reputationFor(db, caller, now),
    go_live: { ready: remaining.length === 0, remaining },
  };
};
