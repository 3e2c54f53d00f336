import { afterEach, describe, expect, test, vi } from 'vitest';
import { MINUTE, SECOND } from '#src/kernel/time.ts';
import { playDisk, quiet, RETRY_MS, startWork } from './work-scene.ts';

const OK = { ok: true };
const FAILED = { ok: false };

afterEach(() => void vi.useRealTimers());

describe('a claim', () => {
  test('writes the attempt and the time of the next one before anything is tried', async () => {
    const claimed = Promise.withResolvers<void>();
    const work = startWork({ afterClaim: () => claimed.promise });
    work.disk.add('a', 'x');
    await work.wake('a');
    expect(work.disk.items[0]).toMatchObject({ attempts: 1, dueAt: work.now() + RETRY_MS });
    expect(work.all).toEqual([]);
    claimed.resolve();
    await quiet();
    expect(work.all).toHaveLength(1);
  });

  test('that the disk does not take tries nothing, frees its places, and is made again', async () => {
    const work = startWork({ limits: { total: { running: 1, claimed: 1 } } });
    work.disk.add('a', 'x');
    work.disk.add('b', 'y');
    work.disk.breaks('a');
    await work.wake('a');
    expect(work.all).toEqual([]);
    await work.wake('b');
    expect(work.open().map(({ tenantId }) => tenantId)).toEqual(['b']);
    expect(work.logged).toMatchObject([{ tenant: 'a', msg: expect.stringContaining('cannot be done') }]);
    work.disk.heals('a');
    work.open()[0]?.end();
    work.pass(5 * SECOND);
    await work.wake('a');
    expect(work.open().map(({ tenantId }) => tenantId)).toEqual(['a']);
  });

  test('after a crash between the claim and the attempt, or in the attempt, is due at the time it wrote', async () => {
    const disk = playDisk();
    const never = new Promise<void>(() => undefined);
    const crashed = startWork({ disk, afterClaim: (tenant) => (tenant === 'a' ? never : Promise.resolve()) });
    disk.add('a', 'x');
    disk.add('b', 'x');
    await crashed.wake('a', 'b');
    expect(crashed.all.map(({ tenantId }) => tenantId)).toEqual(['b']);

    const next = startWork({ disk });
    next.queue.lookLater('a');
    next.queue.lookLater('b');
    await quiet();
    expect(next.all).toEqual([]);
    next.pass(RETRY_MS);
    await next.wake('a', 'b');
    expect(next.all.map(({ tenantId, attempt }) => [tenantId, attempt])).toEqual([
      ['a', 2],
      ['b', 2],
    ]);
  });

  test('leaves alone what is in flight, however long that takes', async () => {
    const work = startWork();
    work.disk.add('a', 'x');
    await work.wake('a');
    work.pass(10 * RETRY_MS);
    await work.wake('a');
    expect(work.all).toHaveLength(1);
  });

  test('under a clock that was set back is looked at again', async () => {
    const work = startWork();
    work.disk.add('a', 'x');
    work.always('x', FAILED);
    await work.wake('a');
    expect(work.all).toHaveLength(1);
    work.pass(-10 * MINUTE);
    Object.assign(work.disk.items[0] ?? {}, { dueAt: work.now() });
    await work.wake('b');
    expect(work.all).toHaveLength(2);
  });
});

describe('an outcome that the disk refuses', () => {
  test('gives its place to others, is stored when the disk heals, and is reported once a minute', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const work = startWork({ limits: { total: { running: 2, claimed: 2 } } });
    work.disk.add('a', 'x');
    work.disk.add('a', 'y');
    await work.wake('a');
    work.disk.breaks('a');
    for (const one of work.open()) one.end();
    await quiet();
    expect(work.queue.facts()).toMatchObject({ in_flight: 0, unsettled: 2 });
    work.disk.add('b', 'z');
    await work.wake('b');
    expect(work.open().map(({ tenantId }) => tenantId)).toEqual(['b']);
    for (let seconds = 0; seconds < 90; seconds += 1) {
      work.pass(SECOND);
      await vi.advanceTimersByTimeAsync(SECOND);
      await quiet();
    }
    expect(work.logged).toHaveLength(2);
    expect(work.disk.done('a')).toBe(0);
    work.disk.heals('a');
    await vi.advanceTimersByTimeAsync(SECOND);
    await quiet();
    expect(work.disk.done('a')).toBe(2);
    expect(work.queue.facts()).toMatchObject({ unsettled: 0 });
    expect(work.all.filter(({ tenantId }) => tenantId === 'a')).toHaveLength(2);
  });

  test('lets its tenant claim nothing more until it is stored', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const work = startWork();
    work.disk.add('a', 'x');
    await work.wake('a');
    work.disk.breaks('a');
    work.open()[0]?.end();
    await quiet();
    work.disk.heals('a');
    work.disk.add('a', 'y');
    await work.wake('a');
    expect(work.all).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(SECOND);
    await quiet();
    expect(work.all.map(({ target }) => target)).toEqual(['x', 'y']);
  });
});

