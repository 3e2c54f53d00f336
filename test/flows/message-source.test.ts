// The source of a recipient's copy: what the API shows is what the upstream got, without signatures; and who may see it.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { asking, refused, UNKNOWN_ID } from '#test/support/asking.ts';
import { join, mailsTo, systemTenant } from '#test/support/people.ts';
import { createTestClock } from '#test/support/storage.ts';

let app: TestApp;
let sender: Sender;
let id: string;

const TO = ['anna@example.org', 'Ben@example.org', 'cara@example.org'] as const;

beforeAll(async () => {
  // The clock does not move, so no limit is refilled meanwhile.
  app = await startApp({ clock: createTestClock(Date.now()) });
  sender = await app.createSender({ plan: 'gruppe' });
  await app.completeLegal(sender.practice.id);
  id = await app.send(sender, {
    to: [`Änne <${TO[0]}>`, TO[1]],
    bcc: TO[2],
    subject: 'Grüße im März',
    html: '<p>Grüße: <a href="https://example.org/mehr?a=1&amp;b=2">mehr</a></p>',
    route: 'broadcast',
    message_kind: 'newsletter',
    attachments: [
      { filename: 'Plan für März.pdf', content: Buffer.from('%PDF-1.4\n%%EOF\n').toString('base64') },
    ],
  });
  await app.untilStatus(sender, id, 'processed');
});
afterAll(() => app?.remove());

const { call, list } = asking(() => ({ app, token: sender.token }));
const source = (query = '', token = sender.token, message = id) =>
  call('GET', `${sender.base}/messages/${message}/source${query}`, undefined, token);

/** What left for them, without its signatures. */
const sent = async (address: string): Promise<string> => {
  const captures = await list(`${sender.base}/captures?message_id=${id}`);
  const capture = captures.find(({ recipient }) => recipient === address);
  const { text } = await call('GET', `${sender.base}/captures/${capture?.id}`);
  expect(text).toMatch(/^DKIM-Signature:/);
  return text.replace(/^DKIM-Signature:.*\r\n(?:[ \t].*\r\n)*/gm, '');
};

test.each(TO)('of %s is byte for byte what was sent to them', async (address) => {
  const { status, text } = await source(`?recipient=${address.toUpperCase()}`);
  expect(status).toBe(200);
  expect(text).toBe(await sent(address));
  expect(text).not.toMatch(/^DKIM-Signature:/im);
});

test('names each recipient by links of their own', async () => {
  const sources = await Promise.all(TO.map((address) => source(`?recipient=${address}`)));
  expect(new Set(sources.map(({ text }) => /\/t\/o\/\w+/.exec(text)?.[0])).size).toBe(TO.length);
});

test('is that of the first recipient where none is named', async () => {
  expect((await source()).text).toBe(await sent(TO[0]));
});

test('is a file to download, whatever stands in it', async () => {
  const { headers } = await source();
  expect(headers.get('content-type')).toBe('message/rfc822');
  expect(headers.get('content-disposition')).toBe('attachment; filename="message.eml"');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
});

test('asking for it changes nothing', async () => {
  const before = app.rowCounts(sender.practice.id);
  await source();
  expect(app.rowCounts(sender.practice.id)).toEqual(before);
});

test('there is none of who is no recipient, of no message, and for who may not see content', async () => {
  await refused('not_found', source('?recipient=nobody@example.org'));
  await refused('not_found', source('', sender.token, UNKNOWN_ID));
  await refused('invalid_request', source(`?recipient=${'a'.repeat(321)}`), 'query.recipient');
  const token = await app.createToken(sender.practice.id, {
    scope: 'project',
    project_id: (await call('GET', `${sender.base}/messages/${id}`)).body.project_id,
  });
  await refused('forbidden', source('', token));
  const viewer = await join(app, sender.practice.id, 'viewer@example.org', { role_id: 'viewer' });
  await refused('forbidden', source('', viewer.token));
});

test('bodies are shown only to who may see content', async () => {
  const viewer = await join(app, sender.practice.id, 'another@example.org', { role_id: 'viewer' });
  const member = await join(app, sender.practice.id, 'member@example.org', { role_id: 'member' });
  const message = async (token: string) =>
    (await call('GET', `${sender.base}/messages/${id}`, undefined, token)).body;
  for (const name of ['text', 'html', 'headers', 'attachments', 'calendar']) {
    expect(await message(viewer.token)).not.toHaveProperty(name);
    expect(await message(member.token)).toHaveProperty(name);
  }
  expect((await source('', member.token)).text).toBe(await sent(TO[0]));
});

test("the service's own mails show theirs to nobody", async () => {
  const messages = `/api/practices/${systemTenant(app)}/messages`;
  await mailsTo(app, 'member@example.org');
  const search = `${messages}/search?q=member@example.org`;
  const found = await call<{ data: { id: string }[] }>('GET', search, undefined, app.adminToken);
  expect(found.body.data).not.toEqual([]);
  const target = `${messages}/${found.body.data[0]?.id}/source`;
  await refused('not_found', call('GET', target, undefined, app.adminToken));
});

test('a practice asks for no more of them in a minute than leave the others their turn', async () => {
  const other = await app.createSender();
  const message = await app.send(other);
  const ask = async () => {
    const target = `${other.base}/messages/${message}/source`;
    const { status, headers } = await call('GET', target, undefined, other.token);
    return { status, wait: headers.get('retry-after') };
  };
  const answers = await Promise.all(Array.from({ length: 330 }, ask));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(300);
  expect(answers).toContainEqual({ status: 429, wait: '1' });
  expect((await source()).status).toBe(200);
});

test('it is gone with the attachments, and with the content', async () => {
  const [row] = app.sql<{ seq: number }>(sender.practice.id, 'SELECT seq FROM messages WHERE id = ?', id);
  app.sql(sender.practice.id, 'INSERT INTO removed_attachments VALUES (?)', row?.seq);
  const { status, body } = await source();
  expect({ status, code: body.code }).toEqual({ status: 404, code: 'not_found' });
  expect(body.error).toContain('attachments');
  app.sql(sender.practice.id, 'DELETE FROM message_bodies');
  const gone = await source();
  expect(gone).toMatchObject({
    status: 404,
    body: { code: 'not_found', hint: expect.stringContaining('timeline') },
  });
});
