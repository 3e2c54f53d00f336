// Every field of a send, by its native name and by its name with capitals: what the API shows of the message, what
// arrives, and by which name a problem is told.
import { simpleParser } from 'mailparser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { contentOf } from '#test/fixtures/file-contents.ts';
import {
  letter,
  type Message,
  type Refusal,
  type Sender,
  startApp,
  type TestApp,
} from '#test/support/app.ts';
import { dereference } from '#test/support/openapi.ts';
import { createSmtpReceiver, type SmtpReceiver } from '#test/support/smtp-receiver.ts';

const HOST = 'praxis-am-markt.send.example.com';
const base64 = (extension: string): string => Buffer.from(contentOf(extension)).toString('base64');

let receiver: SmtpReceiver;
let app: TestApp;
let sender: Sender;
beforeAll(async () => {
  receiver = await createSmtpReceiver();
  app = await startApp({ receiver });
  sender = await app.createSender({ plan: 'praxis' });
});
afterAll(async () => {
  await app?.remove();
  await receiver?.stop();
});

const post = (body: object, headers?: Record<string, string>) =>
  app.request<Refusal & { id: string }>('POST', `${sender.base}/send`, body, sender.token, headers);

const sourceOf = async (id: string, recipient: string): Promise<Buffer> => {
  await app.untilStatus(sender, id, 'processed');
  const found = receiver.messages.find(
    ({ content, recipients }) =>
      content.includes(`<${id}@`) && recipients.some(({ address }) => address === recipient),
  );
  if (!found) throw new Error(`nothing arrived for ${recipient}`);
  return found.content;
};

const native = {
  from: `Praxis Müller <termine@${HOST}>`,
  to: '"Beispiel, Anna" <anna@example.org>, max@bücher.example',
  cc: ['Dr. Ö. Weiß <weiss@example.net>', 'anna@example.org'],
  bcc: 'hidden@example.net',
  reply_to: 'Empfang <empfang@example.com>',
  subject: 'Ihr Termin – Größe',
  text: 'Am Montag um 9:30 Uhr.',
  html: '<p>Am Montag.<img alt="" src="CID:%3Clogo%3E"></p>',
  route: 'Outgoing',
  message_kind: 'termin',
  tag: 'Erinnerung',
  tags: ['erinnerung', 'Nord', { name: 'arzt', value: 'Weiß' }],
  metadata: { patient: '4711' },
  headers: [{ name: 'X-Case', value: 'Nr. 7' }],
  attachments: [
    { filename: 'Befund.pdf', content: base64('pdf'), content_type: 'application/pdf' },
    { filename: 'logo.gif', content: base64('gif'), content_id: 'cid:logo' },
  ],
  settings: { track_opens: false, track_clicks: true, plain_text_fallback: false },
  calendar: {
    summary: 'Kontrolle',
    starts_at: '2027-03-01T09:30:00',
    location: 'Am Markt 1',
    time_zone: 'Europe/Vienna',
  },
};

describe('every native field', () => {
  let id: string;
  let shown: Message;
  beforeAll(async () => {
    id = await app.send(sender, native);
    shown = await app.untilStatus(sender, id, 'processed');
  });

  test('is shown with the message', () => {
    expect(shown).toMatchObject({
      from: { address: `termine@${HOST}`, name: 'Praxis Müller' },
      to: [
        { address: 'anna@example.org', name: 'Beispiel, Anna' },
        { address: 'max@xn--bcher-kva.example', name: null },
      ],
      cc: [{ address: 'weiss@example.net', name: 'Dr. Ö. Weiß' }],
      bcc: [{ address: 'hidden@example.net', name: null }],
      reply_to: [{ address: 'empfang@example.com', name: 'Empfang' }],
      subject: native.subject,
      text: native.text,
      html: '<p>Am Montag.<img alt="" src="cid:logo"></p>',
      route: { slug: 'outgoing' },
      message_kind: 'termin',
      tag: 'Erinnerung',
      tags: ['Erinnerung', 'Nord', 'arzt:Weiß'],
      metadata: { patient: '4711' },
      headers: { 'X-Case': 'Nr. 7' },
      attachments: [
        { filename: 'Befund.pdf', content_type: 'application/pdf', content_id: null },
        { filename: 'logo.gif', content_type: 'image/gif', content_id: 'logo' },
      ],
      calendar: {
        summary: 'Kontrolle',
        starts_at: '2027-03-01T09:30:00',
        ends_at: '2027-03-01T09:00:00.000Z',
        location: 'Am Markt 1',
        description: null,
        time_zone: 'Europe/Vienna',
      },
    });
  });

  test('arrives: an image that the HTML shows is the one attached', async () => {
    const mail = await simpleParser(await sourceOf(id, 'anna@example.org'), { skipImageLinks: true });
    const image = mail.attachments.find(({ contentType }) => contentType === 'image/gif');
    expect(mail.html).toContain(`src="cid:${image?.cid}"`);
    expect(mail.subject).toBe(native.subject);
    expect(mail.headers.get('x-case')).toBe('Nr. 7');
    expect(mail.attachments.map(({ contentType }) => contentType)).toContain('text/calendar');
  });
});

