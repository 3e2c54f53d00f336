// Long work on the event loop, in slices between which it serves others.

/** Twice the number that one commit takes: the next ones wait while one commit is synced. */
const AT_ONCE = 64;
/** New work is begun for this long at most; then the event loop serves others. */
const SLICE_MS = 5;

const yieldLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Yields the event loop whenever a slice is used up. */
export const createSlices = (): (() => Promise<void> | undefined) => {
  let end = performance.now() + SLICE_MS;
  return () => {
    if (performance.now() < end) return undefined;
    return yieldLoop().then(() => {
      end = performance.now() + SLICE_MS;
    });
  };
};

/**
 * Results in the order of `items`; begun in that order, too. A few are in flight at a time, so that they share commits and
 * leave memory and the event loop to others too. `work` never rejects.
 */
export const workThrough = async <T, R>(
  items: readonly T[],
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> => {
  const results: R[] = new Array(items.length);
  const pause = createSlices();
  let running = 0;
  let roomMade: (() => void) | null = null;
  const begin = async (item: T, index: number): Promise<void> => {
    running += 1;
    results[index] = await work(item, index);
    running -= 1;
    roomMade?.();
  };
  const begun: Promise<void>[] = [];
  for (const [index, item] of items.entries()) {
    if (running >= AT_ONCE) {
      await new Promise<void>((resolve) => {
        roomMade = resolve;
      });
      roomMade = null;
    }
    await pause();
    begun.push(begin(item, index));
  }
  await Promise.all(begun);
  return results;
};
