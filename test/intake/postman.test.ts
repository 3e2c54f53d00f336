// The postman between a real outbox and the real way in; a clock that stands still until the test moves it, so that
// what is tried again by itself is tried when the test says so.

import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createOutbox } from '#src/accounts/mails/outbox.ts';
import type { Notice } from '#src/accounts/mails/schema.ts';
import { noticeStore } from '#src/accounts/mails/store.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { createPostman, type Postman, type PostmanDeps } from '#src/intake/postman.ts';
import { forgetMemory } from '#src/kernel/db/memory.ts';
import { createLog } from '#src/kernel/log.ts';
import { HOUR, MINUTE, SECOND } from '#src/kernel/time.ts';
import { messageStore } from '#src/messages/store.ts';
import { createTestDisk, type TestDisk } from '#test/kernel/db/test-disk.ts';
import {
  ACCEPTED,
  createGate,
  createRelay,
  type PlayedUpstream,
  playUpstream,
  type Relay,
  turns,
  untilSeen,
} from '#test/relay/fixture.ts';
import { testSealingKey } from '#test/support/keys.ts';
import { until } from '#test/support/process.ts';

const outbox = createOutbox(testSealingKey(7));
const LATER = 30 * 24 * HOUR;

let disk: TestDisk;
let upstream: PlayedUpstream;
let relay: Relay;
let tenant: string;
let lines: { readonly level: number; readonly msg: string; readonly text: string }[];

beforeEach(async () => {
  disk = createTestDisk();
  upstream = playUpstream(() => ACCEPTED);
  relay = await createRelay([upstream], { disk });
  tenant = await relay.createPractice('Sendwerk');
  (await relay.dueRegistry.hold(tenant, relay.clock.now()))();
  lines = [];
});

const postmanOf = (fields: Partial<PostmanDeps> = {}): Postman => {
  const log = createLog('warn', { write: (text) => lines.push({ ...JSON.parse(text), text }) });
  const postman = createPostman({
    platform: relay.storage.platform,
    outbox,
    intake: relay.intake,
    systemTenantId: () => tenant,
    log,
    serviceName: 'Sendwerk',
    ...fields,
  });
  onTestFinished(() => postman.stop());
  return postman;
};

const code = (fields: Partial<Notice> = {}): Notice =>
  ({
    kind: 'sign_in_code',
    code: '042317',
    minutes: 10,
    to: 'anna@example.org',
    language: 'de',
    expiresAfter: relay.clock.now() + LATER,
    ...fields,
  }) as Notice;
const enqueue = (...notices: readonly Notice[]): Promise<void> =>
  relay.storage.platform.write((db) => {
    for (const notice of notices) outbox.enqueue(db, notice, relay.clock.now());
  });
const waiting = (): Promise<number> =>
  relay.storage.platform.read((db) => noticeStore(db).waiting(1_000).length);
const untilWaiting = (count: number) =>
  until(`${count} notices wait`, async () => (await waiting()) === count);
/** Recipients of what was handed in, in that order. */
const handedIn = (): Promise<string[]> =>
  relay.storage.tenants.read(tenant, (db) =>
    db.prepare<[], string>('SELECT address FROM recipients ORDER BY id').pluck().all(),
  );
const said = (message: string): number => lines.filter(({ msg }) => msg.startsWith(message)).length;
const untilSaid = (message: string, count: number) =>
  until(`${message} ${count} times`, () => said(message) === count);
const pause = (reason: string | null): Promise<void> =>
  relay.storage.tenants.write(tenant, (db) => {
    const store = tenantStore(db);
    store.updatePause({ ...store.practice(), paused_at: reason === null ? null : 1, pause_reason: reason });
  });

const FAILED = 'a notice could not be sent';

describe('what waits in the outbox', () => {
  test('is handed in as a transactional mail of the system tenant, in order, and leaves the outbox', async () => {
    await enqueue(code({ to: 'a@example.org' }), code({ to: 'b@example.org' }));
    await enqueue(code({ to: 'c@example.org' }));
    postmanOf().wake();
    await untilWaiting(0);
    expect(await handedIn()).toEqual(['a@example.org', 'b@example.org', 'c@example.org']);
    const [row] = await relay.storage.tenants.read(tenant, (db) =>
      db.prepare('SELECT source, message_kind, subject, tag FROM messages').all(),
    );
    const subject = 'Ihr Anmeldecode für Sendwerk';
    expect(row).toEqual({ source: 'system', message_kind: 'transactional', subject, tag: 'sign_in_code' });
  });

  test('is handed in once each, though it is more than a page', async () => {
    const addresses = Array.from({ length: 120 }, (_, index) => `r${index}@example.org`);
    await enqueue(...addresses.map((to) => code({ to })));
    postmanOf().wake();
    await untilWaiting(0);
    expect((await handedIn()).toSorted()).toEqual(addresses.toSorted());
  });

  test('waits until there is a system tenant', async () => {
    await enqueue(code());
    let id: string | null = null;
    const postman = postmanOf({ systemTenantId: () => id });
    postman.wake();
    await turns();
    expect(await waiting()).toBe(1);
    id = tenant;
    postman.wake();
    await untilWaiting(0);
  });

  test('makes no mail of a notice without content', async () => {
    await enqueue(code({ kind: 'nothing' } as Partial<Notice>), code({ to: 'b@example.org' }));
    postmanOf().wake();
    await untilWaiting(0);
    expect(await handedIn()).toEqual(['b@example.org']);
  });

  test('is dropped once its content no longer holds', async () => {
    await enqueue(code({ expiresAfter: relay.clock.now() }), code({ to: 'b@example.org' }));
    postmanOf().wake();
    await untilWaiting(0);
    expect(await handedIn()).toEqual(['b@example.org']);
    expect(said('a notice is dropped: it expired')).toBe(1);
  });
});

