// The world of a simulation: one clock, and one queue of everything that is still to happen: timers, chunks on sockets, answers of
// disk, threads and resolver. Each belongs to a process, and is dropped with it. Nothing happens but what `deliver` takes from the
// queue, so that a seed decides the order of all of it.
import timers from 'node:timers';
import TinyQueue from 'tinyqueue';
import type { Dice } from '../scene.ts';

/** A process of the simulated machine, or the people and peers outside. What belongs to one that has ended never happens. */
export interface Owner {
  readonly name: string;
  isAlive: boolean;
}

export interface Task {
  at: number;
  order: number;
  readonly owner: Owner;
  /** Null once it has happened or was cancelled. */
  run: (() => void) | null;
}

/** How long completions take, by what completes. A seed draws a weather for itself: most are fair, some have a slow disk or network. */
export interface Weather {
  /** Shares of completions that take longer than usual: some tens of ms, and seconds. */
  readonly slow: number;
  readonly verySlow: number;
}

const FAIR: Weather = { slow: 0.05, verySlow: 0.004 };
/** What happens within one task is bounded: a loop without an end is a defect, not a long simulation. */
const MAX_IDLE_TASKS = 300_000;

export const OUTSIDE: Owner = { name: 'outside', isAlive: true };

/** Taken before the timers of Node are replaced. */
const realImmediate = timers.setImmediate;
/** So that microtasks and ticks have ended. */
const settled = (): Promise<void> => new Promise((resolve) => realImmediate(resolve));

export class World {
  owner: Owner = OUTSIDE;
  dice: Dice;
  weather: Weather = FAIR;
  /** What was thrown where no one catches it: a real process would have ended. */
  readonly uncaught: unknown[] = [];
  delivered = 0;
  #now: number;
  #order = 0;
  readonly #queue = new TinyQueue<Task>([], (a, b) => a.at - b.at || a.order - b.order);

  constructor(start: number, dice: Dice) {
    this.#now = start;
    this.dice = dice;
  }

  /** Milliseconds since the epoch, with fractions. */
  get now(): number {
    return this.#now;
  }

  /** A time that a completion takes, drawn by the present step. */
  latency(): number {
    const draw = this.dice.next();
    if (draw < this.weather.verySlow) return 200 + 2_800 * this.dice.next();
    if (draw < this.weather.verySlow + this.weather.slow) return 5 + 75 * this.dice.next();
    return 0.01 + ((draw * 1_000) % 0.6);
  }

  post(owner: Owner, at: number, run: () => void): Task {
    this.#order += 1;
    const task: Task = { at: Math.max(at, this.#now), order: this.#order, owner, run };
    this.#queue.push(task);
    return task;
  }

  /** Happens for the present owner after a time that the seed draws. */
  complete(run: () => void, owner: Owner = this.owner): Task {
    return this.post(owner, this.#now + this.latency(), run);
  }

  sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => this.post(this.owner, this.#now + milliseconds, resolve));
  }

  /** When the next thing happens; null where nothing is to come. */
  nextAt(): number | null {
    for (;;) {
      const task = this.#queue.peek();
      if (task === undefined) return null;
      if (task.run !== null && task.owner.isAlive) return task.at;
      this.#queue.pop();
    }
  }

  /** Lets so many things happen, none of them later than `until`; returns how many did. */
  async deliver(count: number, until = Number.POSITIVE_INFINITY): Promise<number> {
    let done = 0;
    while (done < count) {
      const at = this.nextAt();
      if (at === null || at > until) break;
      const task = this.#queue.pop() as Task;
      this.#now = Math.max(this.#now, task.at);
      this.owner = task.owner;
      const run = task.run as () => void;
      task.run = null;
      try {
        run();
      } catch (error) {
        this.uncaught.push(error);
      }
      await settled();
      this.owner = OUTSIDE;
      done += 1;
    }
    this.delivered += done;
    return done;
  }

  /** Lets things happen until `isOver`, or until the given time; false where that came first. */
  async until(isOver: () => boolean, end: number): Promise<boolean> {
    for (let count = 0; count < MAX_IDLE_TASKS; count += 1) {
      if (isOver()) return true;
      if ((await this.deliver(1, end)) === 0) {
        await settled();
        const next = this.nextAt();
        if (next !== null && next <= end) continue;
        if (!isOver()) this.#now = Math.max(this.#now, end);
        return isOver();
      }
    }
    throw new Error(`${MAX_IDLE_TASKS} things happened without an end`);
  }

  /** The queue's length, of those alive. */
  pending(owner: Owner): number {
    return this.#queue.data.filter((task) => task.run !== null && task.owner === owner).length;
  }
}

let present: World | null = null;

/** The world that the replaced parts of Node belong to. Throws where there is none. */
export const world = (): World => {
  if (present === null) throw new Error('no simulated world has begun');
  return present;
};

export const beginWorld = (next: World): void => {
  present = next;
};
