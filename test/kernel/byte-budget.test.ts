import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createByteBudget } from '#src/kernel/byte-budget.ts';

const PATIENCE_MS = 60_000;
const nobodyGone = new AbortController().signal;

/** With the names of those who were let in, in their order. */
const open = (limit: number, patienceMs = PATIENCE_MS) => {
  const budget = createByteBudget(limit, patienceMs);
  const letIn: string[] = [];
  const reserve = (owner: string, bytes: number, gone: AbortSignal = nobodyGone) =>
    budget.reserve(owner, bytes, gone, () => letIn.push(owner));
  return { budget, letIn, reserve };
};

describe('room is reserved', () => {
  test('at once where there is some', async () => {
    const { letIn, reserve } = open(100);
    expect(await reserve('a', 40)).toBe(true);
    expect(letIn).toEqual(['a']);
  });

  test('in the order it was asked for, each whole', () => {
    const { budget, letIn, reserve } = open(100);
    for (const owner of ['a', 'b', 'c', 'd', 'e']) void reserve(owner, 40);
    expect(letIn).toEqual(['a', 'b']);
    budget.release('b', 40);
    expect(letIn).toEqual(['a', 'b', 'c']);
    budget.release('a', 40);
    budget.release('c', 40);
    expect(letIn).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  test('but not before those who wait longer, though a smaller one would fit', () => {
    const { letIn, reserve } = open(100);
    for (const owner of ['a', 'b', 'c']) void reserve(owner, 40);
    void reserve('d', 10);
    expect(letIn).toEqual(['a', 'b']);
  });

  test('past one who only waits for their own share', () => {
    const { budget, letIn, reserve } = open(100);
    void reserve('a', 30);
    void reserve('a', 20);
    void reserve('b', 40);
    expect(letIn).toEqual(['a', 'b']);
    budget.release('a', 30);
    expect(letIn).toEqual(['a', 'b', 'a']);
  });
});

describe('room is not given', () => {
  test('for more than one may ever hold', async () => {
    const { letIn, reserve } = open(100);
    expect(await reserve('a', 41)).toBe(false);
    expect(letIn).toEqual([]);
  });

  test('to who has gone, and those behind go on', async () => {
    const { letIn, reserve } = open(100);
    const gone = new AbortController();
    void reserve('a', 40);
    void reserve('b', 30);
    const left = reserve('c', 40, gone.signal);
    void reserve('d', 30);
    expect(letIn).toEqual(['a', 'b']);
    gone.abort();
    expect(await left).toBe(false);
    expect(letIn).toEqual(['a', 'b', 'd']);
    expect(await reserve('e', 1, AbortSignal.abort())).toBe(false);
  });

  test('where none comes in time', async () => {
    const { budget, letIn, reserve } = open(100, 5);
    for (const owner of ['a', 'b']) void reserve(owner, 40);
    expect(await reserve('c', 40)).toBe(false);
    budget.release('a', 40);
    expect(letIn).toEqual(['a', 'b']);
  });

  test('where too many wait already', async () => {
    const { reserve } = open(100);
    for (const owner of ['a', 'b']) void reserve(owner, 40);
    const waiting = Array.from({ length: 200 }, (_, index) => reserve(`w${index}`, 40));
    expect(await reserve('late', 40)).toBe(false);
    expect(waiting).toHaveLength(200);
  });
});

describe('what comes slowly', () => {
  const MIB = 1_048_576;
  const WINDOW_MS = 10_000;
  beforeEach(
    () => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'performance'] }),
  );
  afterEach(() => void vi.useRealTimers());

  /** Two hold 40 of 100 each, and `waits` asks for more; whether the first has given way after a window. */
  const hasGivenWay = (
    bytesInWindow: number,
    waits: (scene: ReturnType<typeof open>) => unknown,
  ): boolean => {
    const scene = open(100);
    for (const owner of ['a', 'b']) scene.budget.take(owner, 40);
    let received = 0;
    let given = false;
    const end = scene.budget.watch(
      'a',
      () => received,
      () => {
        given = true;
      },
    );
    vi.advanceTimersByTime(WINDOW_MS / 2);
    void waits(scene);
    received = bytesInWindow;
    vi.advanceTimersByTime(WINDOW_MS / 2);
    end();
    return given;
  };

  test.each<[string, boolean, number, (scene: ReturnType<typeof open>) => unknown]>([
    ['gives way where another waits', true, MIB - 1, ({ reserve }) => reserve('c', 40)],
    ['gives way where something small found no room', true, 0, ({ budget }) => budget.take('c', 30)],
    ['gives way where its owner waits', true, 0, ({ reserve }) => reserve('a', 10)],
    ['goes on where no one waits', false, 0, () => undefined],
    ['goes on where another waits for its own share', false, 0, ({ reserve }) => reserve('b', 10)],
    ['goes on where it is as fast as the slowest line', false, MIB, ({ reserve }) => reserve('c', 40)],
  ])('%s', (_, expected, bytes, waits) => expect(hasGivenWay(bytes, waits)).toBe(expected));
});