describe('an address that no mail can go to', () => {
  test.each(['Jürgen@example.org', 'nobody', 'a@b@example.org', ''])(
    '%j: dropped with a word',
    async (to) => {
      await enqueue(code({ to }), code({ to: 'b@example.org' }));
      postmanOf().wake();
      await untilWaiting(0);
      expect(await handedIn()).toEqual(['b@example.org']);
      expect(lines).toMatchObject([{ level: 40, kind: 'sign_in_code' }]);
      expect(lines[0]?.text).not.toMatch(/042317|rgen/);
    },
  );
});

describe('what cannot be handed in now', () => {
  const tries = () => said(FAILED);

  test('is tried again after 1 s, then ever later, a minute at most, and sent when it can be', async () => {
    await pause('bounces');
    await enqueue(code());
    const postman = postmanOf();
    postman.wake();
    await untilSaid(FAILED, 1);
    for (const [index, wait] of [1, 2, 4, 8, 16, 32, 60, 60].entries()) {
      relay.clock.set(relay.clock.now() + wait * SECOND - 1);
      postman.wake();
      await turns();
      expect(tries()).toBe(index + 1);
      relay.clock.set(relay.clock.now() + 1);
      postman.wake();
      await untilSaid(FAILED, index + 2);
    }
    await pause(null);
    relay.clock.set(relay.clock.now() + MINUTE);
    postman.wake();
    await untilWaiting(0);
    expect(await handedIn()).toEqual(['anna@example.org']);
    expect(lines.every(({ level }) => level === 40)).toBe(true);
  });

  test('is tried again by itself', async () => {
    await pause('bounces');
    await enqueue(code());
    postmanOf().wake();
    await untilSaid(FAILED, 1);
    await pause(null);
    relay.clock.set(relay.clock.now() + SECOND);
    await untilWaiting(0);
  });

  test('does not hold up what comes after it', async () => {
    await enqueue(code({ to: 'a@example.org' }), code({ to: 'b@example.org' }));
    await relay.storage.platform.write((db) => {
      createOutbox(testSealingKey(9)).enqueue(db, code(), relay.clock.now());
    });
    await enqueue(code({ to: 'c@example.org' }));
    const postman = postmanOf();
    postman.wake();
    await untilWaiting(1);
    await enqueue(code({ to: 'd@example.org' }));
    postman.wake();
    await untilWaiting(1);
    expect(await handedIn()).toEqual(['a@example.org', 'b@example.org', 'c@example.org', 'd@example.org']);
    expect(lines).toMatchObject([{ level: 50, msg: FAILED, failures: 1 }]);
  });

  test('is given up when it has expired', async () => {
    await pause('bounces');
    await enqueue(code({ expiresAfter: relay.clock.now() + SECOND }));
    const postman = postmanOf();
    postman.wake();
    await untilSaid(FAILED, 1);
    relay.clock.set(relay.clock.now() + SECOND);
    postman.wake();
    await untilWaiting(0);
    expect(await handedIn()).toEqual([]);
  });

  test('is handed in once, where a failed sync left unknown whether it was', async () => {
    // Its own file is the next to be synced: the registry of due times knows the tenant already.
    await enqueue(code());
    disk.failNextSync(new Error('EIO'));
    const postman = postmanOf();
    postman.wake();
    await untilSaid(FAILED, 1);
    relay.clock.set(relay.clock.now() + SECOND);
    postman.wake();
    await untilWaiting(0);
    expect(await handedIn()).toEqual(['anna@example.org']);
  });
});

