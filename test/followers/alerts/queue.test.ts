// Alerts over real files, woken as in the daemon; what goes to the network is held in the test's hand.
// @module-tag slow

import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { AlertEvent, EventType } from '#src/events/catalogue.ts';
import { createFollowing, type Follower, type Following } from '#src/events/follow.ts';
import { followStore } from '#src/events/follow-store.ts';
import type { EventData } from '#src/events/store.ts';
import { eventStore } from '#src/events/store.ts';
import { createWritten } from '#src/events/written.ts';
import { changeAlert, createAlert, removeAlert } from '#src/followers/alerts/change.ts';
import { openAlertQueue } from '#src/followers/alerts/queue.ts';
import type { AlertKind } from '#src/followers/alerts/rules.ts';
import { alertStore } from '#src/followers/alerts/store.ts';
import { systemChange } from '#src/kernel/change.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import { createLog } from '#src/kernel/log.ts';
import type { OutboundOutcome, OutboundRequest } from '#src/kernel/outbound/outbound.ts';
import { DAY, HOUR, MINUTE, SECOND } from '#src/kernel/time.ts';
import { createWorkEngine } from '#src/kernel/work/engine.ts';
import type { WorkItem } from '#src/kernel/work/in-flight.ts';
import type { OpenQueue } from '#src/kernel/work/queue.ts';
import { createTestDisk } from '#test/kernel/db/test-disk.ts';
import { testSealingKey } from '#test/support/keys.ts';
import { until } from '#test/support/process.ts';
import {
  createSampleTenant,
  createTestClock,
  openTestStorage,
  type TestClock,
  temporaryDirectory,
} from '#test/support/storage.ts';

const KEY = testSealingKey(7);
const START = Date.UTC(2026, 10, 28, 14, 30);
const GATHER = MINUTE;
const FIRST_WAIT = 5 * SECOND;
const SECOND_WAIT = 5 * MINUTE;
const DISABLE_AFTER = 5 * DAY;

const DELIVERED: OutboundOutcome = { kind: 'answered', status: 200, excerpt: 'ok', retryAfter: null };
const answered = (status: number, retryAfter: number | null = null): OutboundOutcome => ({
  kind: 'answered',
  status,
  excerpt: '',
  retryAfter,
});

interface Post extends OutboundRequest {
  /** What the message says, line by line. */
  readonly said: readonly string[];
  end(outcome: OutboundOutcome): void;
}

/** A chat tool that answers when it is told to, or always the same. */
const createTool = () => {
  const posts: Post[] = [];
  const tool = {
    posts,
    always: null as OutboundOutcome | null,
    outbound: {
      post: (request: OutboundRequest) =>
        new Promise<OutboundOutcome>((resolve) => {
          const said = (JSON.parse(String(request.body)) as { text: string }).text.split('\n').slice(0, -1);
          posts.push({ ...request, said, end: resolve });
          if (tool.always !== null) resolve(tool.always);
        }),
    },
    /** The post of that number, from 1, once it has come. */
    post: async (number: number): Promise<Post> => {
      await until(`post number ${number}`, () => posts.length >= number);
      return posts[number - 1] as Post;
    },
  };
  return tool;
};

interface Running {
  readonly alerts: Pick<OpenQueue, 'facts'>;
  readonly following: Following;
  stop(): Promise<void>;
}

interface Scene {
  readonly storage: Storage;
  readonly directory: string;
  readonly clock: TestClock;
  readonly tool: ReturnType<typeof createTool>;
  /** Tenants whose owners were to be told. */
  readonly told: string[];
  readonly turns: { count: number };
  readonly running: Running;
}

