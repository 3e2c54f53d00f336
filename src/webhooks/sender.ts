// Which of the claimed deliveries is sent now. Webhooks that wait take turns, so that none waits for another's receiver:
// each has few requests under way, a tenant's together have a share of the places, and receivers that are slow, or of which
// nothing is known yet, have half of them. What is claimed waits in memory, within bounds for deliveries and bytes.
import type { OutboundOutcome } from '#src/kernel/outbound/outbound.ts';
import type { Clock } from '#src/kernel/time.ts';
import {
  claimsOf,
  givesBack,
  isHeld,
  placesOf,
  type Standing,
  standingAfter,
  unknownStanding,
} from './standing.ts';

/** A claimed delivery, as far as it matters here. */
export interface Sendable {
  /** Of the delivery in the tenant's file. */
  readonly seq: number;
  readonly webhookId: string;
  readonly body: string;
}

export interface SenderDeps<D extends Sendable> {
  readonly clock: Clock;
  /** Never rejects. */
  readonly post: (tenantId: string, delivery: D) => Promise<OutboundOutcome>;
  /** Writes down what came of it. Never rejects; calls `onFailed` after each try that failed. */
  readonly settle: (
    tenantId: string,
    delivery: D,
    outcome: OutboundOutcome,
    onFailed: () => void,
  ) => Promise<void>;
  /** Of deliveries that were claimed and are not sent. Never rejects. */
  readonly giveBack: (tenantId: string, deliveries: readonly D[]) => Promise<void>;
  /** There is room for deliveries of a tenant that was turned away. */
  readonly wake: (tenantId: string) => void;
}

export interface Sender<D extends Sendable> {
  /** How many more deliveries of a webhook may be claimed now. A tenant turned away for others' sake is woken later. */
  room(tenantId: string, webhookId: string): number;
  /** This process works on it. */
  isInFlight(tenantId: string, seq: number): boolean;
  /** They have been claimed, in a transaction that is not on the disk yet. */
  reserve(tenantId: string, deliveries: readonly D[]): void;
  /** Those reserved, in their order, now that the claim is on the disk. */
  send(tenantId: string, deliveries: readonly D[]): void;
  /** Those reserved, of a claim that failed. */
  drop(tenantId: string, deliveries: readonly D[]): void;
  /** The receiver of a webhook is spared no longer: somebody has seen it answer well, or expects it to. */
  spareNoLonger(tenantId: string, webhookId: string): void;
  /** What waits for a webhook is given back: it has become another, or is gone, and nothing is known of its receiver any more. */
  beginAnew(tenantId: string, webhookId: string): void;
  /** When the first webhook of a tenant that is spared may be tried again; null where none is. */
  spareUntil(tenantId: string): number | null;
  facts(): { in_flight: number; waiting: number; unsettled: number };
  /** Sends nothing more and gives back what waits. Resolves when what is under way has ended. */
  stop(): Promise<void>;
}

interface Receiver<D> {
  readonly tenantId: string;
  readonly webhookId: string;
  standing: Standing;
  readonly queue: D[];
  underWay: number;
  /** Under way, waiting, or about to be. */
  claimed: number;
}

interface Tenant<D> {
  readonly receivers: Map<string, Receiver<D>>;
  readonly seqs: Set<number>;
  underWay: number;
  claimed: number;
  unsettled: number;
}

/** Requests at a time, in all. */
const PLACES = 256;
const PLACES_PER_TENANT = PLACES / 4;
const SLOW_PLACES = PLACES / 2;
/** Claimed deliveries in all: enough to keep all places busy while the next are claimed. */
const CLAIMS = 2_048;
const CLAIMS_PER_TENANT = CLAIMS / 4;
const SLOW_CLAIMS = CLAIMS / 2;
/** Of a tenant at a time, but for one of each webhook, some 100 µs each: what is committed brings the next turn. */
const CLAIMS_AT_ONCE = 64;
const LEAST_CLAIMS = 1;
const CLAIMED_BYTES = 16 * 1_024 * 1_024;
/** What is known of more receivers is forgotten once they are idle. */
const KNOWN_RECEIVERS = 50_000;
/** Tenants woken at a time when there is room again: each looks at its file. */
const WOKEN = 16;