describe('a tenant whose work is held', () => {
  test('begins nothing, gives back what waits, and is idle once its last attempt is settled', async () => {
    const work = startWork();
    work.disk.add('a', 'x', 9);
    work.disk.add('b', 'y');
    await work.wake('a');
    work.open('a')[0]?.end();
    await quiet();
    expect(work.queue.facts()).toMatchObject({ in_flight: 2, waiting: 6 });
    work.held.add('a');
    expect(work.engine.endWork('a')).toBe(false);
    await quiet();
    expect(work.queue.facts()).toMatchObject({ in_flight: 2, waiting: 0 });
    expect(work.disk.of('a').filter(({ attempts }) => attempts === 0)).toHaveLength(6);
    for (const one of work.open('a')) one.end();
    await work.wake('a', 'b');
    expect([work.open('a').length, work.open('b').length]).toEqual([0, 1]);
    expect([work.engine.endWork('a'), work.engine.endWork('b')]).toEqual([true, false]);

    work.held.delete('a');
    work.pass(2 * SECOND);
    await work.wake('a');
    expect(work.open('a').length).toBeGreaterThan(0);
  });

  test('is not idle while a claim of it is being written', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const work = startWork({ afterClaim: () => promise });
    work.disk.add('a', 'x');
    await work.wake('a');
    expect(work.open('a')).toEqual([]);
    work.held.add('a');
    expect(work.engine.endWork('a')).toBe(false);
    resolve();
    await quiet();
    work.open('a')[0]?.end();
    await quiet();
    expect(work.engine.endWork('a')).toBe(true);
  });
});

