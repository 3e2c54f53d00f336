// Time as the service uses it: integer milliseconds since the epoch inside, ISO 8601 UTC with milliseconds outside.

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** The source of the current time; tests use their own. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

export const toIso = (milliseconds: number): string => new Date(milliseconds).toISOString();
export const toIsoOrNull = (milliseconds: number | null): string | null =>
  milliseconds === null ? null : toIso(milliseconds);

/** `value` spread evenly over ±`share` of itself. `random` is in [0, 1). */
export const jitter = (value: number, share: number, random: number): number =>
  Math.round(value * (1 + share * (2 * random - 1)));

/** Resolves after `milliseconds`, or at once when `signal` aborts. */
export const sleep = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal?.addEventListener('abort', done);
  });
