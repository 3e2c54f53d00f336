// Runs the jobs of the list at their times (node-cron), never one of them twice at once, and waits for them at the end.
import { type ScheduledTask, schedule } from 'node-cron';
import type { Job } from './job.ts';
import type { Log } from './log.ts';

export interface Runner {
  start(): void;
  stop(): Promise<void>;
}

export const createRunner = (jobs: readonly Job[], log: Log): Runner => {
  const abort = new AbortController();
  const running = new Map<string, Promise<void>>();
  const tasks: ScheduledTask[] = [];

  const run = (job: Job): void => {
    if (running.has(job.name)) return;
    const started = performance.now();
    const done = Promise.try(() => job.run(abort.signal, log))
      .then(
        () => log.debug({ job: job.name, ms: Math.round(performance.now() - started) }, 'job done'),
        (error) => log.error({ job: job.name, err: error }, 'job failed'),
      )
      .finally(() => running.delete(job.name));
    running.set(job.name, done);
  };

  return {
    start: () => {
      for (const job of jobs)
        tasks.push(schedule(job.schedule, () => run(job), { name: job.name, timezone: 'UTC' }));
    },
    stop: async () => {
      abort.abort();
      await Promise.all(tasks.map((task) => task.destroy()));
      await Promise.all(running.values());
    },
  };
};