describe('names with capitals', () => {
  const capitals = {
    From: native.from,
    To: native.to,
    Cc: 'Dr. Ö. Weiß <weiss@example.net>, anna@example.org',
    Bcc: native.bcc,
    ReplyTo: native.reply_to,
    Subject: native.subject,
    TextBody: native.text,
    HtmlBody: native.html,
    MessageStream: 'outbound',
    Tag: native.tag,
    Metadata: native.metadata,
    Headers: [{ Name: 'X-Case', Value: 'Nr. 7' }],
    Attachments: [
      { Name: 'Befund.pdf', Content: base64('pdf'), ContentType: 'application/pdf', ContentID: null },
      { Name: 'logo.gif', Content: base64('gif'), ContentType: 'image/gif', ContentID: 'cid:logo' },
    ],
    TrackOpens: false,
    TrackLinks: 'HtmlAndText',
  };

  test('make the same message as the native ones', async () => {
    const { message_kind, tags, calendar, settings, ...others } = native;
    const ids = [
      await app.send(sender, { ...others, settings: { track_opens: false, track_clicks: true } }),
      (await post(capitals)).body.id,
    ];
    const messages = await Promise.all(ids.map((id) => app.untilStatus(sender, id, 'processed')));
    const [one, other] = messages.map(({ id, message_id, internet_message_id, recipients, ...shown }) => ({
      ...shown,
      created_at: null,
      updated_at: null,
      recipients: recipients.map(({ address, field }) => [address, field]),
      // The second finds more of the plan used.
      decisions: shown.decisions.filter(({ gate }) => gate !== 'plan_cap'),
    }));
    expect(other).toEqual(one);
    const [row, otherRow] = ids.map(
      (id) =>
        app.sql<{ settings_json: string }>(
          sender.practice.id,
          'SELECT settings_json FROM messages WHERE id = ?',
          id,
        )[0]?.settings_json,
    );
    expect(otherRow).toBe(row);
  });

  test('answer to the same idempotency key as the native ones', async () => {
    const key = { 'Idempotency-Key': 'capitals' };
    const first = await post(letter, key);
    const second = await post(
      { To: letter.to, Subject: letter.subject, TextBody: letter.text, Cc: null },
      key,
    );
    expect([second.status, second.text]).toEqual([202, first.text]);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
  });

  test.each<[name: string, fields: object, path: string]>([
    ['a number', { Subject: 7 }, 'Subject'],
    ['two forms that say different things', { Subject: 'A', subject: 'B' }, 'Subject'],
    ['a bad address', { ReplyTo: 'nobody' }, 'ReplyTo'],
    ['an attachment without its name', { Attachments: [{ Content: '' }] }, 'Attachments[0].Name'],
    ['a word for a truth value', { TrackOpens: 'yes' }, 'TrackOpens'],
    ['a line break in a tag', { Tag: 'a\nb' }, 'Tag'],
  ])('are those that problems name: %s', async (_, fields, path) => {
    const { subject, ...others } = letter;
    const { status, body } = await post({ ...others, Subject: subject, ...fields });
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect(body.fields).toContainEqual({ path: `body.${path}`, message: expect.any(String) });
  });
});

test.each([
  ['lines of 76 characters', 'JVBERi0x\r\nLjQK'],
  ['no padding', 'JVBERi0xLjQKMQ'],
  ['a data URL', 'data:application/pdf;base64,JVBERi0xLjQK'],
])('an attachment in base64 with %s is refused with what is expected', async (_, content) => {
  const { body } = await post({ ...letter, attachments: [{ filename: 'Befund.pdf', content }] });
  expect(body.fields).toEqual([
    {
      path: 'body.attachments[0].content',
      message: 'must be base64 with its padding, without line breaks',
    },
  ]);
});

