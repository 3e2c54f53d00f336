// Who is next: for each tenant and lane the time at which something is due, kept in a heap, and those whose time has
// come in two queues. Tenants take turns; transactional mail of any tenant goes before marketing mail of any. Pure
// bookkeeping: it knows no clock, no file and no message.
import TinyQueue from 'tinyqueue';
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

interface Entry {
  readonly key: string;
  readonly at: number;
}

/** So many outdated times may stand in the heap beside those that hold; then it is made anew. */
const MAX_OUTDATED = 1_000;

const keyOf = ({ tenantId, lane }: Turn): string => `${lane}${tenantId}`;
const turnOf = (key: string): Turn => ({ lane: key.startsWith('0') ? 0 : 1, tenantId: key.slice(1) });

const byTime = (a: Entry, b: Entry): number => a.at - b.at;

export const createAgenda = (): Agenda => {
  const due = new Map<string, number>();
  /** May hold times that have been changed since: those are passed over when they come up. */
  let heap = new TinyQueue<Entry>([], byTime);
  /** In the order in which their time came; who is served goes to the end. */
  const ready: Record<Lane, Set<string>> = { 0: new Set(), 1: new Set() };

  const isStale = ({ key, at }: Entry): boolean => due.get(key) !== at;

  const promote = (now: number): void => {
    for (let head = heap.peek(); head && (isStale(head) || head.at <= now); head = heap.peek()) {
      heap.pop();
      if (!isStale(head)) ready[turnOf(head.key).lane].add(head.key);
    }
  };

  /** A tenant that sends much while one message waits for hours would leave a time behind with every turn. */
  const tidy = (): void => {
    if (heap.length <= 2 * due.size + MAX_OUTDATED) return;
    const times = [...due].map(([key, at]): Entry => ({ key, at }));
    heap = new TinyQueue(
      times.filter(({ key }) => !ready[turnOf(key).lane].has(key)),
      byTime,
    );
  };

  const set = (turn: Turn, dueAt: number | null): void => {
    const key = keyOf(turn);
    ready[turn.lane].delete(key);
    if (dueAt === null) {
      due.delete(key);
      return;
    }
    due.set(key, dueAt);
    heap.push({ key, at: dueAt });
    tidy();
  };

  return {
    set,
    lower: (turn, dueAt) => {
      const known = due.get(keyOf(turn));
      if (known === undefined || dueAt < known) set(turn, dueAt);
    },
    take: (now, allowed) => {
      promote(now);
      for (const lane of lanes) {
        if (!allowed(lane)) continue;
        for (const key of ready[lane]) {
          ready[lane].delete(key);
          due.delete(key);
          return turnOf(key);
        }
      }
      return null;
    },
    nextAt: () => {
      for (let head = heap.peek(); head && isStale(head); head = heap.peek()) heap.pop();
      return heap.peek()?.at ?? null;
    },
    waiting: (now) => {
      promote(now);
      return ready[0].size + ready[1].size;
    },
    dueOf: (tenantId) => {
      const times = lanes.flatMap((lane) => due.get(keyOf({ tenantId, lane })) ?? []);
      return times.length === 0 ? null : Math.min(...times);
    },
    size: () => due.size,
    kept: () => heap.length,
  };
};
