// The upstreams of the configuration, each with its breaker, and the paths that lead to them: which upstream takes the next
// message, and how many messages may be in flight. Mail that an upstream names goes to those that name it, in the order of the
// list, and after them to those that name nothing, which carry all other mail. The first of a path that works carries its mail;
// one that was set aside gets one message at a time as a probe. Mail to the simulator has a path of its own, which no upstream
// of the configuration is on.
import { type Breaker, type BreakerPolicy, createBreaker } from '#src/kernel/breaker.ts';
import { NO_NOTICES } from '#src/kernel/config/delivery.ts';
import type { Log } from '#src/kernel/log.ts';
import { type Lane, laneOf, type Stream } from '#src/kernel/stream.ts';
import { type Clock, MINUTE, SECOND } from '#src/kernel/time.ts';
import type { TenantLane } from './due-heap.ts';
import type { UpstreamHealth } from './health.ts';
import type { Outcome } from './outcome.ts';
import { createOutcomeCounts, type OutcomeCounts } from './outcome-counts.ts';
import type { Probe, UndeliveredReason, Upstream } from './upstream.ts';

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
  /** The upstream may be tried now (closed), tried once (half-open), or not at all (open until `retryAt`). */
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

/** What an upstream is for, as configured: mail of these streams and of these practices (ids or slugs); absent means any. */
export interface NamedMail {
  readonly streams?: readonly Stream[] | undefined;
  readonly practices?: readonly string[] | undefined;
}

export interface UpstreamEntry extends UpstreamChoice {
  /** Absent: all mail that no upstream names. */
  readonly for?: NamedMail | undefined;
  /** Set where recipients of its mail become `delivered` by notices (RFC 3464) alone: whether something here receives them. */
  readonly notices?: 'heard' | 'unheard' | undefined;
}

/** Null: one may, or it is not known yet. */
const whyNeverDelivered = ({ notices, upstream }: UpstreamEntry): UndeliveredReason | null => {
  if (notices === 'unheard') return 'no_listener';
  return notices === 'heard' && upstream.describe().dsn === false ? 'no_dsn' : null;
};

/** The upstreams that one kind of mail may use, in their order, and the places that this mail takes. */
export interface Path {
  /** How many more messages may be in flight at `now`. */
  capacity(now: number): number;
  /** Whether transactional mail may use the same upstream as this mail at `now`. */
  sharesWithTransactional(now: number): boolean;
  /** Messages in flight, and places kept for claims in progress. */
  readonly inFlight: number;
  occupy(places: number): void;
  /** Names of its upstreams, in their order. */
  upstreams(): readonly string[];
  /** The name of the first of these that works; all names where none does. */
  carriers(): readonly string[];
  /** Since when none of its upstreams works; null where one does. */
  asideSince(): number | null;
  /** The upstream to try now; the caller must try it, and report the outcome. Null where none may be tried. */
  take(): UpstreamChoice | null;
  report(choice: UpstreamChoice, outcome: Outcome): void;
  /**
   * When one may be tried again; null where one may at `now`, or where that is not known. A caller that found no capacity asks
   * with the same `now`: a moment later the answer may be that there is nothing to wait for.
   */
  retryAt(now: number): number | null;
}

/** An upstream as the operator sees it. */
export interface UpstreamState {
  readonly upstream: Upstream;
  readonly for: NamedMail | undefined;
  readonly state: Candidate<Upstream>['state'];
  /** Since when it is set aside; null where it is not. */
  readonly asideSince: number | null;
  readonly retryAt: number | null;
  /** The last failure of its own. */
  readonly lastFailure: { readonly at: number; readonly diagnostic: string } | null;
  readonly inFlight: number;
  readonly neverDelivered: UndeliveredReason | null;
  /** Since the start, by what its answers meant. */
  readonly outcomes: OutcomeCounts;
  readonly outcomesOfLastHour: OutcomeCounts;
}

export interface Upstreams {
  pathOf(of: TenantLane): Path;
  /** The path of mail to the simulator; it has no upstream before `simulateBy`. */
  readonly simulator: Path;
  /**
   * Whether addresses that are not ASCII can be sent to for that tenant: no upstream that its mail may go by is known not to offer
   * SMTPUTF8 (RFC 6531). One that was never reached is not known.
   */
  takesUtf8(tenantId: string): boolean;
  /** Asks those upstreams, where that is not known. Never rejects. */
  learnUtf8(tenantId: string): Promise<void>;
  simulateBy(upstream: Upstream): void;
  describe(): UpstreamHealth[];
  states(): readonly UpstreamState[];
  /** The upstream may be tried again at once, as if it had never failed. Undefined where none has that name. */
  reset(name: string): UpstreamState | undefined;
  /** Undefined where none has that name. */
  probe(name: string): Promise<Probe> | undefined;
  /** Asks the upstreams that notices are waited from whether they offer them, and warns of those that do not. */
  lookForNotices(): Promise<void>;
  stop(): Promise<void>;
}