const run = async (storage: Storage, scene: Omit<Scene, 'running' | 'storage'>): Promise<Running> => {
  const { clock, tool, told, turns } = scene;
  const log = createLog('warn', { write: () => undefined });
  const following = createFollowing(
    storage.platform,
    storage.tenants,
    createWorkEngine({ clock, log }),
    createWritten(storage.platform, clock),
    clock,
  );
  const open: Following['open'] = <Item extends WorkItem, Outcome>(follower: Follower<Item, Outcome>) =>
    following.open<Item, Outcome>({
      ...follower,
      claimDue: async (tenantId, claim) => {
        const next = await follower.claimDue(tenantId, claim);
        turns.count += 1;
        return next;
      },
    });
  const alerts = openAlertQueue({
    files: storage.tenants,
    clock,
    log,
    outbound: tool.outbound,
    policy: () => ({
      gather: GATHER,
      waits: [FIRST_WAIT, SECOND_WAIT],
      jitter: 0,
      disableAfter: DISABLE_AFTER,
    }),
    key: KEY,
    random: () => 0.5,
    service: { name: 'Sendwerk', origin: 'https://mail.example.com' },
    following: { open },
    notifyOwners: (tenantId) => told.push(tenantId),
  });
  await following.start();
  const stop = async (): Promise<void> => {
    await following.stop(0);
  };
  onTestFinished(stop);
  return { alerts, following, stop };
};

const started = async (disk = createTestDisk()): Promise<Scene> => {
  const directory = await temporaryDirectory();
  const storage = await openTestStorage(directory, { disk, maxOpenTenants: 60 });
  const clock = createTestClock(START);
  const scene = { directory, clock, tool: createTool(), told: [], turns: { count: 0 } };
  return { ...scene, storage, running: await run(storage, scene) };
};

interface AlertFields {
  readonly events?: readonly AlertEvent[];
  readonly kind?: AlertKind;
  readonly path?: string;
}

const alertFor = async (scene: Scene, tenantId: string, fields: AlertFields = {}): Promise<string> => {
  const { events = ['message.hard_bounced', 'message.spam_complaint'], kind = 'slack', path = 'a' } = fields;
  const { storage, clock, running } = scene;
  const release = await running.following.hold('alerts', tenantId);
  const url = `https://chat.example/hooks/${path}`;
  const wanted = { name: 'Empfang', kind, url, events, language: 'en' } as const;
  const doing = { change: systemChange('alert.create'), now: clock.now(), key: KEY };
  const { id } = await storage.tenants.write(tenantId, (db) => createAlert(db, wanted, doing));
  release();
  return id;
};

const happens = (
  { storage, clock }: Scene,
  tenantId: string,
  type: EventType,
  times = 1,
  data: EventData = {},
) =>
  storage.tenants.write(tenantId, (db) => {
    for (let n = 0; n < times; n += 1)
      eventStore(db).append({ type, messageSeq: 0, recipientId: null, at: clock.now(), data });
  });

/** The clock goes on, and whoever waits for it notices. */
const pass = (scene: Scene, tenantId: string, milliseconds: number): void => {
  scene.clock.set(scene.clock.now() + milliseconds);
  scene.running.following.wake('alerts', tenantId);
};

/** Resolves once a turn that began after this call has ended. */
const turned = async ({ turns, running }: Scene, tenantId: string): Promise<void> => {
  const before = turns.count;
  running.following.wake('alerts', tenantId);
  await until('two turns', () => {
    if (turns.count === before + 1) running.following.wake('alerts', tenantId);
    return turns.count >= before + 2;
  });
};

const rowOf = async ({ storage }: Scene, tenantId: string, id: string) => {
  const row = await storage.tenants.read(tenantId, (db) => alertStore(db).byId(id));
  if (row === undefined) throw new Error('there is no such alert');
  return row;
};

const set = async (
  { storage, clock, running }: Scene,
  tenantId: string,
  id: string,
  wanted: Parameters<typeof changeAlert>[2],
): Promise<void> => {
  await storage.tenants.write(tenantId, (db) => {
    const row = alertStore(db).byId(id);
    if (row)
      changeAlert(db, row, wanted, { change: systemChange('alert.update'), now: clock.now(), key: KEY });
  });
  running.following.wake('alerts', tenantId);
};

