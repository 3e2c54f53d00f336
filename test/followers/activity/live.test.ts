// Streams over real files: what they read, when, and what they leave behind.
import { describe, expect, test } from 'vitest';
import type { EventData } from '#src/events/store.ts';
import { eventStore } from '#src/events/store.ts';
import { createLive, type Live, type LiveLimits, type LiveWish } from '#src/followers/activity/live.ts';
import type { ActivityFilter } from '#src/followers/activity/store.ts';
import { anonymous, type Caller } from '#src/kernel/access.ts';
import type { Disk } from '#src/kernel/db/disk.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { AppError } from '#src/kernel/errors.ts';
import { say } from '#src/kernel/say.ts';
import { createTestDisk } from '#test/kernel/db/test-disk.ts';
import { createSseParser, type SseEvent } from '#test/support/sse.ts';
import { createSampleTenant, openTestStorage, temporaryDirectory } from '#test/support/storage.ts';

const practiceUrl = (id: string): string => `https://mail.example.com/api/practices/${id}`;
const limits: LiveLimits = { perPractice: 20, inAll: 1_000, beatMs: 60_000 };
const caller: Caller = { ...anonymous, kind: 'operator', credentialId: 'operator' };
const filterFor: LiveWish['filterFor'] = ({ projects, permissions }): ActivityFilter => ({
  withMail: permissions.has('inbound.view'),
  types: null,
  message: null,
  from: null,
  before: null,
  projects: projects && [...projects],
});

const append = (storage: Storage, tenantId: string, data: readonly EventData[]): Promise<void> =>
  storage.tenants.write(tenantId, (db) => {
    for (const one of data)
      eventStore(db).append({
        type: 'suppression.added',
        messageSeq: 0,
        recipientId: null,
        at: 0,
        data: one,
      });
  });
const about = (address: string): EventData => ({
  suppression: {
    id: crypto.randomUUID(),
    address,
    scope: 'team',
    project_id: null,
    route_id: null,
    project_slug: null,
    route_slug: null,
    reason: 'manual',
  },
});

const openFiles = async (options: { maxOpenTenants?: number; disk?: Disk } = {}) => {
  const storage = await openTestStorage(await temporaryDirectory(), options);
  let reads = 0;
  const counted: Pick<TenantFiles, 'read' | 'watch'> = {
    watch: storage.tenants.watch,
    read: (tenantId, work) => {
      reads += 1;
      return storage.tenants.read(tenantId, work);
    },
  };
  return { storage, counted, reads: () => reads };
};

const follow = async (live: Live, tenantId: string, wish: Partial<LiveWish> = {}) => {
  const source = await live.open({
    tenantId,
    caller,
    readmit: async () => caller,
    after: null,
    filterFor,
    ...wish,
  });
  const iterator = source[Symbol.asyncIterator]();
  const events: SseEvent[] = [];
  const chunks: string[] = [];
  const parser = createSseParser(
    (event) => events.push(event),
    () => {},
  );
  /** Resolves when it ends. */
  const over = (async () => {
    for await (const chunk of { [Symbol.asyncIterator]: () => iterator }) {
      chunks.push(chunk);
      parser.take(chunk);
    }
  })();
  over.catch(() => {});
  const addresses = () => events.map(({ data }) => JSON.parse(data).data.address);
  return {
    iterator,
    events,
    chunks,
    over,
    addresses,
    place: parser.lastEventId,
    leave: () => iterator.return?.(),
  };
};

