// `sendwerk dev` in the place of mailpit and MailHog, as test suites of other projects use those: mail comes by SMTP, without
// signing in or as anyone, and is found, read and deleted over HTTP by the names of mailpit's OpenAPI document.
// @module-tag slow
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { createServer } from 'node:net';
import path from 'node:path';
import { createTransport } from 'nodemailer';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type DevOptions, dev } from '#src/app/cli/dev.ts';
import { until } from '#test/support/process.ts';
import { talkTo } from '#test/support/smtp-talk.ts';
import { temporaryDirectory } from '../../flows/fixture.ts';

const files = new AsyncDisposableStack();

const start = async (given: Partial<DevOptions> = {}) => {
  let printed = '';
  let end = (): void => undefined;
  const ended = dev({
    listen: '127.0.0.1',
    smtp: '0',
    http: '0',
    max: '500',
    keep: undefined,
    print: (text) => {
      printed += text;
    },
    signals: {
      onEnd: (listener) => {
        end = () => listener('SIGINT');
      },
      onReload: () => undefined,
    },
    ...given,
  });
  let failed = false;
  ended.catch(() => {
    failed = true;
  });
  await until('it listens', () => failed || printed.includes('HTTP'));
  if (failed) await ended;
  const [, smtpPort = '', httpPort = ''] = /SMTP \S+:(\d+),.*\nHTTP \S+:(\d+),/.exec(printed) ?? [];
  const origin = `http://localhost:${httpPort}`;
  const ask = async (method: string, where: string, body?: unknown) => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(origin + where, { method, ...sent });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  return {
    smtpPort: Number(smtpPort),
    httpPort: Number(httpPort),
    printed: () => printed,
    ask,
    // biome-ignore lint/suspicious/noExplicitAny: what a test suite of another project does with the answer.
    json: async (where: string): Promise<any> => JSON.parse((await ask('GET', where)).text),
    stop: async () => {
      end();
      expect(await ended).toBe(0);
    },
  };
};
type Dev = Awaited<ReturnType<typeof start>>;

let running: Dev;
beforeAll(async () => {
  running = await start();
});
afterAll(async () => {
  await running.stop();
  await files.disposeAsync();
});
beforeEach(async () => {
  expect((await running.ask('DELETE', '/api/v1/messages')).text).toBe('ok');
});

type Mail = Parameters<ReturnType<typeof createTransport>['sendMail']>[0];
const send = async (mail: Mail, to: Dev = running, auth?: { user: string; pass: string }) => {
  const transport = createTransport({ host: 'localhost', port: to.smtpPort, ...(auth && { auth }) });
  await transport.sendMail({ from: 'Shop <shop@app.example>', to: 'user@example.com', ...mail });
};
const subjectsOf = async (query: string): Promise<string[]> =>
  (await running.json(`/api/v1/search?query=${encodeURIComponent(query)}`)).messages.map(
    ({ Subject }: { Subject: string }) => Subject,
  );

const whole: Mail = {
  to: 'User <user@example.com>',
  cc: 'cc@example.com',
  bcc: 'hidden@example.com',
  replyTo: 'help@app.example',
  subject: 'Bestätigung ✓',
  text: 'Grüße\nhttps://app.example/reset/abc',
  html: '<p>Hello <img src="cid:logo"></p>',
  attachments: [
    { filename: 'Röntgen.pdf', content: 'PDF' },
    { filename: 'logo.png', cid: 'logo', content: 'PNG' },
  ],
};

test('a test suite sends, finds its mail, follows the link in it and leaves an empty mailbox', async () => {
  await send({ subject: 'Reset your password', text: 'Go to https://app.example/reset/abc\n' });
  const { messages, messages_count } = await running.json('/api/v1/search?query=to:user@example.com');
  expect(messages_count).toBe(1);
  const { Text } = await running.json(`/api/v1/message/${messages[0].ID}`);
  expect(/https:\S+/.exec(Text)?.[0]).toBe('https://app.example/reset/abc');
  await running.ask('DELETE', '/api/v1/messages');
  expect((await running.json('/api/v1/messages')).total).toBe(0);
});

