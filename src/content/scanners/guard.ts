// Guards one scanner. It limits the questions in flight, lets others wait, and gives each question a timeout. After several
// failures in a row it asks nothing for some seconds, so that a dead scanner does not delay each message; then one question
// finds out whether the scanner works again.
//
// No connection, no answer in time and an invalid answer are failures. Content that the scanner cannot scan (too large, for
// example) is none: otherwise one sender could switch the scanner off for all.
//
// Questions beyond the limit of waiting ones are refused even if content may pass without scanners, because a flood must not
// evade them.
import { z } from 'zod';
import { createBreaker } from '#src/kernel/breaker.ts';
import { limitConcurrency } from '#src/kernel/concurrency.ts';
import { AppError } from '#src/kernel/errors.ts';
import { healthPart } from '#src/kernel/health.ts';
import type { Log } from '#src/kernel/log.ts';
import { say } from '#src/kernel/say.ts';
import { type Clock, MINUTE, SECOND, toIsoOrNull } from '#src/kernel/time.ts';

/** How many questions may wait for each one in flight. */
const WAITING_PER_PLACE = 8;
const BUSY_RETRY_SECONDS = 2;

const breakerPolicy = {
  threshold: 3,
  // The times are short, because content passes unscanned or is refused while the breaker is open.
  backoff: [2 * SECOND, 5 * SECOND, 10 * SECOND, 20 * SECOND],
  spread: 0.2,
  // The lease is longer than any timeout.
  probeLease: 2 * MINUTE,
} as const;

const stateSchema = z.object({
  name: z.string(),
  state: z
    .enum(['off', 'ok', 'failing'])
    .describe(
      'failing: it does not answer, and is left out until it does; or the list of hosts is not usable',
    ),
});

const healthSchema = z.object({
  ...stateSchema.shape,
  failures: z.int().describe('in a row'),
  last_failure_at: z.iso.datetime().nullable().describe('since the start'),
});

export type ScannerHealth = Readonly<z.output<typeof healthSchema>>;

export const scannersHealth = (now: () => ScannerHealth[]) =>
  healthPart({
    schema: z.array(healthSchema),
    now,
    state: (scanners) => (scanners.some(({ state }) => state === 'failing') ? 'degraded' : 'ok'),
    shown: z.array(stateSchema),
  });

export interface Guard {
  /**
   * Resolves with the result of `work`, or null if it rejects, is too late, or is not started because the scanner fails.
   * `work` must end when its signal aborts. Rejects with `unavailable` if too many wait.
   */
  ask<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T | null>;
  health(): ScannerHealth;
}

/** A scanner that is asked through a guard. */
export interface Scanner<Question, Report> {
  /** Rejects only with `unavailable`. */
  scan(question: Question): Promise<Report>;
  /** Checks whether it answers. */
  probe(): Promise<void>;
  health(): ScannerHealth;
  /** Cancels the questions in flight. */
  stop(): void;
}

/** Rejects and aborts the signal after the given time, even if `work` ignores the signal. */
const withinTime = async <T>(work: (signal: AbortSignal) => Promise<T>, milliseconds: number): Promise<T> => {
  const abort = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const reason = new Error(`no answer within ${milliseconds} ms`);
      abort.abort(reason);
      reject(reason);
    }, milliseconds);
  });
  try {
    return await Promise.race([work(abort.signal), late]);
  } finally {
    clearTimeout(timer);
  }
};

/** `name` is shown in health and in the log, `places` is the number of questions in flight, and `timeout` the ms for one
 * question without the time that it waits. */
export const createGuard = ({
  name,
  places,
  timeout,
  clock,
  log,
}: {
  readonly name: string;
  readonly places: number;
  readonly timeout: number;
  readonly clock: Clock;
  readonly log: Log;
}): Guard => {
  const breaker = createBreaker(breakerPolicy);
  const inPlace = limitConcurrency(places);
  let inFlight = 0;
  let lastFailureAt: number | null = null;

  const isBack = (): void => {
    if (breaker.state(clock.now()) !== 'closed') log.info({ scanner: name }, 'scanner is back');
    breaker.succeeded();
  };
  const hasFailed = (error: unknown): void => {
    lastFailureAt = clock.now();
    breaker.failed(lastFailureAt, Math.random());
    log.warn({ scanner: name, err: error, ...breaker.describe(lastFailureAt) }, 'scanner failed');
  };
  const attempt = async <T>(work: (signal: AbortSignal) => Promise<T>): Promise<T | null> => {
    if (!breaker.mayTry(clock.now())) return null;
    try {
      const answer = await withinTime(work, timeout);
      isBack();
      return answer;
    } catch (error) {
      hasFailed(error);
      return null;
    }
  };

  return {
    ask: async (work) => {
      if (breaker.state(clock.now()) === 'open') return null;
      if (inFlight >= places * (1 + WAITING_PER_PLACE)) {
        throw new AppError('unavailable', say`Too many messages wait for a scanner.`, {
          extra: { retry_after: BUSY_RETRY_SECONDS },
        });
      }
      inFlight += 1;
      try {
        return await inPlace(() => attempt(work));
      } finally {
        inFlight -= 1;
      }
    },
    health: () => {
      const { state, failures } = breaker.describe(clock.now());
      return {
        name,
        state: state === 'closed' ? 'ok' : 'failing',
        failures,
        last_failure_at: toIsoOrNull(lastFailureAt),
      };
    },
  };
};
