// What an erasure must not take from others: letters that wait for them, and the practice's own addresses. It waits for as long
// as it has to, over a restart, and no longer.
import { simpleParser } from 'mailparser';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { z } from 'zod';
import type { erasureSchema } from '#src/audience/people/schema.ts';
import { HOUR } from '#src/kernel/time.ts';
import { letter, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { until } from '#test/support/process.ts';
import { createSmtpReceiver, type SmtpReceiver } from '#test/support/smtp-receiver.ts';

type Erasure = z.infer<typeof erasureSchema>;

let ahead = 0;
const clock = { now: () => Date.now() + ahead };
let receiver: SmtpReceiver;
let app: TestApp;
let sender: Sender;
const start = (home?: string) =>
  startApp({
    receiver,
    clock,
    ...(home && { home }),
    config: { service: { public_origin: 'https://mail.example.com' } },
  });

beforeAll(async () => {
  receiver = await createSmtpReceiver();
  app = await start();
  sender = await app.createSender({ plan: 'praxis' });
  await app.completeLegal(sender.practice.id);
});
afterAll(async () => {
  await app?.remove();
  await receiver?.stop();
});

const call = <Body = unknown>(method: string, target: string, body?: unknown, headers = {}) =>
  app.request<Body>(method, sender.base + target, body, app.adminToken, headers);
const erase = async (address: string): Promise<string> => {
  const answer = await call<Erasure>('POST', '/people/erase', { address });
  expect(answer.status).toBe(202);
  return answer.body.id;
};
const erasureOf = async (id: string): Promise<Erasure> =>
  (await call<Erasure>('GET', `/people/erasures/${id}`)).body;
const untilDone = (id: string) => until('it is erased', async () => (await erasureOf(id)).status === 'done');
/** So many walks have ended. */
const untilWalked = (id: string, walks: number) =>
  until('it has walked', () => {
    const [row] = app.sql<{ walk: number }>(
      sender.practice.id,
      "SELECT progress_json ->> 'walk' AS walk FROM erasures WHERE id = ?",
      id,
    );
    return (row?.walk ?? 0) > walks;
  });

test('is refused for an address of the practice itself', async () => {
  const answer = await call<{ code: string; hint: string }>('POST', '/people/erase', {
    address: `Dr.Mueller@${sender.practice.managed_host}`,
  });
  expect([answer.status, answer.body.code]).toEqual([409, 'conflict']);
});

test('waits until a letter to others that names the person has left as it was written, also over a restart', async () => {
  const scheduled_at = new Date(clock.now() + HOUR).toISOString();
  const message = await app.send(sender, {
    ...letter,
    to: ['Ida <ida@example.org>', 'Zora <zora@example.org>'],
    reply_to: 'ida@example.org',
    subject: 'Termin mit ida@example.org',
    text: 'Schreiben Sie an ida@example.org.',
    scheduled_at,
  });
  const id = await erase('ida@example.org');
  await untilWalked(id, 1);
  await app.stop();
  ahead += 2 * HOUR;
  app = await start(app.home);
  await until('the letter has left', () => receiver.messages.length > 0);
  await untilDone(id);
  expect(receiver.messages.map(({ recipients }) => recipients.map(({ address }) => address))).toEqual([
    ['zora@example.org'],
  ]);
  const mail = await simpleParser(receiver.messages[0]?.content ?? '');
  expect(mail.replyTo?.text).toBe('ida@example.org');
  expect(mail.subject).toBe('Termin mit ida@example.org');
  expect(mail.text).toMatch(/^Schreiben Sie an ida@example\.org\.\n/);
  expect(mail.headers.get('to')).toMatchObject({ text: expect.not.stringContaining('ida@') });
  expect((await call('GET', `/messages/${message}`)).text).not.toContain('ida@');
});

test('is not undone by an import or by the API: the address is stored no more', async () => {
  const { body: list } = await call<{ id: string }>('POST', '/lists', {
    name: 'Nachrichten',
    wording: 'Ich will sie.',
  });
  const address = 'fritz@example.org';
  await untilDone(await erase(address));
  const imported = await call<{ id: string }>(
    'POST',
    `/lists/${list.id}/subscribers/import?status=active&evidence=Ordner`,
    Buffer.from(`email,name\n${address},Fritz\n${address},Fritz\ngreta@example.org,Greta\n`),
    { 'Content-Type': 'text/csv' },
  );
  await until('it is imported', async () => {
    const { body } = await call<{ status: string }>('GET', `/imports/${imported.body.id}`);
    return body.status === 'done';
  });
  const report = await call<{ data: unknown }>('GET', `/imports/${imported.body.id}/report`);
  expect(report.body.data).toMatchObject([
    { line: 2, address: null, outcome: 'left_out', reason: 'is suppressed' },
    { line: 3, address: null },
  ]);
  const asked = { address, status: 'active', consent: { evidence: 'Anruf' } };
  for (const body of [asked, { address }])
    expect((await call('POST', `/lists/${list.id}/subscribers`, body)).status).toBe(409);
  const { body: held } = await call<{ data: { address: string }[] }>('GET', `/lists/${list.id}/subscribers`);
  expect(held.data.map((one) => one.address)).toEqual(['greta@example.org']);
  const stored = ['recipients', 'subscribers', 'import_faults'].flatMap((table) =>
    app.sql(sender.practice.id, `SELECT 1 FROM ${table} WHERE address LIKE 'fritz@%'`),
  );
  expect(stored).toEqual([]);
});

test('waits for an import whose file has the address, and for no other', async () => {
  const list = await call<{ id: string }>('POST', '/lists', { name: 'Rundbrief', wording: 'Ich will ihn.' });
  // In two pieces of the file; asking for all of them to confirm takes minutes.
  const others = Array.from({ length: 60 }, (_, at) => `k${at}@example.org`).join('\n');
  const csv = `email,note\n${others}\nm@example.org,${'x'.repeat(15_000)}\nn@example.org,${'x'.repeat(15_000)}\n`;
  const rest = 32_768 - Buffer.byteLength(csv) - 'o@example.org,'.length - 8;
  const file = `${csv}o@example.org,${'x'.repeat(rest)}\njana@example.org\n`;
  const imported = await call<{ id: string }>(
    'POST',
    `/lists/${list.body.id}/subscribers/import`,
    Buffer.from(file),
    { 'Content-Type': 'text/csv' },
  );
  expect(imported.status).toBe(202);
  await untilDone(await erase('ina@example.org'));
  const id = await erase('jana@example.org');
  await untilWalked(id, 2);
  expect((await erasureOf(id)).status).toBe('running');
  expect(app.sql(sender.practice.id, "SELECT 1 FROM imports WHERE status = 'running'")).toHaveLength(1);
});
