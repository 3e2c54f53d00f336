// What is held between an answer and the file: how long, how much, in which order, and what becomes of it where a file
// cannot be written.
// @module-tag slow

import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { type EventRow, eventStore } from '#src/events/store.ts';
import { createGuardrail } from '#src/feedback/reputation/guardrail.ts';
import { createRecorder, type Recorder, type RecorderDeps } from '#src/feedback/tracking/recorder.ts';
import { BURST_MS, type Hit, MAX_KEPT } from '#src/feedback/tracking/rules.ts';
import type { PlatformDb, TenantDb } from '#src/kernel/db/sqlite.ts';
import { createLog } from '#src/kernel/log.ts';
import { MINUTE, SECOND } from '#src/kernel/time.ts';
import { queueStore } from '#src/messages/queue/store.ts';
import { messageStore } from '#src/messages/store.ts';
import { testTenantKey } from '#test/support/keys.ts';
import { until } from '#test/support/process.ts';
import {
  createSampleTenant,
  openTestStorage,
  queueMessage,
  temporaryDirectory,
} from '#test/support/storage.ts';

const NOW = 1_700_000_000_000;
const CAPACITY = 100;
const RECIPIENTS = ['anna@example.org', 'bert@example.org', 'cem@example.org'];

const open = (fields: Partial<Hit> = {}): Hit => ({
  kind: 'open',
  at: NOW,
  ip: '192.0.2.0',
  userAgent: 'Firefox',
  url: null,
  machine: null,
  ...fields,
});
const click = (url: string): Hit => open({ kind: 'click', url });

const signals: RecorderDeps['signals'] = {
  suppressionKey: testTenantKey(1),
  simulatorDomain: 'simulator.mail.example.com',
  guardrail: createGuardrail({ systemTenantId: () => null, notifyOwners: () => undefined }),
  softBounces: () => ({ count: 5, days: 30 }),
};

const started = (deps: Pick<RecorderDeps, 'platform' | 'files'> & Partial<RecorderDeps>) => {
  const lines: Record<string, unknown>[] = [];
  const log = createLog('warn', { write: (line) => void lines.push(JSON.parse(line)) });
  const recorder = createRecorder({ log, signals, holdMs: 0, capacity: CAPACITY, ...deps });
  onTestFinished(() => recorder.stop());
  return { recorder, lines };
};

/** A practice's real file with a message to three people, handed over long ago where `attempts` is not 0. */
const scene = async (attempts = 1, options: Partial<RecorderDeps> = {}) => {
  const storage = await openTestStorage(await temporaryDirectory());
  const tenantId = await createSampleTenant(storage);
  const found = await storage.tenants.write(tenantId, (db) => {
    const project = tenantStore(db).defaultProject();
    const routeId = tenantStore(db).defaultRoute().id;
    const message = queueMessage(
      { db, tenantId, projectId: project.id, routeId },
      { recipients: RECIPIENTS },
    );
    for (const id of message.recipientIds) if (attempts > 0) queueStore(db).release(id, attempts, NOW);
    return { ...message, tenantNumber: tenantStore(db).practice().number };
  });
  const { recorder, lines } = started({ platform: storage.platform, files: storage.tenants, ...options });
  const events = () =>
    storage.tenants.read(tenantId, (db) =>
      eventStore(db)
        .ofMessage(found.seq, 0, 1_000)
        .map(({ type, recipient, data_json }: EventRow) => ({
          type,
          recipient,
          ...JSON.parse(data_json ?? '{}'),
        })),
    );
  const recipients = () => storage.tenants.read(tenantId, (db) => messageStore(db).recipients(found.seq));
  const queued = () =>
    storage.tenants.read(tenantId, (db) =>
      queueStore(db)
        .ofMessage(found.seq)
        .map(({ recipient_id }) => recipient_id),
    );
  const note = (person: number, hit: Hit) =>
    recorder.note({ tenantNumber: found.tenantNumber, recipientId: found.recipientIds[person] ?? 0 }, hit);
  return { ...found, storage, tenantId, recorder, lines, note, events, recipients, queued };
};