interface GuardedUpstream extends UpstreamEntry {
  readonly breaker: Breaker;
  /** Messages taken and not reported yet. */
  busy: number;
  asideSince: number | null;
  /** The log says that it offers no notices. */
  isWarnedOf: boolean;
  lastFailure: UpstreamState['lastFailure'];
  readonly outcomes: ReturnType<typeof createOutcomeCounts>;
}

interface OpenPath extends Path {
  readonly guarded: GuardedUpstream[];
  /** Places of messages that no upstream has at the moment. */
  waiting(): number;
}

const guard = (entry: UpstreamEntry): GuardedUpstream => ({
  ...entry,
  breaker: createBreaker(upstreamBreakerPolicy),
  busy: 0,
  asideSince: null,
  isWarnedOf: false,
  lastFailure: null,
  outcomes: createOutcomeCounts(),
});

const names = ({ streams, practices }: NamedMail, lane: Lane, practice: readonly string[]): boolean =>
  (streams === undefined || streams.some((stream) => laneOf[stream] === lane)) &&
  (practices === undefined || practices.some((name) => practice.includes(name)));

const decide = (guarded: readonly GuardedUpstream[], now: number): Decision<GuardedUpstream> =>
  decideUpstream(
    guarded.map((one) => ({
      upstream: one,
      state: one.breaker.state(now),
      retryAt: one.breaker.retryAt(),
    })),
  );

