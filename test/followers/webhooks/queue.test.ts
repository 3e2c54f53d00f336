// @module-tag slow
import { beforeEach, describe, expect, test } from 'vitest';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { followerRegistryStore } from '#src/events/follower-registry-store.ts';
import { errorWords } from '#src/followers/webhooks/rules.ts';
import { webhookStore } from '#src/followers/webhooks/store.ts';
import { createTestDisk, type TestDisk } from '#test/kernel/db/test-disk.ts';
import { openTestStorage, temporaryDirectory } from '#test/support/storage.ts';
import { addresses, answered, type Exchange, type Scene, startScene, timedOut } from './queue-scene.ts';

let directory: string;
beforeEach(async () => {
  directory = await temporaryDirectory();
});

const OK = answered(200);
const addressesOf = (exchanges: readonly Exchange[]) => exchanges.map(({ address }) => address);
const statuses = async (scene: Scene, tenantId: string, webhookId: string) =>
  (await scene.deliveries(tenantId, webhookId)).map(({ status }) => status);
const quiet = async (): Promise<void> => {
  for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
};

describe('isolation of receivers', () => {
  test('all of a fast one’s deliveries arrive while a slow one’s first are still in flight', async () => {
    const scene = await startScene(directory);
    const id = await scene.tenant();
    await scene.webhook(id, 'slow.example');
    const fast = await scene.webhook(id, 'fast.example');
    scene.receivers.always('fast.example', OK);
    await scene.events(id, addresses(300));
    await scene.receivers.arrived('fast.example', 300);
    expect(scene.receivers.at('slow.example')).toHaveLength(1);
    expect(new Set(addressesOf(scene.receivers.at('fast.example'))).size).toBe(300);
    await expect.poll(() => statuses(scene, id, fast)).toEqual(Array(300).fill('delivered'));
  });

  test('one that has shown that it answers gets four at a time, one that fails one', async () => {
    const scene = await startScene(directory);
    const id = await scene.tenant();
    await scene.webhook(id, 'hook.example');
    await scene.events(id, addresses(60));
    const { receivers } = scene;
    (await receivers.arrived('hook.example', 1))[0]?.answer(200);
    await receivers.until(() => receivers.openAt('hook.example').length === 4);
    for (let round = 0; round < 5; round++) {
      receivers.openAt('hook.example')[0]?.answer(200);
      await receivers.until(() => receivers.openAt('hook.example').length === 4);
    }
    await quiet();
    expect(receivers.most('hook.example')).toBe(4);
    for (const one of receivers.openAt('hook.example').slice(0, 4)) one.answer(500);
    await receivers.until(() => receivers.openAt('hook.example').length === 1);
    await quiet();
    expect(receivers.openAt('hook.example')).toHaveLength(1);
  });

  test('fifty webhooks of one tenant that never answer leave the others their places', async () => {
    const scene = await startScene(directory);
    const [bad, good] = [await scene.tenant(), await scene.tenant()];
    for (let n = 0; n < 50; n++) await scene.webhook(bad, `hang${n}.example`);
    await scene.webhook(good, 'good.example');
    const { receivers } = scene;
    receivers.always('good.example', OK);
    await scene.events(bad, addresses(20));
    await receivers.until(() => receivers.openAt('').length >= 50);
    await scene.events(good, addresses(100));
    await receivers.arrived('good.example', 100);
    expect(receivers.openAt('').length).toBeLessThanOrEqual(64);
    for (let n = 0; n < 50; n++) expect(receivers.most(`hang${n}.example`)).toBe(1);
  });

  test('a tenant whose receivers answer has a quarter of the places, however many they are', async () => {
    const scene = await startScene(directory);
    const id = await scene.tenant();
    const { receivers } = scene;
    const hosts = Array.from({ length: 20 }, (_, index) => `h${index}.example`);
    for (const host of hosts) await scene.webhook(id, host);
    await scene.events(id, addresses(10));
    await receivers.until(() => receivers.openAt('').length === 20);
    for (const one of [...receivers.openAt('')]) one.answer(200);
    await receivers.until(() => receivers.openAt('').length === 64);
    await quiet();
    expect(receivers.most()).toBe(64);
    for (const host of hosts) expect(receivers.most(host)).toBeLessThanOrEqual(4);
  });

  test('receivers that keep silent have half of the places, whichever tenants they belong to', async () => {
    const scene = await startScene(directory);
    const { receivers } = scene;
    const bad = await Promise.all(Array.from({ length: 5 }, () => scene.tenant()));
    for (const [index, id] of bad.entries())
      for (let n = 0; n < 40; n++) await scene.webhook(id, `hang${index}-${n}.example`);
    const good = await scene.tenant();
    await scene.webhook(good, 'good.example');
    receivers.always('good.example', OK);
    await scene.events(good, ['first@example.org']);
    await receivers.arrived('good.example', 1);
    await Promise.all(bad.map((id) => scene.events(id, addresses(3))));
    await receivers.until(() => receivers.openAt('').length >= 128);
    await quiet();
    expect(receivers.openAt('').length).toBe(128);
    await scene.events(good, addresses(100));
    await receivers.arrived('good.example', 101);
    // A place that becomes free is the next one's that waits.
    const before = receivers.count();
    receivers.openAt('')[0]?.answer(timedOut);
    await receivers.until(() => receivers.count() === before + 1);
  });

  test('tenants take turns: one with a backlog does not keep another waiting for its end', async () => {
    const scene = await startScene(directory);
    const [busy, quietOne] = [await scene.tenant(), await scene.tenant()];
    await scene.webhook(busy, 'busy.example');
    await scene.webhook(quietOne, 'quiet.example');
    scene.receivers.always('busy.example', OK);
    scene.receivers.always('quiet.example', OK);
    await scene.events(busy, addresses(3_000));
    await scene.receivers.arrived('busy.example', 10);
    await scene.events(quietOne, addresses(5));
    await scene.receivers.arrived('quiet.example', 5);
    expect(scene.receivers.at('busy.example').length).toBeLessThan(3_000);
  });
});

