// A file that is opened again by itself after a failed sync, or where it was replaced: it is closed with a checkpoint, which
// brings everything to the disk or fails, then opened again. Meanwhile it refuses like the broken file.
import { SECOND, sleep } from '#src/kernel/time.ts';
import type { DurableFile } from './durable-file.ts';

const RETRY_MS = SECOND;

/**
 * Rejects where the file cannot be opened the first time. Only then it may be made: later an absent one was taken away. `open`
 * itself reports what fails.
 */
export const createHealingFile = async <D>(
  open: (create: boolean) => Promise<DurableFile<D>>,
  onFault: (error: unknown, what: 'closing failed') => void,
): Promise<DurableFile<D>> => {
  let file = await open(true);
  let healing: Promise<void> | null = null;
  const stopped = new AbortController();

  const heal = async (): Promise<void> => {
    await file.close().catch((error) => onFault(error, 'closing failed'));
    while (!stopped.signal.aborted) {
      try {
        file = await open(false);
        return;
      } catch {
        await sleep(RETRY_MS, stopped.signal);
      }
    }
  };

  const healWhereBroken = (): void => {
    if (!file.broken()) return;
    healing ??= heal().finally(() => {
      healing = null;
    });
  };

  const watch = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } finally {
      healWhereBroken();
    }
  };

  return {
    read: (work) => watch(file.read(work)),
    peek: (work) => {
      try {
        return file.peek(work);
      } finally {
        healWhereBroken();
      }
    },
    checkpoint: (rewrites) => file.checkpoint(rewrites),
    write: (work, within) => watch(file.write(work, within)),
    broken: () => file.broken(),
    close: async () => {
      stopped.abort();
      await healing;
      // A broken file that is not being healed any more is closed already.
      if (!file.broken()) await file.close();
    },
  };
};
