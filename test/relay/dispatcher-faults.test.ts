// Faults of one practice's file: what they may cost that practice, and that they cost the others nothing.
// @module-tag slow
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { MINUTE, SECOND } from '#src/kernel/time.ts';
import { createTestDisk } from '#test/kernel/db/test-disk.ts';
import { until } from '#test/support/process.ts';
import {
  ACCEPTED,
  createGate,
  createRelay,
  mailboxes,
  playUpstream,
  UNREACHABLE,
  untilSeen,
} from './fixture.ts';

const NOT_STORED = 'outcome could not be stored';
const NOT_READ = 'queue of a practice could not be read';

describe('a file that cannot be written', () => {
  test('does not keep an upstream that is back from being found', async () => {
    let works = true;
    let broken = '';
    const upstream = playUpstream(({ tenantId }) => {
      if (tenantId === broken) relay.lockFile(broken);
      return works ? ACCEPTED : UNREACHABLE;
    });
    const relay = await createRelay([upstream]);
    broken = await relay.createPractice('Broken');
    const good = await relay.createPractice('Good');
    relay.dispatcher.start();
    await relay.send(broken);
    await relay.untilLogged(NOT_STORED);
    works = false;
    await relay.send(good, { to: mailboxes(3) });
    const isSetAside = () => relay.upstreams.describe()[0]?.state === 'open';
    await until('the upstream is set aside', isSetAside);
    works = true;
    relay.pass(MINUTE);
    await relay.untilSent(good);
  });

  test('takes no places from the others', async () => {
    const gate = createGate();
    const upstream = playUpstream(
      (_, number) => (number <= 4 ? gate.opened.then(() => ACCEPTED) : ACCEPTED),
      {
        concurrency: 4,
      },
    );
    const relay = await createRelay([upstream]);
    const broken = await relay.createPractice('Broken');
    const good = await relay.createPractice('Good');
    await relay.send(broken, { to: mailboxes(6) });
    relay.dispatcher.start();
    await untilSeen(upstream, 4);
    const unlock = relay.lockFile(broken);
    gate.open();
    await relay.untilLogged(NOT_STORED, 4);
    await relay.send(good);
    await relay.untilSent(good);
    // Nor is more of it claimed, which could not be written down either.
    expect(relay.errors).not.toContain(NOT_READ);
    // What it has left waits for the file too, and nothing of it is lost or repeated.
    unlock();
    const areSettled = async () => (await relay.queue(broken)).length === 2;
    await until('the outcomes are stored', areSettled);
    relay.pass(5 * SECOND);
    await relay.untilSent(broken);
    const recipients = upstream.seen.filter(({ tenantId }) => tenantId === broken);
    expect(new Set(recipients.map(({ recipient }) => recipient)).size).toBe(6);
    expect(recipients).toHaveLength(6);
  });

  test('at a claim: what is in flight is not sent a second time', async () => {
    const gate = createGate();
    const upstream = playUpstream((_, number) =>
      number === 1 ? gate.opened.then(() => ACCEPTED) : ACCEPTED,
    );
    const relay = await createRelay([upstream]);
    const practice = await relay.createPractice('Nord');
    relay.dispatcher.start();
    await relay.send(practice);
    await untilSeen(upstream, 1);
    // Its recorded next attempt has come while its final dot is being waited for.
    relay.pass(2 * MINUTE);
    const unlock = relay.lockFile(practice);
    relay.dispatcher.wake({ tenantId: practice, lane: 0 }, relay.clock.now());
    await relay.untilLogged(NOT_READ);
    unlock();
    const { answer } = await relay.send(practice);
    relay.pass(5 * SECOND);
    await untilSeen(upstream, 2);
    expect(upstream.seen[1]?.messageId).toBe(answer.id);
    gate.open();
    await relay.untilSent(practice);
    expect(upstream.seen).toHaveLength(2);
  });
});

