// Circuit breaker for something outside that may be down: an upstream, a scanner. A state machine without timers; time and
// chance are passed in.
//
// closed: everything may try. After `threshold` failures in a row it opens. open: nothing may try until the backoff is
// over. half-open: exactly one attempt, the probe, may try; its result closes the breaker, or opens it for the next,
// longer backoff.
//
// Only its own failure counts: an answer that shows that it works, a refusal included, is a success. When all that wait for it
// fail at once, the threshold is reached at once; a single failure between two successes changes nothing.
import { jitter, toIsoOrNull } from './time.ts';

export interface BreakerPolicy {
  /** Failures in a row that open the breaker. */
  readonly threshold: number;
  /** Milliseconds it stays open: the first time, the second, …; the last one from then on. */
  readonly backoff: readonly number[];
  /** Share by which each backoff is spread, so that several of one host are not probed in step. */
  readonly spread: number;
  /** Milliseconds after which a probe whose result was never reported is taken for lost and another one may go. */
  readonly probeLease: number;
}

type BreakerState = 'closed' | 'open' | 'half_open';

export interface Breaker {
  state(now: number): BreakerState;
  /** Whether an attempt may start. In `half_open` it is true once per probe: a caller that gets true must try. */
  mayTry(now: number): boolean;
  /** When the next probe may go; null while closed. */
  retryAt(): number | null;
  succeeded(): void;
  /** `random` is in [0, 1). */
  failed(now: number, random: number): void;
  describe(now: number): Readonly<{ state: BreakerState; failures: number; retry_at: string | null }>;
}

export const createBreaker = (policy: BreakerPolicy): Breaker => {
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
      // While it is open, or half-open without a probe, this attempt began before it opened: it proves nothing new.
      if (probeUntil !== null) open(now, random);
    },
    describe: (now) => ({ state: state(now), failures, retry_at: toIsoOrNull(openUntil) }),
  };
};
