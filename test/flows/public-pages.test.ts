// How the public pages look: a practice's name, colour and logo; and that people can use them without a script, a mouse or good eyes.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type List, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { pageFaults } from '#test/support/page-rules.ts';
import { until } from '#test/support/process.ts';
import { visitorAt } from '#test/support/visitor.ts';

const PNG = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(40)]);

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ config: { service: { public_origin: 'https://mail.example.com' } } });
});
afterAll(() => app?.remove());

const setPages = (sender: Sender, body: object) =>
  app.request<{ colour: string | null; logo: { content_type: string } | null }>(
    'PATCH',
    `${sender.base}/pages`,
    body,
    sender.token,
  );

/** The links of the first captured mail of the practice. */
const linksOf = async (sender: Sender) => {
  const list = async () =>
    (await app.request<List<{ id: string }>>('GET', `${sender.base}/captures`, undefined, sender.token)).body
      .data;
  await until('the mail is captured', async () => (await list()).length > 0);
  const [first] = await list();
  const { text } = await app.request('GET', `${sender.base}/captures/${first?.id}`, undefined, sender.token);
  const plain = text.replace(/=\r\n/g, '').replaceAll('=3D', '=');
  const linkTo = (pattern: RegExp): string => pattern.exec(plain)?.[0] ?? '';
  return {
    confirm: linkTo(/https:\/\/mail\.example\.com\/api\/public\/confirm\?token=[\w-]+/),
    unsubscribe: linkTo(/https:\/\/mail\.example\.com\/api\/public\/unsub\?t=[\w-]+/),
  };
};

test.each(['de', 'en'])(
  'each page in %s has the name, the logo and the colour, and no fault',
  async (language) => {
    const sender = await app.createSender({ name: 'Praxis & Söhne' });
    await app.completeLegal(sender.practice.id);
    expect(await setPages(sender, { colour: '#FFE600', logo: PNG.toString('base64') })).toMatchObject({
      status: 200,
      body: { colour: '#ffe600', logo: { content_type: 'image/png' } },
    });
    const { body: list } = await app.request<{ form_url: string }>(
      'POST',
      `${sender.base}/lists`,
      { name: 'Praxisbrief', description: 'Viermal im Jahr', two_steps: true },
      sender.token,
    );
    const visitor = visitorAt(app.origin, { 'Accept-Language': language });
    const [subscribe, yes, leave] =
      language === 'de'
        ? ['Anmelden', 'Ja, bestätigen', 'Ausgewählte abbestellen']
        : ['Subscribe', 'Yes, confirm', 'Unsubscribe from the chosen ones'];
    const form = await visitor.open(list.form_url);
    const wrong = await visitor.submit(form, subscribe, { email: 'erika@@example' });
    const asked = await visitor.submit(form, subscribe, { email: `erika-${language}@example.org` });
    const { confirm, unsubscribe } = await linksOf(sender);
    const question = await visitor.open(confirm);
    const confirmed = await visitor.submit(question, yes);
    const preferences = await visitor.open(unsubscribe.replace('/unsub?', '/preferences?'));
    const nothing = await visitor.submit(preferences, leave);
    const leaving = await visitor.open(unsubscribe);
    const pages = { form, wrong, asked, question, confirmed, preferences, nothing, leaving };
    for (const [name, { html, headers }] of Object.entries(pages)) {
      expect(pageFaults(html), name).toEqual([]);
      expect(html, name).toContain(`<html lang="${language}">`);
      expect(html, name).toMatch(
        /<header><img src="data:image\/png;base64,[^"]+" alt="">Praxis &amp; Söhne<\/header>/,
      );
      expect(html, name).toContain('Am Markt 1');
      // Yellow on white cannot be read, and on black it can.
      expect(html, name).toMatch(/:root \{ --accent: #(?!ffe600)[0-9a-f]{6}; --on-accent: #ffffff \}/);
      expect(html, name).toContain('{ --accent: #ffe600; --on-accent: #161616 }');
      expect(headers.get('content-security-policy'), name).toContain('img-src data:;');
    }
  },
);

test('without a logo no image is allowed', async () => {
  const sender = await app.createSender();
  await setPages(sender, { logo: PNG.toString('base64') });
  expect((await setPages(sender, { logo: null })).body).toEqual({ colour: null, logo: null });
  const { body: list } = await app.request<{ form_url: string }>(
    'POST',
    `${sender.base}/lists`,
    { name: 'Praxisbrief' },
    sender.token,
  );
  const { html, headers } = await visitorAt(app.origin).open(list.form_url);
  expect(headers.get('content-security-policy')).not.toContain('img-src');
  expect(html).not.toContain('<img');
});

test.each([
  ['a colour in words', { colour: 'red' }],
  ['a colour that ends the rule', { colour: '#000;}*{' }],
  ['an SVG', { logo: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64') }],
  ['a page', { logo: Buffer.from('<!doctype html><script>').toString('base64') }],
  ['more than 64 KiB', { logo: Buffer.concat([PNG, Buffer.alloc(64 * 1024)]).toString('base64') }],
  ['no base64', { logo: 'https://praxis.example/logo.png' }],
])('%s is refused', async (_, body) => {
  const sender = await app.createSender();
  expect((await setPages(sender, body)).status).toBe(400);
});