describe('order', () => {
  test('of one address holds over retries, and others go on meanwhile', async () => {
    const scene = await startScene(directory);
    const id = await scene.tenant();
    const hook = await scene.webhook(id, 'hook.example');
    const { receivers } = scene;
    await scene.events(id, ['anna@example.org', 'anna@example.org', 'bert@example.org', 'anna@example.org']);
    const first = (await receivers.arrived('hook.example', 1))[0] as Exchange;
    expect(first.address).toBe('anna@example.org');
    first.answer(500);
    const second = (await receivers.arrived('hook.example', 2))[1] as Exchange;
    expect(second.address).toBe('bert@example.org');
    receivers.always('hook.example', OK);
    await receivers.arrived('hook.example', 5);
    const rows = await scene.deliveries(id, hook);
    const order = receivers.at('hook.example').map(({ deliveryId }) => deliveryId);
    const [a, b, bert, c] = rows.map((row) => row.id);
    expect(order).toEqual([a, bert, a, b, c]);
  });

  test('nothing is in flight twice, though an exchange outlasts the wait behind it', async () => {
    const scene = await startScene(directory, { policy: { waits: [1, 1, 1] } });
    const id = await scene.tenant();
    await scene.webhook(id, 'hook.example');
    const { receivers } = scene;
    await scene.events(id, ['first@example.org']);
    (await receivers.arrived('hook.example', 1))[0]?.answer(200);
    await scene.events(id, ['anna@example.org']);
    await receivers.arrived('hook.example', 2);
    for (let n = 0; n < 20; n++) {
      await scene.events(id, [`other${n}@example.org`]);
      scene.following.wake('webhooks', id);
      await quiet();
    }
    expect(receivers.openAt('hook.example')).toHaveLength(4);
    const deliveries = receivers.at('hook.example').map(({ deliveryId }) => deliveryId);
    expect(new Set(deliveries).size).toBe(deliveries.length);
  });
});

describe('a receiver that asks to be left alone', () => {
  test('gets nothing of its webhook before that time, the others theirs', async () => {
    const scene = await startScene(directory, { policy: { waits: [1, 1, 1] } });
    const id = await scene.tenant();
    await scene.webhook(id, 'busy.example');
    await scene.webhook(id, 'other.example');
    const { receivers } = scene;
    receivers.always('other.example', OK);
    await scene.events(id, addresses(40));
    (await receivers.arrived('busy.example', 1))[0]?.answer(200);
    await receivers.until(() => receivers.openAt('busy.example').length === 4);
    for (const one of receivers.openAt('busy.example').slice(0, 4)) one.answer(answered(429, 600_000));
    await scene.events(id, addresses(40, 'b'));
    await receivers.arrived('other.example', 80);
    await quiet();
    expect(receivers.at('busy.example')).toHaveLength(5);
    receivers.always('busy.example', OK);
    scene.clock.set(scene.clock.now() + 600_000);
    await scene.events(id, addresses(1, 'c'));
    await receivers.arrived('busy.example', 85);
  });
});

