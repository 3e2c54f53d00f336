import { describe, expect, test } from 'vitest';
import { type Agenda, createAgenda, type Turn } from '#src/relay/agenda.ts';

const all = () => true;
const turn = (tenantId: string, lane: 0 | 1 = 0): Turn => ({ tenantId, lane });
const nameOf = (taken: Turn | null): string | null => taken && `${taken.tenantId}${taken.lane}`;
const takeAll = (agenda: Agenda, now: number, allowed: (lane: 0 | 1) => boolean = all): (string | null)[] => {
  const taken: (string | null)[] = [];
  for (let next = agenda.take(now, allowed); next !== null; next = agenda.take(now, allowed))
    taken.push(nameOf(next));
  return taken;
};

describe('whose turn it is', () => {
  test('nobody’s where nothing is due', () => {
    const agenda = createAgenda();
    expect(agenda.take(1_000, all)).toBeNull();
    agenda.set(turn('a'), 10);
    expect(agenda.take(9, all)).toBeNull();
    expect(nameOf(agenda.take(10, all))).toBe('a0');
    expect(agenda.take(10, all)).toBeNull();
  });

  test('in the order in which their times came', () => {
    const agenda = createAgenda();
    agenda.set(turn('c'), 3);
    agenda.set(turn('a'), 1);
    agenda.set(turn('b'), 2);
    expect(takeAll(agenda, 5)).toEqual(['a0', 'b0', 'c0']);
  });

  test('who was served goes to the end', () => {
    const agenda = createAgenda();
    agenda.set(turn('busy'), 0);
    agenda.set(turn('quiet'), 0);
    const served: (string | null)[] = [];
    for (let round = 0; round < 4; round++) {
      const next = agenda.take(round, all);
      served.push(nameOf(next));
      if (next) agenda.set(next, round);
    }
    expect(served).toEqual(['busy0', 'quiet0', 'busy0', 'quiet0']);
  });

  test('transactional mail of any tenant before marketing mail of any', () => {
    const agenda = createAgenda();
    agenda.set(turn('a', 1), 0);
    agenda.set(turn('b', 1), 1);
    agenda.set(turn('c', 0), 2);
    expect(takeAll(agenda, 5)).toEqual(['c0', 'a1', 'b1']);
  });

  test('a lane may be passed over', () => {
    const agenda = createAgenda();
    agenda.set(turn('a', 1), 0);
    agenda.set(turn('b', 0), 0);
    expect(takeAll(agenda, 1, (lane) => lane === 0)).toEqual(['b0']);
    expect(takeAll(agenda, 1, (lane) => lane === 1)).toEqual(['a1']);
  });

  test('the two lanes of a tenant are independent', () => {
    const agenda = createAgenda();
    agenda.set(turn('a', 0), 5);
    agenda.set(turn('a', 1), 1);
    expect(takeAll(agenda, 1)).toEqual(['a1']);
    expect(agenda.dueOf('a')).toBe(5);
  });
});

describe('a changed time', () => {
  test('replaces the one before, earlier or later', () => {
    const agenda = createAgenda();
    agenda.set(turn('a'), 10);
    agenda.set(turn('a'), 20);
    expect(agenda.take(15, all)).toBeNull();
    agenda.set(turn('a'), 5);
    expect(takeAll(agenda, 30)).toEqual(['a0']);
  });

  test('also where it had already come', () => {
    const agenda = createAgenda();
    agenda.set(turn('a'), 1);
    expect(agenda.waiting(2)).toBe(1);
    agenda.set(turn('a'), 10);
    expect(agenda.waiting(2)).toBe(0);
    expect(agenda.take(2, all)).toBeNull();
    expect(takeAll(agenda, 10)).toEqual(['a0']);
  });

  test('to nothing takes it off', () => {
    const agenda = createAgenda();
    agenda.set(turn('a'), 1);
    agenda.waiting(2);
    agenda.set(turn('a'), null);
    expect(takeAll(agenda, 10)).toEqual([]);
    expect([agenda.size(), agenda.dueOf('a'), agenda.nextAt()]).toEqual([0, null, null]);
  });

  test.each([
    { known: null, given: 7, due: 7 },
    { known: 5, given: 7, due: 5 },
    { known: 9, given: 7, due: 7 },
  ])('lowered from $known to $given is $due', ({ known, given, due }) => {
    const agenda = createAgenda();
    agenda.set(turn('a'), known);
    agenda.lower(turn('a'), given);
    expect(agenda.dueOf('a')).toBe(due);
  });

  test('that is not earlier leaves its place in the queue', () => {
    const agenda = createAgenda();
    agenda.set(turn('a'), 1);
    agenda.set(turn('b'), 2);
    agenda.waiting(3);
    agenda.lower(turn('a'), 3);
    expect(takeAll(agenda, 3)).toEqual(['a0', 'b0']);
  });
});

describe('what comes next', () => {
  test('is told beside those already waiting', () => {
    const agenda = createAgenda();
    agenda.set(turn('a'), 1);
    agenda.set(turn('b'), 50);
    agenda.set(turn('c', 1), 40);
    agenda.set(turn('c', 1), 60);
    expect(agenda.waiting(10)).toBe(1);
    expect(agenda.nextAt()).toBe(50);
    expect(agenda.size()).toBe(3);
  });
});

test('one message that waits for hours does not make a busy tenant’s every turn a memory', () => {
  const HOURS_AWAY = 10_000_000;
  const agenda = createAgenda();
  agenda.set(turn('other'), 5_000_000);
  for (let now = 0; now < 50_000; now++) {
    agenda.lower(turn('busy'), now);
    expect(nameOf(agenda.take(now, all))).toBe('busy0');
    agenda.set(turn('busy'), HOURS_AWAY);
  }
  expect(agenda.kept()).toBeLessThan(2_000);
  expect([agenda.nextAt(), agenda.dueOf('busy'), agenda.size()]).toEqual([5_000_000, HOURS_AWAY, 2]);
  expect(takeAll(agenda, HOURS_AWAY)).toEqual(['other0', 'busy0']);
});

test('against a plain list, whatever is done', () => {
  let seed = 7;
  const random = (below: number) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed % below;
  };
  const agenda = createAgenda();
  const plain = new Map<string, number>();
  for (let now = 0; now < 20_000; now++) {
    const who = turn(`t${random(8)}`, random(2) === 0 ? 0 : 1);
    const key = `${who.tenantId}${who.lane}`;
    const at = now + random(40);
    if (random(10) === 0) {
      agenda.set(who, null);
      plain.delete(key);
    } else {
      agenda.lower(who, at);
      plain.set(key, Math.min(plain.get(key) ?? at, at));
    }
    const taken = nameOf(agenda.take(now, all));
    const due = [...plain].filter(([, time]) => time <= now).map(([name]) => name);
    const urgent = due.filter((name) => name.endsWith('0'));
    if (taken === null) expect(due).toEqual([]);
    else expect(urgent.length > 0 ? urgent : due).toContain(taken);
    plain.delete(taken ?? '');
    expect(agenda.size()).toBe(plain.size);
  }
});