/** `slugOf` is asked once for each practice, and only where upstreams name practices; null where it is not known. */
export const createUpstreams = (
  entries: readonly UpstreamEntry[],
  slugOf: (tenantId: string) => string | null,
  clock: Clock,
  log: Log,
): Upstreams => {
  const guarded = entries.map(guard);
  const paths = new Map<string, OpenPath>();
  const namesPractices = entries.some((entry) => entry.for?.practices !== undefined);

  const stopping = new AbortController();

  const warnWithoutNotices = (one: GuardedUpstream): void => {
    if (one.isWarnedOf || whyNeverDelivered(one) !== 'no_dsn') return;
    one.isWarnedOf = true;
    log.warn({ upstream: one.upstream.name }, NO_NOTICES);
  };

  const openPath = (ways: GuardedUpstream[]): OpenPath => {
    let inFlight = 0;
    let taken = 0;
    return {
      guarded: ways,
      get inFlight() {
        return inFlight;
      },
      waiting: () => Math.max(0, inFlight - taken),
      occupy: (places) => {
        inFlight += places;
      },
      capacity: (now) => {
        const decision = decide(ways, now);
        // A probe goes alone; what is still in flight began before the failures.
        if (decision.kind !== 'use') return decision.kind === 'probe' && inFlight === 0 ? 1 : 0;
        const chosen = decision.upstream;
        // What other paths have in preparation will go to the same upstream.
        const waiting = [...paths.values()].reduce((sum, path) => {
          const next = decide(path.guarded, now);
          return next.kind === 'use' && next.upstream === chosen ? sum + path.waiting() : sum;
        }, 0);
        return Math.max(0, chosen.upstream.concurrency - chosen.busy - waiting);
      },
      upstreams: () => ways.map(({ upstream }) => upstream.name),
      carriers: () => {
        const working = ways.find(({ asideSince }) => asideSince === null);
        return (working ? [working] : ways).map(({ upstream }) => upstream.name);
      },
      asideSince: () => {
        const times = ways.flatMap(({ asideSince }) => asideSince ?? []);
        return times.length > 0 && times.length === ways.length ? Math.max(...times) : null;
      },
      sharesWithTransactional: (now) => {
        const decision = decide(ways, now);
        return (
          decision.kind === 'wait' || decision.upstream.for?.streams?.includes('transactional') !== false
        );
      },
      // The order is that of the list: an upstream that was set aside gets its probe while a later one carries the mail.
      // Otherwise it would never be found to work again.
      take: () => {
        const choice = ways.find(({ breaker }) => breaker.mayTry(clock.now()));
        if (choice === undefined) return null;
        choice.busy += 1;
        taken += 1;
        return choice;
      },
      report: (choice, outcome) => {
        const found = ways.find(({ upstream }) => upstream === choice.upstream);
        if (!found) return;
        found.busy -= 1;
        taken -= 1;
        const { breaker, upstream } = found;
        const before = breaker.state(clock.now());
        found.outcomes.count(outcome.kind, clock.now());
        if (outcome.kind === 'upstream_failure') {
          breaker.failed(clock.now(), Math.random());
          found.lastFailure = { at: clock.now(), diagnostic: outcome.diagnostic };
        } else {
          breaker.succeeded();
          warnWithoutNotices(found);
        }
        const after = breaker.state(clock.now());
        found.asideSince = after === 'closed' ? null : (found.asideSince ?? clock.now());
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
        const decision = decide(ways, now);
        return decision.kind === 'wait' ? decision.until : null;
      },
    };
  };

  /** Mail with the same upstreams in the same order shares a path. */
  const pathFor = (lane: Lane, practice: readonly string[]): OpenPath => {
    const naming = guarded.filter((one) => one.for !== undefined && names(one.for, lane, practice));
    const key = naming.map(({ upstream }) => upstream.name).join(' ');
    const known = paths.get(key);
    if (known) return known;
    const path = openPath([...naming, ...guarded.filter((one) => one.for === undefined)]);
    paths.set(key, path);
    return path;
  };
  const pathsFor = (practice: readonly string[]): Readonly<Record<Lane, OpenPath>> => ({
    0: pathFor(0, practice),
    1: pathFor(1, practice),
  });
  const ofAnyPractice = pathsFor([]);
  const ofPractice = new Map<string, Readonly<Record<Lane, OpenPath>>>();
  const simulator = openPath([]);
  const named = (name: string) => guarded.find(({ upstream }) => upstream.name === name);
  const stateOf = (one: GuardedUpstream): UpstreamState => ({
    upstream: one.upstream,
    for: one.for,
    state: one.breaker.state(clock.now()),
    asideSince: one.asideSince,
    retryAt: one.breaker.retryAt(),
    lastFailure: one.lastFailure,
    inFlight: one.busy,
    neverDelivered: whyNeverDelivered(one),
    outcomes: one.outcomes.sinceStart(),
    outcomesOfLastHour: one.outcomes.lastHour(clock.now()),
  });

  const pathsOf = (tenantId: string): Readonly<Record<Lane, OpenPath>> => {
    if (!namesPractices) return ofAnyPractice;
    const known = ofPractice.get(tenantId);
    if (known) return known;
    const slug = slugOf(tenantId);
    const found = pathsFor(slug === null ? [tenantId] : [tenantId, slug]);
    if (slug !== null) ofPractice.set(tenantId, found);
    return found;
  };
  const waysOf = (tenantId: string): Upstream[] =>
    Object.values(pathsOf(tenantId)).flatMap((path) => path.guarded.map(({ upstream }) => upstream));

  return {
    pathOf: ({ tenantId, lane }) => pathsOf(tenantId)[lane],
    takesUtf8: (tenantId) => waysOf(tenantId).every(({ smtpUtf8 }) => smtpUtf8 !== false),
    learnUtf8: async (tenantId) => {
      await Promise.all(waysOf(tenantId).map((upstream) => upstream.learn()));
    },
    simulator,
    simulateBy: (upstream) => {
      simulator.guarded.splice(0, Infinity, guard({ upstream, acceptIsDelivery: false }));
    },
    states: () => guarded.map(stateOf),
    reset: (name) => {
      const found = named(name);
      if (!found) return undefined;
      found.breaker.succeeded();
      found.asideSince = null;
      return stateOf(found);
    },
    probe: (name) => named(name)?.upstream.probe(),
    lookForNotices: async () => {
      const waited = guarded.filter(({ notices }) => notices === 'heard');
      await Promise.all(
        waited.map(async (one) => {
          await one.upstream.probe(stopping.signal);
          warnWithoutNotices(one);
        }),
      );
    },
    describe: () =>
      guarded.map((one) => ({
        name: one.upstream.name,
        kind: one.upstream.kind,
        // A capture mailbox delivers to no one.
        delivered_on: one.upstream.kind === 'capture' ? null : one.acceptIsDelivery ? 'accept' : 'dsn',
        never_delivered: whyNeverDelivered(one),
        ...one.breaker.describe(clock.now()),
        dsn: one.upstream.describe().dsn ?? null,
      })),
    stop: async () => {
      stopping.abort();
      await Promise.all([...guarded, ...simulator.guarded].map(({ upstream }) => upstream.stop()));
    },
  };
};
