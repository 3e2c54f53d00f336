import { describe, expect, onTestFinished, test } from 'vitest';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { createLog } from '#src/kernel/log.ts';
import { HOUR, MINUTE, SECOND } from '#src/kernel/time.ts';
import { parseAddress } from '#src/mail/address.ts';
import { createSignThreads } from '#src/messages/compose/sign-thread.ts';
import type { Transcript } from '#src/relay/upstream.ts';
import { upstreamBreakerPolicy } from '#src/relay/upstreams.ts';
import { DEADLY } from '#test/support/mortal-sign-worker.ts';
import { until } from '#test/support/process.ts';
import {
  ACCEPTED,
  createGate,
  createRelay,
  LATER,
  mailboxes,
  playUpstream,
  TOO_MANY,
  turns,
  UNREACHABLE,
  untilSeen,
} from './fixture.ts';

const NOT_STORED = 'outcome could not be stored';

const MARKETING = { route: 'broadcast' };

describe('transactional mail that is due at once', () => {
  test('is claimed by the commit that stores it', async () => {
    const relay = await createRelay([playUpstream(() => ACCEPTED)]);
    const practice = await relay.createPractice('Nord');
    relay.dispatcher.start();
    let commits = 0;
    onTestFinished(relay.storage.tenants.watch(() => (commits += 1)));
    // Another one takes the claim where a busy machine spends the time of the first on the mail.
    await until('a mail takes two commits', async () => {
      commits = 0;
      await relay.send(practice);
      await relay.untilSent(practice);
      await until('its outcome is told', () => relay.dispatcher.isIdle(practice));
      return commits === 2;
    });
  });

  test('is due where the claim ran before it', async () => {
    const upstream = playUpstream(() => ACCEPTED);
    const relay = await createRelay([upstream]);
    const practice = await relay.createPractice('Nord');
    relay.dispatcher.start();
    const { files } = relay.intake;
    const write: typeof files.write = (tenantId, work) => {
      expect(relay.dispatcher.claimAlong(tenantId, () => false)).toBe(true);
      return files.write(tenantId, work);
    };
    Object.assign(relay.intake, { files: { ...files, write }, claimAlong: () => true });
    await relay.send(practice);
    await relay.untilSent(practice);
    expect(upstream.seen).toHaveLength(1);
  });

  test('waits for its turn where there is no room', async () => {
    const gate = createGate();
    const upstream = playUpstream(() => gate.opened.then(() => ACCEPTED), { concurrency: 1 });
    const relay = await createRelay([upstream]);
    const [first, second] = [await relay.createPractice('Nord'), await relay.createPractice('Sued')];
    await relay.send(first, { to: mailboxes(9) });
    relay.dispatcher.start();
    await untilSeen(upstream, 1);
    expect(relay.dispatcher.claimAlong(second, () => true)).toBe(false);
    gate.open();
    await relay.untilSent(first);
  });
});

