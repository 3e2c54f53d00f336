// Node's clocks and timers, replaced by those of the simulated world.

import process from 'node:process';
import timers from 'node:timers';
import timersPromises from 'node:timers/promises';
import { type Owner, type Task, world } from './world.ts';

const NS = 1_000_000n;
/** What `performance.now` counts from. */
const EPOCH = 1_700_000_000_000;

/** What a turn of the event loop takes: who waits for a time turn by turn sees it come. */
const TURN_MS = 0.01;

type Callback = (...args: unknown[]) => void;

class SimTimeout {
  readonly #owner: Owner;
  readonly #callback: Callback;
  readonly #delay: number;
  readonly #repeats: boolean;
  readonly #args: readonly unknown[];
  #task: Task | null = null;

  constructor(callback: Callback, delay: number | undefined, repeats: boolean, args: readonly unknown[]) {
    this.#owner = world().owner;
    this.#callback = callback;
    this.#delay = Math.max(1, Number(delay) || 1);
    this.#repeats = repeats;
    this.#args = args;
    this.refresh();
  }
  refresh(): this {
    this.close();
    this.#task = world().post(this.#owner, world().now + this.#delay, () => {
      this.#task = null;
      if (this.#repeats) this.refresh();
      this.#callback(...this.#args);
    });
    return this;
  }
  close(): this {
    if (this.#task !== null) this.#task.run = null;
    this.#task = null;
    return this;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
  hasRef(): boolean {
    return true;
  }
  [Symbol.toPrimitive](): number {
    return 0;
  }
  [Symbol.dispose](): void {
    this.close();
  }
}

class SimImmediate {
  readonly #task: Task;
  constructor(callback: Callback, args: readonly unknown[]) {
    this.#task = world().post(world().owner, world().now + TURN_MS, () => callback(...args));
  }
  close(): void {
    this.#task.run = null;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
  [Symbol.dispose](): void {
    this.close();
  }
}

const clear = (timer: { close?: () => void } | undefined | null): void => {
  timer?.close?.();
};

interface Options {
  readonly signal?: AbortSignal;
}

const waiting = <T>(
  begin: (done: () => void) => { close(): unknown },
  value: T,
  { signal }: Options = {},
): Promise<T> =>
  new Promise((resolve, reject) => {
    const abort = (): void => {
      timer.close();
      reject(
        Object.assign(new Error('The operation was aborted'), { name: 'AbortError', code: 'ABORT_ERR' }),
      );
    };
    if (signal?.aborted) {
      reject(
        Object.assign(new Error('The operation was aborted'), { name: 'AbortError', code: 'ABORT_ERR' }),
      );
      return;
    }
    const timer = begin(() => {
      signal?.removeEventListener('abort', abort);
      resolve(value);
    });
    signal?.addEventListener('abort', abort);
  });

export const installTime = (): void => {
  const setTimeout = (callback: Callback, delay?: number, ...args: unknown[]) =>
    new SimTimeout(callback, delay, false, args);
  const setInterval = (callback: Callback, delay?: number, ...args: unknown[]) =>
    new SimTimeout(callback, delay, true, args);
  const setImmediate = (callback: Callback, ...args: unknown[]) => new SimImmediate(callback, args);
  const replaced = {
    setTimeout,
    setInterval,
    setImmediate,
    clearTimeout: clear,
    clearInterval: clear,
    clearImmediate: clear,
  };
  Object.assign(globalThis, replaced);
  Object.assign(timers, replaced);
  Object.assign(timersPromises, {
    setTimeout: <T>(delay?: number, value?: T, options?: Options) =>
      waiting((done) => new SimTimeout(done, delay, false, []), value, options),
    setImmediate: <T>(value?: T, options?: Options) =>
      waiting((done) => new SimImmediate(done, []), value, options),
  });

  const RealDate = Date;
  class SimDate extends RealDate {
    constructor(...args: unknown[]) {
      if (args.length === 0) super(Math.floor(world().now));
      else super(...(args as [number]));
    }
    static override now(): number {
      return Math.floor(world().now);
    }
  }
  globalThis.Date = SimDate as DateConstructor;
  performance.now = () => world().now - EPOCH;
  process.hrtime = Object.assign(
    (former?: [number, number]): [number, number] => {
      const nanoseconds = BigInt(Math.round((world().now - EPOCH) * 1_000)) * 1_000n;
      const [seconds, rest] = [Number(nanoseconds / (1_000n * NS)), Number(nanoseconds % (1_000n * NS))];
      if (former === undefined) return [seconds, rest];
      const difference = (seconds - former[0]) * 1e9 + rest - former[1];
      return [Math.floor(difference / 1e9), difference % 1e9];
    },
    { bigint: (): bigint => BigInt(Math.round((world().now - EPOCH) * 1_000)) * 1_000n },
  );
  process.uptime = () => (world().now - EPOCH) / 1_000;
  AbortSignal.timeout = (milliseconds: number): AbortSignal => {
    const controller = new AbortController();
    new SimTimeout(
      () => controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')),
      milliseconds,
      false,
      [],
    );
    return controller.signal;
  };
};