describe('what calendars refuse', () => {
  test.each<[name: string, fields: object, path: string]>([
    ['an hour that clocks skip', { starts_at: '2027-03-28T02:30:00' }, 'starts_at'],
    [
      'an end before the beginning',
      { starts_at: '2027-03-01T09:30', ends_at: '2027-03-01T09:00' },
      'ends_at',
    ],
    ['no time', { starts_at: 'morgen' }, 'starts_at'],
    ['a year that few calendars know', { starts_at: '2999-03-01T09:30' }, 'starts_at'],
    ['an unknown zone', { starts_at: '2027-03-01T09:30', time_zone: 'Mars/Olympus' }, 'time_zone'],
    ['no summary', { starts_at: '2027-03-01T09:30', summary: undefined }, 'summary'],
  ])('%s', async (_, fields, path) => {
    const { status, body } = await post({ ...letter, calendar: { summary: 'Termin', ...fields } });
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect(body.fields).toEqual([{ path: `body.calendar.${path}`, message: expect.any(String) }]);
  });
});

describe('a text part for HTML alone', () => {
  const partsOf = async (settings: object | undefined, route = 'outgoing') => {
    const id = await app.send(sender, { text: undefined, html: '<p>Am <b>Montag</b>.</p>', settings, route });
    return (await sourceOf(id, letter.to)).toString('latin1');
  };

  test('is made where the route turns it on, unless the send turns it off', async () => {
    expect(await partsOf(undefined)).toContain('Content-Type: text/plain');
    expect(await partsOf({ plain_text_fallback: false })).not.toContain('Content-Type: text/plain');
  });

  test('is not made where the route turns it off, unless the send turns it on', async () => {
    const fields = { name: 'Nur HTML', type: 'transactional', plain_text_fallback: false };
    expect((await app.request('POST', `${sender.base}/routes`, fields, sender.token)).status).toBe(201);
    expect(await partsOf(undefined, 'nur-html')).not.toContain('Content-Type: text/plain');
    expect(await partsOf({ plain_text_fallback: true }, 'nur-html')).toContain('Content-Type: text/plain');
  });
});

describe('a stored template', () => {
  const template = {
    name: 'erinnerung',
    message_kind: 'termin',
    subject: 'Termin am {{tag}}',
    text: 'Guten Tag {{name}}, Ihr Termin ist am {{tag}}, Zimmer {{zimmer}}.',
    html: '<p>Guten Tag {{name}}, Ihr Termin ist am {{tag}}, Zimmer {{zimmer}}.</p>',
  };
  const data = { name: 'Anna <Beispiel>', tag: 'Montag', zimmer: 7 };
  beforeAll(async () => {
    const made = await app.request('POST', `${sender.base}/templates`, template, sender.token);
    expect(made.status).toBe(201);
    const newsletter = { ...template, name: 'brief', message_kind: 'newsletter', subject: 'Neues' };
    expect((await app.request('POST', `${sender.base}/templates`, newsletter, sender.token)).status).toBe(
      201,
    );
    await app.completeLegal(sender.practice.id);
  });

  test('gives subject, text, HTML and kind, filled in', async () => {
    const { status, body } = await post({ to: letter.to, template: 'Erinnerung', data });
    expect(status).toBe(202);
    expect(await app.message(sender, body.id)).toMatchObject({
      subject: 'Termin am Montag',
      text: 'Guten Tag Anna <Beispiel>, Ihr Termin ist am Montag, Zimmer 7.',
      html: '<p>Guten Tag Anna &lt;Beispiel&gt;, Ihr Termin ist am Montag, Zimmer 7.</p>',
      message_kind: 'termin',
      route: { slug: 'outgoing' },
    });
  });

  test('for marketing goes over broadcast, and a kind or route of the send wins over the template’s', async () => {
    const send = async (fields: object) => {
      const { status, body } = await post({ to: letter.to, template: 'brief', data, ...fields });
      if (status !== 202) return body.code;
      const { message_kind, route } = await app.message(sender, body.id);
      return `${message_kind} ${route.slug}`;
    };
    expect(await send({})).toBe('newsletter broadcast');
    expect(await send({ message_kind: 'transactional' })).toBe('transactional outgoing');
    expect(await send({ message_kind: 'custom' })).toBe('kind_not_allowed_on_route');
    expect(await send({ message_kind: 'custom', route: 'broadcast' })).toBe('custom broadcast');
    expect(await send({ route: 'outgoing' })).toBe('kind_not_allowed_on_route');
  });

  test.each<[name: string, fields: object, status: number, path: string | null]>([
    ['a value that is missing', { data: { name: 'Anna', tag: 'Montag' } }, 400, 'body.data.zimmer'],
    ['a text beside it', { data, text: 'Hallo' }, 400, 'body.text'],
    ['a subject beside it', { data, Subject: 'Hallo' }, 400, 'body.Subject'],
    ['an unknown template', { template: 'nichts', data }, 404, null],
    ['an unknown version', { data, template_version: 9 }, 404, null],
  ])('is refused with %s', async (_, fields, status, path) => {
    const answer = await post({ to: letter.to, template: 'erinnerung', ...fields });
    expect(answer.status).toBe(status);
    if (path !== null) expect(answer.body.fields).toEqual([{ path, message: expect.any(String) }]);
  });

  test('is filled in once for a key: what it becomes later changes no answer', async () => {
    const key = { 'Idempotency-Key': 'template' };
    const body = { to: letter.to, template: 'erinnerung', data };
    const first = await post(body, key);
    const gone = await app.request('DELETE', `${sender.base}/templates/erinnerung`, undefined, sender.token);
    expect(gone.status).toBe(204);
    const second = await post(body, key);
    expect([second.status, second.text]).toEqual([202, first.text]);
  });
});

