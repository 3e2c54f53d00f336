// What stands between the service and one scanner. So many questions at a time, the others wait; each has a time by which
// it must be answered. After several failures in a row nothing is asked for some seconds, so that a dead scanner does not
// cost each message its time; then one question finds out whether it is back.
//
// A failure is the scanner's: no connection, no answer in time, no sense in it. That it cannot look at one content (too
// large, say) is an answer: else whoever sends such content could switch it off for everybody.
//
// More questions than may wait are refused, whatever is done when it fails: a flood must not be a way past it.
import { createBreaker } from '#src/kernel/breaker.ts';
import { limitConcurrency } from '#src/kernel/concurrency.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Log } from '#src/kernel/log.ts';
import { type Clock, MINUTE, SECOND, toIsoOrNull } from '#src/kernel/time.ts';

/** For each place, so many may wait for it. */
const WAITING_PER_PLACE = 8;
const BUSY_RETRY_SECONDS = 2;

const breakerPolicy = {
  threshold: 3,
  // Content passes unseen or is refused while it is open: it should not stay so for long.
  backoff: [2 * SECOND, 5 * SECOND, 10 * SECOND, 20 * SECOND],
  spread: 0.2,
  // Longer than any answer may take.
  probeLease: 2 * MINUTE,
} as const;

export interface GuardOptions {
  /** For health and log. */
  readonly name: string;
  readonly places: number;
  /** ms for one question, waiting for its turn aside. */
  readonly timeout: number;
  readonly clock: Clock;
  readonly log: Log;
}

export interface ScannerHealth {
  readonly name: string;
  /** `failing`: nothing is asked for the time being, because it failed several times in a row. */
  readonly state: 'off' | 'ok' | 'failing';
  /** In a row. */
  readonly failures: number;
  readonly last_failure_at: string | null;
}

export interface Guard {
  /**
   * What `work` resolves with; null where it rejects, is too late, or is not begun because the scanner fails. `work` must
   * end when its signal aborts. Rejects with `unavailable` where too many wait.
   */
  ask<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T | null>;
  health(): ScannerHealth;
}

/** As `work` does, unless its time is over before: then the signal aborts, and it rejects whatever `work` does. */
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

export const createGuard = ({ name, places, timeout, clock, log }: GuardOptions): Guard => {
  const breaker = createBreaker(breakerPolicy);
  const inPlace = limitConcurrency(places);
  let underWay = 0;
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
      if (underWay >= places * (1 + WAITING_PER_PLACE)) {
        throw new AppError('unavailable', 'Too many messages wait to be looked at.', {
          extra: { retry_after: BUSY_RETRY_SECONDS },
        });
      }
      underWay += 1;
      try {
        return await inPlace(() => attempt(work));
      } finally {
        underWay -= 1;
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
