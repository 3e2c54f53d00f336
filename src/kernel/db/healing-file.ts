// A file that is opened again by itself after a failed sync: it is closed with a checkpoint, which brings everything to the disk
// or fails, then opened again. Meanwhile it refuses like the broken file.
import { SECOND, sleep } from '#src/kernel/time.ts';
import type { DurableFile } from './durable-file.ts';

const RETRY_MS = SECOND;

/** Rejects where the file cannot be opened the first time. */
export const createHealingFile = async <D>(
  open: () => Promise<DurableFile<D>>,
  onFault: (error: unknown, what: string) => void,
): Promise<DurableFile<D>> => {
  let file = await open();
  let healing: Promise<void> | null = null;
  const stopped = new AbortController();

  const heal = async (): Promise<void> => {
    await file.close().catch((error) => onFault(error, 'closing failed'));
    while (!stopped.signal.aborted) {
      try {
        file = await open();
        return;
      } catch (error) {
        onFault(error, 'opening again failed');
        await sleep(RETRY_MS, stopped.signal);
      }
    }
  };

  const watch = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } finally {
      if (file.broken()) {
        healing ??= heal().finally(() => {
          healing = null;
        });
      }
    }
  };

  return {
    read: (work) => watch(file.read(work)),
    peek: (work) => file.peek(work),
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