/** In the place of files: notes who was written when; the test decides when a write ends, or each ends soon. */
const playedFiles = (endsAtOnce = false) => {
  const writes: { id: string; end: (error?: Error) => void }[] = [];
  let most = 0;
  let underWay = 0;
  const files: RecorderDeps['files'] = {
    write: <T>(id: string, _: (db: TenantDb) => T) => {
      underWay += 1;
      most = Math.max(most, underWay);
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      const end = (error?: Error): void => {
        underWay -= 1;
        if (error) reject(error);
        else resolve(undefined as T);
      };
      writes.push({ id, end });
      if (endsAtOnce) setImmediate(end);
      return promise;
    },
  };
  return { files, writes, most: () => most };
};

/** Every number is a tenant's. */
const platform: RecorderDeps['platform'] = {
  peek: <T>(work: (db: PlatformDb) => T): T => {
    const statement = {
      get: (number: number) => ({ number, id: String(number), slug: '', moved_json: null }),
      pluck: () => statement,
    };
    return work({ prepare: () => statement } as unknown as PlatformDb);
  },
};

describe('a hit of a person', () => {
  test('is applied as a signal: a mail that waited for another attempt has arrived', async () => {
    const { note, recorder, recipients, events, queued, recipientIds } = await scene();
    note(0, open());
    note(1, open({ machine: 'barracuda' }));
    await recorder.stop();
    expect((await recipients()).map(({ status }) => status)).toEqual(['opened', 'queued', 'queued']);
    expect((await events()).map(({ type, bot, rule }) => [type, bot, rule])).toEqual([
      ['message.sent', undefined, undefined],
      ['message.opened', undefined, undefined],
      ['message.opened', true, 'barracuda'],
    ]);
    expect(await queued()).toEqual(recipientIds.slice(1));
  });

  test('on a copy that was never attempted is dropped, and the copy is still sent', async () => {
    const { note, recorder, events, queued, recipientIds } = await scene(0);
    note(0, open());
    note(1, click('https://a.example/'));
    await recorder.stop();
    expect(await events()).toEqual([]);
    expect(await queued()).toEqual(recipientIds);
  });

  test('is stored in its order and with its own time', async () => {
    const { note, recorder, events } = await scene();
    note(0, open({ at: NOW + 1 }));
    note(0, click('https://a.example/'));
    note(0, open({ at: NOW + 2, ip: null, userAgent: null }));
    await recorder.stop();
    expect((await events()).slice(1)).toEqual([
      { type: 'message.opened', recipient: RECIPIENTS[0], ip: '192.0.2.0', user_agent: 'Firefox' },
      {
        type: 'message.clicked',
        recipient: RECIPIENTS[0],
        ip: '192.0.2.0',
        user_agent: 'Firefox',
        url: 'https://a.example/',
      },
      { type: 'message.opened', recipient: RECIPIENTS[0], ip: null, user_agent: null, status: 'clicked' },
    ]);
  });
});

describe('a burst', () => {
  test('is recognised from its first click, for that recipient alone', async () => {
    const { note, recorder, events } = await scene();
    for (const url of ['https://a.example/', 'https://b.example/']) {
      note(0, click(url));
      note(1, click(url));
    }
    note(2, click('https://c.example/'));
    note(0, click('https://c.example/'));
    note(0, open());
    await recorder.stop();
    const bots = (await events()).filter(({ bot }) => bot);
    expect(bots.map(({ recipient, rule, url }) => [recipient, rule, url])).toEqual([
      [RECIPIENTS[0], 'many_links', 'https://a.example/'],
      [RECIPIENTS[0], 'many_links', 'https://b.example/'],
      [RECIPIENTS[0], 'many_links', 'https://c.example/'],
    ]);
  });

  test('does not replace the rule of a machine that names itself', async () => {
    const { note, recorder, events } = await scene();
    for (const url of ['a', 'b', 'c'])
      note(0, { ...click(`https://${url}.example/`), machine: url === 'b' ? 'barracuda' : null });
    await recorder.stop();
    expect((await events()).map(({ rule }) => rule)).toEqual(['many_links', 'barracuda', 'many_links']);
  });
});

