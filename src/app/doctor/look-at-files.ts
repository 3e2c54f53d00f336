// Asks the thread that looks at the databases (files-worker.ts), and ends it with the check.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { FilesAnswer, FilesQuestion } from './files-worker.ts';

/** Rejects where the thread fails, or `signal` aborts. */
export const lookAtFiles = async (question: FilesQuestion, signal: AbortSignal): Promise<FilesAnswer> => {
  const worker = new Worker(new URL('./files-worker.ts', import.meta.url), { workerData: question });
  try {
    const [answer] = await once(worker, 'message', { signal });
    return answer as FilesAnswer;
  } finally {
    await worker.terminate();
  }
};
