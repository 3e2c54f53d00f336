// The upstreams of the configuration with their breakers: which one takes the next message, and how many at once.

import { type Breaker, type BreakerPolicy, createBreaker } from '#src/kernel/breaker.ts';
import type { Log } from '#src/kernel/log.ts';
import { type Clock, MINUTE, SECOND } from '#src/kernel/time.ts';
import type { Outcome } from './outcome.ts';
import { type Candidate, chooseUpstream } from './routing.ts';
import type { Upstream } from './upstream.ts';

/**
 * A failure is the upstream's own (outcome.ts: `upstream_failure`). A failed connect counts like any other: when no
 * connection can be had, the client fails all that waits for it at once.
 */
export const upstreamBreakerPolicy: BreakerPolicy = {
  threshold: 3,
  // Mail should flow again soon after an outage; one connection every half minute hammers nobody.
  backoff: [1 * SECOND, 2 * SECOND, 5 * SECOND, 10 * SECOND, 20 * SECOND, 30 * SECOND],
  spread: 0.2,
  // Longer than the longest transaction: 10 minutes for the final dot (RFC 5321 §4.5.3.2.6) and the way there.
  probeLease: 30 * MINUTE,
};

export interface WayOut {
  readonly upstream: Upstream;
  /** Whether its 2xx to the final dot counts as delivery. */
  readonly acceptIsDelivery: boolean;
}

export interface WaysOut {
  /** How many messages may be under way at `now`, given that `inFlight` are. */
  capacity(inFlight: number, now: number): number;
  /** The one to try now, which must then be tried; null where none may. */
  take(): WayOut | null;
  /** What came of it. */
  report(way: WayOut, outcome: Outcome): void;
  /**
   * When one may be tried again; null where one may at `now`, or where that is not known. Whoever was told of no capacity
   * asks with the same `now`: a moment later the answer may be that there is nothing to wait for.
   */
  retryAt(now: number): number | null;
  describe(): readonly Readonly<Record<string, unknown>>[];
  stop(): Promise<void>;
}

interface Guarded extends WayOut {
  readonly breaker: Breaker;
  /** Taken and not reported yet. */
  busy: number;
}

export const createWaysOut = (ways: readonly WayOut[], clock: Clock, log: Log): WaysOut => {
  const guarded: readonly Guarded[] = ways.map((way) => ({
    ...way,
    breaker: createBreaker(upstreamBreakerPolicy),
    busy: 0,
  }));

  const choose = (now: number) =>
    chooseUpstream(
      guarded.map(
        (way): Candidate<Guarded> => ({
          upstream: way,
          state: way.breaker.state(now),
          retryAt: way.breaker.retryAt(),
        }),
      ),
    );

  return {
    capacity: (inFlight, now) => {
      const choice = choose(now);
      if (choice.kind === 'use') {
        const elsewhere = guarded.reduce((sum, way) => sum + (way === choice.upstream ? 0 : way.busy), 0);
        return Math.max(0, choice.upstream.upstream.concurrency - (inFlight - elsewhere));
      }
      // One alone finds out whether it is back; what is still under way began before.
      return choice.kind === 'probe' && inFlight === 0 ? 1 : 0;
    },
    // In the order of the list: one set aside gets its probe while a later one carries the mail, or it would never
    // be found to be back.
    take: () => {
      const way = guarded.find(({ breaker }) => breaker.mayTry(clock.now()));
      if (way) way.busy += 1;
      return way ?? null;
    },
    report: (way, outcome) => {
      const found = guarded.find(({ upstream }) => upstream === way.upstream);
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
      const choice = choose(now);
      return choice.kind === 'wait' ? choice.until : null;
    },
    describe: () =>
      guarded.map(({ upstream, breaker, acceptIsDelivery }) => ({
        name: upstream.name,
        kind: upstream.kind,
        // A capture mailbox delivers to nobody.
        delivered_on: upstream.kind === 'capture' ? null : acceptIsDelivery ? 'accept' : 'dsn',
        ...breaker.describe(clock.now()),
        ...upstream.describe(),
      })),
    stop: async () => {
      await Promise.all(guarded.map(({ upstream }) => upstream.stop()));
    },
  };
};
