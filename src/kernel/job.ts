// What a background job is: one value, listed in app.ts, run by kernel/runner.ts.
import type { Log } from './log.ts';

export interface Job {
  readonly name: string;
  /** Cron expression in UTC, five fields. */
  readonly schedule: string;
  /** Ends early when `signal` aborts; what it throws is logged and the job runs again at its next time. */
  readonly run: (signal: AbortSignal, log: Log) => Promise<void>;
}
