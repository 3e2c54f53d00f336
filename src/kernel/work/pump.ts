// Looks for something to do: soon after someone asks, once for all who asked meanwhile, and at the time that the last look named.
import TinyQueue from 'tinyqueue';
import { type Clock, MINUTE } from '#src/kernel/time.ts';

/** A look comes at least so often: a clock that is set, or a machine that slept, must not hold work back. */
export const MAX_TIMER_MS = MINUTE;

export interface Pump {
  ask(): void;
  isRunning(): boolean;
  start(): void;
  /** Looks no more. */
  stop(): void;
}

/** `look` answers when it is to look again without being asked, ms since the epoch; null: never. */
export const createPump = (clock: Clock, look: (now: number) => number | null): Pump => {
  let running = false;
  let asked = false;
  let timer: NodeJS.Timeout | undefined;

  const run = (): void => {
    asked = false;
    if (!running) return;
    const now = clock.now();
    const next = look(now);
    clearTimeout(timer);
    if (next !== null) timer = setTimeout(ask, Math.min(Math.max(next - now, 1), MAX_TIMER_MS));
  };

  const ask = (): void => {
    if (asked || !running) return;
    asked = true;
    setImmediate(run);
  };

  return {
    ask,
    isRunning: () => running,
    start: () => {
      running = true;
      ask();
    },
    stop: () => {
      running = false;
      clearTimeout(timer);
    },
  };
};

// The time at which something is due, for each of many keys, and which is the earliest. The heap may hold times that have been
// changed since; they are skipped when they come up. Pure: it knows no clock.

export interface DueTime {
  readonly key: string;
  readonly at: number;
}

export interface DueTimes {
  /** Sets the time, or with null that nothing is due. */
  set(key: string, at: number | null): void;
  /** Like `set`, but never makes it later. */
  lower(key: string, at: number): void;
  /** Null where nothing is due. */
  at(key: string): number | null;
  /** The earliest whose time has come, removed; null where there is none. */
  takeDue(now: number): DueTime | null;
  /** When the next one comes, or came. */
  nextAt(): number | null;
  /** All that have a time, whatever it is. */
  keys(): IterableIterator<string>;
  size(): number;
  /** How many times are held, outdated ones included: what memory it takes. */
  held(): number;
}

/** With more outdated times than this besides the valid ones, the heap is built again. */
const MAX_OUTDATED = 1_000;

const byTime = (a: DueTime, b: DueTime): number => a.at - b.at;

export const createDueTimes = (): DueTimes => {
  const due = new Map<string, number>();
  let heap = new TinyQueue<DueTime>([], byTime);

  const isOutdated = ({ key, at }: DueTime): boolean => due.get(key) !== at;

  /** The earliest valid time; outdated ones before it are removed. */
  const head = (): DueTime | undefined => {
    let first = heap.peek();
    for (; first && isOutdated(first); first = heap.peek()) heap.pop();
    return first;
  };

  /** A key that is set again and again while another waits for hours would leave a time behind with each. */
  const tidy = (): void => {
    if (heap.length <= 2 * due.size + MAX_OUTDATED) return;
    heap = new TinyQueue(
      [...due].map(([key, at]): DueTime => ({ key, at })),
      byTime,
    );
  };

  const set = (key: string, at: number | null): void => {
    if (at === null) {
      due.delete(key);
      return;
    }
    due.set(key, at);
    heap.push({ key, at });
    tidy();
  };

  return {
    set,
    lower: (key, at) => {
      const known = due.get(key);
      if (known === undefined || at < known) set(key, at);
    },
    at: (key) => due.get(key) ?? null,
    takeDue: (now) => {
      const first = head();
      if (first === undefined || first.at > now) return null;
      heap.pop();
      due.delete(first.key);
      return first;
    },
    nextAt: () => head()?.at ?? null,
    keys: () => due.keys(),
    size: () => due.size,
    held: () => heap.length,
  };
};