const settled = (scene: Scene, tenantId: string, id: string): Promise<void> =>
  until('the outcome is written down', async () => (await rowOf(scene, tenantId, id)).last_sent_at !== null);
const failed = (scene: Scene, tenantId: string, id: string): Promise<void> =>
  until('the failure is written down', async () => (await rowOf(scene, tenantId, id)).last_error !== null);

describe('gathering', () => {
  test('a thousand bounces and a complaint are one message with numbers, a minute after the first', async () => {
    const scene = await started();
    const tenant = await createSampleTenant(scene.storage, 'Praxis am Markt');
    await alertFor(scene, tenant);
    await happens(scene, tenant, 'message.hard_bounced', 1_000);
    await happens(scene, tenant, 'message.spam_complaint');
    pass(scene, tenant, GATHER - 1);
    await turned(scene, tenant);
    expect(scene.tool.posts).toEqual([]);
    pass(scene, tenant, 1);
    const post = await scene.tool.post(1);
    expect(post.said).toEqual([
      'Praxis am Markt: 1,001 events',
      '1,000 hard bounces',
      '1 spam complaint',
      '28 November 2026, 14:30 UTC',
    ]);
    expect(post.url).toBe('https://chat.example/hooks/a');
    post.end(DELIVERED);
    pass(scene, tenant, HOUR);
    await turned(scene, tenant);
    expect(scene.tool.posts).toHaveLength(1);
  });

  test('what comes while a message is in flight is the next one', async () => {
    const scene = await started();
    const tenant = await createSampleTenant(scene.storage);
    const id = await alertFor(scene, tenant);
    await happens(scene, tenant, 'message.hard_bounced');
    pass(scene, tenant, GATHER);
    const first = await scene.tool.post(1);
    await happens(scene, tenant, 'message.hard_bounced', 2);
    pass(scene, tenant, 10 * GATHER);
    await turned(scene, tenant);
    expect(scene.tool.posts).toHaveLength(1);
    first.end(DELIVERED);
    await settled(scene, tenant, id);
    const second = await scene.tool.post(2);
    expect([first.said[0], second.said[0]]).toEqual(['Praxis: 1 hard bounce', 'Praxis: 2 hard bounces']);
  });

  test.each<[string, EventType, EventData]>([
    ['what it was not asked to tell', 'message.soft_bounced', {}],
    ['what was told before', 'message.hard_bounced', { repeated: true }],
    ['what people do with a mail', 'message.opened', {}],
    ['a delay of a message that nobody tracks', 'message.delivery_delayed', {}],
  ])('%s is not told', async (_, type, data) => {
    const scene = await started();
    const tenant = await createSampleTenant(scene.storage);
    const id = await alertFor(scene, tenant, {
      events: ['message.hard_bounced', 'message.delivery_delayed'],
    });
    await happens(scene, tenant, type, 1, data);
    await turned(scene, tenant);
    expect((await rowOf(scene, tenant, id)).due_at).toBeNull();
  });

  test('under a clock that has been set back since, is sent at once', async () => {
    const scene = await started();
    const tenant = await createSampleTenant(scene.storage, 'Praxis am Markt');
    const id = await alertFor(scene, tenant);
    pass(scene, tenant, 10 * HOUR);
    await happens(scene, tenant, 'message.hard_bounced');
    await turned(scene, tenant);
    expect((await rowOf(scene, tenant, id)).due_at).not.toBeNull();
    pass(scene, tenant, -10 * HOUR);
    expect((await scene.tool.post(1)).said[0]).toBe('Praxis am Markt: 1 hard bounce');
    scene.tool.posts[0]?.end(answered(503, DAY));
    await failed(scene, tenant, id);
    pass(scene, tenant, HOUR);
    await turned(scene, tenant);
    expect(scene.tool.posts).toHaveLength(1);
  });

  test('what was before its time is not reported', async () => {
    const scene = await started();
    const tenant = await createSampleTenant(scene.storage);
    await happens(scene, tenant, 'message.hard_bounced', 7);
    const id = await alertFor(scene, tenant);
    await turned(scene, tenant);
    expect((await rowOf(scene, tenant, id)).due_at).toBeNull();
  });

  test('what an older alert has not reported yet is not reported by one made since', async () => {
    const scene = await started();
    const tenant = await createSampleTenant(scene.storage);
    const older = await alertFor(scene, tenant);
    const newer = await scene.storage.tenants.write(tenant, (db) => {
      const about = { messageSeq: 0, recipientId: null, at: scene.clock.now(), data: {} };
      eventStore(db).append({ type: 'message.hard_bounced', ...about });
      const events = ['message.hard_bounced'] as const;
      const url = 'https://chat.example/hooks/b';
      const wanted = { name: 'Labor', kind: 'slack', url, events, language: 'en' } as const;
      const doing = { change: systemChange('alert.create'), now: scene.clock.now(), key: KEY };
      return createAlert(db, wanted, doing).id;
    });
    await turned(scene, tenant);
    expect((await rowOf(scene, tenant, older)).due_at).not.toBeNull();
    expect((await rowOf(scene, tenant, newer)).due_at).toBeNull();
  });

  test('writes nothing where there is nothing to report, and its cursor now and then', async () => {
    const scene = await started();
    const tenant = await createSampleTenant(scene.storage);
    await alertFor(scene, tenant);
    await turned(scene, tenant);
    let commits = 0;
    scene.storage.tenants.watch(() => {
      commits += 1;
    });
    for (let n = 0; n < 20; n += 1) await happens(scene, tenant, 'message.sent', 10);
    await turned(scene, tenant);
    expect(commits).toBe(20);
    for (let n = 0; n < 10; n += 1) await happens(scene, tenant, 'message.sent', 100);
    await turned(scene, tenant);
    const { last, place } = await scene.storage.tenants.read(tenant, (db) => ({
      last: followStore(db).last(),
      place: followStore(db).cursor('alerts') ?? 0,
    }));
    expect(last - place).toBeLessThan(500);
    expect(commits).toBeLessThanOrEqual(33);
  });
});

