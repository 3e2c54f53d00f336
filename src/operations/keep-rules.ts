// Which backups are kept: of each of the last days, weeks and months that have one, the newest. Pure.

import type { Keep } from '#src/kernel/config/keep.ts';

const DAY_MS = 86_400_000;

/** The periods in UTC; a week begins on Monday. */
const PERIODS: Readonly<Record<keyof Keep, (time: number) => string | number>> = {
  days: (time) => Math.floor(time / DAY_MS),
  // The first day of the epoch was a Thursday.
  weeks: (time) => Math.floor((Math.floor(time / DAY_MS) + 3) / 7),
  months: (time) => new Date(time).toISOString().slice(0, 7),
};

export interface Made {
  readonly id: string;
  readonly madeAt: number;
  /** The backup has all files. One that has not counts for no day. */
  readonly isWhole: boolean;
}

/**
 * Ids of what may be removed. Nothing is, where the newest is not whole: what it lacks may be in one of the others. So the last whole
 * one stays in any case.
 */
export const toRemove = (backups: readonly Made[], keep: Keep): string[] => {
  const newestFirst = [...backups].sort((a, b) => b.madeAt - a.madeAt);
  if (!newestFirst[0]?.isWhole) return [];
  const kept = new Set([newestFirst[0].id]);
  for (const name of ['days', 'weeks', 'months'] as const) {
    const seen = new Set<string | number>();
    for (const { id, madeAt, isWhole } of newestFirst) {
      const period = PERIODS[name](madeAt);
      if (!isWhole || seen.has(period) || seen.size >= keep[name]) continue;
      seen.add(period);
      kept.add(id);
    }
  }
  return newestFirst.map(({ id }) => id).filter((id) => !kept.has(id));
};