describe('places', () => {
  test('a target that keeps silent holds up neither its tenant’s other targets nor other tenants', async () => {
    const work = startWork();
    work.disk.add('a', 'silent', 50);
    work.disk.add('a', 'quick', 50);
    work.disk.add('b', 'other', 50);
    work.always('quick', OK);
    work.always('other', OK);
    await work.wake('a', 'b');
    await expect.poll(() => [work.disk.done('a'), work.disk.done('b')]).toEqual([50, 50]);
    expect(work.all.filter(({ target }) => target === 'silent')).toHaveLength(1);
  });

  test('a target that has shown that it works has its own number at a time, one that fails has one', async () => {
    const work = startWork();
    work.disk.add('a', 'x', 20);
    await work.wake('a');
    expect(work.open()).toHaveLength(1);
    work.open()[0]?.end();
    await quiet();
    expect(work.open()).toHaveLength(2);
    for (const one of work.open()) one.end(FAILED);
    await quiet();
    expect(work.open()).toHaveLength(1);
  });

  test('a tenant has its part, slow targets have theirs, and the next that waits gets what becomes free', async () => {
    const work = startWork();
    const targets = (name: string) => Array.from({ length: 10 }, (_, index) => `${name}${index}`);
    for (const tenant of ['a', 'b', 'c']) for (const target of targets(tenant)) work.disk.add(tenant, target);
    await work.wake('a', 'b', 'c');
    expect(['a', 'b', 'c'].map((tenant) => work.open(tenant).length)).toEqual([8, 0, 0]);
    work.always('good', OK);
    work.disk.add('d', 'good');
    work.open('a')[0]?.end();
    await work.wake('d');
    expect(work.open()).toHaveLength(8);
    for (const tenant of ['a', 'b', 'c']) work.always(tenant, OK);
    await expect.poll(() => work.disk.items.every(({ status }) => status === 'done')).toBe(true);
    expect(work.queue.facts()).toEqual({ in_flight: 0, waiting: 0, unsettled: 0, waiting_tenants: 0 });
  });

  test('tenants with a backlog take turns: a short one does not wait for the end of a long one', async () => {
    const work = startWork();
    work.disk.add('long', 'x', 500);
    work.disk.add('short', 'y', 3);
    for (const target of ['x', 'y']) work.always(target, OK);
    await work.wake('long', 'short');
    await expect.poll(() => [work.disk.done('long'), work.disk.done('short')]).toEqual([500, 3]);
    expect(work.all.findLastIndex(({ tenantId }) => tenantId === 'short')).toBeLessThan(250);
  });

  test('claimed items are bounded in number and bytes, however much is due, and all goes out in the end', async () => {
    const work = startWork({
      limits: {
        target: () => ({ running: 1, claimed: 40 }),
        tenant: { running: 16, claimed: 40 },
        total: { running: 16, claimed: 64, bytes: 1_000 },
        slow: { running: 16, claimed: 64 },
      },
    });
    work.disk.add('a', 'x', 100);
    work.disk.add('b', 'y', 100, 300);
    await work.wake('a', 'b');
    const claimed = (tenant: string) => work.disk.of(tenant).filter(({ attempts }) => attempts > 0).length;
    expect([claimed('a'), claimed('b')]).toEqual([40, 4]);
    expect(work.queue.facts()).toMatchObject({ in_flight: 2, waiting: 42 });
    work.always('x', OK);
    work.always('y', OK);
    await expect.poll(() => work.disk.items.every(({ status }) => status === 'done')).toBe(true);
    expect(work.all).toHaveLength(200);
  });

  test('a tenant with large items has its part of the memory, and slow targets have theirs', async () => {
    const work = startWork({
      limits: {
        target: () => ({ running: 1, claimed: 40 }),
        tenant: { running: 16, claimed: 40, bytes: 500 },
        slow: { running: 16, claimed: 64, bytes: 900 },
        total: { running: 16, claimed: 64, bytes: 5_000 },
      },
    });
    const claimed = (tenant: string) => work.disk.of(tenant).filter(({ attempts }) => attempts > 0).length;
    for (const tenant of ['a', 'b', 'c']) work.disk.add(tenant, `of ${tenant}`, 10, 100);
    await work.wake('a', 'b', 'c');
    expect(['a', 'b', 'c'].map(claimed)).toEqual([5, 4, 0]);
    // It has become quick, so its items count among the slow ones no longer.
    work.always('of a', OK);
    await expect.poll(() => work.disk.done('a')).toBe(10);
    await expect.poll(() => claimed('b') + claimed('c')).toBe(9);
    for (const tenant of ['b', 'c']) work.always(`of ${tenant}`, OK);
    await expect.poll(() => work.disk.items.every(({ status }) => status === 'done')).toBe(true);
  });
});

