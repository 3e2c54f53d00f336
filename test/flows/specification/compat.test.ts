// What the specification says of each compatibility surface, asked over plain HTTP. The clients of those APIs are in test/compat/.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { contentOf } from '#test/fixtures/file-contents.ts';
import { type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { UNKNOWN_ID, UUID } from '#test/support/asking.ts';
import { checkCells } from '#test/support/cells.ts';
import { makeOwner, signIn, unlimitedSignIn } from '#test/support/people.ts';

type Json = Record<string, unknown>;
const ANY: unknown = expect.any(String);
const SUPPRESSED = 'gesperrt@example.org';

let app: TestApp;
let sender: Sender;
let session: string;
beforeAll(async () => {
  app = await startApp({
    config: { ...unlimitedSignIn, service: { public_origin: 'https://mail.example.com' } },
  });
  sender = await app.createSender({ plan: 'praxis' });
  await app.completeLegal(sender.practice.id);
  await makeOwner(app, sender.practice.id, 'owner@example.org');
  session = (await signIn(app, 'owner@example.org')).token;
});
afterAll(() => app?.remove());

const call = <Body = Json>(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
) =>
  app.request<Body>(method, `/api/compat/${path}`, body, undefined, {
    Authorization: `Bearer ${sender.token}`,
    ...headers,
  });
const content = Buffer.from(contentOf('pdf')).toString('base64');
const letterA = () => ({
  from: sender.practice.default_from,
  to: 'erika@example.org',
  subject: 'Ihr Termin',
  text: 'Am Montag um 9:30 Uhr.',
});
const letterB = () => ({
  From: sender.practice.default_from,
  To: 'erika@example.org',
  Subject: 'Ihr Termin',
  TextBody: 'Am Montag um 9:30 Uhr.',
});

const letterC = () => ({
  from: { email: sender.practice.default_from },
  personalizations: [{ to: [{ email: 'erika@example.org' }] }],
  subject: 'Ihr Termin',
  content: [{ type: 'text/plain', value: 'Am Montag um 9:30 Uhr.' }],
});

describe('vendor A', () => {
  const refusal = (name: string, statusCode = 422) => ({ statusCode, name, message: ANY });

  test('one message, a batch, a look at one, and the same answer again under a key', async () => {
    const key = { 'Idempotency-Key': 'a' };
    const tags = [{ name: 'art', value: 'termin' }];
    const sent = await call('POST', 'vendor-a/emails', { ...letterA(), tags }, key);
    expect({ status: sent.status, body: sent.body }).toEqual({ status: 200, body: { id: UUID } });
    const again = await call('POST', 'vendor-a/emails', { ...letterA(), tags }, key);
    expect(again.body).toEqual(sent.body);
    const shown = await call('GET', `vendor-a/emails/${sent.body.id}`);
    expect(shown.status).toBe(200);
    expect(shown.body).toMatchObject({ id: sent.body.id, subject: 'Ihr Termin', tags });
    const batch = await call('POST', 'vendor-a/emails/batch', [letterA(), letterA()]);
    expect(batch.status).toBe(200);
    expect(batch.body).toMatchObject({ data: [{ id: UUID }, { id: UUID }] });
  });

  test('refusals have its form, with the hint in the message', async () => {
    const later = await call('POST', 'vendor-a/emails', { ...letterA(), scheduled_at: 'in 1 hour' });
    expect({ status: later.status, body: later.body }).toEqual({
      status: 422,
      body: { ...refusal('validation_error'), message: expect.stringMatching(/campaign/i) },
    });
    const { status, body } = await call('GET', `vendor-a/emails/${UNKNOWN_ID}`);
    expect({ status, body }).toEqual({ status: 404, body: refusal('not_found', 404) });
    const many = await call('POST', 'vendor-a/emails/batch', Array(101).fill(letterA()));
    expect(many.body).toMatchObject({ statusCode: many.status, message: expect.stringContaining('100') });
    expect(many.status).toBeGreaterThanOrEqual(400);
  });
});

describe('vendor B', () => {
  test('one message by each of its fields, by its own token header', async () => {
    const message = {
      ...letterB(),
      To: 'erika@example.org, max@example.org',
      Tag: 'termin',
      Headers: [{ Name: 'X-Case', Value: '7' }],
      Attachments: [{ Name: 'a.pdf', Content: content, ContentType: 'application/pdf' }],
      MessageStream: 'outbound',
    };
    const { status, body } = await app.request<Json>(
      'POST',
      '/api/compat/vendor-b/email',
      message,
      undefined,
      {
        'X-Vendor-B-Server-Token': sender.token,
      },
    );
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        ErrorCode: 0,
        Message: 'OK',
        MessageID: UUID,
        To: message.To,
        SubmittedAt: ANY,
      },
    });
    expect(await app.message(sender, String(body.MessageID))).toMatchObject({
      to: [{ address: 'erika@example.org' }, { address: 'max@example.org' }],
      route: { slug: 'outgoing' },
      tag: 'termin',
      headers: { 'X-Case': '7' },
      attachments: [{ filename: 'a.pdf', content_type: 'application/pdf' }],
    });
  });

  test('broadcast stays broadcast, and each of a batch has its answer', async () => {
    const good = { ...letterB(), MessageStream: 'broadcast' };
    const { status, body } = await call<Json[]>('POST', 'vendor-b/email/batch', [good, { ...good, To: '' }]);
    expect(status).toBe(200);
    expect(body).toMatchObject([{ ErrorCode: 0, MessageID: UUID }, { ErrorCode: expect.any(Number) }]);
    expect(body[1]?.ErrorCode).not.toBe(0);
    expect(await app.message(sender, String(body[0]?.MessageID))).toMatchObject({
      route: { slug: 'broadcast' },
    });
  });

  test('refusals have its form', async () => {
    const { status, body } = await call('POST', 'vendor-b/email', { ...letterB(), To: 'nobody' });
    expect({ status, body }).toEqual({
      status: 422,
      body: { ErrorCode: 300, Message: ANY },
    });
  });
});