describe('what fails', () => {
  test('an outcome that the file does not take is stored later, and sent no second time', async () => {
    const disk: TestDisk = createTestDisk();
    const scene = await startScene(directory, { disk, policy: { waits: [60_000] } });
    const [id, other] = [await scene.tenant(), await scene.tenant()];
    const hook = await scene.webhook(id, 'hook.example');
    await scene.webhook(other, 'other.example');
    scene.receivers.always('other.example', OK);
    await scene.events(id, ['anna@example.org']);
    const [exchange] = await scene.receivers.arrived('hook.example', 1);
    await quiet();
    disk.failNextSync(new Error('disk'));
    exchange?.answer(200);
    await expect.poll(() => scene.webhooks.facts().unsettled).toBe(1);
    expect(scene.webhooks.facts().in_flight).toBe(0);
    await scene.events(other, ['bert@example.org']);
    await scene.receivers.arrived('other.example', 1);
    await expect.poll(() => statuses(scene, id, hook)).toEqual(['delivered']);
    await expect.poll(() => scene.webhooks.facts().unsettled).toBe(0);
    expect(scene.receivers.at('hook.example')).toHaveLength(1);
  });

  test('outcomes that the file does not take fill no log', async () => {
    const disk = createTestDisk();
    const scene = await startScene(directory, { disk });
    const id = await scene.tenant();
    for (const host of ['a.example', 'b.example', 'c.example']) await scene.webhook(id, host);
    await scene.events(id, addresses(1));
    await scene.receivers.until(() => scene.receivers.openAt('').length === 3);
    await quiet();
    disk.failNextSync(new Error('disk'));
    for (const one of scene.receivers.openAt('')) one.answer(200);
    await expect.poll(() => scene.webhooks.facts().unsettled).toBe(3);
    expect(scene.logged.filter((line) => line.includes('cannot be stored'))).toHaveLength(1);
    await expect.poll(() => scene.webhooks.facts().unsettled).toBe(0);
  });

  test('a claim that the file does not take sends nothing, and is made again', async () => {
    const disk: TestDisk = createTestDisk();
    const scene = await startScene(directory, { disk });
    const id = await scene.tenant();
    const hook = await scene.webhook(id, 'hook.example');
    await quiet();
    disk.hold();
    const stored = scene.events(id, ['anna@example.org']);
    await quiet();
    disk.release();
    await stored;
    disk.failNextSync(new Error('disk'));
    await expect.poll(() => scene.logged.some((line) => line.includes('cannot be done'))).toBe(true);
    expect(scene.receivers.at('hook.example')).toHaveLength(0);
    scene.clock.set(scene.clock.now() + 6_000);
    scene.receivers.always('hook.example', OK);
    const another = await scene.tenant();
    await scene.webhook(another, 'another.example');
    await scene.receivers.arrived('hook.example', 1);
    await expect.poll(() => statuses(scene, id, hook)).toEqual(['delivered']);
  });

  test('410 disables: the owners are to be notified, and nothing more goes there', async () => {
    const scene = await startScene(directory);
    const id = await scene.tenant();
    const hook = await scene.webhook(id, 'gone.example');
    // The first look at a practice tells what a crash may have left untold.
    await expect.poll(() => scene.told).toContain(id);
    const before = scene.told.length;
    await scene.events(id, addresses(30));
    (await scene.receivers.arrived('gone.example', 1))[0]?.answer(410);
    await expect.poll(() => statuses(scene, id, hook)).toEqual(Array(30).fill('failed'));
    expect(scene.told.slice(before)).toContain(id);
    expect(scene.receivers.at('gone.example')).toHaveLength(1);
    expect(scene.logged.join('')).not.toContain('gone.example');
  });

  test('a receiver that refuses everything is not asked again and again by a backlog', async () => {
    const scene = await startScene(directory, { policy: { waits: [3_600_000] } });
    const id = await scene.tenant();
    await scene.webhook(id, 'down.example');
    scene.receivers.always('down.example', { kind: 'failed', error: 'refused', timedOut: false });
    await scene.events(id, addresses(500));
    await scene.receivers.arrived('down.example', 10);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(scene.receivers.at('down.example')).toHaveLength(10);
  });

  test('one that does not want mails gets them all the same: it is not failing', async () => {
    const scene = await startScene(directory, { policy: { waits: [3_600_000] } });
    const id = await scene.tenant();
    const hook = await scene.webhook(id, 'strict.example');
    scene.receivers.always('strict.example', answered(403));
    await scene.mails(id, 40);
    await scene.receivers.arrived('strict.example', 40);
    await expect.poll(() => statuses(scene, id, hook)).toEqual(Array(40).fill('failed'));
  });

  test('two whole mails are read at a time; one that is removed meanwhile is not sent', async () => {
    let reading = 0;
    let most = 0;
    const scene = await startScene(directory, {
      policy: { waits: [3_600_000] },
      wholeMail: async (_, seq) => {
        reading += 1;
        most = Math.max(most, reading);
        await new Promise((resolve) => setTimeout(resolve, 10));
        reading -= 1;
        return seq === 5 ? null : { seq };
      },
    });
    const id = await scene.tenant();
    const hook = await scene.webhook(id, 'whole.example', 'whole');
    scene.receivers.always('whole.example', answered(200));
    await scene.mails(id, 12);
    await scene.receivers.arrived('whole.example', 11);
    await expect
      .poll(async () => (await scene.deliveries(id, hook)).map(({ error }) => error))
      .toEqual([...Array(4).fill(null), errorWords.eventRemoved, ...Array(7).fill(null)]);
    expect(most).toBe(2);
  });
});

