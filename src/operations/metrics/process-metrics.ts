// What the daemon says of itself as a process: which version runs since when, how late its event loop is, and the errors of its log.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Base } from '#src/kernel/base.ts';
import { type Metric, readMetric, SHORT_SECONDS, timed } from '#src/kernel/metrics.ts';
import { SECOND, systemClock } from '#src/kernel/time.ts';

/** How often node looks; a shorter delay than this is not seen. */
const LOOK_MS = 10;
const NANOSECONDS = 1e9;

export const createProcessMetrics = ({ version, log }: Pick<Base, 'version' | 'log'>) => {
  const startedAt = systemClock.now() / SECOND;
  const lag = timed(
    {
      name: 'sendwerk_event_loop_lag_seconds',
      help: 'The longest delay of the event loop in each second.',
      buckets: SHORT_SECONDS,
    },
    {},
  );
  const metrics: readonly Metric[] = [
    readMetric({
      kind: 'gauge',
      name: 'sendwerk_build_info',
      help: 'The version that runs; always 1.',
      labels: ['version'],
      read: () => [[1, { version }]],
    }),
    readMetric({
      kind: 'gauge',
      name: 'sendwerk_start_time_seconds',
      help: 'When the daemon was started. An error that no one catches ends it, so that this time changes.',
      read: () => [[startedAt]],
    }),
    lag.metric,
    readMetric({
      kind: 'counter',
      name: 'sendwerk_log_errors_total',
      help: 'Lines of the log at the level error or fatal.',
      read: () => [[log.errorLines?.() ?? 0]],
    }),
  ];
  let delay: ReturnType<typeof monitorEventLoopDelay> | undefined;
  let timer: NodeJS.Timeout | undefined;
  const start = (): void => {
    delay = monitorEventLoopDelay({ resolution: LOOK_MS });
    delay.enable();
    timer = setInterval(() => {
      if (delay === undefined) return;
      // node counts from one look to the next.
      if (delay.count > 0) lag.note?.({}, Math.max(0, delay.max / NANOSECONDS - LOOK_MS / SECOND));
      delay.reset();
    }, SECOND).unref();
  };
  return {
    metrics,
    start,
    stop: (): void => {
      clearInterval(timer);
      delay?.disable();
    },
  };
};
