// What a queue has claimed and not settled, and who holds how much of it. An item counts for its target, for its tenant, for
// all slow targets together if its target is slow, and for the whole queue; each of these has a bound for what is claimed and
// one for what is being tried. A tenant that finds a bound reached because of others is kept, and woken when there is room.
import type { Clock } from '#src/kernel/time.ts';
import { isHeld, type TargetHealth, unknownHealth } from './health.ts';

/** How many items may be tried at a time, how many claimed, those included, and how much memory these may take. */
export interface Bounds {
  readonly running: number;
  readonly claimed: number;
  /** No bound where absent. */
  readonly bytes?: number;
}

export interface WorkLimits {
  readonly total: Bounds;
  readonly tenant: Bounds;
  /** All targets together that are slow, or about which nothing is known yet; as `total` where absent. */
  readonly slow?: Bounds;
  readonly target: (health: TargetHealth) => Bounds;
  /** Items that a tenant claims in one turn, but for one of each target: they are one commit. */
  readonly perTurn?: number;
  /** Targets without work whose health is remembered; none where absent. */
  readonly remembered?: number;
}

export interface WorkItem {
  /** Names the item within its queue and tenant. */
  readonly key: number | string;
  /** What the attempt goes to: a receiver, an address, a host. Items of one target share its limits and its health. */
  readonly target: string;
  /** Memory that it takes until it is settled. */
  readonly bytes: number;
}

interface Level {
  readonly bounds: Bounds;
  running: number;
  claimed: number;
  bytes: number;
  /** Tenants that found it full. */
  readonly turnedAway: Set<string>;
}

export interface Target<Item> {
  readonly tenantId: string;
  readonly key: string;
  health: TargetHealth;
  /** Claimed, and not tried yet. */
  readonly queue: Item[];
  running: number;
  claimed: number;
  bytes: number;
}

interface Tenant<Item> {
  readonly targets: Map<string, Target<Item>>;
  readonly items: Set<WorkItem['key']>;
  readonly level: Level;
  unsettled: number;
}

/** Tenants woken at a time when there is room again: each of them reads its file. */
const MAX_WOKEN = 16;

const levelOf = (bounds: Bounds): Level => ({
  bounds,
  running: 0,
  claimed: 0,
  bytes: 0,
  turnedAway: new Set(),
});