test.each([
  [['message.failed', 'message.content_blocked'], 'Praxis: 1 email refused because of its content'],
  [['message.failed'], 'Praxis: 1 failed email'],
] as const)('a mail whose content was blocked is counted once: %j', async (events, title) => {
  const scene = await started();
  const tenant = await createSampleTenant(scene.storage);
  await alertFor(scene, tenant, { events });
  for (const event of ['message.failed', 'message.content_blocked'] as const)
    await happens(scene, tenant, event, 1, { content_reasons: ['gtube'] });
  pass(scene, tenant, GATHER);
  expect((await scene.tool.post(1)).said[0]).toBe(title);
});

describe('a chat tool that fails', () => {
  test('is tried again with all that has happened since, as one message, by the schedule', async () => {
    const scene = await started();
    const tenant = await createSampleTenant(scene.storage);
    const id = await alertFor(scene, tenant);
    await happens(scene, tenant, 'message.hard_bounced');
    pass(scene, tenant, GATHER);
    (await scene.tool.post(1)).end(answered(500));
    await failed(scene, tenant, id);
    expect(await rowOf(scene, tenant, id)).toMatchObject({
      last_error: 'answered 500',
      attempts: 1,
      due_at: scene.clock.now() + FIRST_WAIT,
    });
    await happens(scene, tenant, 'message.hard_bounced', 2);
    await happens(scene, tenant, 'message.spam_complaint');
    pass(scene, tenant, FIRST_WAIT);
    const second = await scene.tool.post(2);
    expect(second.said.slice(0, 3)).toEqual(['Praxis: 4 events', '3 hard bounces', '1 spam complaint']);
    second.end({ kind: 'failed', error: 'connection refused', timedOut: false });
    await until('that too is written down', async () => {
      const row = await rowOf(scene, tenant, id);
      return row.last_error === 'connection refused' && row.due_at === scene.clock.now() + SECOND_WAIT;
    });
    pass(scene, tenant, SECOND_WAIT);
    const third = await scene.tool.post(3);
    expect(third.said[0]).toBe('Praxis: 4 events');
    third.end(DELIVERED);
    await settled(scene, tenant, id);
    expect(await rowOf(scene, tenant, id)).toMatchObject({
      attempts: 0,
      due_at: null,
      last_error: null,
      failing_since: null,
    });
  });

  test('is left alone for as long as it asks', async () => {
    const scene = await started();
    const tenant = await createSampleTenant(scene.storage);
    const id = await alertFor(scene, tenant);
    await happens(scene, tenant, 'message.hard_bounced');
    pass(scene, tenant, GATHER);
    (await scene.tool.post(1)).end(answered(429, HOUR));
    await failed(scene, tenant, id);
    expect((await rowOf(scene, tenant, id)).due_at).toBe(scene.clock.now() + HOUR);
  });

  test.each([
    [404, 'no_service', 'answered 404: no_service'],
    [410, '', 'answered 410'],
  ])('says %i %s: its alert is disabled, and the owners are to be told', async (status, excerpt, error) => {
    const scene = await started();
    const tenant = await createSampleTenant(scene.storage);
    const id = await alertFor(scene, tenant);
    await happens(scene, tenant, 'message.hard_bounced');
    pass(scene, tenant, GATHER);
    (await scene.tool.post(1)).end({ kind: 'answered', status, excerpt, retryAfter: null });
    await until('it is disabled', async () => (await rowOf(scene, tenant, id)).status === 'disabled');
    expect(await rowOf(scene, tenant, id)).toMatchObject({
      disabled_reason: 'gone',
      disabled_told: 0,
      last_error: error,
      due_at: null,
    });
    await until('they are', () => scene.told.includes(tenant));
    await happens(scene, tenant, 'message.hard_bounced');
    pass(scene, tenant, DAY);
    await turned(scene, tenant);
    expect(scene.tool.posts).toHaveLength(1);
    expect((await rowOf(scene, tenant, id)).due_at).toBeNull();
  });

  test('for too long is given up, and starts again when it is enabled', async () => {
    const scene = await started();
    const tenant = await createSampleTenant(scene.storage);
    const id = await alertFor(scene, tenant);
    await happens(scene, tenant, 'message.hard_bounced');
    scene.tool.always = answered(503);
    pass(scene, tenant, GATHER);
    await failed(scene, tenant, id);
    pass(scene, tenant, DISABLE_AFTER);
    await until('it is disabled', async () => (await rowOf(scene, tenant, id)).status === 'disabled');
    expect((await rowOf(scene, tenant, id)).disabled_reason).toBe('failing');
    await happens(scene, tenant, 'message.hard_bounced', 3);
    scene.tool.always = DELIVERED;
    await set(scene, tenant, id, { status: 'active' });
    await happens(scene, tenant, 'message.hard_bounced', 2);
    await turned(scene, tenant);
    const before = scene.tool.posts.length;
    pass(scene, tenant, GATHER);
    expect((await scene.tool.post(before + 1)).said[0]).toBe('Praxis: 2 hard bounces');
  });

  test('keeps none of the others waiting', async () => {
    const scene = await started();
    const tenant = await createSampleTenant(scene.storage);
    await alertFor(scene, tenant, { path: 'slow' });
    const id = await alertFor(scene, tenant, { path: 'fast' });
    for (let n = 1; n <= 3; n += 1) {
      await happens(scene, tenant, 'message.hard_bounced');
      await turned(scene, tenant);
      pass(scene, tenant, GATHER);
      const post = await scene.tool.post(n + 1);
      const fast = scene.tool.posts.filter(({ url }) => url.endsWith('fast'));
      expect(fast).toHaveLength(n);
      (n === 1 ? fast[0] : post)?.end(DELIVERED);
      const at = scene.clock.now();
      await until('it is written', async () => (await rowOf(scene, tenant, id)).last_sent_at === at);
    }
    expect(scene.tool.posts.filter(({ url }) => url.endsWith('slow'))).toHaveLength(1);
  });
});

