// Practices as the operator sees them: a list with members and usage, from the registry's summaries.

import { z } from 'zod';
import { monthOf } from '#src/accounts/counters/rules.ts';
import type { Base } from '#src/kernel/base.ts';
import { type FileState, fileStates } from '#src/kernel/db/file-states.ts';
import type { PlatformDb } from '#src/kernel/db/sqlite.ts';
import { decodeCursor, encodeCursor, listQuery } from '#src/kernel/list.ts';
import { toIsoOrNull } from '#src/kernel/time.ts';
import { nameQuery } from './practice-pages.ts';
import type { TenantRow } from './registry-store.ts';
import { approvals, hasWords, planNames, plans } from './rules.ts';
import { practiceSchema } from './schema.ts';
import type { Summaries } from './summaries.ts';
import type { PracticeSummary } from './summary.ts';
import { summaryStore } from './summary-store.ts';

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

/** A call looks at these many rows of the registry at most, some milliseconds. */
const PRACTICES_PER_CALL = 5_000;
/** States of a file in which nothing can be read of it. */
const CLOSED: ReadonlySet<FileState> = new Set(['unreadable', 'replaced', 'empty', 'other_schema']);

interface Page {
  readonly data: OperatorPractice[];
  readonly next_cursor: string | null;
  /** Practices that belong on it, perhaps, and have no summary yet. */
  readonly missing: readonly string[];
}

/** A practice that cannot be read may be the one looked for, so every filter shows it. */
export const listForOperator = async (
  { storage, clock, summaries }: Pick<Base, 'storage' | 'clock'> & { readonly summaries: Summaries },
  { plan, status, approval, q, purpose, cursor, limit }: Query,
): Promise<Omit<Page, 'missing'>> => {
  const after = decodeCursor(cursor) ?? 0;
  const { name: month } = monthOf(clock.now());
  const fits = (id: string, summary: PracticeSummary): boolean =>
    (plan === undefined || summary.plan === plan) &&
    (status === undefined || (summary.isPaused ? 'paused' : 'active') === status) &&
    (approval === undefined || summary.approval === approval) &&
    (q === undefined || q === id || hasWords([summary.words], q));
  const present = ({ id, slug }: TenantRow, summary: PracticeSummary | null): OperatorPractice => {
    const fault = storage.states.of(id);
    const file = { state: fault?.state ?? ('ok' as const), since: toIsoOrNull(fault?.since ?? null) };
    if (summary === null || CLOSED.has(file.state)) return { id, slug, unavailable: true, storage: file };
    const { name, safe_mode, domain, created_at, members, owners } = summary;
    const monthly_cap = plans[summary.plan].monthlyCap;
    const accepted = summary.month === month ? summary.accepted : 0;
    return {
      ...{ id, name, slug, status: summary.isPaused ? 'paused' : 'active', plan: summary.plan, monthly_cap },
      ...{ safe_mode, approval: summary.approval, domain, created_at, members, owners: [...owners] },
      usage: { month, accepted, share: accepted / monthly_cap },
      storage: file,
    };
  };

  /** `tried`: whether those without a summary were read before. What is missing then ends the page. */
  const pageOf = (db: PlatformDb, tried: ReadonlySet<string>): Page => {
    const data: OperatorPractice[] = [];
    const missing: string[] = [];
    let looked = after;
    let rows = 0;
    let hasMore = false;
    summaryStore(db).each(purpose, after, PRACTICES_PER_CALL + 1, ({ summary, ...row }) => {
      const isClosed = CLOSED.has(storage.states.of(row.id)?.state ?? 'ok');
      const isMissing = summary === null && !isClosed && !tried.has(row.id);
      const isFull = data.length + missing.length === limit || rows === PRACTICES_PER_CALL;
      hasMore = isFull || (isMissing && tried.size > 0);
      if (hasMore) return false;
      rows += 1;
      looked = row.number;
      if (isMissing) missing.push(row.id);
      else if (summary === null || isClosed || fits(row.id, summary)) data.push(present(row, summary));
      return true;
    });
    return { data, missing, next_cursor: hasMore ? encodeCursor(looked) : null };
  };

  await summaries.bringUpToDate();
  const first = await storage.platform.read((db) => pageOf(db, new Set()));
  if (first.missing.length === 0) return { data: first.data, next_cursor: first.next_cursor };
  await summaries.bringUpToDate(first.missing);
  const { data, next_cursor } = await storage.platform.read((db) => pageOf(db, new Set(first.missing)));
  return { data, next_cursor };
};