describe('the order of tenants', () => {
  test('transactional mail goes before marketing mail that came earlier', async () => {
    const upstream = playUpstream(() => ACCEPTED, { concurrency: 1 });
    const relay = await createRelay([upstream]);
    const practice = await relay.createPractice('Nord');
    await relay.send(practice, { ...MARKETING, to: mailboxes(3) });
    await relay.send(practice);
    await relay.send(practice);
    relay.dispatcher.start();
    await relay.untilSent(practice);
    expect(upstream.seen.map(({ recipient }) => recipient.startsWith('anna'))).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  test('marketing mail leaves a quarter of the places free, and a transactional message takes one', async () => {
    const gate = createGate();
    const upstream = playUpstream(() => gate.opened.then(() => ACCEPTED), { concurrency: 8 });
    const relay = await createRelay([upstream]);
    const practice = await relay.createPractice('Nord');
    await relay.send(practice, { ...MARKETING, to: mailboxes(20) });
    relay.dispatcher.start();
    await relay.untilOnlyTransmitting();
    expect(upstream.underWay()).toBe(6);
    await relay.send(practice);
    await untilSeen(upstream, 7);
    expect(upstream.seen.at(-1)?.recipient).toBe('anna@example.org');
  });

  test('marketing mail that waits for places does not keep a later transactional message from its time', async () => {
    const gate = createGate();
    const upstream = playUpstream(
      ({ recipient }, number) =>
        recipient.startsWith('anna') ? (number === 1 ? LATER : ACCEPTED) : gate.opened.then(() => ACCEPTED),
      { concurrency: 8 },
    );
    const relay = await createRelay([upstream]);
    const practice = await relay.createPractice('Nord');
    relay.dispatcher.start();
    await relay.send(practice);
    const dueAt = relay.clock.now() + MINUTE;
    await until('it is due in a minute', () => relay.dispatcher.describe().next_due_at === dueAt);
    relay.clock.set(dueAt - 100);
    await relay.send(practice, { ...MARKETING, to: mailboxes(20) });
    await untilSeen(upstream, 7);
    await relay.untilOnlyTransmitting();
    await turns();
    // Nothing ends, and no one asks.
    relay.clock.set(dueAt);
    await untilSeen(upstream, 8);
    expect(upstream.seen.at(-1)?.recipient).toBe('anna@example.org');
    gate.open();
  });

  // Its turn comes after the one under way and one that may have been given before.
  test.each([
    { concurrency: 1, before: 2 },
    { concurrency: 16, before: 32 },
  ])(
    'a practice with 500 rows does not hold up another with one, where $concurrency go at once',
    async ({ concurrency, before }) => {
      const gate = createGate();
      const upstream = playUpstream(() => gate.opened.then(() => ACCEPTED), { concurrency });
      const relay = await createRelay([upstream]);
      const large = await relay.createPractice('Large');
      const small = await relay.createPractice('Small');
      for (let message = 0; message < 10; message++) await relay.send(large, { to: mailboxes(50) });
      relay.dispatcher.start();
      await untilSeen(upstream, concurrency);
      await relay.send(small);
      gate.open();
      await relay.untilSent(small);
      expect(upstream.seen.findIndex(({ tenantId }) => tenantId === small)).toBeLessThanOrEqual(before);
      await relay.dispatcher.stop(MINUTE);
    },
  );

  test('a paused practice is not tried, and its mail goes when it is resumed', async () => {
    const upstream = playUpstream(() => ACCEPTED);
    const relay = await createRelay([upstream]);
    const practice = await relay.createPractice('Nord');
    const pause = (at: number | null) =>
      relay.storage.tenants.write(practice, (db) => {
        const store = tenantStore(db);
        store.updatePause({ ...store.practice(), paused_at: at });
      });
    await relay.send(practice);
    await pause(relay.clock.now());
    relay.dispatcher.start();
    const recheckAt = relay.clock.now() + HOUR;
    const isPutOff = () => relay.dispatcher.describe().next_due_at === recheckAt;
    await until('it is looked at again in an hour', isPutOff);
    expect(upstream.seen).toEqual([]);
    expect(await relay.queue(practice)).toMatchObject([{ attempts: 0, claimed: 0 }]);
    await pause(null);
    relay.dispatcher.wake({ tenantId: practice, lane: 0 }, relay.clock.now());
    await relay.untilSent(practice);
  });
});

describe('the guardrail', () => {
  const UNKNOWN: Transcript = {
    result: 'refused',
    phase: 'rcpt',
    reply: { code: 550, enhanced: '5.1.1', text: 'User unknown' },
  };

  test('pauses with the 20th message: attempts in flight end, and nothing more is claimed', async () => {
    const held = createGate();
    // The 20th is the one that comes back, while the three after it are being sent.
    const upstream = playUpstream(
      (_, number) => (number < 20 ? ACCEPTED : number === 20 ? UNKNOWN : held.opened.then(() => ACCEPTED)),
      { concurrency: 4 },
    );
    const relay = await createRelay([upstream]);
    const practice = await relay.createPractice('Nord');
    await relay.send(practice, { to: mailboxes(50) });
    relay.dispatcher.start();
    const pausedAt = () => relay.storage.tenants.read(practice, (db) => tenantStore(db).practice().paused_at);
    await until('it is paused', async () => (await pausedAt()) !== null);
    const underWay = upstream.underWay();
    held.open();
    const recheckAt = relay.clock.now() + HOUR;
    await until(
      'it is looked at again in an hour',
      () =>
        relay.dispatcher.describe().next_due_at === recheckAt && relay.dispatcher.describe().in_flight === 0,
    );
    const given = upstream.seen.length;
    expect(given).toBeLessThanOrEqual(20 + 4);
    expect(given).toBeGreaterThanOrEqual(20 + underWay);
    const waiting = await relay.queue(practice);
    expect(waiting).toHaveLength(50 - given);
    expect(waiting).toEqual(waiting.map(() => expect.objectContaining({ claimed: 0, attempts: 0 })));
  });
});

test('no more than 32 MiB are in flight, also when many practices claim at once', async () => {
  const gate = createGate();
  const upstream = playUpstream(() => gate.opened.then(() => ACCEPTED));
  const relay = await createRelay([upstream]);
  const practices = await Promise.all(
    Array.from({ length: 10 }, (_, index) => relay.createPractice(`P${index}`)),
  );
  for (const practice of practices) {
    await relay.send(practice);
    await relay.storage.tenants.write(practice, (db) => {
      db.prepare('UPDATE queue SET size_bytes = ?').run(8 * 1_024 * 1_024);
    });
  }
  relay.dispatcher.start();
  await relay.untilOnlyTransmitting();
  expect(upstream.underWay()).toBe(4);
  gate.open();
  await untilSeen(upstream, practices.length);
});

describe('a message', () => {
  test('that was deferred is tried again at its time, and not before', async () => {
    const upstream = playUpstream((_, number) => (number === 1 ? LATER : ACCEPTED));
    const relay = await createRelay([upstream]);
    const practice = await relay.createPractice('Nord');
    const dueAt = relay.clock.now() + MINUTE;
    relay.dispatcher.start();
    await relay.send(practice);
    const isDeferred = () => relay.dispatcher.describe().next_due_at === dueAt;
    await until('it is due in a minute', isDeferred);
    relay.pass(MINUTE - 1);
    await turns();
    expect(upstream.seen).toHaveLength(1);
    expect(relay.dispatcher.describe().in_flight).toBe(0);
    relay.pass(1);
    await relay.untilSent(practice);
    expect(upstream.seen).toHaveLength(2);
  });

  test('that the upstream always fails is not tried in a ring beside others that it takes', async () => {
    let poisoned = '';
    const upstream = playUpstream(({ tenantId }) => (tenantId === poisoned ? TOO_MANY : ACCEPTED));
    const relay = await createRelay([upstream]);
    poisoned = await relay.createPractice('Poisoned');
    const good = await relay.createPractice('Good');
    const tries = () => upstream.seen.filter(({ tenantId }) => tenantId === poisoned).length;
    relay.dispatcher.start();
    await relay.send(poisoned);
    for (let round = 0; round < 10; round++) {
      await relay.send(good);
      await relay.untilSent(good);
    }
    await until('it was tried again at once', () => tries() >= 2);
    expect(tries()).toBe(2);
    relay.pass(MINUTE);
    await until('it is tried again', () => tries() === 3);
  });

  test('whose key cannot be opened waits alone: the others of its practice go', async () => {
    const upstream = playUpstream(() => ACCEPTED);
    const relay = await createRelay([upstream]);
    const practice = await relay.createPractice('Nord');
    await relay.storage.tenants.write(practice, (db) => {
      const store = tenantStore(db);
      store.updateDomains({ ...store.practice(), custom_domain: 'nord.example', custom_verified_at: 1 });
      // Sealed for another host.
      db.exec(`INSERT INTO dkim_keys SELECT 'nord.example', token || '2', position, algorithm, role, sealed_key,
                 created_at, published_at, activated_at, retired_at
               FROM dkim_keys WHERE algorithm = 'rsa-sha256' AND role = 'active'`);
    });
    const { answer } = await relay.send(practice, { from: parseAddress('termin@nord.example') });
    const unsigned = answer.message_id;
    await relay.send(practice, { from: parseAddress('termin@nord.send.example.com') });
    relay.dispatcher.start();
    await relay.untilLogged('message could not be composed');
    const isAlone = async () => (await relay.queue(practice)).length === 1;
    await until('the other one has left', isAlone);
    expect(upstream.seen.map(({ messageId }) => messageId)).not.toContain(unsigned);
    expect(await relay.eventTypes(practice)).toContain('message.delivery_delayed');
  });

  test('whose signing thread dies is deferred, and signed and sent at its next attempt', async () => {
    const threads = createSignThreads(createLog('silent'), {
      workerFile: new URL('../support/mortal-sign-worker.ts', import.meta.url),
    });
    onTestFinished(() => threads.stop());
    let asked = 0;
    const upstream = playUpstream(() => ACCEPTED);
    const relay = await createRelay([upstream], {
      sign: (text, signer) => threads.sign(++asked === 2 ? DEADLY : text, signer),
    });
    const practice = await relay.createPractice('Nord');
    relay.dispatcher.start();
    // A thread that has signed is replaced at once.
    await relay.send(practice);
    await relay.untilSent(practice);
    await relay.send(practice);
    const isDeferred = async () => (await relay.eventTypes(practice)).includes('message.delivery_delayed');
    await until('it is deferred', isDeferred);
    expect(upstream.seen).toHaveLength(1);
    expect(await relay.queue(practice)).toMatchObject([{ attempts: 1, claimed: 0 }]);
    relay.pass(MINUTE);
    await relay.untilSent(practice);
    expect(await relay.eventTypes(practice)).toEqual([
      ...['message.created', 'message.sent'],
      ...['message.created', 'message.delivery_delayed', 'message.sent'],
    ]);
  });
});

describe('upstreams', () => {
  test('while all are set aside nothing is claimed; one message finds out, then everything goes', async () => {
    let works = false;
    const gate = createGate();
    const upstream = playUpstream(() => (works ? gate.opened.then(() => ACCEPTED) : UNREACHABLE));
    const relay = await createRelay([upstream]);
    const practice = await relay.createPractice('Nord');
    relay.dispatcher.start();
    await relay.send(practice, { to: mailboxes(3) });
    const isSetAside = () =>
      relay.upstreams.describe()[0]?.state === 'open' && relay.dispatcher.describe().in_flight === 0;
    await until('the upstream is set aside', isSetAside);
    const tried = upstream.seen.length;
    await relay.send(practice, { to: mailboxes(3) });
    await turns();
    expect(upstream.seen).toHaveLength(tried);
    expect((await relay.queue(practice)).map(({ attempts, claimed }) => attempts + claimed)).toEqual(
      Array(6).fill(0),
    );
    works = true;
    relay.pass(2 * SECOND);
    await relay.untilOnlyTransmitting();
    expect(upstream.underWay()).toBe(1);
    gate.open();
    await relay.untilSent(practice);
    expect(upstream.seen).toHaveLength(tried + 6);
  });

  test('the next one has its own places: what hangs at the first takes none of them', async () => {
    const gate = createGate();
    const hangs = playUpstream(
      (_, number) => (number <= 2 ? gate.opened.then(() => ACCEPTED) : UNREACHABLE),
      { name: 'first', concurrency: 4 },
    );
    const next = playUpstream(() => ACCEPTED, { name: 'second', concurrency: 2 });
    const relay = await createRelay([hangs, next]);
    const practice = await relay.createPractice('Nord');
    await relay.send(practice, { to: mailboxes(10) });
    relay.dispatcher.start();
    await untilSeen(next, 6);
    expect(hangs.underWay()).toBe(2);
  });
});

describe('upstreams that name their mail', () => {
  test('carry it, and hold up no other mail while they fail', async () => {
    const all = playUpstream(() => ACCEPTED, { name: 'all' });
    const gate = createGate();
    const bulk = playUpstream(() => gate.opened.then(() => ACCEPTED), { name: 'bulk', concurrency: 2 });
    const klinik = playUpstream(() => ACCEPTED, { name: 'klinik' });
    const relay = await createRelay([bulk, klinik, all], {
      for: [{ streams: ['marketing'] }, { practices: ['klinik'] }, undefined],
    });
    const [named, other] = [await relay.createPractice('Klinik'), await relay.createPractice('Verein')];
    await relay.send(other, { ...MARKETING, to: mailboxes(5) });
    await relay.send(named);
    await relay.send(other);
    relay.dispatcher.start();
    await relay.untilSent(named);
    await untilSeen(bulk, 2);
    await untilSeen(all, 1);
    expect([all, klinik].map(({ seen }) => seen.map(({ tenantId }) => tenantId))).toEqual([[other], [named]]);
    expect(relay.dispatcher.nextDue(other)).toBe(0);
    gate.open();
    await relay.untilSent(other);
    expect(bulk.seen).toHaveLength(5);
  });
});

describe('mail to the simulator', () => {
  test('waits for what carries it, and is not claimed in a loop meanwhile; other recipients are sent to', async () => {
    const upstream = playUpstream(() => ACCEPTED);
    let works = false;
    const simulator = playUpstream(() => (works ? ACCEPTED : UNREACHABLE), { name: 'simulator' });
    const relay = await createRelay([upstream]);
    relay.upstreams.simulateBy(simulator);
    const practice = await relay.createPractice('Nord');
    const simulated = ['a', 'b', 'c', 'd'].map((label) =>
      parseAddress(`bounce+${label}@simulator.mail.example.com`),
    );
    await relay.send(practice, { to: [...simulated, ...mailboxes(1)] });
    relay.dispatcher.start();
    await untilSeen(simulator, upstreamBreakerPolicy.threshold);
    const now = relay.clock.now();
    await until('all four wait for a later time', async () => {
      const rows = await relay.queue(practice);
      return rows.length === 4 && rows.every((row) => row.claimed === 0 && row.due_at > now);
    });
    expect((await relay.queue(practice)).map(({ attempts }) => attempts)).toEqual([0, 0, 0, 0]);
    expect(upstream.seen.map(({ recipient }) => recipient)).toEqual(['r0@example.org']);
    works = true;
    relay.pass(MINUTE);
    await relay.untilSent(practice);
    expect(upstream.seen).toHaveLength(1);
  });
});

describe('stopping', () => {
  test('waits for attempts in flight, and claims nothing more', async () => {
    const gate = createGate();
    const upstream = playUpstream(() => gate.opened.then(() => ACCEPTED), { concurrency: 2 });
    const relay = await createRelay([upstream]);
    const practice = await relay.createPractice('Nord');
    relay.dispatcher.start();
    await relay.send(practice, { to: mailboxes(5) });
    await untilSeen(upstream, 2);
    let hasStopped = false;
    const stopping = relay.dispatcher.stop(MINUTE).then(() => {
      hasStopped = true;
    });
    await turns();
    expect(hasStopped).toBe(false);
    gate.open();
    await stopping;
    expect(upstream.seen).toHaveLength(2);
    expect(await relay.queue(practice)).toMatchObject(Array(3).fill({ claimed: 0, attempts: 0 }));
    expect(await relay.registered()).toEqual([practice]);
  });

  test('does not wait longer than its patience', async () => {
    const gate = createGate();
    const upstream = playUpstream(() => gate.opened.then(() => ACCEPTED));
    const relay = await createRelay([upstream]);
    const practice = await relay.createPractice('Nord');
    relay.dispatcher.start();
    await relay.send(practice);
    await untilSeen(upstream, 1);
    await relay.dispatcher.stop(1);
    expect(upstream.underWay()).toBe(1);
    expect(await relay.registered()).toEqual([practice]);
  });

  test('with an outcome that could not be written down keeps the practice in the registry', async () => {
    const upstream = playUpstream(({ tenantId }) => {
      relay.lockFile(tenantId);
      return ACCEPTED;
    });
    const relay = await createRelay([upstream]);
    const practice = await relay.createPractice('Nord');
    relay.dispatcher.start();
    await relay.send(practice);
    await relay.untilLogged(NOT_STORED);
    await relay.dispatcher.stop(0);
    await until('it has been given up', () => relay.dispatcher.nextDue(practice) !== 0);
    expect(await relay.registered()).toEqual([practice]);
    expect(await relay.queue(practice)).toHaveLength(1);
  });
});
