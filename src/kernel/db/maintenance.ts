// Runs commands on the maintenance threads. A file is always served by the same thread, so that its commands run in order and find
// the connections that an earlier command left open.
import { Worker } from 'node:worker_threads';
import type { MaintenanceAnswer, MaintenanceCommand } from './maintenance-worker.ts';
import type { Migrations } from './migrate.ts';

/** Two wait for the disk side by side; more would only queue at the same disk. */
const THREADS = 2;
/** They hold a few connections and no data: without a limit their heaps would grow before they are tidied. */
const HEAP_LIMITS = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 64 };

export interface Maintenance {
  /** Rejects with the thread's message and code. */
  run(command: MaintenanceCommand): Promise<void>;
  stop(): Promise<void>;
}

const threadOf = (path: string): number => {
  let hash = 0;
  for (let index = 0; index < path.length; index++) hash = (hash * 31 + path.charCodeAt(index)) | 0;
  return Math.abs(hash) % THREADS;
};

export const createMaintenance = (migrations: Migrations): Maintenance => {
  const waiting = new Map<number, { resolve: () => void; reject: (error: Error) => void }>();
  let lastId = 0;
  const start = (): Worker => {
    const worker = new Worker(new URL('./maintenance-worker.ts', import.meta.url), {
      workerData: { migrations },
      resourceLimits: HEAP_LIMITS,
    });
    worker.on('message', ({ id, error }: MaintenanceAnswer) => {
      const waiter = waiting.get(id);
      waiting.delete(id);
      if (error === null) waiter?.resolve();
      else waiter?.reject(Object.assign(new Error(error.message), { code: error.code }));
    });
    return worker;
  };
  const workers = Array.from({ length: THREADS }, start);
  return {
    run: (command) =>
      new Promise((resolve, reject) => {
        lastId += 1;
        waiting.set(lastId, { resolve, reject });
        workers[threadOf(command.path)]?.postMessage({ ...command, id: lastId });
      }),
    stop: async () => {
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
};