describe('places', () => {
  test('a practice has eight, all together thirty-two, and the next that waits gets the next free one', async () => {
    const scene = await started();
    const tenants: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      const tenant = await createSampleTenant(scene.storage);
      tenants.push(tenant);
      for (let m = 0; m < 10; m += 1) await alertFor(scene, tenant, { path: `${n}-${m}` });
      await happens(scene, tenant, 'message.hard_bounced');
      await turned(scene, tenant);
    }
    scene.clock.set(START + GATHER);
    for (const tenant of tenants) scene.running.following.wake('alerts', tenant);
    await scene.tool.post(32);
    for (const tenant of tenants) await turned(scene, tenant);
    expect(scene.tool.posts).toHaveLength(32);
    const of = (n: number) => scene.tool.posts.filter(({ url }) => url.includes(`/${n}-`)).length;
    expect([0, 1, 2, 3, 4].map(of)).toEqual([8, 8, 8, 8, 0]);
    expect(scene.running.alerts.facts()).toMatchObject({ in_flight: 32, waiting_tenants: 5 });
    for (const { end } of [...scene.tool.posts]) end(DELIVERED);
    scene.tool.always = DELIVERED;
    await scene.tool.post(50);
    expect([0, 1, 2, 3, 4].map(of)).toEqual([10, 10, 10, 10, 10]);
    await until('its places are free', () => scene.running.alerts.facts().in_flight === 0);
    expect(scene.running.alerts.facts()).toMatchObject({ in_flight: 0, waiting_tenants: 0 });
  });
});

