// What the registry keeps of each practice for the operator's list.
import { eachRow, type PlatformDb, perConnection } from '#src/kernel/db/sqlite.ts';
import type { TenantRow } from './registry-store.ts';
import type { PracticeSummary } from './summary.ts';

interface SummaryRow {
  plan: PracticeSummary['plan'];
  is_paused: 0 | 1;
  approval: PracticeSummary['approval'];
  words: string;
  month: string;
  accepted: number;
  shown_json: string;
}

type ListedRow = TenantRow & { [Column in keyof SummaryRow]: SummaryRow[Column] | null };

export interface ListedPractice extends TenantRow {
  /** Null where the registry has none yet. */
  readonly summary: PracticeSummary | null;
}

const summaryOf = ({ is_paused, shown_json, ...row }: SummaryRow): PracticeSummary => ({
  ...row,
  ...JSON.parse(shown_json),
  isPaused: is_paused === 1,
});

export const summaryStore = perConnection((db: PlatformDb) => {
  const put = db.prepare<SummaryRow & { id: string }>(
    `INSERT INTO practice_summaries (number, plan, is_paused, approval, words, month, accepted, shown_json)
     SELECT number, :plan, :is_paused, :approval, :words, :month, :accepted, :shown_json FROM tenants WHERE id = :id
     ON CONFLICT (number) DO UPDATE SET plan = excluded.plan, is_paused = excluded.is_paused,
       approval = excluded.approval, words = excluded.words, month = excluded.month, accepted = excluded.accepted,
       shown_json = excluded.shown_json`,
  );
  const list = (purpose: 'practice' | 'system') =>
    db.prepare<[number, number], ListedRow>(
      `SELECT tenants.number, id, slug, plan, is_paused, approval, words, month, accepted, shown_json
       FROM tenants LEFT JOIN practice_summaries ON practice_summaries.number = tenants.number
       WHERE tenants.number > ? AND state = 'active' AND purpose = '${purpose}'
       ORDER BY tenants.number LIMIT ?`,
    );
  const lists = { practice: list('practice'), system: list('system') };
  const missing = db
    .prepare<[number], string>(
      `SELECT id FROM tenants LEFT JOIN practice_summaries ON practice_summaries.number = tenants.number
       WHERE practice_summaries.number IS NULL AND state = 'active' LIMIT ?`,
    )
    .pluck();
  return {
    /** Does nothing for a practice that is not registered. */
    put: (
      id: string,
      { plan, isPaused, approval, words, month, accepted, ...shown }: PracticeSummary,
    ): void => {
      const is_paused = isPaused ? 1 : 0;
      put.run({ id, plan, is_paused, approval, words, month, accepted, shown_json: JSON.stringify(shown) });
    },
    /** Calls `take` with so many practices after number `after`, in their order, until it returns false. */
    each: (
      purpose: 'practice' | 'system',
      after: number,
      limit: number,
      take: (practice: ListedPractice) => boolean,
    ): void =>
      eachRow(
        lists[purpose],
        after,
        limit,
      )(({ number, id, slug, ...row }) => {
        const summary = row.shown_json === null ? null : summaryOf(row as SummaryRow);
        return take({ number, id, slug, summary });
      }),
    /** Practices without a summary. */
    missing: (limit: number): string[] => missing.all(limit),
  };
});