describe('an outbox that cannot be read', () => {
  test('is read again 5 s later', async () => {
    await enqueue(code());
    const { platform } = relay.storage;
    let broken = true;
    const read: typeof platform.read = async (work) => {
      if (broken) throw new Error('EIO');
      return platform.read(work);
    };
    const postman = postmanOf({ platform: { ...platform, read } });
    postman.wake();
    await untilSaid('work of a practice cannot be done', 1);
    broken = false;
    relay.clock.set(relay.clock.now() + 5 * SECOND);
    postman.wake();
    await untilWaiting(0);
  });

  test('for long is read again within a minute, because codes to sign in with do not last', async () => {
    await enqueue(code());
    const { platform } = relay.storage;
    let reads = 0;
    let broken = true;
    const read: typeof platform.read = async (work) => {
      reads += 1;
      if (broken) throw new Error('EIO');
      return platform.read(work);
    };
    const postman = postmanOf({ platform: { ...platform, read } });
    for (let tries = 1; tries <= 8; tries += 1) {
      relay.clock.set(relay.clock.now() + MINUTE);
      postman.wake();
      await until(`it was read ${tries} times`, () => reads === tries);
      await turns();
    }
    broken = false;
    relay.clock.set(relay.clock.now() + MINUTE);
    postman.wake();
    await untilWaiting(0);
  });
});

test('a crash between handing in and taking out sends one mail', async () => {
  await enqueue(code({ to: 'a@example.org' }), code({ to: 'b@example.org' }));
  const { platform } = relay.storage;
  const write: typeof platform.write = () => new Promise(() => undefined);
  const crashed = createPostman({
    platform: { ...platform, write },
    outbox,
    intake: relay.intake,
    systemTenantId: () => tenant,
    log: createLog('silent'),
    serviceName: 'Sendwerk',
  });
  crashed.wake();
  await until('both are handed in', async () => (await handedIn()).length === 2);
  expect(await waiting()).toBe(2);
  // Another process, under a service that speaks otherwise meanwhile.
  postmanOf({ serviceName: 'Sendwerk 2' }).wake();
  await untilWaiting(0);
  expect(await handedIn()).toEqual(['a@example.org', 'b@example.org']);
});

describe('what is being handed in', () => {
  test('is handed in once, however often the postman is woken, and holds up nothing that comes after it', async () => {
    const gate = createGate();
    let begun = 0;
    const holdDue: PostmanDeps['intake']['holdDue'] = async (tenantId, dueAt) => {
      begun += 1;
      await gate.opened;
      return relay.intake.holdDue(tenantId, dueAt);
    };
    await enqueue(code({ to: 'a@example.org' }));
    const postman = postmanOf({ intake: { ...relay.intake, holdDue } });
    for (let time = 0; time < 10; time++) postman.wake();
    await until('the first is being handed in', () => begun === 1);
    await enqueue(code({ to: 'b@example.org' }));
    for (let time = 0; time < 10; time++) postman.wake();
    await until('the second is being handed in', () => begun === 2);
    gate.open();
    await untilWaiting(0);
    expect(begun).toBe(2);
    expect(await handedIn()).toEqual(['a@example.org', 'b@example.org']);
  });

  test('a stop waits for it, and begins nothing more', async () => {
    const gate = createGate();
    let begun = 0;
    const holdDue: PostmanDeps['intake']['holdDue'] = async (tenantId, dueAt) => {
      begun += 1;
      await gate.opened;
      return relay.intake.holdDue(tenantId, dueAt);
    };
    await enqueue(...Array.from({ length: 60 }, () => code()));
    const postman = postmanOf({ intake: { ...relay.intake, holdDue } });
    postman.wake();
    await until('a page is being handed in', () => begun === 50);
    let stopped = false;
    const stopping = postman.stop().then(() => {
      stopped = true;
    });
    await turns();
    expect(stopped).toBe(false);
    gate.open();
    await stopping;
    expect(await waiting()).toBe(10);
    postman.wake();
    await turns();
    expect(await waiting()).toBe(10);
  });
});

test('a mail whose sealed content was altered is deferred and logged; the others go out', async () => {
  await enqueue(code({ to: 'a@example.org' }), code({ to: 'b@example.org' }), code({ to: 'c@example.org' }));
  postmanOf().wake();
  await untilWaiting(0);
  await relay.storage.tenants.write(tenant, (db) => {
    const { sealed } = messageStore(db).body(2) ?? {};
    if (!sealed) throw new Error('the second has no sealed content');
    sealed.writeUInt8(sealed.readUInt8(30) ^ 1, 30);
    db.prepare('UPDATE message_bodies SET sealed = ? WHERE message_seq = 2').run(sealed);
    // What was handed over in memory is as it was accepted.
    forgetMemory(db);
  });
  relay.dispatcher.start();
  await untilSeen(upstream, 2);
  await relay.untilLogged('message could not be composed');
  await until('one is left', async () => (await relay.queue(tenant)).length === 1);
  expect(upstream.seen.map(({ recipient }) => recipient).toSorted()).toEqual([
    'a@example.org',
    'c@example.org',
  ]);
  expect(await relay.queue(tenant)).toMatchObject([{ attempts: 1 }]);
  expect(relay.errors).toEqual(['message could not be composed']);
});