describe('streams of one practice', () => {
  test('at the same place are read for once', async () => {
    const { storage, counted, reads } = await openFiles();
    const tenantId = await createSampleTenant(storage);
    const live = createLive(counted, practiceUrl, limits);
    const all = await Promise.all(Array.from({ length: 20 }, () => follow(live, tenantId)));
    await expect.poll(() => all.every(({ chunks }) => chunks.length > 0)).toBe(true);
    await append(storage, tenantId, [about('first@example.org')]);
    await expect.poll(() => all.every(({ events }) => events.length === 1)).toBe(true);
    const before = reads();
    await append(storage, tenantId, [about('second@example.org'), about('third@example.org')]);
    await expect.poll(() => all.every(({ events }) => events.length === 3)).toBe(true);
    expect(reads() - before).toBe(1);
    live.stop();
    await Promise.all(all.map(({ over }) => over));
  });

  test('send much that is written at once in few readings, and all of it', async () => {
    const { storage, counted, reads } = await openFiles();
    const tenantId = await createSampleTenant(storage);
    const live = createLive(counted, practiceUrl, limits);
    const one = await follow(live, tenantId);
    const before = reads();
    const began = performance.now();
    const wanted = Array.from({ length: 300 }, (_, index) => `${index}@example.org`);
    for (const address of wanted) await append(storage, tenantId, [about(address)]);
    await expect.poll(() => one.events.length).toBe(300);
    expect(one.addresses()).toEqual(wanted);
    // One in 50 ms, however long the disk took for the 300 writes.
    expect(reads() - before).toBeLessThan(10 + (performance.now() - began) / 40);
    live.stop();
  });

  test('hold a bounded batch each, however large the events are', async () => {
    const { storage } = await openFiles();
    const tenantId = await createSampleTenant(storage);
    const live = createLive(storage.tenants, practiceUrl, limits);
    const large = `${'x'.repeat(8_000)}@example.org`;
    await append(
      storage,
      tenantId,
      Array.from({ length: 500 }, () => about(large)),
    );
    const one = await follow(live, tenantId, { after: 0 });
    await expect.poll(() => one.events.length).toBe(500);
    expect(Math.max(...one.chunks.map(({ length }) => length))).toBeLessThan(64 * 1024 + 10_000);
    live.stop();
  });

  test('send small ones two hundred at a time, each once and in order', async () => {
    const { storage } = await openFiles();
    const tenantId = await createSampleTenant(storage);
    const live = createLive(storage.tenants, practiceUrl, limits);
    const wanted = Array.from({ length: 450 }, (_, index) => `${index}@example.org`);
    // Short enough that their number is reached before their characters are.
    const short = (address: string) => ({ suppression: { id: '1', address } }) as EventData;
    await append(storage, tenantId, wanted.map(short));
    const one = await follow(live, tenantId, { after: 0 });
    await expect.poll(() => one.events.length).toBe(450);
    expect(one.events.map(({ id }) => Buffer.from(id, 'base64url').toString())).toEqual(
      wanted.map((_, index) => `p${index + 1}`),
    );
    expect(one.chunks.map((chunk) => chunk.match(/^event: supp/gm)?.length ?? 0)).toEqual([0, 200, 200, 50]);
    live.stop();
  });

  test('share what is read at the time, and no reading that began before something was written', async () => {
    const { storage, counted, reads } = await openFiles();
    const tenantId = await createSampleTenant(storage);
    let held: Promise<void> | null = null;
    const late: typeof counted = {
      watch: counted.watch,
      read: async (...args) => {
        const gate = held;
        const result = await counted.read(...args);
        await gate;
        return result;
      },
    };
    const live = createLive(late, practiceUrl, limits);
    const waiting = await follow(live, tenantId);
    await expect.poll(reads).toBe(2);
    const other = await live.open({ tenantId, caller, readmit: async () => caller, after: null, filterFor });
    const gate = Promise.withResolvers<void>();
    held = gate.promise;
    const iterator = other[Symbol.asyncIterator]();
    await iterator.next();
    const slow = iterator.next();
    // It has looked before the event, and is not back yet.
    await expect.poll(reads).toBe(4);
    held = null;
    await append(storage, tenantId, [about('new@example.org')]);
    await expect.poll(waiting.addresses).toEqual(['new@example.org']);
    gate.resolve();
    expect((await slow).value).toContain('new@example.org');
    const before = reads();
    const again = await follow(live, tenantId, { after: 0 });
    await expect.poll(again.addresses).toEqual(['new@example.org']);
    await again.leave();
    const third = await follow(live, tenantId, { after: 0 });
    await expect.poll(third.addresses).toEqual(['new@example.org']);
    expect(reads() - before).toBe(4);
    live.stop();
  });
});

test('streams of callers that may see different things share nothing, though their position is the same', async () => {
  const { storage } = await openFiles();
  const tenantId = await createSampleTenant(storage);
  const live = createLive(storage.tenants, practiceUrl, limits);
  const limited = { ...caller, projects: new Set(['p1']) };
  const [all, some] = [await follow(live, tenantId), await follow(live, tenantId, { caller: limited })];
  await expect.poll(() => [all, some].every(({ chunks }) => chunks.length > 0)).toBe(true);
  const mine = about('mine@example.org');
  await append(storage, tenantId, [
    about('team@example.org'),
    { suppression: mine.suppression && { ...mine.suppression, project_id: 'p1' } } as EventData,
  ]);
  await expect.poll(() => all.events.length + some.events.length).toBeGreaterThanOrEqual(3);
  expect([all.addresses(), some.addresses()]).toEqual([
    ['team@example.org', 'mine@example.org'],
    ['mine@example.org'],
  ]);
  live.stop();
});

test('streams of practices whose files are closed meanwhile go on all the same', async () => {
  const { storage } = await openFiles({ maxOpenTenants: 2 });
  const tenants: string[] = [];
  for (let count = 0; count < 5; count += 1)
    tenants.push(await createSampleTenant(storage, `Praxis ${count}`));
  const live = createLive(storage.tenants, practiceUrl, limits);
  const streams: Awaited<ReturnType<typeof follow>>[] = [];
  for (const tenantId of tenants) streams.push(await follow(live, tenantId));
  expect(storage.tenants.stats().open).toBeLessThanOrEqual(2);
  for (const tenantId of tenants) await append(storage, tenantId, [about(`${tenantId}@example.org`)]);
  await expect.poll(() => streams.map(({ events }) => events.length)).toEqual([1, 1, 1, 1, 1]);
  expect(streams.flatMap(({ addresses }) => addresses())).toEqual(tenants.map((id) => `${id}@example.org`));
  live.stop();
});

