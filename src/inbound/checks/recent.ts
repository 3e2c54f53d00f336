// Work that asks others: its end, and what was found out a moment ago, by a key, so that mails that come one after the other share
// it. Work in progress is shared too. If it is full, the oldest is removed.
import { type Clock, MINUTE, SECOND } from '#src/kernel/time.ts';

/** The time is below the usual TTL of records that mail depends on. */
export const KEPT_MS = MINUTE;
export const FAILED_KEPT_MS = 5 * SECOND;
const MOST = 4_000;

/** Resolves with `late` where the work takes longer. */
export const inTime = async <T>(work: Promise<T>, ms: number, late: T): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(late), ms);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
};

export type Recent<T> = (key: string, work: () => Promise<T>) => Promise<T>;

/** `keptMs`: for how long a result counts. `work` does not reject. */
export const createRecent = <T>(clock: Clock, keptMs: (result: T) => number): Recent<T> => {
  const kept = new Map<string, { readonly result: Promise<T>; until: number }>();
  return (key, work) => {
    const found = kept.get(key);
    if (found !== undefined && found.until > clock.now()) return found.result;
    const entry = { result: work(), until: Number.POSITIVE_INFINITY };
    kept.delete(key);
    if (kept.size >= MOST) for (const oldest of kept.keys()) if (kept.delete(oldest)) break;
    kept.set(key, entry);
    entry.result.then((result) => {
      entry.until = clock.now() + keptMs(result);
    });
    return entry.result;
  };
};
