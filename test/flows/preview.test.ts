// Mail as a document to look at: what is in it, what is not, and who may see it. That nothing in it runs is shown in a browser, in
// test/dashboard/preview.test.ts.
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { contentOf } from '#test/fixtures/file-contents.ts';
import { type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { asking, refused, UNKNOWN_ID } from '#test/support/asking.ts';
import { join, mailsTo, systemTenant } from '#test/support/people.ts';
import { putMail } from '#test/support/received-mail.ts';
import { createTestClock } from '#test/support/storage.ts';

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const GOAL = 'https://example.org/mehr?a=1&b=2';

let app: TestApp;
let sender: Sender;
let id: string;
let captureId: string;
let inboundId: string;
beforeAll(async () => {
  app = await startApp({ config: { service: { public_origin: 'https://mail.example.com' } } });
  sender = await app.createSender({ plan: 'gruppe' });
  await app.completeLegal(sender.practice.id);
  id = await app.send(sender, {
    to: ['Anna <anna@example.org>', 'ben@example.org'],
    subject: 'Grüße',
    text: `Grüße: ${GOAL}. Abmelden: {{unsubscribe_url}}`,
    html: `<html><head><style>p { color: teal }</style></head><body style="background:#eee"><p onclick="x()">Grüße: <a href="${GOAL.replace('&', '&amp;')}">mehr</a> <a href="{{unsubscribe_url}}">Abmelden</a></p><img src="cid:logo" alt="Logo"><img src="https://cdn.example/a.png" alt="fern"></body></html>`,
    route: 'broadcast',
    message_kind: 'newsletter',
    settings: { track_opens: true, track_clicks: true },
    attachments: [
      {
        filename: 'logo.png',
        content_type: 'image/png',
        content: PIXEL.toString('base64'),
        content_id: 'logo',
      },
      { filename: 'Plan "für" März.pdf', content: Buffer.from(contentOf('pdf')).toString('base64') },
    ],
  });
  await app.untilStatus(sender, id, 'processed');
  const captures = await list(`${sender.base}/captures?message_id=${id}`);
  expect(captures[0]).toMatchObject({ subject: 'Grüße' });
  captureId = captures.find(({ recipient }) => recipient === 'ben@example.org')?.id ?? '';
  const capture = await call('GET', `${sender.base}/captures/${captureId}`);
  inboundId = putMail(app, sender.practice.id, {}, undefined, Buffer.from(capture.text, 'latin1'));
});
afterAll(() => app?.remove());

const { call, list } = asking(() => ({ app, token: sender.token }));
const paths = () => ({
  message: `${sender.base}/messages/${id}`,
  capture: `${sender.base}/captures/${captureId}`,
  received: `${sender.base}/inbound/messages/${inboundId}`,
});
const preview = (of: keyof ReturnType<typeof paths>, query = '', token = sender.token) =>
  call('GET', `${paths()[of]}/preview${query}`, undefined, token);
const cases = ['message', 'capture', 'received'] as const;

describe.each(cases)('the preview of a %s', (of) => {
  test('is a document in a sandbox of its own, which frames of this origin alone may show', async () => {
    const { status, headers } = await preview(of);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('content-security-policy')).toBe(
      "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
    );
    expect(headers.get('x-frame-options')).toBe('SAMEORIGIN');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cache-control')).toBe('private, no-store');
    expect(headers.get('set-cookie')).toBeNull();
  });

  test('has styles and the images of the mail, and those of others only when they are asked for', async () => {
    const { text } = await preview(of);
    expect(text).toContain('p { color: teal }');
    expect(text).toContain('<div style="background:#eee">');
    expect(text).toContain(`<img alt="Logo" src="data:image/png;base64,${PIXEL.toString('base64')}"`);
    expect(text).not.toContain('cdn.example');
    expect(text).not.toContain('onclick');
    const remote = await preview(of, '?images=remote');
    expect(remote.text).toContain('https://cdn.example/a.png');
    expect(remote.headers.get('content-security-policy')).toContain('img-src data: https: http:;');
  });

  test('leads where the sender meant, in a window of its own, and has no pixel', async () => {
    for (const query of ['', '?images=remote']) {
      const { text } = await preview(of, query);
      const shown = GOAL.replace('&', '&amp;');
      expect(text).toContain(
        `<a href="${shown}" title="${shown}" target="_blank" rel="noopener noreferrer">mehr</a>`,
      );
      expect(text).not.toMatch(/\/t\/[oc]\//);
    }
    const source = await call('GET', of === 'capture' ? paths().capture : `${paths().message}/source`);
    expect(source.text.replaceAll('=\r\n', '')).toMatch(/\/t\/c\//);
  });

  test('as text has its links', async () => {
    const { text } = await preview(of, '?view=text');
    const shown = GOAL.replace('&', '&amp;');
    expect(text).toContain(
      `Grüße: <a href="${shown}" target="_blank" rel="noopener noreferrer">${shown}</a>.`,
    );
    expect(text).not.toContain('color: teal');
  });

  test('unsubscribes no one, but where it was captured to try that', async () => {
    for (const query of ['', '?view=text']) {
      const { text } = await preview(of, query);
      const leads = /href="[^"]*\/api\/public\/unsub/.test(text);
      expect(leads).toBe(of === 'capture');
    }
  });

  test('changes nothing', async () => {
    const before = app.rowCounts(sender.practice.id);
    await preview(of);
    expect(app.rowCounts(sender.practice.id)).toEqual(before);
  });

  test('is for who may see content', async () => {
    const viewer = await join(app, sender.practice.id, `${of}@example.org`, { role_id: 'viewer' });
    await refused('forbidden', preview(of, '', viewer.token));
    await refused('invalid_request', preview(of, '?view=source'), 'query.view');
    await refused('not_found', call('GET', `${paths()[of].replace(/[^/]+$/, UNKNOWN_ID)}/preview`));
  });
});

test("the preview of a message is the named recipient's copy", async () => {
  await refused('not_found', preview('message', '?recipient=nobody@example.org'));
  expect((await preview('message', '?recipient=BEN@example.org')).status).toBe(200);
});

test("the service's own mails are shown to no one", async () => {
  const messages = `/api/practices/${systemTenant(app)}/messages`;
  await mailsTo(app, 'message@example.org');
  const { body } = await call<{ data: { id: string }[] }>(
    'GET',
    `${messages}/search?q=message@example.org`,
    undefined,
    app.adminToken,
  );
  const target = `${messages}/${body.data[0]?.id}`;
  for (const path of ['preview', 'attachments/0'])
    await refused('not_found', call('GET', `${target}/${path}`, undefined, app.adminToken));
});

test('mail without HTML is shown as text, and one without any says so', async () => {
  const put = (body: string) =>
    putMail(
      app,
      sender.practice.id,
      {},
      undefined,
      Buffer.from(`Content-Type: text/plain\r\n\r\n${body}\r\n`),
    );
  const plain = await call(
    'GET',
    `${sender.base}/inbound/messages/${put('1 < 2 <script>x()</script>')}/preview`,
  );
  expect(plain.text).toContain('1 &lt; 2 &lt;script&gt;x()&lt;/script&gt;');
  const empty = await call('GET', `${sender.base}/inbound/messages/${put('')}/preview`);
  expect(empty.text).toContain('Die E-Mail enthält keinen Text.');
});

test.each([
  ['is longer than a preview shows', 'lang '.repeat(300_000)],
  ['has more tags than it reads', '<p>lang</p>'.repeat(60_000)],
])('what %s is cut, and it says so', async (_, middle) => {
  const html = `<p>Anfang</p>${middle}<p>Ende</p>`;
  const mail = putMail(
    app,
    sender.practice.id,
    {},
    undefined,
    Buffer.from(`Content-Type: text/html\r\n\r\n${html}\r\n`),
  );
  const { text } = await call('GET', `${sender.base}/inbound/messages/${mail}/preview`);
  expect(text).toContain('Anfang');
  expect(text).not.toContain('Ende');
  expect(text).toContain('Hier endet die Vorschau');
});

const withImage = (size: number, html: string) =>
  Buffer.from(
    [
      'Content-Type: multipart/related; boundary=b',
      '',
      '--b',
      'Content-Type: text/html',
      '',
      html,
      '--b',
      'Content-Type: image/png',
      'Content-ID: <a>',
      'Content-Transfer-Encoding: base64',
      '',
      Buffer.alloc(size, 'x').toString('base64').replace(/.{76}/g, '$&\r\n'),
      '--b--',
      '',
    ].join('\r\n'),
  );

test('an image that a mail shows thousands of times is in the document as often as there is room, and it says so', async () => {
  const image = 1_024 * 1_024;
  const mail = putMail(
    app,
    sender.practice.id,
    {},
    undefined,
    withImage(image, '<img src="cid:a">'.repeat(1_000)),
  );
  const { status, text } = await call('GET', `${sender.base}/inbound/messages/${mail}/preview`);
  expect(status).toBe(200);
  expect(text.match(/<img src="data:image\/png;base64,/g)).toHaveLength(8);
  expect(text.length).toBeLessThan(12.5 * 1_024 * 1_024);
  expect(text).toContain('Hier endet die Vorschau');
});

test('a practice gets so many previews a minute', async () => {
  const limited = await startApp({ clock: createTestClock() });
  onTestFinished(() => limited.remove());
  const { practice, base, token } = await limited.createSender();
  const mail = putMail(limited, practice.id, {}, undefined, Buffer.from('\r\nHallo\r\n'));
  const look = () => limited.request('GET', `${base}/inbound/messages/${mail}/preview`, undefined, token);
  for (let count = 1; count <= 120; count += 1) expect((await look()).status).toBe(200);
  const { status, body } = await look();
  expect([status, body]).toMatchObject([429, { code: 'rate_limited', retry_after: 1 }]);
});

describe('the files of a message', () => {
  test.each([
    ['message', 0, 'logo.png', PIXEL],
    ['message', 1, 'Plan "für" März.pdf', Buffer.from(contentOf('pdf'))],
    ['capture', 0, 'logo.png', PIXEL],
    ['capture', 1, 'Plan _für_ März.pdf', Buffer.from(contentOf('pdf'))],
  ] as const)('%s %i is a download', async (of, index, filename, content) => {
    const response = await fetch(`${app.origin}${paths()[of]}/attachments/${index}`, {
      headers: { Authorization: `Bearer ${sender.token}` },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/octet-stream');
    expect(response.headers.get('content-security-policy')).toContain('sandbox');
    const disposition = response.headers.get('content-disposition') ?? '';
    expect(decodeURIComponent(disposition.split("UTF-8''")[1] ?? '')).toBe(filename);
    expect(disposition).toMatch(/^attachment; filename="[ -~]*";/);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(content);
  });

  test('there are no others', async () => {
    for (const of of ['message', 'capture'] as const)
      for (const index of ['2', '-1', 'x'])
        await refused('not_found', call('GET', `${paths()[of]}/attachments/${index}`));
  });
});

test('a captured mail is read as JSON', async () => {
  const { body } = await call<Record<string, unknown>>('GET', `${paths().capture}/content`);
  expect(body).toMatchObject({
    subject: 'Grüße',
    from: { address: sender.practice.default_from },
    to: [{ address: 'anna@example.org', name: 'Anna' }, { address: 'ben@example.org' }],
    text: expect.stringContaining('Grüße'),
    attachments: [{ filename: 'logo.png', inline: true }, { filename: 'Plan _für_ März.pdf' }],
    headers: expect.arrayContaining([{ name: 'mime-version', value: '1.0' }]),
  });
});