test('the EU shape answers as a native send does', async () => {
  const sent = await call('POST', 'eu/send', letterA());
  expect({ status: sent.status, body: sent.body }).toEqual({
    status: 202,
    body: { id: UUID, message_id: sent.body.id, status: 'queued' },
  });
  const batch = await call<Json[]>('POST', 'eu/send/batch', [letterA()]);
  expect(batch.body).toMatchObject([{ id: UUID, status: 'queued' }]);
  const { status, body } = await call('POST', 'eu/send', { ...letterA(), to: [] });
  expect({ status, body }).toMatchObject({ status: 422, body: { code: 'invalid_recipient', hint: ANY } });
});

test('a session names its practice in the query, the body or the header, in each shape', () =>
  checkCells(
    [
      ['vendor-a/emails', letterA()],
      ['vendor-b/email', letterB()],
      ['vendor-c/mail/send', letterC()],
      ['eu/send', letterA()],
    ] as const,
    ([path]) => path,
    async ([path, body]) => {
      const { id } = sender.practice;
      const asMember = { Authorization: `Bearer ${session}` };
      const statuses = await Promise.all([
        call('POST', `${path}?practice_id=${id}`, body, asMember),
        call('POST', path, { ...body, practice_id: id }, asMember),
        call('POST', path, body, { ...asMember, 'X-Service-Practice': id }),
        call('POST', path, body, asMember),
      ]).then((answers) => answers.map((answer) => answer.status < 300));
      expect(statuses).toEqual([true, true, true, false]);
    },
  ));

test('a project token implies the practice and sends for its project', async () => {
  const { body: project } = await app.request(
    'POST',
    `${sender.base}/projects`,
    { name: 'Recall' },
    sender.token,
  );
  const scope = { scope: 'project', project_id: project.id };
  const asProject = { Authorization: `Bearer ${await app.createToken(sender.practice.id, scope)}` };
  const a = await call('POST', 'vendor-a/emails', letterA(), asProject);
  const b = await call('POST', 'vendor-b/email', letterB(), asProject);
  const eu = await call('POST', 'eu/send', letterA(), asProject);
  for (const id of [a.body.id, b.body.MessageID, eu.body.id])
    expect(await app.message(sender, String(id))).toMatchObject({ project_id: project.id });
});

test('the gates apply: suppressions, and what marketing needs', async () => {
  await app.request('POST', `${sender.base}/suppression`, { address: SUPPRESSED }, sender.token);
  const { body } = await call('POST', 'vendor-a/emails', { ...letterA(), to: SUPPRESSED });
  expect(await app.message(sender, String(body.id))).toMatchObject({ status: 'suppressed' });
  const b = await call('POST', 'vendor-b/email', { ...letterB(), To: SUPPRESSED });
  expect({ status: b.status, code: b.body.ErrorCode }).toEqual({ status: 422, code: 406 });
  const poor = await app.createSender({ plan: 'praxis' });
  const asPoor = { Authorization: `Bearer ${poor.token}` };
  const from = poor.practice.default_from;
  const broadcast = { ...letterB(), From: from, MessageStream: 'broadcast' };
  const refused = await call('POST', 'vendor-b/email', broadcast, asPoor);
  expect({ status: refused.status, body: refused.body }).toEqual({
    status: 422,
    body: { ErrorCode: 413, Message: expect.stringContaining('/compliance') },
  });
});