describe('a stop', () => {
  test('waits for what is in flight, stores it, and gives back what was not sent', async () => {
    const scene = await startScene(directory);
    const id = await scene.tenant();
    await scene.webhook(id, 'hook.example');
    await scene.events(id, addresses(50));
    const { receivers } = scene;
    (await receivers.arrived('hook.example', 1))[0]?.answer(200);
    await receivers.until(() => receivers.openAt('hook.example').length === 4);
    const stopping = scene.stop(60_000);
    await quiet();
    for (const one of [...receivers.openAt('hook.example')]) one.answer(200);
    await stopping;
    expect(receivers.at('hook.example')).toHaveLength(5);

    const next = await startScene(directory);
    next.receivers.always('hook.example', OK);
    await next.receivers.arrived('hook.example', 45);
    await expect
      .poll(async () => (await next.allDeliveries(id)).map((row) => `${row.status} ${row.attempts}`))
      .toEqual(Array(50).fill('delivered 1'));
  });

  test('that cannot wait leaves what is in flight to the next process, which finds it without being woken', async () => {
    const scene = await startScene(directory, { policy: { waits: [10, 10] } });
    const ids = await Promise.all(Array.from({ length: 4 }, () => scene.tenant()));
    const hosts: string[] = [];
    for (const [index, id] of ids.entries())
      for (let n = 0; n < 40; n++) {
        hosts.push(`h${index}-${n}.example`);
        await scene.webhook(id, `h${index}-${n}.example`);
      }
    for (const id of ids) await scene.events(id, ['anna@example.org']);
    await expect.poll(() => scene.webhooks.facts()).toMatchObject({ in_flight: 128, waiting: 32 });
    await scene.stop(0);
    const next = await startScene(directory, { maxOpenTenants: 2 });
    for (const host of hosts) next.receivers.always(host, OK);
    await Promise.all(hosts.map((host) => next.receivers.arrived(host, 1)));
    const attempts = async (): Promise<number[]> => {
      const rows = await Promise.all(ids.map((id) => next.allDeliveries(id)));
      return rows.flat().map((row) => (row.status === 'delivered' ? row.attempts : 0));
    };
    // Only those that were under way had an attempt before.
    await expect
      .poll(async () => (await attempts()).toSorted((a, b) => a - b))
      .toEqual([...Array(32).fill(1), ...Array(128).fill(2)]);
  });
});