export const createSender = <D extends Sendable>(deps: SenderDeps<D>): Sender<D> => {
  const { clock } = deps;
  const tenants = new Map<string, Tenant<D>>();
  /** With something to send, in the order of their turns; slow ones apart, since theirs may come late. */
  const waiting = { quick: new Set<Receiver<D>>(), slow: new Set<Receiver<D>>() };
  /** Tenants whose deliveries found no room because of others': of all, or of slow ones. */
  const turnedAway = { all: new Set<string>(), slow: new Set<string>() };
  const underWay = new Set<Promise<void>>();
  const total = { places: 0, slowPlaces: 0, claims: 0, slowClaims: 0, bytes: 0, receivers: 0, unsettled: 0 };
  let stopped = false;

  const tenantOf = (tenantId: string): Tenant<D> => {
    const present = tenants.get(tenantId);
    if (present) return present;
    const made = { receivers: new Map(), seqs: new Set<number>(), underWay: 0, claimed: 0, unsettled: 0 };
    tenants.set(tenantId, made);
    return made;
  };
  const receiverOf = (tenantId: string, webhookId: string): Receiver<D> => {
    const { receivers } = tenantOf(tenantId);
    const present = receivers.get(webhookId);
    if (present) return present;
    const made = { tenantId, webhookId, standing: unknownStanding, queue: [], underWay: 0, claimed: 0 };
    receivers.set(webhookId, made);
    total.receivers += 1;
    return made;
  };
  const standingOf = (tenantId: string, webhookId: string): Standing =>
    tenants.get(tenantId)?.receivers.get(webhookId)?.standing ?? unknownStanding;

  const forgetIdle = (receiver: Receiver<D>, kept = KNOWN_RECEIVERS): void => {
    const { tenantId, webhookId, claimed, standing } = receiver;
    if (claimed > 0 || total.receivers <= kept || isHeld(standing, clock.now())) return;
    const tenant = tenantOf(tenantId);
    // Another may stand in its place by now.
    if (tenant.receivers.get(webhookId) !== receiver) return;
    tenant.receivers.delete(webhookId);
    total.receivers -= 1;
    if (tenant.receivers.size === 0 && tenant.seqs.size === 0) tenants.delete(tenantId);
  };

  const countClaim = (receiver: Receiver<D>, delivery: D, by: 1 | -1): void => {
    receiver.claimed += by;
    tenantOf(receiver.tenantId).claimed += by;
    total.claims += by;
    if (receiver.standing.slow) total.slowClaims += by;
    total.bytes += by * delivery.body.length;
  };
  const countPlace = (receiver: Receiver<D>, by: 1 | -1): void => {
    receiver.underWay += by;
    tenantOf(receiver.tenantId).underWay += by;
    total.places += by;
    if (receiver.standing.slow) total.slowPlaces += by;
  };
  /** What it has under way and claimed changes sides with it. */
  const stand = (receiver: Receiver<D>, standing: Standing): void => {
    const { slow } = receiver.standing;
    receiver.standing = standing;
    if (standing.slow === slow) return;
    const sign = standing.slow ? 1 : -1;
    total.slowPlaces += sign * receiver.underWay;
    total.slowClaims += sign * receiver.claimed;
    line(receiver);
  };

  /** In the line it belongs to, at its end, or in none. */
  const line = (receiver: Receiver<D>): void => {
    waiting.quick.delete(receiver);
    waiting.slow.delete(receiver);
    if (receiver.queue.length > 0) waiting[receiver.standing.slow ? 'slow' : 'quick'].add(receiver);
  };

  const hasPlace = (receiver: Receiver<D>): boolean =>
    receiver.underWay < placesOf(receiver.standing) &&
    tenantOf(receiver.tenantId).underWay < PLACES_PER_TENANT;

  const serve = (receivers: ReadonlySet<Receiver<D>>, isFull: () => boolean): void => {
    for (const receiver of receivers) {
      if (isFull()) return;
      if (!hasPlace(receiver)) continue;
      const delivery = receiver.queue.shift();
      line(receiver);
      if (delivery !== undefined) begin(receiver, delivery);
    }
  };
  const pump = (): void => {
    if (stopped) return;
    serve(waiting.slow, () => total.slowPlaces >= SLOW_PLACES || total.places >= PLACES);
    serve(waiting.quick, () => total.places >= PLACES);
  };

  const begin = (receiver: Receiver<D>, delivery: D): void => {
    countPlace(receiver, 1);
    track(attempt(receiver, delivery));
  };
  const track = (work: Promise<void>): void => {
    const ended = work.finally(() => underWay.delete(ended));
    underWay.add(ended);
  };

  /** Never rejects. */
  const attempt = async (receiver: Receiver<D>, delivery: D): Promise<void> => {
    const { tenantId } = receiver;
    const started = performance.now();
    const outcome = await deps.post(tenantId, delivery);
    countPlace(receiver, -1);
    stand(receiver, standingAfter(receiver.standing, outcome, performance.now() - started, clock.now()));
    if (hasTooMany(receiver)) track(takeBack(receiver));
    pump();
    const tenant = tenantOf(tenantId);
    let counted = true;
    /** What it takes is the next one's, also where its outcome cannot be stored yet. */
    const free = (): void => {
      if (counted) countClaim(receiver, delivery, -1);
      counted = false;
    };
    const unsettled = (by: 1 | -1): void => {
      tenant.unsettled += by;
      total.unsettled += by;
    };
    await deps.settle(tenantId, delivery, outcome, () => {
      if (counted) unsettled(1);
      free();
      wakeTurnedAway();
    });
    if (!counted) unsettled(-1);
    free();
    end(receiver, [delivery]);
  };

  const end = (receiver: Receiver<D>, deliveries: readonly D[]): void => {
    const { tenantId } = receiver;
    for (const { seq } of deliveries) tenantOf(tenantId).seqs.delete(seq);
    forgetIdle(receiver);
    if (!stopped) deps.wake(tenantId);
    wakeTurnedAway();
  };

  const hasTooMany = ({ standing, claimed, queue }: Receiver<D>): boolean =>
    queue.length > 0 &&
    (stopped ||
      isHeld(standing, clock.now()) ||
      (givesBack(standing, clock.now()) && claimed > claimsOf(standing)));

  /** What waits behind those that failed would only meet the same fault. */
  const takeBack = async (receiver: Receiver<D>): Promise<void> => {
    const deliveries = receiver.queue.splice(0);
    line(receiver);
    await deps.giveBack(receiver.tenantId, deliveries);
    for (const delivery of deliveries) countClaim(receiver, delivery, -1);
    end(receiver, deliveries);
  };

  const isFull = (): boolean => total.claims >= CLAIMS || total.bytes >= CLAIMED_BYTES;
  const isFullOfSlow = (): boolean => isFull() || total.slowClaims >= SLOW_CLAIMS;

  const wakeTurnedAway = (): void => {
    if (stopped || isFull()) return;
    wakeSome(turnedAway.all);
    if (!isFullOfSlow()) wakeSome(turnedAway.slow);
  };
  /** Where little is claimed no end of others' may come that wakes the rest. */
  const wakeSome = (turned: Set<string>): void => {
    let left = total.claims < SLOW_CLAIMS / 2 ? Number.POSITIVE_INFINITY : WOKEN;
    for (const tenantId of turned) {
      if (left === 0) return;
      left -= 1;
      turned.delete(tenantId);
      deps.wake(tenantId);
    }
  };

  return {
    room: (tenantId, webhookId) => {
      const tenant = tenants.get(tenantId);
      const standing = standingOf(tenantId, webhookId);
      // What it claimed besides would only wait for the same file.
      if (stopped || (tenant?.unsettled ?? 0) > 0 || isHeld(standing, clock.now())) return 0;
      const own = claimsOf(standing) - (tenant?.receivers.get(webhookId)?.claimed ?? 0);
      const share = Math.max(LEAST_CLAIMS, Math.floor(CLAIMS_AT_ONCE / (tenant?.receivers.size || 1)));
      const ofTenant = CLAIMS_PER_TENANT - (tenant?.claimed ?? 0);
      const room = Math.max(0, Math.min(own, share, ofTenant));
      if (room === 0 || !(standing.slow ? isFullOfSlow() : isFull())) return room;
      turnedAway[isFull() ? 'all' : 'slow'].add(tenantId);
      return 0;
    },
    isInFlight: (tenantId, seq) => tenants.get(tenantId)?.seqs.has(seq) ?? false,
    reserve: (tenantId, deliveries) => {
      const { seqs } = tenantOf(tenantId);
      for (const delivery of deliveries) {
        seqs.add(delivery.seq);
        countClaim(receiverOf(tenantId, delivery.webhookId), delivery, 1);
      }
    },
    send: (tenantId, deliveries) => {
      const failing = new Set<Receiver<D>>();
      for (const delivery of deliveries) {
        const receiver = receiverOf(tenantId, delivery.webhookId);
        receiver.queue.push(delivery);
        if (!waiting.quick.has(receiver) && !waiting.slow.has(receiver)) line(receiver);
        // It may have failed since they were claimed.
        if (hasTooMany(receiver)) failing.add(receiver);
      }
      for (const receiver of failing) track(takeBack(receiver));
      pump();
    },
    drop: (tenantId, deliveries) => {
      const { seqs } = tenantOf(tenantId);
      for (const delivery of deliveries) {
        seqs.delete(delivery.seq);
        countClaim(receiverOf(tenantId, delivery.webhookId), delivery, -1);
      }
      wakeTurnedAway();
    },
    spareNoLonger: (tenantId, webhookId) => {
      const receiver = tenants.get(tenantId)?.receivers.get(webhookId);
      if (receiver === undefined || receiver.standing.good) return;
      stand(receiver, { ...receiver.standing, failures: 0, heldUntil: 0 });
      if (!stopped) deps.wake(tenantId);
    },
    beginAnew: (tenantId, webhookId) => {
      const receiver = tenants.get(tenantId)?.receivers.get(webhookId);
      if (receiver === undefined) return;
      stand(receiver, unknownStanding);
      if (receiver.queue.length > 0) track(takeBack(receiver));
      forgetIdle(receiver, 0);
      if (!stopped) deps.wake(tenantId);
    },
    spareUntil: (tenantId) => {
      const now = clock.now();
      const times = [...(tenants.get(tenantId)?.receivers.values() ?? [])]
        .filter(({ standing }) => isHeld(standing, now))
        .map(({ standing }) => standing.heldUntil);
      return times.length === 0 ? null : Math.min(...times);
    },
    facts: () => ({
      in_flight: total.places,
      waiting: [...waiting.quick, ...waiting.slow].reduce((sum, { queue }) => sum + queue.length, 0),
      unsettled: total.unsettled,
    }),
    stop: async () => {
      stopped = true;
      for (const receiver of [...waiting.quick, ...waiting.slow]) track(takeBack(receiver));
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
};