test('a claim that the disk does not take sends nothing, and is made again with all that has come', async () => {
  const disk = createTestDisk();
  const scene = await started(disk);
  const tenant = await createSampleTenant(scene.storage);
  await alertFor(scene, tenant);
  await happens(scene, tenant, 'message.hard_bounced');
  await turned(scene, tenant);
  disk.failNextSync(new Error('disk'));
  const syncs = disk.syncs();
  pass(scene, tenant, GATHER);
  await until('the claim has failed', () => disk.syncs() > syncs);
  await until('its place is free', () => scene.running.alerts.facts().in_flight === 0);
  expect(scene.tool.posts).toEqual([]);
  await happens(scene, tenant, 'message.hard_bounced');
  pass(scene, await createSampleTenant(scene.storage), 5 * SECOND);
  expect((await scene.tool.post(1)).said[0]).toBe('Praxis: 2 hard bounces');
});

test('an outcome that the disk does not take waits until it is stored: the message is sent no second time', async () => {
  const scene = await started();
  const tenant = await createSampleTenant(scene.storage);
  const id = await alertFor(scene, tenant);
  await happens(scene, tenant, 'message.hard_bounced');
  await turned(scene, tenant);
  pass(scene, tenant, GATHER);
  const post = await scene.tool.post(1);
  const write = vi.spyOn(scene.storage.tenants, 'write').mockRejectedValueOnce(new Error('disk'));
  post.end(DELIVERED);
  await settled(scene, tenant, id);
  expect(write.mock.settledResults[0]?.type).toBe('rejected');
  await turned(scene, tenant);
  expect(scene.tool.posts).toHaveLength(1);
});