describe('the hits in memory', () => {
  const noteMany = (recorder: Recorder, tenants: number, each = 1): void => {
    for (let number = 1; number <= tenants; number += 1)
      for (let id = 1; id <= each; id += 1) recorder.note({ tenantNumber: number, recipientId: id }, open());
  };

  test('are bounded for each practice, so that one practice takes no other’s room', async () => {
    const { files, writes } = playedFiles(true);
    const { recorder, lines } = started({ platform, files });
    for (let recipientId = 1; recipientId <= CAPACITY; recipientId += 1)
      recorder.note({ tenantNumber: 1, recipientId }, open());
    recorder.note({ tenantNumber: 2, recipientId: 1 }, open());
    await recorder.stop();
    expect(writes.map(({ id }) => id)).toContain('2');
    expect(lines).toMatchObject([{ lost: CAPACITY / 2 }]);
  });

  test('are bounded: the newest ones are dropped, and the log says how many', async () => {
    const { storage, recorder, lines, recipients, tenantNumber, recipientIds } = await scene(1, {
      capacity: 4,
    });
    for (const recipientId of recipientIds) recorder.note({ tenantNumber, recipientId }, open());
    await recorder.stop();
    expect(lines).toMatchObject([{ lost: 1 }]);
    expect((await recipients()).map(({ status }) => status)).toEqual(['opened', 'opened', 'queued']);
    await storage.close();
  });

  test('are bounded for any number of tenants', async () => {
    const { files, writes } = playedFiles(true);
    const { recorder, lines } = started({ platform, files });
    noteMany(recorder, CAPACITY + 7);
    await recorder.stop();
    expect(writes).toHaveLength(CAPACITY);
    expect(lines).toMatchObject([{ lost: 7 }]);
  });

  test('are bounded for each recipient, so that one link takes no other’s room', async () => {
    const { files, writes } = playedFiles(true);
    const { recorder, lines } = started({ platform, files, capacity: 4 * MAX_KEPT });
    for (let count = 0; count < 5_000; count += 1) recorder.note({ tenantNumber: 1, recipientId: 1 }, open());
    recorder.note({ tenantNumber: 2, recipientId: 1 }, open());
    await recorder.stop();
    expect(writes.map(({ id }) => id)).toContain('2');
    expect(lines).toEqual([]);
  });

  test('free their room when they are stored', async () => {
    const { files, writes } = playedFiles(true);
    const { recorder } = started({ platform, files, capacity: 2 * MAX_KEPT });
    for (let count = 0; count < MAX_KEPT; count += 1)
      recorder.note({ tenantNumber: 1, recipientId: 1 }, open());
    await until('they are written', () => writes.length === 2);
    await new Promise(setImmediate);
    recorder.note({ tenantNumber: 1, recipientId: 1 }, open());
    await until('one more is', () => writes.length === 3);
  });

  test('of a thousand tenants are stored for a few tenants at a time', async () => {
    const { files, writes, most } = playedFiles(true);
    const { recorder } = started({ platform, files, capacity: 1_000 });
    noteMany(recorder, 1_000);
    await until('all are written', async () => writes.length === 1_000);
    expect(new Set(writes.map(({ id }) => id)).size).toBe(1_000);
    expect(most()).toBe(4);
  });

  test('of a tenant with many let other tenants write between the batches', async () => {
    const { files, writes } = playedFiles(true);
    const { recorder } = started({ platform, files, capacity: 2_000 });
    noteMany(recorder, 4, 250);
    noteMany(recorder, 5);
    await until('all are written', async () => writes.length === 25);
    expect(writes.slice(0, 5).map(({ id }) => id)).toEqual(['1', '2', '3', '4', '5']);
  });

  test('of a tenant whose file hangs do not block other tenants', async () => {
    const { files, writes } = playedFiles();
    const { recorder } = started({ platform, files });
    noteMany(recorder, 1, 3);
    await until('the first is being written', async () => writes.length === 1);
    noteMany(recorder, 3);
    await until('the others are too', async () => writes.length === 3);
    expect(writes.map(({ id }) => id)).toEqual(['1', '2', '3']);
    writes[0]?.end();
    await until('what came meanwhile is too', async () => writes.length === 4);
    for (const write of writes.slice(1)) write.end();
  });

  test('that cannot be stored at the stop are given up, and the log says so', async () => {
    const { files, writes } = playedFiles();
    const { recorder, lines } = started({ platform, files });
    noteMany(recorder, 1, 3);
    const stopped = recorder.stop();
    await until('the write has begun', async () => writes.length === 1);
    writes[0]?.end(new Error('disk full'));
    await stopped;
    expect(lines.map(({ msg, lost }) => [msg, lost])).toEqual([
      ['opens and clicks could not be written', undefined],
      [expect.stringContaining('dropped'), 3],
    ]);
    noteMany(recorder, 1);
    expect(writes).toHaveLength(1);
  });

  test('whose file hangs at the stop delay it by a few seconds only', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const { files, writes } = playedFiles();
    const { recorder, lines } = started({ platform, files });
    noteMany(recorder, 6);
    const stopped = recorder.stop();
    await vi.advanceTimersByTimeAsync(10 * SECOND);
    await stopped;
    expect(writes).toHaveLength(4);
    expect(lines).toMatchObject([{ lost: 6 }]);
    for (const write of writes) write.end();
    await new Promise(setImmediate);
    expect(writes).toHaveLength(4);
  });

  test('are stored exactly once after a failed write', async () => {
    const { storage, events, recipientIds, tenantNumber } = await scene();
    let failures = 1;
    const flaky: RecorderDeps['files'] = {
      write: (id, work) => {
        if (failures === 0) return storage.tenants.write(id, work);
        failures -= 1;
        return Promise.reject(new Error('disk full'));
      },
    };
    const { recorder } = started({ platform: storage.platform, files: flaky });
    recorder.note({ tenantNumber, recipientId: recipientIds[0] ?? 0 }, open());
    await until('it is written', async () => (await events()).length > 0);
    await recorder.stop();
    expect((await events()).map(({ type }) => type)).toEqual(['message.sent', 'message.opened']);
  });

  test('of a tenant whose file keeps failing are given up, and take little room until then', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    let tries = 0;
    const failing: RecorderDeps['files'] = {
      write: () => {
        tries += 1;
        return Promise.reject(new Error('disk full'));
      },
    };
    const { recorder, lines } = started({ platform, files: failing });
    noteMany(recorder, 1);
    await vi.advanceTimersByTimeAsync(SECOND);
    expect(tries).toBe(1);
    noteMany(recorder, 1, CAPACITY);
    await vi.advanceTimersByTimeAsync(MINUTE);
    expect(tries).toBe(4);
    const lost = lines.reduce((sum, line) => sum + Number(line.lost ?? 0), 0);
    await recorder.stop();
    const all = lines.reduce((sum, line) => sum + Number(line.lost ?? 0), 0);
    expect([lost, all]).toEqual([CAPACITY + 1 - CAPACITY / 10, CAPACITY + 1]);
  });
});

test('a hit stays in memory until no further click can make it part of a burst', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { files, writes } = playedFiles(true);
  const recorder = createRecorder({
    platform,
    files,
    signals,
    log: createLog('warn', { write: () => undefined }),
  });
  recorder.note({ tenantNumber: 1, recipientId: 1 }, open());
  await vi.advanceTimersByTimeAsync(BURST_MS);
  expect(writes).toHaveLength(0);
  recorder.note({ tenantNumber: 2, recipientId: 1 }, open());
  await vi.advanceTimersByTimeAsync(SECOND);
  expect(writes.map(({ id }) => id)).toEqual(['1']);
  await vi.advanceTimersByTimeAsync(BURST_MS);
  expect(writes.map(({ id }) => id)).toEqual(['1', '2']);
});