describe('a sync that fails', () => {
  test('at a claim: what it had claimed is sent, although another one is in flight', async () => {
    const disk = createTestDisk();
    const gate = createGate();
    const upstream = playUpstream((_, number) =>
      number === 1 ? gate.opened.then(() => ACCEPTED) : ACCEPTED,
    );
    const relay = await createRelay([upstream], { disk });
    const practice = await relay.createPractice('Nord');
    relay.dispatcher.start();
    await relay.send(practice);
    await untilSeen(upstream, 1);
    const isIdle = () => relay.dispatcher.describe().in_flight === 1;
    await until('the claim is answered', isIdle);
    // Marketing mail is not claimed by the commit that stores it: the next one is that of the claim.
    await relay.send(practice, { route: 'broadcast' });
    disk.failNextSync(new Error('EIO'));
    await relay.untilLogged(NOT_READ);
    relay.pass(5 * SECOND);
    await untilSeen(upstream, 2);
    gate.open();
    await relay.untilSent(practice);
    expect(new Set(upstream.seen.map(({ messageId }) => messageId)).size).toBe(2);
    expect(upstream.seen).toHaveLength(2);
  });

  test('at the first claim of a practice: what it had claimed is due at once', async () => {
    const disk = createTestDisk();
    const upstream = playUpstream(() => ACCEPTED);
    const relay = await createRelay([upstream], { disk });
    const practice = await relay.createPractice('Nord');
    await relay.send(practice);
    disk.failNextSync(new Error('EIO'));
    relay.dispatcher.start();
    await relay.untilLogged(NOT_READ);
    relay.pass(5 * SECOND);
    await relay.untilSent(practice);
    expect(upstream.seen).toHaveLength(1);
  });

  test('at an outcome: it is written down once', async () => {
    const disk = createTestDisk();
    const upstream = playUpstream(() => {
      disk.failNextSync(new Error('EIO'));
      return ACCEPTED;
    });
    const relay = await createRelay([upstream], { disk });
    const practice = await relay.createPractice('Nord');
    relay.dispatcher.start();
    await relay.send(practice);
    await relay.untilLogged(NOT_STORED);
    await until('it has been seen through', () => relay.dispatcher.nextDue(practice) !== 0);
    expect(await relay.eventTypes(practice)).toEqual(['message.created', 'message.sent']);
    expect(await relay.queue(practice)).toEqual([]);
    expect(upstream.seen).toHaveLength(1);
  });
});

/** A transaction takes no more writes once it has lasted some milliseconds: where none pass, those of one turn are in one. */
const stopTime = (): void => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
};

test('a claim that was undone takes no message back that has got another time meanwhile', async () => {
  const upstream = playUpstream(() => ACCEPTED);
  const relay = await createRelay([upstream]);
  const practice = await relay.createPractice('Nord');
  const { files } = relay.intake;
  await relay.send(practice);
  stopTime();
  relay.dispatcher.start();
  // A disk that is full ends the transaction in which the dispatcher has claimed.
  const isFull = new Promise((resolve) => setImmediate(resolve)).then(() =>
    files.write(practice, (db) => {
      db.exec('ROLLBACK');
      throw new Error('disk full');
    }),
  );
  await expect(isFull).rejects.toThrow('disk full');
  vi.useRealTimers();
  await relay.untilLogged(NOT_READ);
  const later = relay.clock.now() + MINUTE;
  await files.write(practice, (db) => db.prepare<[number]>('UPDATE queue SET due_at = ?').run(later));
  relay.pass(5 * SECOND);
  const { answer } = await relay.send(practice);
  await untilSeen(upstream, 1);
  await until('one waits', async () => (await relay.queue(practice)).length === 1);
  expect(upstream.seen.map(({ messageId }) => messageId)).toEqual([answer.id]);
  expect(await relay.queue(practice)).toEqual([{ attempts: 0, claimed: 0, due_at: later }]);
  relay.pass(MINUTE);
  await relay.untilSent(practice);
  expect(upstream.seen).toHaveLength(2);
});

test('a claim that runs again, because another write of its transaction failed, takes and counts each message once', async () => {
  const upstream = playUpstream(() => ACCEPTED);
  const relay = await createRelay([upstream]);
  const practice = await relay.createPractice('Nord');
  const { files } = relay.intake;
  await relay.send(practice, { to: mailboxes(3) });
  // As a process that died has left them: the claim puts them back first.
  await files.write(practice, (db) => db.exec('UPDATE queue SET claimed = 1'));
  stopTime();
  relay.dispatcher.start();
  const failed = new Promise((resolve) => setImmediate(resolve)).then(() =>
    files.write(practice, () => {
      throw new Error('refused');
    }),
  );
  await expect(failed).rejects.toThrow('refused');
  vi.useRealTimers();
  await relay.untilSent(practice);
  expect(upstream.seen).toHaveLength(3);
  await until('nothing is counted any more', () => relay.dispatcher.nextDue(practice) === null);
  expect(relay.errors).toEqual([]);
});

test('claims of both lanes that run again put back what a process that died had claimed', async () => {
  const gate = createGate();
  const upstream = playUpstream(() => gate.opened.then(() => ACCEPTED), { concurrency: 16 });
  const relay = await createRelay([upstream], { runsTwice: true });
  const practice = await relay.createPractice('Nord');
  await relay.send(practice);
  await relay.intake.files.write(practice, (db) => db.exec('UPDATE queue SET claimed = 1'));
  await relay.send(practice);
  await relay.send(practice, { route: 'broadcast' });
  relay.dispatcher.start();
  // While the others are still on their way: else the end of the last of them would put it back.
  await untilSeen(upstream, 3);
  gate.open();
  await relay.untilSent(practice);
  expect(upstream.seen).toHaveLength(3);
});
