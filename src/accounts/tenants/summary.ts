// What the operator's list shows of a practice, as its file says.
import { monthOf } from '#src/accounts/counters/rules.ts';
import { counterStore } from '#src/accounts/counters/store.ts';
import { memberStore } from '#src/accounts/entry/member-store.ts';
import { activeOwners } from '#src/accounts/entry/owners.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { namesOf } from './practice-pages.ts';
import { approvalOf, type approvals, type Plan } from './rules.ts';
import { presentPractice } from './schema.ts';
import { tenantStore } from './store.ts';

export interface PracticeSummary {
  readonly plan: Plan;
  readonly isPaused: boolean;
  readonly approval: (typeof approvals)[number];
  /** What it is found by. */
  readonly words: string;
  /** The UTC month that `accepted` is of. */
  readonly month: string;
  readonly accepted: number;
  readonly name: string;
  readonly safe_mode: boolean;
  readonly domain: string;
  readonly created_at: string;
  readonly members: number;
  readonly owners: readonly string[];
}

export const summaryIn = (db: TenantDb, now: number): PracticeSummary => {
  const row = tenantStore(db).practice();
  const { name, safe_mode, domain, created_at } = presentPractice(row, now);
  const { name: month } = monthOf(now);
  return {
    plan: row.plan,
    isPaused: row.paused_at !== null,
    approval: approvalOf(row),
    words: namesOf(row).join(' '),
    month,
    accepted: counterStore(db).usage(month).accepted,
    ...{ name, safe_mode, domain, created_at },
    members: memberStore(db).count(),
    owners: activeOwners(db).map(({ email }) => email),
  };
};
