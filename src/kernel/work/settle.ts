// An outcome that is lost makes its attempt happen again: the write is repeated until the disk takes it.
import { SECOND, sleep } from '#src/kernel/time.ts';

const RETRY_MS = SECOND;

/**
 * Calls `write` until it resolves, and resolves as it does. `onFailed` is called after each call that failed. After `stopping`
 * has aborted there is no further try: it then resolves with undefined, and the item is due at the time its claim wrote.
 */
export const settleUntilStored = async <T>(
  write: () => Promise<T>,
  stopping: AbortSignal,
  onFailed: (error: unknown) => void,
): Promise<T | undefined> => {
  for (;;) {
    try {
      return await write();
    } catch (error) {
      onFailed(error);
      if (stopping.aborted) return undefined;
      await sleep(RETRY_MS, stopping);
    }
  }
};