describe('a target that fails', () => {
  test('pauses from the given failure on, for a second, then longer, a minute at most; others go on', async () => {
    const work = startWork({ pausesFrom: 2 });
    work.disk.add('a', 'down', 30);
    work.always('down', FAILED);
    await work.wake('a');
    expect(work.all).toHaveLength(2);
    for (const [index, wait] of [1, 2, 4, 8, 16, 32, 60, 60].entries()) {
      work.pass(wait * SECOND - 1);
      await work.wake('a');
      expect(work.all).toHaveLength(index + 2);
      work.pass(1);
      await work.wake('a');
      expect(work.all).toHaveLength(index + 3);
    }
    work.disk.add('a', 'up');
    await work.wake('a');
    expect(work.to('up')).toHaveLength(1);
  });

  test('is tried at its time without being woken', async () => {
    const work = startWork({ pausesFrom: 1 });
    work.disk.add('a', 'down', 2);
    work.always('down', FAILED);
    await work.wake('a');
    work.pass(SECOND);
    await expect.poll(() => work.all).toHaveLength(2);
  });

  test('gives back what was claimed for it, due at once and without the attempt', async () => {
    const work = startWork({ pausesFrom: 3 });
    work.disk.add('a', 'x', 9);
    await work.wake('a');
    work.open()[0]?.end();
    await quiet();
    expect(work.queue.facts()).toMatchObject({ in_flight: 2, waiting: 6 });
    for (const one of work.open()) one.end({ ok: false, retryAfter: MINUTE });
    await quiet();
    expect(work.queue.facts()).toMatchObject({ in_flight: 0, waiting: 0 });
    const given = work.disk.items.filter(({ status, attempts }) => status === 'pending' && attempts === 0);
    expect(given).toHaveLength(6);
    expect(given.every(({ dueAt }) => dueAt === work.now())).toBe(true);
  });

  test('is left alone for as long as it asks, an hour at most, and a clock that was set back does not prolong that', async () => {
    const work = startWork();
    work.disk.add('a', 'x', 2);
    await work.wake('a');
    work.open()[0]?.end({ ok: false, retryAfter: 10 * 60 * MINUTE });
    work.pass(60 * MINUTE - 1);
    await work.wake('a');
    expect(work.all).toHaveLength(1);
    work.pass(-60 * MINUTE);
    work.disk.items[1] = { ...(work.disk.items[1] as (typeof work.disk.items)[number]), dueAt: 0 };
    await work.wake('a');
    expect(work.all.length).toBeGreaterThan(1);
  });

  test('is tried at once when someone ends its back-off, and forgotten when it is restarted', async () => {
    const work = startWork();
    work.disk.add('a', 'x', 3);
    for (const again of ['endBackoff', 'restart'] as const) {
      await work.wake('a');
      work.open()[0]?.end({ ok: false, retryAfter: MINUTE });
      await quiet();
      const before = work.all.length;
      await work.wake('a');
      expect(work.all).toHaveLength(before);
      work.queue[again]('a', 'x');
      await quiet();
      expect(work.all).toHaveLength(before + 1);
    }
  });

  test('by a defect costs that attempt: the item is due at the time its claim wrote', async () => {
    const work = startWork();
    work.disk.add('a', 'x', 2);
    await work.wake('a');
    work.open()[0]?.end(new Error('a defect'));
    await quiet();
    expect(work.open().map(({ key }) => key)).toEqual([2]);
    expect(work.disk.items[0]).toMatchObject({ status: 'pending', dueAt: work.now() + RETRY_MS });
    expect(work.logged).toMatchObject([{ msg: 'an attempt ended by a defect' }]);
  });
});

describe('a stop', () => {
  test('begins nothing more, waits for what is in flight, stores it, and gives back what was not tried', async () => {
    const work = startWork();
    work.disk.add('a', 'x', 9);
    await work.wake('a');
    work.open()[0]?.end();
    await quiet();
    const [first] = work.open();
    let stopped = false;
    const stopping = work.engine.stop(MINUTE).then(() => {
      stopped = true;
    });
    first?.end();
    await work.wake('a');
    expect([stopped, work.open().length]).toEqual([false, 1]);
    work.open()[0]?.end();
    await stopping;
    expect(work.disk.done('a')).toBe(3);
    expect(
      work.disk.items.slice(3).every(({ attempts, dueAt }) => attempts === 0 && (dueAt ?? 0) <= work.now()),
    ).toBe(true);
  });

  test('waits for what another part of the process works on', async () => {
    const work = startWork();
    work.disk.add('a', 'x');
    const release = work.queue.keep('a', 1);
    await work.wake('a');
    expect(work.all).toEqual([]);
    let stopped = false;
    const stopping = work.engine.stop().then(() => {
      stopped = true;
    });
    await quiet();
    expect(stopped).toBe(false);
    release();
    await stopping;
  });

  test('that has waited long enough lets go: what ends later writes nothing', async () => {
    const work = startWork();
    work.disk.add('a', 'x');
    await work.wake('a');
    await work.engine.stop(1);
    const before = work.disk.writes();
    work.open()[0]?.end();
    await quiet();
    expect(work.disk.writes()).toBe(before);
  });

  test('tries an outcome that the disk refuses once, and ends', async () => {
    const work = startWork();
    work.disk.add('a', 'x');
    await work.wake('a');
    work.disk.breaks('a');
    work.open()[0]?.end();
    await quiet();
    await work.engine.stop();
    expect(work.disk.items[0]).toMatchObject({ status: 'pending', dueAt: work.now() + RETRY_MS });
  });
});
