// What a message says of people is kept as long as `retention.messages` says; then keyed hashes take its place, in every table
// of the practice's file, and what links and reports lead to works on.

import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DAY, toIso } from '#src/kernel/time.ts';
import { encodeUnsubscribeToken } from '#src/mail/copy-links.ts';
import { type List, letter, type Message, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { keysIn } from '#test/support/keys.ts';
import { until } from '#test/support/process.ts';
import { createSmtpReceiver, type SmtpReceiver } from '#test/support/smtp-receiver.ts';
import { createTestClock, type TestClock } from '#test/support/storage.ts';

const NOON = Date.parse('2026-11-21T12:00:00Z');
const PSEUDONYM = /^#[\w-]{43}$/;
const pseudonym = expect.stringMatching(PSEUDONYM);
const hidden = { address: pseudonym, name: null };

let receiver: SmtpReceiver;
let clock: TestClock;
let app: TestApp;
let sender: Sender;
let id: string;
let before: Message;

const night = async (now: number): Promise<void> => {
  clock.set(now);
  await app.runJob('remove what is old');
};
const get = async <Body>(target: string, of = sender): Promise<Body> =>
  (await app.request<Body>('GET', of.base + target, undefined, of.token)).body;
const search = async (query: string): Promise<string[]> =>
  (await get<List<Message>>(`/messages/search?${query}`)).data.map((message) => message.id);
/** The link's path and query in the copy for the recipient of that number. */
const linkTo = async (recipient: number): Promise<string> => {
  const [row] = app.sql<{ number: number }>(sender.practice.id, 'SELECT number FROM practice');
  const target = { tenantNumber: row?.number ?? 0, recipientId: recipient };
  const key = keysIn(app.home)('unsubscribe links');
  return `/api/public/unsub?t=${encodeUnsubscribeToken(key, target)}`;
};

beforeAll(async () => {
  receiver = await createSmtpReceiver({
    rcpt: ({ address }) =>
      address.startsWith('unbekannt') ? `550 5.1.1 <${address}>: User unknown` : '250 2.1.5 Ok',
  });
  clock = createTestClock(NOON);
  app = await startApp({
    receiver,
    clock,
    config: { service: { public_origin: 'https://mail.example.com' } },
  });
  sender = await app.createSender({ plan: 'praxis' });
  id = await app.send(sender, {
    ...letter,
    to: ['Erika Muster <erika.muster@example.org>', 'unbekannt@example.net'],
    cc: 'kopie@example.org',
    bcc: 'blind@example.org',
    reply_to: 'frau.doktor@example.org',
    subject: 'Befund von Erika Muster',
    tags: ['Kardiologie', 'Nachsorge'],
    metadata: { patient: 'Muster-4711' },
  });
  await app.send(sender, { ...letter, to: 'erika.muster@example.org' });
  await until('all have left', () => app.sql(sender.practice.id, 'SELECT 1 FROM queue').length === 0);
  before = await app.message(sender, id);
});
afterAll(async () => {
  await app?.remove();
  await receiver?.stop();
});

describe('a message after its period', () => {
  test('says all until then', async () => {
    await night(NOON + 399 * DAY);
    const { subject, metadata, personal_data_removed } = await app.message(sender, id);
    expect({ subject, metadata, personal_data_removed }).toEqual({
      subject: 'Befund von Erika Muster',
      metadata: { patient: 'Muster-4711' },
      personal_data_removed: false,
    });
  });

  test('has keyed hashes in the place of what it said, and its outcome', async () => {
    await night(NOON + 401 * DAY);
    const after = await app.message(sender, id);
    expect(after).toMatchObject({
      personal_data_removed: true,
      subject: pseudonym,
      from: hidden,
      to: [hidden, hidden],
      cc: [hidden],
      bcc: [hidden],
      reply_to: [hidden],
      tag: pseudonym,
      tags: [pseudonym, pseudonym],
      decisions: [],
      ...{ status: before.status, score: before.score, size_bytes: before.size_bytes, route: before.route },
    });
    expect(Object.entries(after.metadata).flat()).toEqual([pseudonym, pseudonym]);
    expect(after.recipients.map(({ address, diagnostic }) => [address, diagnostic])).toEqual(
      before.recipients.map(() => [pseudonym, null]),
    );
    const outcome = ({ recipients }: Message) =>
      recipients.map(({ status, smtp_code, enhanced_code }) => [status, smtp_code, enhanced_code]);
    expect(outcome(after)).toEqual(outcome(before));
    const kept = app.sql<{ sent: number }>(sender.practice.id, 'SELECT sum(sent) AS sent FROM counters');
    expect(kept).toEqual([{ sent: 4 }]);
  });

  test('shows the same address by the same hash, and others by others', async () => {
    const rows = app.sql<{ address: string }>(
      sender.practice.id,
      'SELECT address FROM recipients ORDER BY id',
    );
    const [erika, , , , again] = rows.map(({ address }) => address);
    expect(erika).toMatch(PSEUDONYM);
    expect(again).toBe(erika);
    expect(new Set(rows.map(({ address }) => address)).size).toBe(4);
  });

  test('is found by route, outcome and hash, and no longer by what it said', async () => {
    expect(await search('route=outgoing&status=hard_bounced')).toEqual([id]);
    for (const query of ['q=erika', 'q=Befund', 'q=kardiologie', 'tag=Nachsorge', 'q=kopie@example.org'])
      expect(await search(query), query).toEqual([]);
    const { recipients } = await app.message(sender, id);
    expect(await search(`q=${encodeURIComponent(recipients[0]?.address ?? '')}`)).toContain(id);
  });

  test('leads a person who unsubscribes by its link to the right suppression', async () => {
    const [first] = app.sql<{ id: number }>(sender.practice.id, 'SELECT min(id) AS id FROM recipients');
    const link = await linkTo(first?.id ?? 0);
    const page = await app.request('GET', link, undefined, undefined, { 'Accept-Language': 'de' });
    expect(page.text).toContain('<strong>Ihre Adresse</strong>');
    const body = Buffer.from('List-Unsubscribe=One-Click');
    const type = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const answer = await fetch(app.origin + link, { method: 'POST', headers: type, body });
    expect(answer.status).toBe(200);
    const sent = await app.request<{ code: string }>(
      'POST',
      `${sender.base}/send`,
      { ...letter, to: 'erika.muster@example.org' },
      sender.token,
    );
    expect(sent.body).toMatchObject({ status: 'suppressed', code: 'recipient_suppressed' });
    expect(
      app.sql(sender.practice.id, "SELECT address FROM suppressions WHERE reason = 'unsubscribe'"),
    ).toEqual([{ address: null }]);
  });

  test('leaves the suppression of a bounced address as it was', () => {
    expect(
      app.sql(sender.practice.id, "SELECT address FROM suppressions WHERE reason = 'hard_bounce'"),
    ).toEqual([{ address: 'unbekannt@example.net' }]);
  });
});

test('a message that waits keeps all of it, and goes out to its recipient', async () => {
  const waiting = await app.createSender();
  const start = clock.now();
  const scheduled_at = toIso(start + 2 * DAY);
  const held = await app.send(waiting, { ...letter, to: 'wartet@example.org', scheduled_at });
  await app.request('POST', `${waiting.base}/pause`, { reason: 'Umzug' }, app.adminToken);
  await night(start + 500 * DAY);
  expect(await app.message(waiting, held)).toMatchObject({ subject: letter.subject, status: 'pending' });
  await app.request('POST', `${waiting.base}/resume`, undefined, app.adminToken);
  await app.untilStatus(waiting, held, 'processed');
  expect(receiver.messages.at(-1)?.recipients[0]?.address).toBe('wartet@example.org');
  await night(start + 501 * DAY);
  expect(await app.message(waiting, held)).toMatchObject({ subject: pseudonym, text: null });
});

test('a practice may keep less, and then nothing of a message is kept longer', async () => {
  const careful = await app.createSender();
  const patch = (body: object) => app.request('PATCH', `${careful.base}/retention`, body, app.adminToken);
  expect(await patch({ messages: 6 })).toMatchObject({ status: 400 });
  expect(await patch({ messages: 401 })).toMatchObject({ status: 400 });
  const chosen = { days: 10, practice_days: 10, installation_days: 400 };
  expect((await patch({ messages: 10 })).body).toMatchObject({
    messages: chosen,
    bodies: { days: 10, practice_days: null },
    events: { days: 10, practice_days: null },
  });
  const start = clock.now();
  const sent = await app.send(careful, { ...letter, to: 'kurz@example.org' });
  await app.untilStatus(careful, sent, 'processed');
  await night(start + 9 * DAY);
  expect(await app.message(careful, sent)).toMatchObject({ subject: letter.subject, text: letter.text });
  await night(start + 11 * DAY);
  expect(await app.message(careful, sent)).toMatchObject({
    subject: pseudonym,
    text: null,
    status: 'processed',
  });
});

test('no file of the practice holds the words any more', async () => {
  await app.stop();
  const directory = path.join(app.home, 'data', 'tenants', sender.practice.id);
  const files = await Promise.all(
    (await readdir(directory)).map((name) => readFile(path.join(directory, name))),
  );
  const all = Buffer.concat(files);
  for (const word of [
    'Erika',
    'kopie@',
    'blind@',
    'frau.doktor',
    'Befund',
    'befund',
    'ardiologie',
    'uster-4711',
  ])
    expect(all.includes(word), word).toBe(false);
});
