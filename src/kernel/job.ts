// Background jobs: what one is, and the runner that runs each of them at its times (node-cron), never one of them twice at
// once, and waits for them at the end.
import { type ScheduledTask, schedule } from 'node-cron';
import type { Log } from './log.ts';

export interface Job {
  readonly name: string;
  /** Cron expression in UTC, five fields. */
  readonly schedule: string;
  /** Ends early when `signal` aborts; what it throws is logged and the job runs again at its next time. */
  readonly run: (signal: AbortSignal, log: Log) => Promise<void>;
}

export interface Runner {
  start(): void;
  /** Runs a job at once, or joins the run in progress; resolves when that has ended, with success or not. */
  runNow(name: string): Promise<void>;
  stop(): Promise<void>;
}

export const createRunner = (jobs: readonly Job[], log: Log): Runner => {
  const abort = new AbortController();
  const running = new Map<string, Promise<void>>();
  const tasks: ScheduledTask[] = [];

  const run = (job: Job): Promise<void> => {
    const current = running.get(job.name);
    if (current !== undefined) return current;
    const started = performance.now();
    const done = Promise.try(() => job.run(abort.signal, log))
      .then(
        () => log.debug({ job: job.name, ms: Math.round(performance.now() - started) }, 'job done'),
        (error) => log.error({ job: job.name, err: error }, 'job failed'),
      )
      .finally(() => running.delete(job.name));
    running.set(job.name, done);
    return done;
  };

  return {
    start: () => {
      for (const job of jobs)
        tasks.push(schedule(job.schedule, () => void run(job), { name: job.name, timezone: 'UTC' }));
    },
    runNow: async (name) => {
      const job = jobs.find((one) => one.name === name);
      if (job === undefined) throw new Error(`there is no job ${JSON.stringify(name)}`);
      await run(job);
    },
    stop: async () => {
      abort.abort();
      await Promise.all(tasks.map((task) => task.destroy()));
      await Promise.all(running.values());
    },
  };
};