describe('the shapes are those of mailpit', () => {
  const people = ['From', 'To', 'Cc', 'Bcc', 'ReplyTo'];
  const common = ['ID', 'MessageID', ...people, 'Subject', 'Tags', 'Username', 'Size', 'Attachments'];

  test('a list', async () => {
    await send(whole);
    await send({ subject: 'Second' });
    const { messages, ...counts } = await running.json('/api/v1/messages?limit=1&start=1');
    expect(counts).toEqual({
      ...{ total: 2, unread: 2, count: 1, messages_count: 2, messages_unread: 2, start: 1, tags: [] },
    });
    expect(Object.keys(messages[0]).sort()).toEqual([...common, 'Created', 'Read', 'Snippet'].sort());
    expect(messages[0]).toMatchObject({
      From: { Name: 'Shop', Address: 'shop@app.example' },
      To: [{ Name: 'User', Address: 'user@example.com' }],
      Cc: [{ Name: '', Address: 'cc@example.com' }],
      Bcc: [{ Name: '', Address: 'hidden@example.com' }],
      ReplyTo: [{ Name: '', Address: 'help@app.example' }],
      Subject: 'Bestätigung ✓',
      Snippet: 'Grüße https://app.example/reset/abc',
      Attachments: 1,
      Read: false,
    });
  });

  test('a message, which is read then', async () => {
    await send(whole);
    const found = await running.json('/api/v1/message/latest');
    const own = ['Date', 'HTML', 'Inline', 'ListUnsubscribe', 'ReturnPath', 'Text'];
    expect(Object.keys(found).sort()).toEqual([...common, ...own].sort());
    expect(found).toMatchObject({
      ReturnPath: 'shop@app.example',
      Text: 'Grüße\r\nhttps://app.example/reset/abc',
      HTML: expect.stringContaining('cid:logo'),
      Attachments: [
        {
          PartID: '2',
          FileName: 'Röntgen.pdf',
          ContentType: 'application/pdf',
          ContentID: '',
          Size: 3,
          Checksums: { MD5: 'bcd1b68617759b1dfcff0403a6b5a8d1' },
        },
      ],
      Inline: [{ PartID: '1.2.2', FileName: 'logo.png', ContentID: 'logo' }],
    });
    expect((await running.json('/api/v1/messages')).unread).toBe(0);
  });

  test('header, source, parts and views', async () => {
    await send(whole);
    const { ID } = await running.json('/api/v1/message/latest');
    expect((await running.json(`/api/v1/message/${ID}/headers`))['Reply-To']).toEqual(['help@app.example']);
    const { text: source } = await running.ask('GET', '/api/v1/message/latest/raw');
    expect(source).toMatch(/^Return-Path: <shop@app\.example>\r\nBcc: hidden@example\.com\r\n/);
    const part = await running.ask('GET', `/api/v1/message/${ID}/part/1.2.2`);
    expect([part.text, part.headers.get('content-type')]).toEqual(['PNG', 'image/png']);
    const view = await running.ask('GET', `/view/${ID}.html`);
    expect(view.text).toContain(`src="/api/v1/message/${ID}/part/1.2.2"`);
    expect(view.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect((await running.ask('GET', '/view/latest.txt')).text).toContain('Grüße');
    for (const gone of [`/api/v1/message/${ID}/part/9`, '/api/v1/message/none', '/view/none.html'])
      expect((await running.ask('GET', gone)).status).toBe(404);
  });

  test('a mail that is HTML alone has a text too, and no HTML is 404', async () => {
    await send({ html: '<p>Your code is <b>123456</b></p>' });
    expect((await running.json('/api/v1/message/latest')).Text).toContain('Your code is 123456');
    await send({ text: 'plain' });
    expect((await running.ask('GET', '/view/latest.html')).status).toBe(404);
  });
});

test('anyone may send: as any user, from no one, in any form', async () => {
  await send({ subject: 'Signed in' }, running, { user: 'someone', pass: 'anything' });
  expect((await running.json('/api/v1/message/latest')).Username).toBe('someone');
  const talk = await talkTo(running.smtpPort);
  await talk.hello();
  for (const command of ['MAIL FROM:<>', 'RCPT TO:<root@localhost>', 'DATA']) await talk.say(command);
  expect(await talk.say('no header at all\r\n.')).toMatch(/^250 2\.0\.0 captured as /);
  talk.end();
  const { Bcc, Text } = await running.json('/api/v1/message/latest');
  expect(Bcc).toEqual([{ Name: '', Address: 'root@localhost' }]);
  expect(Text).toContain('no header at all');
});

describe('searches', () => {
  beforeEach(async () => {
    await send({ subject: 'Order 1', to: 'Ann <ann@example.com>', text: 'Thank you for your order' });
    await send({
      subject: 'Order 2',
      to: 'bob@example.org',
      attachments: [{ filename: 'a.pdf', content: '' }],
    });
    await send({ subject: 'Your code', from: 'login@app.example', to: 'ann@example.com', text: '123456' });
  });
  test.each<[query: string, subjects: string[]]>([
    ['to:ann@example.com', ['Your code', 'Order 1']],
    ['to:"ANN"', ['Your code', 'Order 1']],
    ['from:login@', ['Your code']],
    ['subject:"Order 2"', ['Order 2']],
    ['subject:order -to:bob@example.org', ['Order 1']],
    ['subject:order !has:attachment', ['Order 1']],
    ['"thank you for"', ['Order 1']],
    ['order you', ['Order 1']],
    ['addressed:bob', ['Order 2']],
    ['has:attachment', ['Order 2']],
    ['larger:1mb', []],
    ['after:2020-01-01 before:2021-01-01', []],
    ['nothing like that', []],
  ])('%s', async (query, subjects) => expect(await subjectsOf(query)).toEqual(subjects));

  test('by whether it was read', async () => {
    const { ID } = await running.json('/api/v1/message/latest?query=subject:"Order 1"');
    expect(await subjectsOf('is:read')).toEqual(['Order 1']);
    await running.ask('PUT', '/api/v1/messages', { IDs: [ID], Read: false });
    expect(await subjectsOf('is:read')).toEqual([]);
    await running.ask('PUT', '/api/v1/messages', { Read: true });
    expect(await subjectsOf('is:unread')).toEqual([]);
  });

  test('what was found is deleted, and what is named', async () => {
    expect((await running.ask('DELETE', '/api/v1/search?query=to:bob')).text).toBe('ok');
    const { messages } = await running.json('/api/v1/messages');
    await running.ask('DELETE', '/api/v1/messages', { IDs: [messages[0].ID] });
    expect(await subjectsOf('order')).toEqual(['Order 1']);
    expect((await running.ask('DELETE', '/api/v1/search')).status).toBe(400);
  });
});

test('a mail can be handed in by HTTP', async () => {
  const { status, text } = await running.ask('POST', '/api/v1/send', {
    From: { Email: 'app@app.example', Name: 'Große App' },
    To: [{ Email: 'user@example.com' }],
    Bcc: ['hidden@example.com'],
    Subject: 'Über HTTP',
    Text: 'Hallo',
    HTML: '<b>Hallo</b>',
    Headers: { 'X-IP': '1.2.3.4' },
    Attachments: [{ Filename: 'a.txt', Content: 'aGVsbG8=', ContentType: 'text/plain' }],
  });
  expect(status).toBe(200);
  const found = await running.json(`/api/v1/message/${JSON.parse(text).ID}`);
  expect(found).toMatchObject({
    From: { Name: 'Große App', Address: 'app@app.example' },
    Bcc: [{ Address: 'hidden@example.com' }],
    ...{ Subject: 'Über HTTP', Text: 'Hallo', HTML: '<b>Hallo</b>' },
    Attachments: [{ FileName: 'a.txt', Size: 5 }],
  });
  const wrong = await running.ask('POST', '/api/v1/send', { From: { Email: 'a b' }, Subject: 'x\r\nBcc: y' });
  expect(wrong.status).toBe(400);
});

test('whoever waits for it finds it ready, and what is not offered says so', async () => {
  for (const probe of ['/livez', '/readyz']) expect((await running.ask('GET', probe)).status).toBe(200);
  expect(await running.json('/api/v1/info')).toMatchObject({
    Messages: 0,
    RuntimeStats: { SMTPRejected: 0 },
  });
  const { status, text } = await running.ask('GET', '/api/v1/message/latest/html-check');
  expect([status, text]).toEqual([501, expect.stringContaining('docs/playground.md')]);
});

test('a suite that was written for MailHog runs too', async () => {
  await send(whole);
  await send({ subject: 'Second', to: 'other@example.com' });
  const { total, count, items } = await running.json('/api/v2/messages?limit=1');
  expect([total, count, items[0].Content.Headers.Subject]).toEqual([2, 1, ['Second']]);
  const found = await running.json('/api/v2/search?kind=to&query=hidden@example.com');
  expect(found.total).toBe(1);
  expect(found.items[0]).toMatchObject({
    From: { Mailbox: 'shop', Domain: 'app.example' },
    Raw: { From: 'shop@app.example', To: ['user@example.com', 'cc@example.com', 'hidden@example.com'] },
    MIME: { Parts: [{}, { Headers: { 'Content-Type': [expect.stringMatching('application/pdf')] } }] },
  });
  expect((await running.json('/api/v2/search?kind=containing&query=second')).total).toBe(1);
  await running.ask('DELETE', `/api/v1/messages/${items[0].ID}`);
  expect((await running.json('/api/v2/messages')).total).toBe(1);
});

test('the pages show what came, and nothing of it can act', async () => {
  await send({ ...whole, subject: '<script>alert(1)</script>' });
  const { ID } = await running.json('/api/v1/message/latest');
  for (const where of ['/', '/?query=to:user', `/view/${ID}`]) {
    const { status, text, headers } = await running.ask('GET', where);
    expect([status, text.includes('<script')]).toEqual([200, false]);
    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  }
  const { text } = await running.ask('GET', `/view/${ID}`);
  expect(text).toMatch(new RegExp(`<iframe [^>]*src="/view/${ID}.html" sandbox="allow-popups"`));
  const deleted = await fetch(`http://localhost:${running.httpPort}/delete-all`, { method: 'POST' });
  expect(await deleted.text()).toContain('0 of 0 mails');
});

describe('pages of the web that are open in the same browser', () => {
  const statusOf = (method: string, headers: Record<string, string>): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const options = { port: running.httpPort, path: '/api/v1/messages', method, headers };
      httpRequest(options, (response) => resolve(response.resume().statusCode))
        .once('error', reject)
        .end();
    });
  test.each<[string, string, Record<string, string>, number]>([
    ['may not read under a name of their own', 'GET', { host: 'evil.example' }, 403],
    ['may not delete', 'DELETE', { 'sec-fetch-site': 'cross-site' }, 403],
    ['and a suite on this machine may', 'DELETE', { 'sec-fetch-site': 'same-site', host: '[::1]:8025' }, 200],
  ])('%s', async (_, method, headers, status) => expect(await statusOf(method, headers)).toBe(status));
});

