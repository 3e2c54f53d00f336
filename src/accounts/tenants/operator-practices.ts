// Practices as the operator sees them: a list with members and usage, read from each practice's file.

import { z } from 'zod';
import { monthOf } from '#src/accounts/counters/rules.ts';
import { counterStore } from '#src/accounts/counters/store.ts';
import { memberStore } from '#src/accounts/entry/member-store.ts';
import { activeOwners } from '#src/accounts/entry/owners.ts';
import type { Base } from '#src/kernel/base.ts';
import { fileStates } from '#src/kernel/db/file-states.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { listQuery } from '#src/kernel/list.ts';
import type { Log } from '#src/kernel/log.ts';
import { toIsoOrNull } from '#src/kernel/time.ts';
import { isNamed, nameQuery, practicePage } from './practice-pages.ts';
import { registryStore, type TenantRow } from './registry-store.ts';
import { approvalOf, approvals, planNames } from './rules.ts';
import { practiceSchema, presentPractice } from './schema.ts';
import { type PracticeRow, tenantStore } from './store.ts';

const { id, name, slug, status, plan, monthly_cap, safe_mode, domain, created_at } = practiceSchema.shape;

const storageSchema = z.strictObject({
  state: z
    .enum(fileStates)
    .describe(
      'of its file. full: no space left; failing: reading or writing fails; unreadable: missing or damaged; replaced: moved, removed or replaced while in use; empty: it holds no practice; other_schema: of another version of the program',
    ),
  since: z.iso.datetime().nullable().describe('since when it is not ok'),
});

export const operatorPracticeSchema = z
  .union([
    z.strictObject({
      id,
      name,
      slug,
      status,
      plan,
      monthly_cap,
      safe_mode,
      approval: z
        .enum(approvals)
        .describe(
          'for going live: `waiting` is in safe mode and needs it; `not_needed`: its plan goes live without',
        ),
      domain,
      created_at,
      members: z.int().describe('invited ones as well'),
      owners: z.array(z.string()).describe('addresses of those who have accepted'),
      usage: z.strictObject({
        month: z.string().describe('UTC, `2026-11`'),
        accepted: z.int().describe('mails, one a recipient'),
        share: z.number().describe('of the cap; 1 is all of it'),
      }),
      storage: storageSchema,
    }),
    z.strictObject({
      id,
      slug,
      storage: storageSchema,
      unavailable: z.literal(true).describe('its data cannot be read now'),
    }),
  ])
  .meta({ id: 'OperatorPractice' });

export type OperatorPractice = z.infer<typeof operatorPracticeSchema>;

export const operatorPracticesQuery = z.strictObject({
  ...listQuery,
  plan: z.enum(planNames).optional(),
  status: z.enum(['active', 'paused']).optional(),
  approval: z.enum(approvals).optional(),
  q: nameQuery,
  purpose: z
    .enum(['practice', 'system'])
    .default('practice')
    .describe('`system`: the one by which the service sends its own mail'),
});

export const planSchema = z
  .strictObject({
    plan: z.enum(planNames),
    monthly_cap: z.int().describe('mails a UTC month'),
    custom_roles: z.boolean(),
  })
  .meta({ id: 'Plan' });

export const setPlanBody = z
  .strictObject({ plan: z.enum(planNames) })
  .meta({ examples: [{ plan: 'praxis' }] });
export const setSafeModeBody = z
  .strictObject({ enabled: z.boolean() })
  .meta({ examples: [{ enabled: true }] });
export const setApprovalBody = z
  .strictObject({ approved: z.boolean() })
  .meta({ examples: [{ approved: true }] });

type Query = z.output<typeof operatorPracticesQuery>;

const describe = (db: TenantDb, now: number) => {
  const { id, name, slug, status, plan, monthly_cap, safe_mode, domain, created_at } = presentPractice(
    tenantStore(db).practice(),
    now,
  );
  const approval = approvalOf(tenantStore(db).practice());
  const month = monthOf(now);
  const accepted = counterStore(db).usage(month.name).accepted;
  const usage = { month: month.name, accepted, share: accepted / monthly_cap };
  const practice = { id, name, slug, status, plan, monthly_cap, safe_mode, approval, domain, created_at };
  const owners = activeOwners(db).map(({ email }) => email);
  return { ...practice, members: memberStore(db).count(), owners, usage };
};

/** A practice that cannot be read may be the one looked for, so every filter shows it. */
export const listForOperator = (
  { storage, clock }: Pick<Base, 'storage' | 'clock'>,
  query: Query,
  log: Log,
): Promise<{ data: OperatorPractice[]; next_cursor: string | null }> => {
  const now = clock.now();
  const fileOf = (id: string) => {
    const fault = storage.states.of(id);
    return { storage: { state: fault?.state ?? ('ok' as const), since: toIsoOrNull(fault?.since ?? null) } };
  };
  const { plan, status, approval, q } = query;
  const fits = (row: PracticeRow): boolean =>
    (plan === undefined || row.plan === plan) &&
    (status === undefined || (row.paused_at === null ? 'active' : 'paused') === status) &&
    (approval === undefined || approvalOf(row) === approval) &&
    (q === undefined || isNamed(row, q));
  return practicePage<OperatorPractice>({
    files: storage.tenants,
    query,
    isFiltered: [plan, status, approval, q].some((filter) => filter !== undefined),
    rows: (after, limit) =>
      storage.platform.read((db): readonly TenantRow[] => {
        if (query.purpose === 'practice') return registryStore(db).list(after, limit);
        const system = registryStore(db).system();
        return system && system.number > after ? [system] : [];
      }),
    read: (db, { id }) => (fits(tenantStore(db).practice()) ? { ...describe(db, now), ...fileOf(id) } : null),
    unreadable: ({ id, slug }) => ({ id, slug, unavailable: true, ...fileOf(id) }),
    log,
  });
};
