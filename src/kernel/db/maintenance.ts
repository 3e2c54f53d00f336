// Runs commands on the maintenance threads. While a thread works on a file, or has a connection to it that an earlier command left
// open, it has all of that file's commands, so that they run in order.
import { Worker } from 'node:worker_threads';
import { SECOND, sleep } from '#src/kernel/time.ts';
import { isLock } from './file-states.ts';
import type { MaintenanceAnswer, MaintenanceCommand } from './maintenance-worker.ts';
import type { Migrations } from './migrate.ts';

/** Two wait for the disk side by side; more would only queue at the same disk. */
const THREADS = 2;
/** The threads hold a few connections and no data: without a limit their heaps would grow before they are tidied. */
const HEAP_LIMITS = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 64 };

/** Another process may write for so long to a file that is to be opened or written. The thread serves other files between the tries. */
export const LOCK_PATIENCE_MS = 5 * SECOND;
const LOCK_RETRY_MS = 50;

export interface Maintenance {
  /**
   * The bytes of the WAL where another process kept it from being emptied, else 0. Rejects with the thread's message and code.
   */
  run(command: MaintenanceCommand): Promise<number>;
  stop(): Promise<void>;
}

interface Thread {
  readonly worker: Worker;
  /** How many commands are not answered yet. */
  open: number;
}

/** A file that its thread works on, or has a connection to for the next command. */
interface FileInWork {
  readonly thread: Thread;
  open: number;
}

/** Once one of them is done, the thread has no connection to the file any more. */
const LAST_OF_FILE: ReadonlySet<MaintenanceCommand['verb']> = new Set(['opened', 'restart', 'closed']);

/** `keepsWal`: a replica is made of the files' WALs by another process, which empties them. */
export const createMaintenance = (migrations: Migrations, keepsWal = false): Maintenance => {
  const waiting = new Map<number, { resolve: (held: number) => void; reject: (error: Error) => void }>();
  const threads: Thread[] = [];
  const inWork = new Map<string, FileInWork>();
  let lastId = 0;
  let isStopped = false;

  const start = (): Thread => {
    const worker = new Worker(new URL('./maintenance-worker.ts', import.meta.url), {
      workerData: { migrations, keepsWal },
      resourceLimits: HEAP_LIMITS,
    });
    worker.on('message', ({ id, held, error }: MaintenanceAnswer) => {
      const waiter = waiting.get(id);
      waiting.delete(id);
      if (error === null) waiter?.resolve(held);
      else waiter?.reject(Object.assign(new Error(error.message), { code: error.code }));
    });
    const thread = { worker, open: 0 };
    threads.push(thread);
    return thread;
  };

  /** Another thread starts only where all others are at work: a daemon at rest has one. */
  const idlest = (): Thread => {
    const [first, ...others] = threads;
    const best = first && others.reduce((best, other) => (other.open < best.open ? other : best), first);
    return best && (best.open === 0 || threads.length === THREADS) ? best : start();
  };

  const runOnce = async (command: MaintenanceCommand): Promise<number> => {
    if (isStopped) throw new Error('the maintenance threads are stopped');
    const { path, verb } = command;
    const file = inWork.get(path) ?? { thread: idlest(), open: 0 };
    inWork.set(path, file);
    file.open += 1;
    file.thread.open += 1;
    lastId += 1;
    const id = lastId;
    let isReleased = false;
    try {
      const held = await new Promise<number>((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        file.thread.worker.postMessage({ ...command, id });
      });
      isReleased = LAST_OF_FILE.has(verb);
      return held;
    } finally {
      file.open -= 1;
      file.thread.open -= 1;
      if (isReleased && file.open === 0) inWork.delete(path);
    }
  };
  return {
    run: async (command) => {
      const until = performance.now() + LOCK_PATIENCE_MS;
      for (;;) {
        try {
          return await runOnce(command);
        } catch (error) {
          if (command.verb !== 'open' || !isLock(error) || performance.now() >= until) throw error;
        }
        await sleep(LOCK_RETRY_MS);
      }
    },
    stop: async () => {
      isStopped = true;
      await Promise.all(threads.map(({ worker }) => worker.terminate()));
    },
  };
};
