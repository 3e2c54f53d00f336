// A restore as an operator does it, with the real daemon before and after: what was due is held, what is new goes at once, and what is
// in the world from before goes on working.
import { cp, rm } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE, toIso } from '#src/kernel/time.ts';
import { type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { commandIn, type Ran } from '#test/support/command.ts';
import { expectLasting, type Lasting, makeLasting } from '#test/support/lasting.ts';
import { freePort, until } from '#test/support/process.ts';
import { bounceOf, bring } from '#test/support/reports.ts';
import { createSmtpReceiver, OK, type SmtpReceiver } from '#test/support/smtp-receiver.ts';
import { createTestClock } from '#test/support/storage.ts';

const LATER = 'spaeter@example.org';
const config = {
  http: { listen: `127.0.0.1:${await freePort()}` },
  smtp: { inbound: { listen: '127.0.0.1:0' } },
};

const real = Date.now();
const clock = createTestClock(real - 3 * HOUR);
let app: TestApp;
let receiver: SmtpReceiver;
let sender: Sender;
let backups: string;
let command: (...args: string[]) => Promise<Ran>;

const ids: Record<'both' | 'scheduled' | 'tenDays' | 'after', string> = {
  both: '',
  scheduled: '',
  tenDays: '',
  after: '',
};

const start = async (): Promise<TestApp> => {
  app = await startApp({ clock, home: app?.home, receiver, config });
  return app;
};
const subjects = (): string[] =>
  receiver.messages.map(({ content }) => /^Subject: (.*)$/m.exec(content.toString())?.[1]?.trim() ?? '');
const pathOf = (subject: string): string =>
  receiver.messages[subjects().lastIndexOf(subject)]?.mailFrom ?? '';
const heldMail = async (at = sender): Promise<unknown> =>
  (await app.request('GET', `${at.base}/held-mail`, undefined, at.token)).body;
const integrity = (id: string | null): unknown[] => app.sql(id, 'PRAGMA integrity_check');

beforeAll(async () => {
  receiver = await createSmtpReceiver({
    rcpt: ({ address }) => (address === LATER ? '450 4.2.0 Later' : OK),
  });
  app = await startApp({ clock, receiver, config });
  command = commandIn(app.home);
  backups = path.join(app.home, 'backups');
  sender = await app.createSender({ plan: 'praxis' });
  await app.request('POST', `${sender.base}/safe-mode`, { enabled: false }, app.adminToken);
});
afterAll(async () => {
  await app?.remove();
  await receiver?.stop();
});

test('one practice beside the daemon holds what became due since the command began', async () => {
  const practice = await app.createSender({ plan: 'praxis' });
  await app.request('POST', `${practice.base}/safe-mode`, { enabled: false }, app.adminToken);
  const scheduled_at = toIso(real + 5 * MINUTE);
  await app.send(practice, { to: 'karl@example.org', subject: 'gleich', text: 'x', scheduled_at });
  expect((await command('backup', backups)).exitCode).toBe(0);
  // The daemon's clock is ahead of the command's, as if the command had copied for so long.
  const before = clock.now();
  clock.set(real + 6 * MINUTE);
  await app.send(practice, { to: 'anna@example.org', subject: 'jetzt', text: 'x' });
  await until('it has left', () => subjects().includes('gleich'));
  const { printed } = await command('restore', backups, '--tenant', practice.practice.id, '--replace');
  expect(printed).toContain('HELD: 1 mails');
  expect(await heldMail(practice)).toEqual({ mails: 1, forwards: 0 });
  const fresh = await app.send(practice, { to: 'anna@example.org', subject: 'neu', text: 'x' });
  await app.untilStatus(practice, fresh, 'processed');
  expect(subjects().filter((subject) => subject === 'gleich')).toHaveLength(1);
  await app.request('POST', `${practice.base}/held-mail/discard`, {}, app.adminToken);
  clock.set(before);
});

describe('all of a backup', () => {
  let printed = '';
  let withKey: { id: string };
  let lasting: Lasting;

  beforeAll(async () => {
    const first = await app.request<{ id: string }>(
      'POST',
      `${sender.base}/send`,
      { to: 'erika@example.org', subject: 'schon da', text: 'x' },
      sender.token,
      { 'Idempotency-Key': 'einmal' },
    );
    withKey = first.body;
    await app.untilStatus(sender, withKey.id, 'processed');
    ids.both = await app.send(sender, { to: ['hans@example.org', LATER], subject: 'halb', text: 'x' });
    await until('one recipient has it, the other waits', async () => {
      const { recipients } = await app.message(sender, ids.both);
      return recipients.map(({ status }) => status).join() === 'processed,delivery_delayed';
    });
    ids.scheduled = await app.send(sender, {
      to: 'karl@example.org',
      subject: 'geplant',
      scheduled_at: toIso(real - HOUR),
    });
    ids.tenDays = await app.send(sender, { subject: 'in zehn Tagen', scheduled_at: toIso(real + 10 * DAY) });
    lasting = await makeLasting(app);
    expect(await command('backup', backups)).toMatchObject({ exitCode: 0 });
    // The former host goes on: both leave, and there is mail that the backup does not know.
    receiver.setBehaviour({});
    clock.set(real - MINUTE);
    await app.runJob('look after the files');
    ids.after = await app.send(sender, { subject: 'nach der Sicherung' });
    await app.untilStatus(sender, ids.after, 'processed');
    await app.stop();
    await rm(path.join(app.home, 'data'), { recursive: true });
    clock.set(real);
    const ran = await command('restore', backups);
    expect(ran.exitCode, ran.printed).toBe(0);
    printed = ran.printed;
    await start();
  });

  test('says what is held, of which practice, and what to do', () => {
    expect(printed).toContain('HELD: 2 mails were due');
    expect(printed).toContain(`  ${sender.practice.slug}: 2`);
    expect(printed).toContain('held-mail');
  });

  test('holds what was due, and sends what is new at once, with numbers that no one has had', async () => {
    expect(await heldMail()).toEqual({ mails: 2, forwards: 0 });
    expect(await app.message(sender, ids.both)).toMatchObject({ held: true });
    expect(await app.message(sender, ids.tenDays)).toMatchObject({ held: false, status: 'pending' });
    const before = subjects().length;
    const fresh = await app.send(sender, { subject: 'neu' });
    await app.untilStatus(sender, fresh, 'processed');
    expect(subjects().slice(before)).toEqual(['neu']);
    const former = app.returnPathTarget(pathOf('nach der Sicherung'))?.recipientId ?? 0;
    expect(app.returnPathTarget(pathOf('neu'))?.recipientId).toBeGreaterThan(former);
    expect(integrity(null)).toEqual([{ integrity_check: 'ok' }]);
    expect(integrity(sender.practice.id)).toEqual([{ integrity_check: 'ok' }]);
  });

  test('knows keys and return paths of before, and gives a lost mail its bounce to no other', async () => {
    const again = await app.request<{ id: string }>(
      'POST',
      `${sender.base}/send`,
      { to: 'erika@example.org', subject: 'schon da', text: 'x' },
      sender.token,
      { 'Idempotency-Key': 'einmal' },
    );
    expect(again.body.id).toBe(withKey.id);
    const statuses = (): unknown =>
      app.sql(sender.practice.id, 'SELECT id, status FROM messages ORDER BY seq');
    const before = statuses();
    await bring(app.inboundPort, pathOf('nach der Sicherung'), bounceOf('erika@example.org')).catch(
      () => null,
    );
    expect(statuses()).toEqual(before);
    await bring(app.inboundPort, pathOf('schon da'), bounceOf('erika@example.org'));
    await app.untilStatus(sender, withKey.id, 'hard_bounced');
  });

  test('knows unsubscribe links, tracked links, webhooks and suppressions of before', () =>
    expectLasting(app, lasting));

  test('sends what is held once a person says so, but not what a late report shows to have left', async () => {
    // The copy that the former host sent after the backup: its return path finds the recipient that waits here.
    await bring(app.inboundPort, pathOf('halb'), bounceOf(LATER));
    await until('it waits no longer', async () => JSON.stringify(await heldMail()).includes('"mails":1'));
    const before = subjects().length;
    const released = await app.request('POST', `${sender.base}/held-mail/release`, {}, app.adminToken);
    expect(released).toMatchObject({ status: 200, body: { mails: 1, forwards: 0 } });
    await app.untilStatus(sender, ids.scheduled, 'processed');
    expect(subjects().slice(before)).toEqual(['geplant']);
    expect(subjects().filter((subject) => subject === 'halb')).toHaveLength(2);
    expect(await heldMail()).toEqual({ mails: 0, forwards: 0 });
  });

  test('is refused where there are data, and keeps them beside with --replace', async () => {
    await app.stop();
    const refused = await command('restore', backups);
    expect(refused).toMatchObject({ exitCode: 1, printed: expect.stringContaining('--replace') });
    const ran = await command('restore', backups, '--replace', '--resume');
    expect(ran.exitCode, ran.printed).toBe(0);
    expect(ran.printed).toContain('nothing is held');
    const kept = /rm -r (\S+)/.exec(ran.printed)?.[1] ?? '';
    await cp(path.join(kept, 'platform.db'), path.join(app.home, 'kept.db'));
    const before = subjects().length;
    await start();
    await until('what was due has left again', async () => subjects().length === before + 2);
  });
});