test('the newest are kept, also beyond the process where they are to be', async () => {
  const keep = path.join(await temporaryDirectory(files), 'mails');
  const first = await start({ keep, max: '3' });
  for (const subject of ['1', '2', '3', '4']) await send({ subject }, first);
  await first.ask('DELETE', '/api/v1/search?query=subject:3');
  await first.stop();
  expect((await readdir(keep)).filter((name) => name.endsWith('.eml'))).toHaveLength(2);
  const second = await start({ keep, max: '3' });
  const { messages } = await second.json('/api/v1/messages');
  expect(messages.map(({ Subject }: { Subject: string }) => Subject)).toEqual(['4', '2']);
  await second.stop();
});

describe('it does not start', () => {
  test('on data of a service', async () => {
    const keep = path.join(await temporaryDirectory(files), 'data');
    await mkdir(keep);
    await writeFile(path.join(keep, 'platform.db'), '');
    await expect(start({ keep })).rejects.toThrow(/was not made by `sendwerk dev`/);
    expect(await readdir(keep)).toEqual(['platform.db']);
  });
  test('where a port is taken', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => void taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as { port: number };
    await expect(start({ http: String(port) })).rejects.toThrow(`port ${port} is taken`);
    taken.close();
  });
  test.each([
    ['smtp', '70000'],
    ['max', '0'],
    ['http', 'x'],
  ])('with --%s %s', async (option, value) =>
    expect(start({ [option]: value })).rejects.toThrow(`--${option} is a whole number`),
  );
});

test('who lets others in is told', async () => {
  const open = await start({ listen: '0.0.0.0' });
  expect(open.printed()).toContain('can read and delete');
  await open.stop();
  expect(running.printed()).not.toContain('can read and delete');
});
