// What each receiver has claimed and under way, what its tenant has, and all together: and how much more each may have. What
// has come of the attempts since the start is kept with it, for as long as it matters.
import type { Clock } from '#src/kernel/time.ts';
import { claimsOf, isHeld, placesOf, type Standing, unknownStanding } from './standing.ts';

/** A claimed delivery, as far as it matters here. */
export interface Sendable {
  /** Of the delivery in the tenant's file. */
  readonly seq: number;
  readonly webhookId: string;
  readonly body: string;
}

export interface Receiver<D> {
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

export interface Receivers<D extends Sendable> {
  /** Made where nothing is known of it yet. */
  of(tenantId: string, webhookId: string): Receiver<D>;
  known(tenantId: string, webhookId: string): Receiver<D> | undefined;
  standingOf(tenantId: string, webhookId: string): Standing;
  /** What it has under way and claimed changes sides with it: true where it has become slow, or quick. */
  stand(receiver: Receiver<D>, standing: Standing): boolean;
  /** Whether it and its tenant may have one more under way. */
  hasPlace(receiver: Receiver<D>): boolean;
  /** Whether no place is left: for slow ones, or for any. */
  isBusy(slow: boolean): boolean;
  countPlace(receiver: Receiver<D>, by: 1 | -1): void;
  countClaim(receiver: Receiver<D>, delivery: D, by: 1 | -1): void;
  /** Outcomes that cannot be stored at the moment. */
  countUnsettled(receiver: Receiver<D>, by: 1 | -1): void;
  /** How many more of a webhook its tenant may claim now, as far as it does not matter what others have. */
  room(tenantId: string, webhookId: string): number;
  /** Whether others have claimed too much for any more: of slow ones, or of any. */
  isFull(slow: boolean): boolean;
  /** So little is claimed that no end of it may come for long. */
  isIdle(): boolean;
  /** The deliveries of a tenant, by seq, that have begun and not ended. */
  inFlight(tenantId: string): ReadonlySet<number> | undefined;
  /** They have been claimed, and are worked on from now on. */
  begin(tenantId: string, deliveries: readonly D[]): void;
  /** They are worked on no more; what they count is taken back apart. */
  end(tenantId: string, deliveries: readonly D[]): void;
  /** Forgets it where nothing is claimed and more than `kept` are known; many where that is absent. */
  forgetIdle(receiver: Receiver<D>, kept?: number): void;
  /** When the first webhook of a tenant that is spared may be tried again; null where none is. */
  spareUntil(tenantId: string): number | null;
  facts(): { in_flight: number; unsettled: number };
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

export const createReceivers = <D extends Sendable>(clock: Clock): Receivers<D> => {
  const tenants = new Map<string, Tenant<D>>();
  const total = { places: 0, slowPlaces: 0, claims: 0, slowClaims: 0, bytes: 0, receivers: 0, unsettled: 0 };

  const tenantOf = (tenantId: string): Tenant<D> => {
    const present = tenants.get(tenantId);
    if (present) return present;
    const made = { receivers: new Map(), seqs: new Set<number>(), underWay: 0, claimed: 0, unsettled: 0 };
    tenants.set(tenantId, made);
    return made;
  };
  const known: Receivers<D>['known'] = (tenantId, webhookId) =>
    tenants.get(tenantId)?.receivers.get(webhookId);
  const of: Receivers<D>['of'] = (tenantId, webhookId) => {
    const present = known(tenantId, webhookId);
    if (present) return present;
    const made = { tenantId, webhookId, standing: unknownStanding, queue: [], underWay: 0, claimed: 0 };
    tenantOf(tenantId).receivers.set(webhookId, made);
    total.receivers += 1;
    return made;
  };
  const standingOf: Receivers<D>['standingOf'] = (tenantId, webhookId) =>
    known(tenantId, webhookId)?.standing ?? unknownStanding;

  const countClaim: Receivers<D>['countClaim'] = (receiver, delivery, by) => {
    receiver.claimed += by;
    tenantOf(receiver.tenantId).claimed += by;
    total.claims += by;
    if (receiver.standing.slow) total.slowClaims += by;
    total.bytes += by * delivery.body.length;
  };

  return {
    of,
    known,
    standingOf,
    stand: (receiver, standing) => {
      const { slow } = receiver.standing;
      receiver.standing = standing;
      if (standing.slow === slow) return false;
      const sign = standing.slow ? 1 : -1;
      total.slowPlaces += sign * receiver.underWay;
      total.slowClaims += sign * receiver.claimed;
      return true;
    },
    hasPlace: ({ tenantId, standing, underWay }) =>
      underWay < placesOf(standing) && tenantOf(tenantId).underWay < PLACES_PER_TENANT,
    isBusy: (slow) => total.places >= PLACES || (slow && total.slowPlaces >= SLOW_PLACES),
    countPlace: (receiver, by) => {
      receiver.underWay += by;
      tenantOf(receiver.tenantId).underWay += by;
      total.places += by;
      if (receiver.standing.slow) total.slowPlaces += by;
    },
    countClaim,
    countUnsettled: ({ tenantId }, by) => {
      tenantOf(tenantId).unsettled += by;
      total.unsettled += by;
    },
    room: (tenantId, webhookId) => {
      const tenant = tenants.get(tenantId);
      const standing = standingOf(tenantId, webhookId);
      // What it claimed besides would only wait for the same file.
      if ((tenant?.unsettled ?? 0) > 0 || isHeld(standing, clock.now())) return 0;
      const own = claimsOf(standing) - (known(tenantId, webhookId)?.claimed ?? 0);
      const share = Math.max(LEAST_CLAIMS, Math.floor(CLAIMS_AT_ONCE / (tenant?.receivers.size || 1)));
      const ofTenant = CLAIMS_PER_TENANT - (tenant?.claimed ?? 0);
      return Math.max(0, Math.min(own, share, ofTenant));
    },
    isFull: (slow) =>
      total.claims >= CLAIMS || total.bytes >= CLAIMED_BYTES || (slow && total.slowClaims >= SLOW_CLAIMS),
    isIdle: () => total.claims < SLOW_CLAIMS / 2,
    inFlight: (tenantId) => tenants.get(tenantId)?.seqs,
    begin: (tenantId, deliveries) => {
      const { seqs } = tenantOf(tenantId);
      for (const delivery of deliveries) {
        seqs.add(delivery.seq);
        countClaim(of(tenantId, delivery.webhookId), delivery, 1);
      }
    },
    end: (tenantId, deliveries) => {
      const { seqs } = tenantOf(tenantId);
      for (const { seq } of deliveries) seqs.delete(seq);
    },
    forgetIdle: (receiver, kept = KNOWN_RECEIVERS) => {
      const { tenantId, webhookId, claimed, standing } = receiver;
      if (claimed > 0 || total.receivers <= kept || isHeld(standing, clock.now())) return;
      const tenant = tenantOf(tenantId);
      // Another may stand in its place by now.
      if (tenant.receivers.get(webhookId) !== receiver) return;
      tenant.receivers.delete(webhookId);
      total.receivers -= 1;
      if (tenant.receivers.size === 0 && tenant.seqs.size === 0) tenants.delete(tenantId);
    },
    spareUntil: (tenantId) => {
      const now = clock.now();
      const times = [...(tenants.get(tenantId)?.receivers.values() ?? [])]
        .filter(({ standing }) => isHeld(standing, now))
        .map(({ standing }) => standing.heldUntil);
      return times.length === 0 ? null : Math.min(...times);
    },
    facts: () => ({ in_flight: total.places, unsettled: total.unsettled }),
  };
};