test('nothing is sent before it is on the disk', async () => {
  const disk = createTestDisk();
  const { storage } = await openFiles({ disk });
  const tenantId = await createSampleTenant(storage);
  const live = createLive(storage.tenants, practiceUrl, limits);
  disk.hold();
  const before = disk.syncs();
  const written = append(storage, tenantId, [about('unsafe@example.org')]);
  await expect.poll(disk.syncs).toBe(before + 1);
  // It opens in the midst of the sync: what it reads stands in the file, and not on the disk yet.
  let isOpen = false;
  const opening = follow(live, tenantId, { after: 0 }).finally(() => {
    isOpen = true;
  });
  await new Promise((done) => setTimeout(done, 100));
  expect(isOpen).toBe(false);
  disk.release();
  await written;
  const one = await opening;
  await expect.poll(one.addresses).toEqual(['unsafe@example.org']);
  live.stop();
});

describe('what a stream is', () => {
  test('is asked again at each beat: as who they are by then, until they are refused', async () => {
    const { storage } = await openFiles();
    const tenantId = await createSampleTenant(storage);
    const live = createLive(storage.tenants, practiceUrl, { ...limits, beatMs: 30 });
    const stages: (() => Caller)[] = [
      () => ({ ...caller, projects: new Set(['p1']) }),
      () => {
        throw new AppError('unauthorized', say`No more.`);
      },
    ];
    const asked = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const written = Promise.withResolvers<void>();
    let turn = 0;
    const one = await follow(live, tenantId, {
      readmit: async () => {
        const stage = stages[turn];
        asked[turn]?.resolve();
        turn += 1;
        if (turn === 2) await written.promise;
        return stage?.() ?? caller;
      },
    });
    await asked[0]?.promise;
    await append(storage, tenantId, [about('team@example.org')]);
    written.resolve();
    await expect(one.over).rejects.toMatchObject({ code: 'unauthorized' });
    expect([one.events, live.count()]).toEqual([[], 0]);
  });

  test('moves the place of its client past what is not for it', async () => {
    const { storage, counted, reads } = await openFiles();
    const tenantId = await createSampleTenant(storage);
    const live = createLive(counted, practiceUrl, { ...limits, beatMs: 40 });
    const limited = { ...caller, projects: new Set(['p1']) };
    const one = await follow(live, tenantId, { caller: limited, readmit: async () => limited });
    const start = one.place();
    await append(
      storage,
      tenantId,
      Array.from({ length: 9_000 }, () => about('team@example.org')),
    );
    await expect.poll(() => Buffer.from(one.place(), 'base64url').toString()).toBe('p9000');
    expect([start === one.place(), one.events]).toEqual([false, []]);
    // A reading spans 4,096 at most, however few of them are wanted.
    expect(reads()).toBeGreaterThanOrEqual(1 + 1 + 3);
    await expect.poll(() => one.chunks).toContain(':\n\n');
    live.stop();
  });
});

describe('too many', () => {
  test('are refused, and one that was refused holds no place', async () => {
    const { storage } = await openFiles();
    const [a, b] = [await createSampleTenant(storage, 'A'), await createSampleTenant(storage, 'B')];
    const live = createLive(storage.tenants, practiceUrl, { ...limits, perPractice: 2, inAll: 3 });
    const open = [await follow(live, a), await follow(live, a)];
    await expect(follow(live, a)).rejects.toMatchObject({ code: 'rate_limited' });
    open.push(await follow(live, b));
    await expect(follow(live, b)).rejects.toMatchObject({ code: 'unavailable' });
    await open[0]?.leave();
    open.push(await follow(live, b));
    await expect(follow(live, a)).rejects.toMatchObject({ code: 'unavailable' });
    expect(live.count()).toBe(3);
    await expect(follow(live, crypto.randomUUID())).rejects.toBeInstanceOf(AppError);
    await open[1]?.leave();
    await expect(follow(live, crypto.randomUUID())).rejects.toBeInstanceOf(AppError);
    expect(live.count()).toBe(2);
    live.stop();
  });

  test('that come and go leave nothing behind, and at a stop all end', async () => {
    const { storage } = await openFiles();
    const tenants = await Promise.all(['A', 'B', 'C'].map((name) => createSampleTenant(storage, name)));
    const live = createLive(storage.tenants, practiceUrl, limits);
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    // Others in this process have some too, and may begin a few meanwhile.
    const few = timers() + 20;
    const ends: Promise<void>[] = [];
    for (let count = 0; count < 1_000; count += 1) {
      const tenantId = tenants[count % 3] ?? '';
      const one = await follow(live, tenantId);
      ends.push(one.over);
      if (count % 10 === 0) await append(storage, tenantId, [about('x@example.org')]);
      await one.leave();
      expect(live.count()).toBe(0);
    }
    await Promise.all(ends);
    expect(timers()).toBeLessThan(few);
    const open = await Promise.all(
      tenants.flatMap((tenantId) => Array.from({ length: 20 }, () => follow(live, tenantId))),
    );
    live.stop();
    await Promise.all(open.map(({ over }) => over));
    expect([live.count(), timers() < few]).toEqual([0, true]);
    await expect(follow(live, tenants[0] ?? '')).rejects.toMatchObject({ code: 'unavailable' });
  });
});
