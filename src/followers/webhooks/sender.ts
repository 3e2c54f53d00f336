// Which of the claimed deliveries is sent now. Webhooks that wait take turns, so that none waits for another's receiver:
// each has few requests under way, a tenant's together have a share of the places, and receivers that are slow, or of which
// nothing is known yet, have half of them. What is claimed waits in memory, within bounds for deliveries and bytes. Who has
// how much of it is counted in `receivers.ts`.
import type { OutboundOutcome } from '#src/kernel/outbound/outbound.ts';
import type { Clock } from '#src/kernel/time.ts';
import { createReceivers, type Receiver, type Sendable } from './receivers.ts';
import { claimsOf, givesBack, isHeld, type Standing, standingAfter, unknownStanding } from './standing.ts';

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

/** Tenants woken at a time when there is room again: each looks at its file. */
const WOKEN = 16;

export const createSender = <D extends Sendable>(deps: SenderDeps<D>): Sender<D> => {
  const { clock } = deps;
  const receivers = createReceivers<D>(clock);
  /** With something to send, in the order of their turns; slow ones apart, since theirs may come late. */
  const waiting = { quick: new Set<Receiver<D>>(), slow: new Set<Receiver<D>>() };
  /** Tenants whose deliveries found no room because of others': of all, or of slow ones. */
  const turnedAway = { all: new Set<string>(), slow: new Set<string>() };
  const underWay = new Set<Promise<void>>();
  let stopped = false;

  /** In the line it belongs to, at its end, or in none. */
  const line = (receiver: Receiver<D>): void => {
    waiting.quick.delete(receiver);
    waiting.slow.delete(receiver);
    if (receiver.queue.length > 0) waiting[receiver.standing.slow ? 'slow' : 'quick'].add(receiver);
  };
  const stand = (receiver: Receiver<D>, standing: Standing): void => {
    if (receivers.stand(receiver, standing)) line(receiver);
  };

  const serve = (slow: boolean): void => {
    for (const receiver of waiting[slow ? 'slow' : 'quick']) {
      if (receivers.isBusy(slow)) return;
      if (!receivers.hasPlace(receiver)) continue;
      const delivery = receiver.queue.shift();
      line(receiver);
      if (delivery !== undefined) begin(receiver, delivery);
    }
  };
  const pump = (): void => {
    if (stopped) return;
    serve(true);
    serve(false);
  };

  const begin = (receiver: Receiver<D>, delivery: D): void => {
    receivers.countPlace(receiver, 1);
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
    receivers.countPlace(receiver, -1);
    const took = performance.now() - started;
    stand(receiver, standingAfter(receiver.standing, outcome, took, clock.now()));
    if (hasTooMany(receiver)) track(takeBack(receiver));
    pump();
    let counted = true;
    /** What it takes is the next one's, also where its outcome cannot be stored yet. */
    const free = (): void => {
      if (counted) receivers.countClaim(receiver, delivery, -1);
      counted = false;
    };
    await deps.settle(tenantId, delivery, outcome, () => {
      if (counted) receivers.countUnsettled(receiver, 1);
      free();
      wakeTurnedAway();
    });
    if (!counted) receivers.countUnsettled(receiver, -1);
    free();
    end(receiver, [delivery]);
  };

  const end = (receiver: Receiver<D>, deliveries: readonly D[]): void => {
    const { tenantId } = receiver;
    receivers.end(tenantId, deliveries);
    receivers.forgetIdle(receiver);
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
    for (const delivery of deliveries) receivers.countClaim(receiver, delivery, -1);
    end(receiver, deliveries);
  };

  const wakeTurnedAway = (): void => {
    if (stopped || receivers.isFull(false)) return;
    wakeSome(turnedAway.all);
    if (!receivers.isFull(true)) wakeSome(turnedAway.slow);
  };
  /** Where little is claimed no end of others' may come that wakes the rest. */
  const wakeSome = (turned: Set<string>): void => {
    let left = receivers.isIdle() ? Number.POSITIVE_INFINITY : WOKEN;
    for (const tenantId of turned) {
      if (left === 0) return;
      left -= 1;
      turned.delete(tenantId);
      deps.wake(tenantId);
    }
  };

  return {
    room: (tenantId, webhookId) => {
      const room = stopped ? 0 : receivers.room(tenantId, webhookId);
      const { slow } = receivers.standingOf(tenantId, webhookId);
      if (room === 0 || !receivers.isFull(slow)) return room;
      turnedAway[receivers.isFull(false) ? 'all' : 'slow'].add(tenantId);
      return 0;
    },
    isInFlight: (tenantId, seq) => receivers.inFlight(tenantId)?.has(seq) ?? false,
    reserve: receivers.begin,
    send: (tenantId, deliveries) => {
      const failing = new Set<Receiver<D>>();
      for (const delivery of deliveries) {
        const receiver = receivers.of(tenantId, delivery.webhookId);
        receiver.queue.push(delivery);
        if (!waiting.quick.has(receiver) && !waiting.slow.has(receiver)) line(receiver);
        // It may have failed since they were claimed.
        if (hasTooMany(receiver)) failing.add(receiver);
      }
      for (const receiver of failing) track(takeBack(receiver));
      pump();
    },
    drop: (tenantId, deliveries) => {
      receivers.end(tenantId, deliveries);
      for (const delivery of deliveries)
        receivers.countClaim(receivers.of(tenantId, delivery.webhookId), delivery, -1);
      wakeTurnedAway();
    },
    spareNoLonger: (tenantId, webhookId) => {
      const receiver = receivers.known(tenantId, webhookId);
      if (receiver === undefined || receiver.standing.good) return;
      stand(receiver, { ...receiver.standing, failures: 0, heldUntil: 0 });
      if (!stopped) deps.wake(tenantId);
    },
    beginAnew: (tenantId, webhookId) => {
      const receiver = receivers.known(tenantId, webhookId);
      if (receiver === undefined) return;
      stand(receiver, unknownStanding);
      if (receiver.queue.length > 0) track(takeBack(receiver));
      receivers.forgetIdle(receiver, 0);
      if (!stopped) deps.wake(tenantId);
    },
    spareUntil: receivers.spareUntil,
    facts: () => ({
      ...receivers.facts(),
      waiting: [...waiting.quick, ...waiting.slow].reduce((sum, { queue }) => sum + queue.length, 0),
    }),
    stop: async () => {
      stopped = true;
      for (const receiver of [...waiting.quick, ...waiting.slow]) track(takeBack(receiver));
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
};
