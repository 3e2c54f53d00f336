import { describe, expect, test } from 'vitest';
import { createDueHeap, type DueHeap, type TenantLane } from '#src/relay/due-heap.ts';

const all = () => true;
const of = (tenantId: string, lane: 0 | 1 = 0): TenantLane => ({ tenantId, lane });
const nameOf = (taken: TenantLane | null): string | null => taken && `${taken.tenantId}${taken.lane}`;
const takeAll = (heap: DueHeap, now: number, allowed: (lane: 0 | 1) => boolean = all): (string | null)[] => {
  const taken: (string | null)[] = [];
  for (let next = heap.take(now, allowed); next !== null; next = heap.take(now, allowed))
    taken.push(nameOf(next));
  return taken;
};

describe('the next tenant', () => {
  test('is none where nothing is due', () => {
    const heap = createDueHeap();
    expect(heap.take(1_000, all)).toBeNull();
    heap.set(of('a'), 10);
    expect(heap.take(9, all)).toBeNull();
    expect(nameOf(heap.take(10, all))).toBe('a0');
    expect(heap.take(10, all)).toBeNull();
  });

  test('is the one whose time came first', () => {
    const heap = createDueHeap();
    heap.set(of('c'), 3);
    heap.set(of('a'), 1);
    heap.set(of('b'), 2);
    expect(takeAll(heap, 5)).toEqual(['a0', 'b0', 'c0']);
  });

  test('goes to the end of the queue when it was served', () => {
    const heap = createDueHeap();
    heap.set(of('busy'), 0);
    heap.set(of('quiet'), 0);
    const served: (string | null)[] = [];
    for (let round = 0; round < 4; round++) {
      const next = heap.take(round, all);
      served.push(nameOf(next));
      if (next) heap.set(next, round);
    }
    expect(served).toEqual(['busy0', 'quiet0', 'busy0', 'quiet0']);
  });

  test('transactional mail of any tenant before marketing mail of any', () => {
    const heap = createDueHeap();
    heap.set(of('a', 1), 0);
    heap.set(of('b', 1), 1);
    heap.set(of('c', 0), 2);
    expect(takeAll(heap, 5)).toEqual(['c0', 'a1', 'b1']);
  });

  test('a lane may be passed over', () => {
    const heap = createDueHeap();
    heap.set(of('a', 1), 0);
    heap.set(of('b', 0), 0);
    expect(takeAll(heap, 1, (lane) => lane === 0)).toEqual(['b0']);
    expect(takeAll(heap, 1, (lane) => lane === 1)).toEqual(['a1']);
  });

  test('the two lanes of a tenant are independent', () => {
    const heap = createDueHeap();
    heap.set(of('a', 0), 5);
    heap.set(of('a', 1), 1);
    expect(takeAll(heap, 1)).toEqual(['a1']);
    expect(heap.dueOf('a')).toBe(5);
  });
});

describe('a changed time', () => {
  test('replaces the one before, earlier or later', () => {
    const heap = createDueHeap();
    heap.set(of('a'), 10);
    heap.set(of('a'), 20);
    expect(heap.take(15, all)).toBeNull();
    heap.set(of('a'), 5);
    expect(takeAll(heap, 30)).toEqual(['a0']);
  });

  test('also where it had already come', () => {
    const heap = createDueHeap();
    heap.set(of('a'), 1);
    expect(heap.waiting(2)).toBe(1);
    heap.set(of('a'), 10);
    expect(heap.waiting(2)).toBe(0);
    expect(heap.take(2, all)).toBeNull();
    expect(takeAll(heap, 10)).toEqual(['a0']);
  });

  test('to nothing takes it off', () => {
    const heap = createDueHeap();
    heap.set(of('a'), 1);
    heap.waiting(2);
    heap.set(of('a'), null);
    expect(takeAll(heap, 10)).toEqual([]);
    expect([heap.size(), heap.dueOf('a'), heap.nextAt()]).toEqual([0, null, null]);
  });

  test.each([
    { known: null, given: 7, due: 7 },
    { known: 5, given: 7, due: 5 },
    { known: 9, given: 7, due: 7 },
  ])('lowered from $known to $given is $due', ({ known, given, due }) => {
    const heap = createDueHeap();
    heap.set(of('a'), known);
    heap.lower(of('a'), given);
    expect(heap.dueOf('a')).toBe(due);
  });

  test('that is not earlier leaves its place in the queue', () => {
    const heap = createDueHeap();
    heap.set(of('a'), 1);
    heap.set(of('b'), 2);
    heap.waiting(3);
    heap.lower(of('a'), 3);
    expect(takeAll(heap, 3)).toEqual(['a0', 'b0']);
  });
});

describe('what comes next', () => {
  test('is known beside those already waiting', () => {
    const heap = createDueHeap();
    heap.set(of('a'), 1);
    heap.set(of('b'), 50);
    heap.set(of('c', 1), 40);
    heap.set(of('c', 1), 60);
    expect(heap.waiting(10)).toBe(1);
    expect(heap.nextAt()).toBe(50);
    expect(heap.size()).toBe(3);
  });
});

test('one message that waits for hours does not make a busy tenant’s every turn a memory', () => {
  const HOURS_AWAY = 10_000_000;
  const heap = createDueHeap();
  heap.set(of('other'), 5_000_000);
  for (let now = 0; now < 50_000; now++) {
    heap.lower(of('busy'), now);
    expect(nameOf(heap.take(now, all))).toBe('busy0');
    heap.set(of('busy'), HOURS_AWAY);
  }
  expect(heap.kept()).toBeLessThan(2_000);
  expect([heap.nextAt(), heap.dueOf('busy'), heap.size()]).toEqual([5_000_000, HOURS_AWAY, 2]);
  expect(takeAll(heap, HOURS_AWAY)).toEqual(['other0', 'busy0']);
});

test('against a plain list, whatever is done', () => {
  let seed = 7;
  const random = (below: number) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed % below;
  };
  const heap = createDueHeap();
  const plain = new Map<string, number>();
  for (let now = 0; now < 20_000; now++) {
    const who = of(`t${random(8)}`, random(2) === 0 ? 0 : 1);
    const key = `${who.tenantId}${who.lane}`;
    const at = now + random(40);
    if (random(10) === 0) {
      heap.set(who, null);
      plain.delete(key);
    } else {
      heap.lower(who, at);
      plain.set(key, Math.min(plain.get(key) ?? at, at));
    }
    const taken = nameOf(heap.take(now, all));
    const due = [...plain].filter(([, time]) => time <= now).map(([name]) => name);
    const urgent = due.filter((name) => name.endsWith('0'));
    if (taken === null) expect(due).toEqual([]);
    else expect(urgent.length > 0 ? urgent : due).toContain(taken);
    plain.delete(taken ?? '');
    expect(heap.size()).toBe(plain.size);
  }
});
