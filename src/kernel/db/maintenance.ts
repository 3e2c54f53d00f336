// Runs commands on the maintenance threads. A file is always served by the same thread, so that its commands run in order and find
// the connections that an earlier command left open.
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

const threadOf = (path: string): number => {
  let hash = 0;
  for (let index = 0; index < path.length; index++) hash = (hash * 31 + path.charCodeAt(index)) | 0;
  return Math.abs(hash) % THREADS;
};

/** `keepsWal`: a replica is made of the files' WALs by another process, which empties them. */
export const createMaintenance = (migrations: Migrations, keepsWal = false): Maintenance => {
  const waiting = new Map<number, { resolve: (held: number) => void; reject: (error: Error) => void }>();
  let lastId = 0;
  const start = (): Worker => {
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
    return worker;
  };
  const workers = Array.from({ length: THREADS }, start);
  const runOnce = (command: MaintenanceCommand): Promise<number> =>
    new Promise((resolve, reject) => {
      lastId += 1;
      waiting.set(lastId, { resolve, reject });
      workers[threadOf(command.path)]?.postMessage({ ...command, id: lastId });
    });
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
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
};