describe('a test', () => {
  test('is sent at once beside all that waits, and answers with its outcome', async () => {
    const scene = await startScene(directory);
    const id = await scene.tenant();
    const hook = await scene.webhook(id, 'hook.example');
    await scene.events(id, addresses(10));
    await scene.receivers.arrived('hook.example', 1);
    const tested = scene.webhooks.sendTest(id, hook);
    const exchange = (await scene.receivers.arrived('hook.example', 2))[1];
    exchange?.answer(answered(503));
    const { event, status, attempts, response_status } = await tested;
    expect({ event, status, attempts, response_status }).toEqual({
      event: 'webhook.test',
      status: 'failed',
      attempts: 1,
      response_status: 503,
    });
    expect(scene.receivers.at('hook.example')).toHaveLength(2);
  });

  test('that succeeds ends the back-off of its webhook', async () => {
    const scene = await startScene(directory, { policy: { waits: [1, 1, 1] } });
    const id = await scene.tenant();
    const hook = await scene.webhook(id, 'busy.example');
    const { receivers } = scene;
    await scene.events(id, addresses(3));
    (await receivers.arrived('busy.example', 1))[0]?.answer(answered(503, 600_000));
    await expect.poll(() => scene.webhooks.facts().in_flight).toBe(0);
    await quiet();
    expect(receivers.at('busy.example')).toHaveLength(1);
    receivers.always('busy.example', OK);
    await scene.webhooks.sendTest(id, hook);
    await receivers.arrived('busy.example', 4);
  });

  test('whose claim runs again, because another write of its transaction fails, holds up no stop', async () => {
    const scene = await startScene(directory);
    const id = await scene.tenant();
    const hook = await scene.webhook(id, 'hook.example');
    scene.receivers.always('hook.example', OK);
    const tested = scene.webhooks.sendTest(id, hook);
    const refused = scene.storage.tenants.write(id, () => {
      throw new Error('refused');
    });
    await expect(refused).rejects.toThrow('refused');
    expect((await tested).status).toBe('delivered');
    expect(scene.receivers.at('hook.example')).toHaveLength(1);
    // Longer than a test may take.
    await scene.stop(600_000);
  });

  test.each(['endBackoff', 'restart'] as const)(
    'a member who replays or changes ends the sparing as well: %s',
    async (by) => {
      const scene = await startScene(directory, { policy: { waits: [1, 1, 1] } });
      const id = await scene.tenant();
      const hook = await scene.webhook(id, 'busy.example');
      const { receivers } = scene;
      await scene.events(id, addresses(3));
      (await receivers.arrived('busy.example', 1))[0]?.answer(answered(503, 600_000));
      await expect.poll(() => scene.webhooks.facts().in_flight).toBe(0);
      await quiet();
      receivers.always('busy.example', OK);
      scene.webhooks[by](id, hook);
      await receivers.arrived('busy.example', 3);
    },
  );

  test('what was claimed of a webhook that is removed or moved is given back, but for what is in flight', async () => {
    const scene = await startScene(directory);
    const id = await scene.tenant();
    const hook = await scene.webhook(id, 'hook.example');
    const { receivers } = scene;
    await scene.events(id, addresses(40));
    (await receivers.arrived('hook.example', 1))[0]?.answer(OK);
    await receivers.until(() => receivers.openAt('hook.example').length === 4);
    await quiet();
    expect(scene.webhooks.facts().waiting).toBeGreaterThan(0);
    await scene.storage.tenants.write(id, (db) => {
      const row = webhookStore(db).byId(hook);
      if (row) webhookStore(db).markRemoved(row.number, scene.clock.now());
    });
    scene.webhooks.restart(id, hook);
    await expect.poll(() => scene.webhooks.facts().waiting).toBe(0);
    for (const one of [...receivers.openAt('hook.example')]) one.answer(OK);
    await expect.poll(() => scene.webhooks.facts().in_flight).toBe(0);
    await quiet();
    expect(receivers.at('hook.example')).toHaveLength(5);
  });

  test('of no webhook is refused', async () => {
    const scene = await startScene(directory);
    const id = await scene.tenant();
    const unknown = scene.webhooks.sendTest(id, '01a200a1-d313-7761-98f8-4a74b7c1e772');
    await expect(unknown).rejects.toMatchObject({ code: 'not_found' });
  });
});

test('what others write to a practice’s file costs its webhooks no write', async () => {
  const disk = createTestDisk();
  const scene = await startScene(directory, { disk });
  const id = await scene.tenant();
  await scene.webhook(id, 'hook.example');
  scene.receivers.always('hook.example', OK);
  await scene.events(id, ['anna@example.org']);
  await scene.receivers.arrived('hook.example', 1);
  await expect.poll(() => scene.webhooks.facts().in_flight).toBe(0);
  await quiet();
  await scene.storage.tenants.read(id, () => undefined);
  const before = disk.syncs();
  for (let n = 0; n < 20; n++) {
    await scene.storage.tenants.write(id, (db) => tenantStore(db).practice);
    await quiet();
  }
  expect(disk.syncs() - before).toBe(20);
});

test('a registry restored from before the first webhook learns of it at the nightly look', async () => {
  const before = await startScene(directory);
  const id = await before.tenant();
  await before.webhook(id, 'hook.example');
  await before.stop();
  const restored = await openTestStorage(directory);
  await restored.platform.write((db) => followerRegistryStore(db).remove(id, 'webhooks'));
  await restored.close();

  const scene = await startScene(directory);
  await scene.events(id, ['anna@example.org']);
  await quiet();
  expect(scene.receivers.count()).toBe(0);
  const look = scene.following.registerAgain;
  await look(id);
  await scene.receivers.arrived('hook.example', 1);
  await look(await scene.tenant());
  const rows = await scene.storage.platform.read((db) => followerRegistryStore(db).all());
  expect(rows).toMatchObject([{ tenant_id: id, follower: 'webhooks' }]);
});
