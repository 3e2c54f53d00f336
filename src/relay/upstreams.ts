// The upstreams of the configuration, each with its breaker: which one takes the next message, and how many messages may be in
// flight. The first of the list that works carries the mail; one that was set aside gets one message at a time as a probe.
import { type Breaker, type BreakerPolicy, createBreaker } from '#src/kernel/breaker.ts';
import type { Log } from '#src/kernel/log.ts';
import { type Clock, MINUTE, SECOND } from '#src/kernel/time.ts';
import type { Outcome } from './outcome.ts';
import type { Upstream } from './upstream.ts';

/**
 * What counts as a failure is decided in outcome.ts: `upstream_failure`. A failed connect counts like any other: when no
 * connection can be had, the client fails at once all messages that wait for it.
 */
export const upstreamBreakerPolicy: BreakerPolicy = {
  threshold: 3,
  // Mail should flow again soon after an outage; one connection every half minute is no burden.
  backoff: [1 * SECOND, 2 * SECOND, 5 * SECOND, 10 * SECOND, 20 * SECOND, 30 * SECOND],
  spread: 0.2,
  // Longer than the longest transaction: 10 minutes for the final dot (RFC 5321 §4.5.3.2.6), and what comes before it.
  probeLease: 30 * MINUTE,
};

export interface Candidate<U> {
  readonly upstream: U;
  /** It may be tried now (closed), tried once (half-open), or not at all (open until `retryAt`). */
  readonly state: 'closed' | 'half_open' | 'open';
  readonly retryAt: number | null;
}

export type Decision<U> =
  | { readonly kind: 'use'; readonly upstream: U }
  /** One message may find out whether it works again. */
  | { readonly kind: 'probe'; readonly upstream: U }
  /** None may be tried before `until`. */
  | { readonly kind: 'wait'; readonly until: number | null };

/** The first healthy one, because it bounds how much may be in flight; else the first that may be probed. */
export const decideUpstream = <U>(candidates: readonly Candidate<U>[]): Decision<U> => {
  const healthy = candidates.find(({ state }) => state === 'closed');
  if (healthy) return { kind: 'use', upstream: healthy.upstream };
  const probe = candidates.find(({ state }) => state === 'half_open');
  if (probe) return { kind: 'probe', upstream: probe.upstream };
  const times = candidates.flatMap(({ retryAt }) => (retryAt === null ? [] : [retryAt]));
  return { kind: 'wait', until: times.length === 0 ? null : Math.min(...times) };
};

export interface UpstreamChoice {
  readonly upstream: Upstream;
  /** Whether its 2xx to the final dot counts as delivery. */
  readonly acceptIsDelivery: boolean;
}

export interface Upstreams {
  /** How many messages may be in flight at `now` in all, less the `inFlight` that are. */
  capacity(inFlight: number, now: number): number;
  /** The upstream to try now; the caller must try it, and report the outcome. Null where none may be tried. */
  take(): UpstreamChoice | null;
  report(choice: UpstreamChoice, outcome: Outcome): void;
  /**
   * When one may be tried again; null where one may at `now`, or where that is not known. A caller that found no capacity asks
   * with the same `now`: a moment later the answer may be that there is nothing to wait for.
   */
  retryAt(now: number): number | null;
  describe(): readonly Readonly<Record<string, unknown>>[];
  stop(): Promise<void>;
}

interface GuardedUpstream extends UpstreamChoice {
  readonly breaker: Breaker;
  /** Messages taken and not reported yet. */
  busy: number;
}

export const createUpstreams = (choices: readonly UpstreamChoice[], clock: Clock, log: Log): Upstreams => {
  const guarded: readonly GuardedUpstream[] = choices.map((choice) => ({
    ...choice,
    breaker: createBreaker(upstreamBreakerPolicy),
    busy: 0,
  }));

  const decide = (now: number) =>
    decideUpstream(
      guarded.map((one) => ({
        upstream: one,
        state: one.breaker.state(now),
        retryAt: one.breaker.retryAt(),
      })),
    );

  return {
    capacity: (inFlight, now) => {
      const decision = decide(now);
      if (decision.kind === 'use') {
        const elsewhere = guarded.reduce((sum, one) => sum + (one === decision.upstream ? 0 : one.busy), 0);
        return Math.max(0, decision.upstream.upstream.concurrency - (inFlight - elsewhere));
      }
      // A probe goes alone; what is still in flight began before the failures.
      return decision.kind === 'probe' && inFlight === 0 ? 1 : 0;
    },
    // In the order of the list: one that was set aside gets its probe while a later one carries the mail. Otherwise it would
    // never be found to work again.
    take: () => {
      const choice = guarded.find(({ breaker }) => breaker.mayTry(clock.now()));
      if (choice) choice.busy += 1;
      return choice ?? null;
    },
    report: (choice, outcome) => {
      const found = guarded.find(({ upstream }) => upstream === choice.upstream);
      if (!found) return;
      found.busy -= 1;
      const { breaker, upstream } = found;
      const before = breaker.state(clock.now());
      if (outcome.kind === 'upstream_failure') breaker.failed(clock.now(), Math.random());
      else breaker.succeeded();
      const after = breaker.state(clock.now());
      if (before === after) return;
      const facts = { upstream: upstream.name, ...breaker.describe(clock.now()) };
      if (after === 'closed') log.info(facts, 'upstream is back');
      else
        log.warn(
          { ...facts, diagnostic: 'diagnostic' in outcome ? outcome.diagnostic : null },
          'upstream set aside',
        );
    },
    retryAt: (now) => {
      const decision = decide(now);
      return decision.kind === 'wait' ? decision.until : null;
    },
    describe: () =>
      guarded.map(({ upstream, breaker, acceptIsDelivery }) => ({
        name: upstream.name,
        kind: upstream.kind,
        // A capture mailbox delivers to no one.
        delivered_on: upstream.kind === 'capture' ? null : acceptIsDelivery ? 'accept' : 'dsn',
        ...breaker.describe(clock.now()),
        ...upstream.describe(),
      })),
    stop: async () => {
      await Promise.all(guarded.map(({ upstream }) => upstream.stop()));
    },
  };
};