describe('a restart', () => {
  test('sends what had been gathered, at its time', async () => {
    const scene = await started();
    const tenant = await createSampleTenant(scene.storage);
    await alertFor(scene, tenant);
    await happens(scene, tenant, 'message.hard_bounced', 5);
    await turned(scene, tenant);
    await scene.running.stop();
    await scene.storage.close();
    scene.clock.set(START + GATHER);
    const storage = await openTestStorage(scene.directory);
    await run(storage, scene);
    expect((await scene.tool.post(1)).said[0]).toBe('Praxis: 5 hard bounces');
  });

  test('between sending and storing the outcome sends it again, with what has happened since', async () => {
    const scene = await started();
    const tenant = await createSampleTenant(scene.storage);
    await alertFor(scene, tenant);
    await happens(scene, tenant, 'message.hard_bounced', 5);
    pass(scene, tenant, GATHER);
    await scene.tool.post(1);
    await happens(scene, tenant, 'message.hard_bounced');
    await scene.running.stop();
    await scene.storage.close();
    const storage = await openTestStorage(scene.directory);
    const again = { ...scene, storage, running: await run(storage, scene) };
    await turned(again, tenant);
    expect(scene.tool.posts).toHaveLength(1);
    pass(again, tenant, FIRST_WAIT);
    expect((await scene.tool.post(2)).said[0]).toBe('Praxis: 6 hard bounces');
  });
});

describe('a change', () => {
  test('of the address sends what could not be sent before there, at once', async () => {
    const scene = await started();
    const tenant = await createSampleTenant(scene.storage);
    const id = await alertFor(scene, tenant);
    await happens(scene, tenant, 'message.hard_bounced');
    pass(scene, tenant, GATHER);
    (await scene.tool.post(1)).end(answered(403));
    await failed(scene, tenant, id);
    await set(scene, tenant, id, { url: 'https://chat.example/hooks/new' });
    const post = await scene.tool.post(2);
    expect([post.url, post.said[0]]).toEqual(['https://chat.example/hooks/new', 'Praxis: 1 hard bounce']);
  });

  test('while a message is in flight lets an outcome of the old address say nothing about the new one', async () => {
    const scene = await started();
    const tenant = await createSampleTenant(scene.storage);
    const id = await alertFor(scene, tenant);
    await happens(scene, tenant, 'message.hard_bounced');
    pass(scene, tenant, GATHER);
    const old = await scene.tool.post(1);
    await set(scene, tenant, id, { url: 'https://chat.example/hooks/new' });
    old.end(answered(410));
    expect((await scene.tool.post(2)).url).toBe('https://chat.example/hooks/new');
    expect((await rowOf(scene, tenant, id)).status).toBe('active');
  });

  test('that disables it forgets what it had gathered: enabled again it reports what is new', async () => {
    const scene = await started();
    const tenant = await createSampleTenant(scene.storage);
    const id = await alertFor(scene, tenant);
    await happens(scene, tenant, 'message.hard_bounced', 3);
    await turned(scene, tenant);
    await set(scene, tenant, id, { status: 'disabled' });
    await set(scene, tenant, id, { status: 'active' });
    await happens(scene, tenant, 'message.hard_bounced');
    await turned(scene, tenant);
    pass(scene, tenant, GATHER);
    expect((await scene.tool.post(1)).said[0]).toBe('Praxis: 1 hard bounce');
  });

  test('that removes it while a message is in flight leaves nothing behind', async () => {
    const scene = await started();
    const tenant = await createSampleTenant(scene.storage);
    const id = await alertFor(scene, tenant);
    await happens(scene, tenant, 'message.hard_bounced');
    pass(scene, tenant, GATHER);
    const post = await scene.tool.post(1);
    await scene.storage.tenants.write(tenant, (db) => {
      const row = alertStore(db).byId(id);
      const doing = { change: systemChange('alert.delete'), now: scene.clock.now(), key: KEY };
      if (row) removeAlert(db, row, doing);
    });
    post.end(DELIVERED);
    await until('nobody follows any more', () =>
      scene.storage.platform.read((db) => db.prepare('SELECT 1 FROM event_followers').all().length === 0),
    );
  });
});
