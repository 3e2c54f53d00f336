// Who is next: for each tenant and lane the time at which something is due, and those whose time has come in two queues.
// Tenants take turns; transactional mail of any tenant goes before marketing mail of any. Pure bookkeeping: it knows no
// clock, no file and no message.
import { createDueTimes } from '#src/kernel/due-times.ts';
import { type Lane, lanes } from '#src/kernel/stream.ts';

export interface Turn {
  readonly tenantId: string;
  readonly lane: Lane;
}

export interface Agenda {
  /** Sets the time, or with null that nothing is due. */
  set(turn: Turn, dueAt: number | null): void;
  /** Like `set`, but never makes it later. */
  lower(turn: Turn, dueAt: number): void;
  /** The next whose time has come, removed from its queue; null where there is none. `without`: lanes to pass over. */
  take(now: number, allowed: (lane: Lane) => boolean): Turn | null;
  /** When the next comes after those already waiting; null where nothing is known. */
  nextAt(): number | null;
  /** How many wait whose time has come. */
  waiting(now: number): number;
  /** What is due next for a tenant in any lane. */
  dueOf(tenantId: string): number | null;
  size(): number;
  /** Times kept, outdated ones included: what memory it takes. */
  kept(): number;
}

const keyOf = ({ tenantId, lane }: Turn): string => `${lane}${tenantId}`;
const turnOf = (key: string): Turn => ({ lane: key.startsWith('0') ? 0 : 1, tenantId: key.slice(1) });

export const createAgenda = (): Agenda => {
  /** Those whose time has not been seen to have come. */
  const times = createDueTimes();
  /** The others, with the time that came, in the order in which it did; who is served goes to the end. */
  const ready: Record<Lane, Map<string, number>> = { 0: new Map(), 1: new Map() };

  const promote = (now: number): void => {
    for (let due = times.takeDue(now); due !== null; due = times.takeDue(now))
      ready[turnOf(due.key).lane].set(due.key, due.at);
  };

  const set = (turn: Turn, dueAt: number | null): void => {
    const key = keyOf(turn);
    ready[turn.lane].delete(key);
    times.set(key, dueAt);
  };

  const known = (turn: Turn): number | null => {
    const key = keyOf(turn);
    return ready[turn.lane].get(key) ?? times.at(key);
  };

  return {
    set,
    lower: (turn, dueAt) => {
      const before = known(turn);
      if (before === null || dueAt < before) set(turn, dueAt);
    },
    take: (now, allowed) => {
      promote(now);
      for (const lane of lanes) {
        if (!allowed(lane)) continue;
        for (const key of ready[lane].keys()) {
          ready[lane].delete(key);
          return turnOf(key);
        }
      }
      return null;
    },
    nextAt: () => times.nextAt(),
    waiting: (now) => {
      promote(now);
      return ready[0].size + ready[1].size;
    },
    dueOf: (tenantId) => {
      const due = lanes.flatMap((lane) => known({ tenantId, lane }) ?? []);
      return due.length === 0 ? null : Math.min(...due);
    },
    size: () => times.size() + ready[0].size + ready[1].size,
    kept: () => times.held(),
  };
};