test('the description of the API has native names and those with capitals, and requires only `to`', async () => {
  interface Described {
    readonly paths: Record<
      string,
      Record<string, { requestBody: { content: Record<string, { schema: object }> } }>
    >;
  }
  const described: Described = dereference(parse((await app.request('GET', '/openapi.yaml')).text));
  const operation = described.paths['/api/practices/{id}/send']?.post;
  const schema = operation?.requestBody.content['application/json']?.schema;
  expect(schema).toMatchObject({
    type: 'object',
    additionalProperties: false,
    required: ['to'],
    properties: {
      to: { description: expect.stringContaining('separated by commas') },
      Subject: { description: 'alias of subject' },
      scheduled_at: { type: 'string', format: 'date-time' },
      calendar: { required: ['summary', 'starts_at'] },
    },
  });
  const { text } = await app.request('GET', '/reference/sending');
  expect(text).toContain('<code>MessageStream</code>');
});

const TEXT = { path: 'body.text', message: 'one of text, html and template is required' };
const SUBJECT = { path: 'body.subject', message: 'is required' };
const AS_TEXT = 'must be text, such as `Erika Muster <erika@example.org>`';

test.each<[what: string, body: object, fields: readonly object[]]>([
  ['nothing', {}, [{ path: 'body.to', message: 'is required' }, TEXT, SUBJECT]],
  [
    'the words of other APIs',
    { to: [{ email: 'a@example.org' }], title: 'Termin', body: 'Guten Tag' },
    [
      { path: 'body.to[0]', message: AS_TEXT },
      { path: 'body.title', message: 'unknown field `title`; did you mean `subject`?' },
      { path: 'body.body', message: 'unknown field `body`; did you mean `text`?' },
      TEXT,
      SUBJECT,
    ],
  ],
  [
    'an address in a field of its own',
    { ...letter, to: undefined, email: 'a@example.org', from: { name: 'Praxis', email: 'p@example.org' } },
    [
      { path: 'body.from', message: AS_TEXT },
      { path: 'body.email', message: 'unknown field `email`; did you mean `to`?' },
      { path: 'body.to', message: 'is required' },
    ],
  ],
  [
    'attachments in other words',
    {
      ...letter,
      attachments: [{ filename: 'a.pdf' }, { name: 'b.pdf', data: 'AAAA', type: 'application/pdf' }],
    },
    [
      { path: 'body.attachments[0].content', message: 'is required' },
      { path: 'body.attachments[1].filename', message: 'is required' },
      { path: 'body.attachments[1].content', message: 'is required' },
      { path: 'body.attachments[1].name', message: 'unknown field `name`; did you mean `filename`?' },
      { path: 'body.attachments[1].data', message: 'unknown field `data`; did you mean `content`?' },
      { path: 'body.attachments[1].type', message: 'unknown field `type`; did you mean `content_type`?' },
    ],
  ],
  [
    'a slug for an id',
    { ...letter, project_id: 'default' },
    [{ path: 'body.project_id', message: 'must be the id, a UUID, not a slug or name' }],
  ],
  [
    'a field that every object has',
    { ...letter, constructor: 1 },
    [{ path: 'body.constructor', message: expect.any(String) }],
  ],
])('one refusal names all that is wrong: %s', async (_, body, fields) => {
  const answer = await post(body);
  expect([answer.status, answer.body.fields]).toEqual([400, fields]);
});
