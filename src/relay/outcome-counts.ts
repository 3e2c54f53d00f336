// How the attempts of an upstream ended: since the start, and in the last hour. Kept in memory, so that counting costs a
// message no statement; they begin again at a restart.
import { HOUR, MINUTE } from '#src/kernel/time.ts';
import type { Outcome } from './outcome.ts';

type Counts = Record<Outcome['kind'], number>;
export type OutcomeCounts = Readonly<Counts>;

const none = (): Counts => ({ accepted: 0, deferred: 0, bounced: 0, upstream_failure: 0 });
const kinds = Object.keys(none()) as (keyof Counts)[];
const add = (to: Counts, other: OutcomeCounts): Counts => {
  for (const kind of kinds) to[kind] += other[kind];
  return to;
};

const MINUTES = HOUR / MINUTE;
const minuteOf = (now: number): number => Math.floor(now / MINUTE);

export const createOutcomeCounts = () => {
  const all = none();
  /** Those of the last hour, by the minutes in which there were any. */
  const minutes = new Map<number, Counts>();
  const forget = (now: number): void => {
    for (const minute of minutes.keys()) if (minute <= minuteOf(now) - MINUTES) minutes.delete(minute);
  };
  return {
    count: (kind: Outcome['kind'], now: number): void => {
      all[kind] += 1;
      const minute = minutes.get(minuteOf(now));
      if (minute) {
        minute[kind] += 1;
        return;
      }
      forget(now);
      minutes.set(minuteOf(now), { ...none(), [kind]: 1 });
    },
    sinceStart: (): OutcomeCounts => ({ ...all }),
    /** The present minute and the 59 before it. */
    lastHour: (now: number): OutcomeCounts => {
      forget(now);
      return [...minutes.values()].reduce(add, none());
    },
  };
};
