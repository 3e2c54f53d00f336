// Documents as those who write letters use them: kept with templates and campaigns, made into HTML and text with the letterhead of the
// practice around them, and received as mail.
import { simpleParser } from 'mailparser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FOOT } from '#src/mail/document/look.ts';
import { type List, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { documentOf, paragraph, text } from '#test/support/documents.ts';
import { readForm } from '#test/support/html-form.ts';
import { until } from '#test/support/process.ts';
import { createSmtpReceiver, type SmtpReceiver } from '#test/support/smtp-receiver.ts';
import { seedList } from '#test/support/subscribers.ts';

interface Written {
  readonly id: string;
  readonly name: string;
  readonly version: number;
  readonly variables: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly document: unknown;
  readonly mjml: string | null;
  readonly status?: string;
}

interface Refusal {
  readonly fields?: readonly { readonly path: string; readonly message: string }[];
}

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
/** As it is stored: what was left out has its usual value. */
const invitation = documentOf(
  {
    type: 'heading',
    attrs: { level: 1, align: 'start' },
    content: [text('Sommerfest <im> Garten')],
  },
  {
    ...paragraph(text('Guten Tag '), { type: 'placeholder', attrs: { name: 'name' } }, text(',')),
    attrs: { align: 'start' },
  },
  { type: 'button', attrs: { href: '{{link}}', align: 'center' }, content: [text('Anmelden')] },
  { type: 'signature' },
);

let receiver: SmtpReceiver;
let app: TestApp;
let sender: Sender;
let count = 0;

beforeAll(async () => {
  receiver = await createSmtpReceiver();
  app = await startApp({ receiver, config: { service: { public_origin: 'https://mail.example.com' } } });
  sender = await app.createSender({ plan: 'gruppe', name: 'Praxis & Partner' });
  await app.completeLegal(sender.practice.id);
});
afterAll(async () => {
  await app?.remove();
  await receiver?.stop();
});

const ask = <Body = Written>(method: string, path: string, body?: object, headers = {}) =>
  app.request<Body>(method, `${sender.base}${path}`, body, sender.token, headers);
const made = async (path: string, fields: object): Promise<Written> => {
  count += 1;
  const name = path === '/templates' ? { name: `brief-${count}` } : {};
  const answer = await ask('POST', path, { ...name, ...fields });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body;
};
const template = (fields: object = {}) =>
  made('/templates', { subject: 'Fest am {{tag}}', document: invitation, ...fields });
const refused = async (method: string, path: string, body: object) => {
  const { status, body: refusal } = await ask<Refusal>(method, path, body);
  return { status, fields: refusal.fields?.map((field) => field.path) };
};
const putLetterhead = async (fields: object): Promise<void> => {
  const { status, text: said } = await app.request(
    'PUT',
    `${sender.base}/letterhead`,
    fields,
    app.adminToken,
  );
  expect(status, said).toBe(200);
};
const mailTo = async (address: string) => {
  const own = () => receiver.messages.filter(({ recipients }) => recipients[0]?.address === address);
  await until(`there is a mail to ${address}`, () => own().length > 0);
  return simpleParser(own()[0]?.content ?? '');
};

describe('a template made of a document', () => {
  test('has text, HTML and the names of its placeholders', async () => {
    const stored = await template();
    expect(stored.document).toEqual(invitation);
    expect(stored.variables.toSorted()).toEqual(['link', 'name', 'practice.name', 'tag']);
    expect(stored.text).toContain(
      'Guten Tag {{name}},\n\nAnmelden: {{link}}\n\nFreundliche Grüße\n{{practice.name}}',
    );
    expect(stored.html).toContain('Sommerfest &lt;im&gt; Garten</h1>');
    expect(stored.html).toContain('<title>Fest am {{tag}}</title>');
    expect(readForm(stored.html).faults).toEqual([]);
    const { body } = await ask<List<object>>('GET', '/templates?limit=200');
    for (const head of body.data) expect(Object.keys(head)).not.toContain('document');
  });

  test('is made anew when its subject changes, and not when its name does', async () => {
    const { id, html } = await template();
    const renamed = await ask('PATCH', `/templates/${id}`, { name: `anders-${count}` });
    expect(renamed.body).toMatchObject({ version: 1, html });
    const { body } = await ask('PATCH', `/templates/${id}`, { subject: 'Herbstfest' });
    expect(body.version).toBe(2);
    expect(body.html).toBe(html.replaceAll('Fest am {{tag}}', 'Herbstfest'));
  });

  test('becomes source once and for all, and an old version brings the document back', async () => {
    const { id, html, text: plain } = await template();
    const path = `/templates/${id}`;
    for (const field of ['html', 'text', 'mjml']) {
      const { status, body } = await ask<Refusal>('PATCH', path, { [field]: '<p>x</p>' });
      expect([status, body.fields?.[0]?.path]).toEqual([400, `body.${field}`]);
      expect(body.fields?.[0]?.message).toContain('`document: null`');
    }
    const source = await ask('PATCH', path, { document: null, html: '<p>{{name}}</p>' });
    expect(source.body).toMatchObject({ version: 2, document: null, html: '<p>{{name}}</p>', text: plain });
    expect((await ask('PATCH', path, { html: '<p>Neu</p>' })).body).toMatchObject({ document: null });
    const { body: first } = await ask('GET', `${path}/versions/1`);
    expect(first).toMatchObject({ document: invitation, html, text: plain });
    const restored = await ask('PATCH', path, { subject: first.subject, document: first.document });
    expect(restored.body).toMatchObject({ version: 4, document: invitation, html, text: plain });
    expect((await ask('PATCH', path, { document: null })).body).toMatchObject({ document: null, html });
  });

  const contradictions: readonly (readonly [string, object, string[]])[] = [
    ['a document and HTML', { document: invitation, html: '<p>x</p>' }, ['body.html']],
    ['a document and text', { document: invitation, text: 'x' }, ['body.text']],
    ['a document and MJML', { document: invitation, mjml: '<mjml/>' }, ['body.mjml']],
    ['MJML and HTML', { mjml: '<mjml><mj-body/></mjml>', html: 'x' }, ['body.html']],
    ['no content', { document: null }, ['body.text']],
    [
      'a link that leads into a script',
      {
        document: documentOf(
          paragraph(text('x')),
          paragraph(text('x', { type: 'link', attrs: { href: 'javascript:x' } })),
        ),
      },
      ['body.document.content[1].content[0].marks[0].attrs.href'],
    ],
    [
      'an image that the practice does not have',
      { document: documentOf({ type: 'image', attrs: { image: 'c'.repeat(64) } }) },
      ['body.document.content[0].attrs.image'],
    ],
    [
      'a placeholder cut in two',
      { document: documentOf(paragraph(text('{{na'), text('me}}', { type: 'strong' }))) },
      ['body.document.content[0].content[0].text'],
    ],
    ['MJML that cannot be rendered', { mjml: '<mjml><mj-body><b>' }, ['body.mjml']],
    [
      'MJML with a placeholder in its style',
      { mjml: '<mjml><mj-body><mj-raw><p style="{{x}}">x</p></mj-raw></mj-body></mjml>' },
      ['body.mjml'],
    ],
  ];
  test.each(contradictions)('is refused with %s', async (_, fields, paths) => {
    const answer = await refused('POST', '/templates', { name: 'nie', subject: 'x', ...fields });
    expect(answer).toEqual({ status: 400, fields: paths });
  });

  test('is refused in German for those who read it', async () => {
    const { body } = await ask<Refusal>(
      'POST',
      '/templates',
      {
        name: 'nie',
        subject: 'x',
        document: documentOf({ type: 'button', attrs: { href: 'praxis' }, content: [] }),
      },
      { 'Accept-Language': 'de' },
    );
    expect(body.fields?.map(({ message }) => message)).toEqual([
      'erwartet wird ein Link, der mit https://, http://, mailto: oder tel: beginnt, oder ein Platzhalter',
      'eine Schaltfläche braucht einen Text',
    ]);
  });
});

test('MJML is kept, and its HTML is made anew with it', async () => {
  const mjml = (written: string) =>
    `<mjml><mj-body><mj-section><mj-column><mj-text>${written}</mj-text></mj-column></mj-section></mj-body></mjml>`;
  const { id, html, ...stored } = await made('/templates', {
    subject: 'Hallo',
    mjml: mjml('Hallo {{name}}'),
  });
  expect(stored).toMatchObject({ mjml: mjml('Hallo {{name}}'), document: null, variables: ['name'] });
  expect(html).toContain('Hallo {{name}}</div>');
  expect(html).toContain('role="presentation"');
  const path = `/templates/${id}`;
  expect((await ask('PATCH', path, { mjml: mjml('Neu') })).body.html).toContain('Neu</div>');
  expect(await refused('PATCH', path, { html: '<p>x</p>' })).toEqual({ status: 400, fields: ['body.html'] });
  expect((await ask('PATCH', path, { mjml: null, html: '<p>x</p>' })).body).toMatchObject({
    mjml: null,
    html: '<p>x</p>',
  });
});

test('a letter arrives as it was written, with who sent it below', async () => {
  const { name } = await template();
  const to = 'anna@example.net';
  const data = { name: 'Anna <b>', link: 'https://praxis.example/?a=1&b=2', tag: 'Montag' };
  expect((await ask('POST', '/send', { to, template: name, data })).status).toBe(202);
  const mail = await mailTo(to);
  const html = String(mail.html);
  expect(mail.subject).toBe('Fest am Montag');
  expect(mail.text).toContain(`Sommerfest <im> Garten
======================

Guten Tag Anna <b>,

Anmelden: https://praxis.example/?a=1&b=2

Freundliche Grüße
Praxis & Partner

---
Praxis & Partner, Am Markt 1, 20095 Hamburg
Datenschutzerklärung: https://praxis.example/datenschutz
`);
  expect(html).toContain('Guten Tag Anna &lt;b&gt;,');
  expect(html).toContain('<a href="https://praxis.example/?a=1&amp;b=2"');
  expect(html).not.toMatch(/\{\{/);
  expect(readForm(html).faults).toEqual([]);
  // The footer is in the paper, where the mark of its place was.
  expect(html).not.toContain(FOOT);
  const foot = html.slice(html.indexOf('class="foot"'));
  expect(foot).toContain('Praxis &amp; Partner, Am Markt 1, 20095 Hamburg');
  expect(html.split('20095 Hamburg')).toHaveLength(2);
});

test('a single letter is rendered and sent, with one footer', async () => {
  const given = {
    document: invitation,
    data: { name: 'Otto', link: 'https://praxis.example' },
    footer: false,
  };
  const { body } = await ask('POST', '/documents/render', given);
  expect(body.html).toContain(FOOT);
  const to = 'brief@example.net';
  const letter = { to, subject: 'Ein Brief', text: body.text, html: body.html };
  expect((await ask('POST', '/send', letter)).status).toBe(202);
  const { html, text: plain } = await mailTo(to);
  expect(String(html).split('20095 Hamburg')).toHaveLength(2);
  expect(String(html)).not.toContain(FOOT);
  expect(plain).toContain('Guten Tag Otto,');
  expect(plain?.split('20095 Hamburg')).toHaveLength(2);
});

test('what is written by hand has no footer that it did not have before', async () => {
  await app.send(sender, { to: 'otto@example.net', html: '<p>Guten Tag</p>', text: undefined });
  expect(String((await mailTo('otto@example.net')).html)).not.toContain('Hamburg');
});

describe('campaigns', () => {
  const listOf = (address: string): string =>
    seedList(app.home, sender.practice.id, [{ address, name: 'Frau Müller' }], { name: address }).id;
  const values = { link: 'https://praxis.example/fest', tag: 'Sonntag' };

  test('copy the document of a template, go out with it, and keep what they sent', async () => {
    const { name } = await template();
    const list_id = listOf('mueller@example.net');
    const { id, ...draft } = await made('/campaigns', { list_id, template: name, values });
    expect(draft.document).toEqual(invitation);
    await ask('POST', `/campaigns/${id}/send`);
    const mail = await mailTo('mueller@example.net');
    expect(mail.text).toContain('Guten Tag Frau Müller,');
    expect(String(mail.html).slice(String(mail.html).indexOf('class="foot"'))).toMatch(
      /Am Markt 1.*\/unsub\?/s,
    );
    await until('it is sent', async () => (await ask('GET', `/campaigns/${id}`)).body.status === 'sent');
    const before = (await ask('GET', `/campaigns/${id}`)).body;
    await putLetterhead({ colour: '#aa0000' });
    expect((await ask('GET', `/campaigns/${id}`)).body).toMatchObject({
      html: before.html,
      document: invitation,
    });
    const { body: copy } = await ask('POST', `/campaigns/${id}/duplicate`, {});
    expect(copy.document).toEqual(invitation);
    await putLetterhead({});
  });

  test('are written as documents, and become source like templates', async () => {
    const list_id = listOf('leser@example.net');
    const { id, html } = await made('/campaigns', { list_id, subject: 'Neues', document: invitation });
    expect(html).toContain('Sommerfest');
    const path = `/campaigns/${id}`;
    expect(await refused('PATCH', path, { html: '<p>x</p>' })).toEqual({
      status: 400,
      fields: ['body.html'],
    });
    expect((await ask('PATCH', path, { subject: 'Anderes' })).body.html).toContain('<title>Anderes</title>');
    expect((await ask('PATCH', path, { document: null, html: '<p>x</p>' })).body).toMatchObject({
      document: null,
      html: '<p>x</p>',
    });
  });
});

describe('the letterhead', () => {
  test('is shown, and its change makes templates and drafts anew, not what is planned', async () => {
    expect((await ask<object>('GET', '/letterhead')).body).toEqual({
      ...{ logo: null, logo_alt: '', colour: null, signature: null },
    });
    const { body: logo } = await ask<{ id: string; url: string }>('POST', '/images', { content: PNG });
    const letter = await template();
    const source = await made('/templates', { subject: 'Hallo', text: 'Hallo' });
    const list_id = seedList(app.home, sender.practice.id, [{ address: 'p@example.net' }], { name: 'P' }).id;
    const content = { list_id, subject: 'Neues', document: documentOf({ type: 'signature' }) };
    const draft = await made('/campaigns', content);
    const planned = await made('/campaigns', {
      ...content,
      schedule_at: new Date(Date.now() + 86_400_000).toISOString(),
    });

    await putLetterhead({
      ...{ logo: logo.id, logo_alt: 'Unser Haus', colour: '#AA0000' },
      signature: 'Herzlich\nIhr Team von {{practice.name}}\n',
    });
    const changed = (await ask('GET', `/templates/${letter.id}`)).body;
    expect(changed).toMatchObject({ version: 2, document: invitation });
    expect(changed.html).toContain(`<img alt="Unser Haus" src="${logo.url}"`);
    expect(changed.html).toContain('border-top:4px solid #aa0000');
    expect(changed.text).toContain('Herzlich\nIhr Team von {{practice.name}}');
    expect((await ask('GET', `/templates/${source.id}`)).body.version).toBe(1);
    expect((await ask('GET', `/campaigns/${draft.id}`)).body.text).toBe(
      'Herzlich\nIhr Team von {{practice.name}}\n',
    );
    expect((await ask('GET', `/campaigns/${planned.id}`)).body.text).toBe(planned.text);

    // The same once more changes nothing.
    await putLetterhead((await ask<object>('GET', '/letterhead')).body);
    expect((await ask('GET', `/templates/${letter.id}`)).body.version).toBe(2);
    // The logo is in use.
    expect((await ask<Refusal>('DELETE', `/images/${logo.id}`)).status).toBe(409);
    await putLetterhead({});
    expect((await ask('GET', `/templates/${letter.id}`)).body).toMatchObject({ html: letter.html });
  });

  test.each([
    [{ logo: 'd'.repeat(64) }, 'body.logo'],
    [{ colour: 'red' }, 'body.colour'],
    [{ signature: 'Ihr {{ nö }}' }, 'body.signature'],
    [{ logo_alt: 'a\nb' }, 'body.logo_alt'],
  ])('is refused with %j', async (body, path) => {
    const { status, body: refusal } = await app.request<Refusal>(
      'PUT',
      `${sender.base}/letterhead`,
      body,
      app.adminToken,
    );
    expect([status, refusal.fields?.map((field) => field.path)]).toEqual([400, [path]]);
  });
});

test('a preview has values, footer, and what is wrong, and leaves nothing behind', async () => {
  interface Rendered {
    readonly html: string;
    readonly text: string;
    readonly missing: readonly string[];
    readonly problems: readonly { readonly path: string }[];
  }
  const before = app.rowCounts(sender.practice.id);
  const document = {
    ...invitation,
    content: [
      ...invitation.content,
      { type: 'button', attrs: { href: 'javascript:alert(1)' }, content: [text('Los')] },
      { type: 'image', attrs: { image: 'e'.repeat(64) } },
    ],
  };
  const { status, body } = await ask<Rendered>('POST', '/documents/render', {
    document,
    data: { name: '<i>Otto</i>' },
  });
  expect(status).toBe(200);
  expect(body.html).toContain('Guten Tag &lt;i&gt;Otto&lt;/i&gt;,');
  expect(body.html).not.toContain('javascript');
  expect(body.html.slice(body.html.indexOf('class="foot"'))).toContain('Am Markt 1, 20095 Hamburg');
  expect(body.text).toContain('Guten Tag <i>Otto</i>,');
  expect(body.text).toContain('Am Markt 1, 20095 Hamburg');
  expect(body.missing).toEqual(['link']);
  expect(body.problems.map(({ path }) => path)).toEqual([
    'body.document.content[4].attrs.href',
    'body.document.content[5].attrs.image',
  ]);
  expect(app.rowCounts(sender.practice.id)).toEqual(before);
});
