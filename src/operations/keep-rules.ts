// Which backups are kept: all of the last two days, and of each of the last days, weeks and months that have one, the newest. A mishap is
// often followed by a backup, which must not take the one from before it away; so the last backup of a practice that the newest no longer
// has stays too, as long as any other would. Pure.

import type { Keep } from '#src/kernel/config/keep.ts';

const DAY_MS = 86_400_000;
/** So long a mishap of a weekend may go unnoticed until someone makes a backup by hand. */
const ALL_MS = 2 * DAY_MS;
const DAYS_OF: Readonly<Record<keyof Keep, number>> = { days: 1, weeks: 7, months: 31 };

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
  /** Ids of practices that it has and the newest has not. */
  readonly lost: readonly string[];
}

/** The longest time that a backup is kept for by `keep`. */
const spanOf = (keep: Keep): number =>
  Math.max(
    ALL_MS,
    ...(['days', 'weeks', 'months'] as const).map((name) => keep[name] * DAYS_OF[name] * DAY_MS),
  );

/**
 * Ids of what may be removed. Nothing is, where the newest is not whole: what it lacks may be in one of the others. So the last whole
 * one stays in any case.
 */
export const toRemove = (backups: readonly Made[], keep: Keep): string[] => {
  const newestFirst = [...backups].sort((a, b) => b.madeAt - a.madeAt);
  const [newest] = newestFirst;
  if (!newest?.isWhole) return [];
  const kept = new Set(
    newestFirst.filter(({ madeAt }) => newest.madeAt - madeAt <= ALL_MS).map(({ id }) => id),
  );
  const found = new Set<string>();
  for (const { id, madeAt, lost } of newestFirst) {
    if (newest.madeAt - madeAt > spanOf(keep)) break;
    if (lost.some((tenant) => !found.has(tenant))) kept.add(id);
    for (const tenant of lost) found.add(tenant);
  }
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
