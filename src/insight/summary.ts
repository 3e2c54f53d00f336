// Many practices at a glance, for who looks after several: each with what lamps show. Of each practice the caller sees what their
// role there may see; the rest is null.
import { z } from 'zod';
import { monthOf } from '#src/accounts/counters/rules.ts';
import { counterStore } from '#src/accounts/counters/store.ts';
import { callersPage, isNamed, nameQuery } from '#src/accounts/tenants/practice-pages.ts';
import { practiceSchema, presentPractice } from '#src/accounts/tenants/schema.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { lastHealthOf } from '#src/domains/custom/next-check.ts';
import { hostInQuestion } from '#src/domains/records/host-facts.ts';
import { lastCheck } from '#src/domains/store.ts';
import { windowsOf } from '#src/feedback/reputation/window.ts';
import type { Caller } from '#src/kernel/access.ts';
import type { Base } from '#src/kernel/base.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { listQuery } from '#src/kernel/list.ts';
import type { Log } from '#src/kernel/log.ts';
import { toIsoOrNull } from '#src/kernel/time.ts';
import { queueStore } from '#src/messages/queue/store.ts';
import { guardrailOf, maySeeGuardrail, routeFacts, visibleRoutes } from './rates.ts';
import { guardrailSchema } from './rates-schema.ts';
import { failingIn } from './rules.ts';
import { overviewSchema } from './schema.ts';
import { insightStore } from './store.ts';

const time = z.iso.datetime().nullable();
const { id, name, slug, status, pause, safe_mode, domain } = practiceSchema.shape;
const { plan, monthly_cap, used, share } = overviewSchema.shape.plan.shape;
const { bounce_rate, complaint_rate, bounce_limit, complaint_limit, messages, state } = guardrailSchema.shape;
const { route } = overviewSchema.shape.reputation.shape.routes.element.shape;

export const summarySchema = z
  .union([
    z.strictObject({
      id,
      name,
      slug,
      status,
      pause,
      safe_mode,
      plan: z.strictObject({ plan, monthly_cap, used, share }).nullable().describe('needs `stats.view`'),
      dns: z
        .strictObject({
          domain: domain.describe('the one that its records are about: a pending one, else that in use'),
          state: z
            .enum(['ok', 'pending', 'problem'])
            .describe('of the last check; `pending`: the domain is not verified, or was never checked'),
          since: time.describe('since when a record is wrong; null where none is, or while it is not known'),
          checked_at: time.describe('null also of a managed host'),
        })
        .nullable()
        .describe('needs `stats.view`'),
      rates: z
        .strictObject({ route, messages, bounce_rate, bounce_limit, complaint_rate, complaint_limit, state })
        .nullable()
        .describe(
          'of the route that is nearest to a limit of the guardrail, in its window; needs `stats.view`; null without any route that the caller may see',
        ),
      last_accepted_at: time.describe(
        'when it last accepted a mail; needs `messages.view`; null also for who is limited to projects, and where it never did',
      ),
      waiting: z.int().nullable().describe('mails in the queue, see its `queue`; needs `messages.view`'),
    }),
    z.strictObject({ id, slug, unavailable: z.literal(true).describe('its data cannot be read now') }),
  ])
  .meta({ id: 'PracticeSummary' });

type Summary = Exclude<z.infer<typeof summarySchema>, { unavailable: true }>;

export const summariesQuery = z.strictObject({ ...listQuery, q: nameQuery });

const dnsOf = (db: TenantDb): NonNullable<Summary['dns']> => {
  const { host, kind, pending } = hostInQuestion(tenantStore(db).practice());
  if (kind === 'managed') return { domain: host, state: 'ok', since: null, checked_at: null };
  const last = lastCheck(db, host);
  const isRight = last !== null && failingIn(last.check).length === 0;
  const faults = Object.values(lastHealthOf(db, host)).flatMap(
    ({ badSince, errorSince }) => badSince ?? errorSince ?? [],
  );
  return {
    domain: host,
    state: pending || last === null ? 'pending' : isRight ? 'ok' : 'problem',
    since: isRight || faults.length === 0 ? null : toIsoOrNull(Math.min(...faults)),
    checked_at: toIsoOrNull(last?.checkedAt ?? null),
  };
};

const nearest = ['ok', 'watch', 'paused'];

const ratesOf = (db: TenantDb, caller: Caller, now: number): Summary['rates'] => {
  const practice = tenantStore(db).practice();
  const windowFor = windowsOf(db, practice.resumed_at, now);
  const [first] = visibleRoutes(db, caller)
    .filter((row) => maySeeGuardrail(caller, row))
    .map((row) => ({ route: routeFacts(row), ...guardrailOf(practice, row.id, windowFor(row.id), now) }))
    .sort((a, b) => nearest.indexOf(b.state) - nearest.indexOf(a.state) || b.messages - a.messages);
  if (first === undefined) return null;
  const { route, messages, bounce_rate, bounce_limit, complaint_rate, complaint_limit, state } = first;
  return { route, messages, bounce_rate, bounce_limit, complaint_rate, complaint_limit, state };
};

/** `caller`: as they are in that practice. */
const summaryOf = (db: TenantDb, caller: Caller, now: number): Summary => {
  const row = tenantStore(db).practice();
  const practice = presentPractice(row, now, caller.projects);
  const { id, name, slug, status, pause, safe_mode, plan, monthly_cap } = practice;
  const seesAll = caller.projects === null;
  const seesNumbers = caller.permissions.has('stats.view');
  const seesMail = caller.permissions.has('messages.view');
  const used = seesAll ? counterStore(db).usage(monthOf(now).name).accepted : null;
  const share = used === null ? null : used / monthly_cap;
  return {
    ...{ id, name, slug, status, pause, safe_mode },
    plan: seesNumbers ? { plan, monthly_cap, used, share } : null,
    dns: seesNumbers ? dnsOf(db) : null,
    rates: seesNumbers ? ratesOf(db, caller, now) : null,
    last_accepted_at: seesMail && seesAll ? toIsoOrNull(insightStore(db).lastAcceptedAt()) : null,
    waiting: seesMail
      ? queueStore(db)
          .waiting(caller.projects, now)
          .reduce((sum, { waiting }) => sum + waiting, 0)
      : null,
  };
};

export const summariesFor = (
  { storage, clock }: Pick<Base, 'storage' | 'clock'>,
  caller: Caller,
  query: z.output<typeof summariesQuery>,
  log: Log,
) => {
  const now = clock.now();
  const { q } = query;
  return callersPage<z.infer<typeof summarySchema>>(storage, caller, {
    query,
    isFiltered: q !== undefined,
    read: (db, entered) =>
      q === undefined || isNamed(tenantStore(db).practice(), q) ? summaryOf(db, entered, now) : null,
    unreadable: ({ id, slug }) => (caller.kind === 'operator' ? { id, slug, unavailable: true } : null),
    log,
  });
};
