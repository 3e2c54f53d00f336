// Which tenant is served next: for each tenant and lane the time at which something is due, in a heap, and behind it a queue for
// each lane of those whose time has come. Tenants take turns; transactional mail of any tenant goes before marketing mail of any.
// Pure bookkeeping: it reads no clock, no file and no message.

import { type Lane, lanes } from '#src/kernel/stream.ts';
import { createDueTimes } from '#src/kernel/work/pump.ts';

export interface TenantLane {
  readonly tenantId: string;
  readonly lane: Lane;
}

export interface DueHeap {
  /** Sets the time; with null, nothing is due. */
  set(of: TenantLane, dueAt: number | null): void;
  /** Like `set`, but never makes the time later. */
  lower(of: TenantLane, dueAt: number): void;
  /** Removes and returns the next one whose time has come, in an `allowed` lane; null where there is none. */
  take(now: number, allowed: (lane: Lane) => boolean): TenantLane | null;
  /** The next time in the heap; null where it is empty. Those whose time has come are in it no more. */
  nextAt(): number | null;
  /** How many there are whose time has come. */
  waiting(now: number): number;
  /** All that have a time, in no order. */
  entries(): (TenantLane & { readonly dueAt: number })[];
  /** The next time of a tenant in any lane. */
  dueOf(tenantId: string): number | null;
  size(): number;
  /** Times in the heap, outdated ones included: what memory it takes. */
  kept(): number;
}

const keyOf = ({ tenantId, lane }: TenantLane): string => `${lane}${tenantId}`;
const parseKey = (key: string): TenantLane => ({ lane: key.startsWith('0') ? 0 : 1, tenantId: key.slice(1) });

export const createDueHeap = (): DueHeap => {
  const times = createDueTimes();
  /** Those whose time has come, with that time, in the order in which it came: a tenant that was served goes to the end. */
  const ready: Record<Lane, Map<string, number>> = { 0: new Map(), 1: new Map() };

  const promote = (now: number): void => {
    for (let due = times.takeDue(now); due !== null; due = times.takeDue(now))
      ready[parseKey(due.key).lane].set(due.key, due.at);
  };

  const set = (of: TenantLane, dueAt: number | null): void => {
    const key = keyOf(of);
    ready[of.lane].delete(key);
    times.set(key, dueAt);
  };

  const timeOf = (of: TenantLane): number | null => {
    const key = keyOf(of);
    return ready[of.lane].get(key) ?? times.at(key);
  };

  return {
    set,
    lower: (of, dueAt) => {
      const before = timeOf(of);
      if (before === null || dueAt < before) set(of, dueAt);
    },
    take: (now, allowed) => {
      promote(now);
      for (const lane of lanes) {
        const [key] = allowed(lane) ? ready[lane].keys() : [];
        if (key === undefined) continue;
        ready[lane].delete(key);
        return parseKey(key);
      }
      return null;
    },
    nextAt: () => times.nextAt(),
    waiting: (now) => {
      promote(now);
      return ready[0].size + ready[1].size;
    },
    dueOf: (tenantId) => {
      const due = lanes.flatMap((lane) => timeOf({ tenantId, lane }) ?? []);
      return due.length === 0 ? null : Math.min(...due);
    },
    entries: () =>
      [...times.keys(), ...ready[0].keys(), ...ready[1].keys()].flatMap((key) => {
        const of = parseKey(key);
        const dueAt = timeOf(of);
        return dueAt === null ? [] : [{ ...of, dueAt }];
      }),
    size: () => times.size() + ready[0].size + ready[1].size,
    kept: () => times.held(),
  };
};
