// Circuit breaker of one upstream: a state machine without timers; the present and chance are passed in.
//
// closed: everything may try. After `threshold` failures in a row it opens. open: nothing may try until the backoff is
// over. half-open: exactly one attempt, the probe, may try; its result closes the breaker, or opens it for the next,
// longer backoff.
//
// A failure is the upstream's own (outcome.ts: `upstream_failure`); any other verdict, a refused message included, shows
// that the upstream is alive and counts as success. A failed connect counts like any other failure: when no connection
// can be had, the client fails all that waits for it at once, so that a dead upstream reaches the threshold in one go
// under load, while one lost connect between two good ones moves nothing.
import { jitter, MINUTE, SECOND, toIsoOrNull } from '#src/kernel/time.ts';

export interface BreakerPolicy {
  /** Failures in a row that open the breaker. */
  readonly threshold: number;
  /** Milliseconds it stays open: the first time, the second, …; the last one from then on. */
  readonly backoff: readonly number[];
  /** Share by which each backoff is spread, so that several upstreams of one host are not probed in step. */
  readonly spread: number;
  /** Milliseconds after which a probe whose result was never told is taken for lost and another one may go. */
  readonly probeLease: number;
}

export const defaultBreakerPolicy: BreakerPolicy = {
  threshold: 3,
  // Mail should flow again soon after an outage; one connection every half minute hammers nobody.
  backoff: [1 * SECOND, 2 * SECOND, 5 * SECOND, 10 * SECOND, 20 * SECOND, 30 * SECOND],
  spread: 0.2,
  // Longer than the longest transaction: 10 minutes for the final dot (RFC 5321 §4.5.3.2.6) and the way there.
  probeLease: 30 * MINUTE,
};

type BreakerState = 'closed' | 'open' | 'half_open';

export interface Breaker {
  state(now: number): BreakerState;
  /** Whether an attempt may start. In `half_open` it is true once per probe: who asks and gets true must try. */
  mayTry(now: number): boolean;
  /** When the next probe may go; null while closed. */
  retryAt(): number | null;
  succeeded(): void;
  /** `random` is in [0, 1). */
  failed(now: number, random: number): void;
  describe(now: number): Readonly<{ state: BreakerState; failures: number; retry_at: string | null }>;
}

export const createBreaker = (policy: BreakerPolicy = defaultBreakerPolicy): Breaker => {
  let failures = 0;
  /** How often it opened since it was last closed. */
  let openings = 0;
  let openUntil: number | null = null;
  /** A clock set back must not keep it open for as long. */
  let openedAt = 0;
  let probeUntil: number | null = null;

  const state = (now: number): BreakerState => {
    if (openUntil === null) return 'closed';
    return now >= openedAt && now < openUntil ? 'open' : 'half_open';
  };

  const open = (now: number, random: number): void => {
    const step = policy.backoff[Math.min(openings, policy.backoff.length - 1)] ?? 0;
    openings += 1;
    openedAt = now;
    openUntil = now + jitter(step, policy.spread, random);
    probeUntil = null;
  };

  return {
    state,
    mayTry: (now) => {
      const current = state(now);
      if (current !== 'half_open') return current === 'closed';
      if (probeUntil !== null && now < probeUntil) return false;
      probeUntil = now + policy.probeLease;
      return true;
    },
    retryAt: () => openUntil,
    succeeded: () => {
      failures = 0;
      openings = 0;
      openUntil = null;
      probeUntil = null;
    },
    failed: (now, random) => {
      failures += 1;
      if (openUntil === null) {
        if (failures >= policy.threshold) open(now, random);
        return;
      }
      // While it is open, or half-open without a probe, this is a straggler that began before: no news.
      if (probeUntil !== null) open(now, random);
    },
    describe: (now) => ({ state: state(now), failures, retry_at: toIsoOrNull(openUntil) }),
  };
};