export const createInFlight = <Item extends WorkItem>(limits: WorkLimits, clock: Clock) => {
  const tenants = new Map<string, Tenant<Item>>();
  const total = levelOf(limits.total);
  const slow = levelOf(limits.slow ?? limits.total);
  let targets = 0;
  let unsettled = 0;

  const tenantOf = (tenantId: string): Tenant<Item> => {
    const known = tenants.get(tenantId);
    if (known) return known;
    const made = { targets: new Map(), items: new Set<never>(), level: levelOf(limits.tenant), unsettled: 0 };
    tenants.set(tenantId, made);
    return made;
  };
  const known = (tenantId: string, key: string): Target<Item> | undefined =>
    tenants.get(tenantId)?.targets.get(key);
  const targetOf = (tenantId: string, key: string): Target<Item> => {
    const present = known(tenantId, key);
    if (present) return present;
    const made = { tenantId, key, health: unknownHealth, queue: [], running: 0, claimed: 0, bytes: 0 };
    tenantOf(tenantId).targets.set(key, made);
    targets += 1;
    return made;
  };

  /** Those that an item of the tenant, for a target of that health, counts for. */
  const levelsOf = (tenantId: string, health: Pick<TargetHealth, 'slow'>): readonly Level[] => {
    const shared = health.slow ? [slow, total] : [total];
    const own = tenants.get(tenantId)?.level;
    return own === undefined ? shared : [own, ...shared];
  };
  const claimsLeft = ({ bounds, claimed, bytes }: Level): number =>
    bytes >= (bounds.bytes ?? Number.POSITIVE_INFINITY) ? 0 : bounds.claimed - claimed;
  const count = (target: Target<Item>, what: keyof Bounds, by: number): void => {
    target[what] += by;
    for (const level of levelsOf(target.tenantId, target.health)) level[what] += by;
  };
  const countClaim = (target: Target<Item>, item: Item, by: 1 | -1): void => {
    count(target, 'claimed', by);
    count(target, 'bytes', by * item.bytes);
  };
  const forgetTenant = (tenantId: string): void => {
    const tenant = tenants.get(tenantId);
    if (tenant && tenant.targets.size === 0 && tenant.items.size === 0 && tenant.level.turnedAway.size === 0)
      tenants.delete(tenantId);
  };

  return {
    known,
    targetOf,
    count,
    /** Its places and claims move to the other side where the target has become slow, or quick. */
    setHealth: (target: Target<Item>, health: TargetHealth): void => {
      const moved = Number(health.slow) - Number(target.health.slow);
      target.health = health;
      slow.running += moved * target.running;
      slow.claimed += moved * target.claimed;
      slow.bytes += moved * target.bytes;
    },
    hasPlace: ({ tenantId, health, running }: Target<Item>): boolean =>
      running < limits.target(health).running &&
      levelsOf(tenantId, health).every((level) => level.running < level.bounds.running),
    isBusy: (): boolean => total.running >= total.bounds.running,
    /** How many more items a tenant may claim for a target now. */
    room: (tenantId: string, key: string): number => {
      const tenant = tenants.get(tenantId);
      const target = tenant?.targets.get(key);
      const health = target?.health ?? unknownHealth;
      // What it claimed besides would only wait for the same file.
      if ((tenant?.unsettled ?? 0) > 0 || isHeld(health, clock.now())) return 0;
      const own = limits.target(health).claimed - (target?.claimed ?? 0);
      if (own <= 0) return 0;
      const levels = levelsOf(tenantId, health);
      const full = levels.find((level) => claimsLeft(level) <= 0);
      full?.turnedAway.add(tenantId);
      const share = Math.floor((limits.perTurn ?? Number.POSITIVE_INFINITY) / (tenant?.targets.size || 1));
      return full ? 0 : Math.min(own, Math.max(1, share), ...levels.map(claimsLeft));
    },
    isIdle: (tenantId: string): boolean => (tenants.get(tenantId)?.items.size ?? 0) === 0,
    /** Nothing of the tenant is worked on, and it waits for no room. */
    isAtRest: (tenantId: string): boolean =>
      (tenants.get(tenantId)?.items.size ?? 0) === 0 &&
      levelsOf(tenantId, unknownHealth).every(({ turnedAway }) => !turnedAway.has(tenantId)),
    has: (tenantId: string, key: Item['key']): boolean => tenants.get(tenantId)?.items.has(key) ?? false,
    /** The item is worked on from now on. */
    begin: (tenantId: string, item: Item): void => {
      tenantOf(tenantId).items.add(item.key);
      countClaim(targetOf(tenantId, item.target), item, 1);
    },
    /** Its claim counts no longer; it is still worked on. */
    free: (target: Target<Item>, item: Item): void => countClaim(target, item, -1),
    /** An item without a claim that something else works on, until `end`. */
    keep: (tenantId: string, key: Item['key']): void => {
      tenantOf(tenantId).items.add(key);
    },
    end: (tenantId: string, keys: readonly Item['key'][]): void => {
      for (const key of keys) tenants.get(tenantId)?.items.delete(key);
      forgetTenant(tenantId);
    },
    countUnsettled: (tenantId: string, by: 1 | -1): void => {
      tenantOf(tenantId).unsettled += by;
      unsettled += by;
    },
    /** Forgets a target without claims where more than `remembered` are known. */
    forgetIdle: (target: Target<Item>, remembered = limits.remembered ?? 0): void => {
      const { tenantId, key, claimed, health } = target;
      if (claimed > 0 || targets <= remembered || isHeld(health, clock.now())) return;
      // Another may have been made in its place.
      if (known(tenantId, key) !== target) return;
      tenantOf(tenantId).targets.delete(key);
      targets -= 1;
      forgetTenant(tenantId);
    },
    /** When the first target of a tenant that is held may be tried again; null where none is. */
    heldUntil: (tenantId: string): number | null => {
      const now = clock.now();
      let first: number | null = null;
      for (const { health } of tenants.get(tenantId)?.targets.values() ?? [])
        if (isHeld(health, now)) first = Math.min(first ?? health.heldUntil, health.heldUntil);
      return first;
    },
    /** The tenant looks again by itself. */
    looks: (tenantId: string): void => {
      for (const level of levelsOf(tenantId, unknownHealth)) level.turnedAway.delete(tenantId);
    },
    /** Tenants that were turned away from where there is room now. */
    takeTurnedAway: (tenantId: string): readonly string[] => {
      const woken: string[] = [];
      // Where little is claimed, none of it may end for long, and no end would wake the rest.
      const isIdle = total.claimed < total.bounds.claimed / 4;
      for (const level of levelsOf(tenantId, unknownHealth)) {
        const left = claimsLeft(level);
        const most = isIdle && left > 0 ? level.turnedAway.size : Math.min(MAX_WOKEN, left);
        for (const turned of [...level.turnedAway.values().take(Math.max(0, most))]) {
          level.turnedAway.delete(turned);
          woken.push(turned);
        }
      }
      return woken;
    },
    facts: () => ({
      in_flight: total.running,
      unsettled,
      waiting_tenants: new Set(
        [slow, total, ...[...tenants.values()].map(({ level }) => level)].flatMap((level) => [
          ...level.turnedAway,
        ]),
      ).size,
    }),
  };
};
