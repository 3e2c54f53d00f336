// The check beside the preview, asked as an editor asks it; links lead to a real server.
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { outboundTo } from '#test/support/hooks.ts';
import { type HttpsReceiver, startHttpsReceiver } from '#test/support/https-receiver.ts';

interface Check {
  readonly findings: readonly {
    readonly code: string;
    readonly severity: string;
    readonly place: { readonly part: string; readonly excerpt: string | null };
    readonly message: string;
    readonly advice: string;
  }[];
  readonly links: readonly {
    readonly url: string;
    readonly text: string | null;
    readonly state: string;
    readonly status: number | null;
    readonly shows_other_host: boolean;
  }[];
  readonly size: { readonly html_bytes: number; readonly clipped_at: number; readonly image_bytes: number };
  readonly clients: {
    readonly readers_affected: number;
    readonly features: readonly {
      readonly title: string;
      readonly effect: string;
      readonly readers_without: number;
      readonly clients: readonly { readonly name: string; readonly support: string }[];
    }[];
  };
}

let receiver: HttpsReceiver;
let app: TestApp;
let sender: Sender;

beforeAll(async () => {
  receiver = await startHttpsReceiver();
  app = await startApp({
    config: { security: outboundTo(receiver), service: { public_origin: 'https://mail.example.com' } },
  });
  sender = await app.createSender({ plan: 'gruppe' });
});
afterAll(async () => {
  await app?.remove();
  await receiver?.stop();
});

const check = async (fields: object, language = 'en'): Promise<Check> => {
  const { status, body, text } = await app.request<Check>(
    'POST',
    `${sender.base}/content/check`,
    { subject: 'Neues aus der Praxis', ...fields },
    sender.token,
    { 'Accept-Language': language },
  );
  if (status !== 200) throw new Error(`${status} ${text}`);
  return body;
};
const codesIn = ({ findings }: Check): string[] => findings.map(({ code }) => code);
const body = (html: string): string => `<p>Guten Tag Frau Muster,</p>${html}`;

describe('links', () => {
  test('are asked once each, by HEAD, and by GET where that is not taken', async () => {
    receiver.setAnswer(({ method, path }) => {
      if (path === '/nur-get') return { status: method === 'HEAD' ? 405 : 200 };
      if (path === '/umzug') return { status: 301, headers: { Location: 'https://127.0.0.1:9/' } };
      if (path === '/kaputt') return { status: 500 };
      return { status: path === '/weg' ? 404 : 200 };
    });
    const paths = ['/termin', '/nur-get', '/umzug', '/weg', '/kaputt', '/termin'];
    const html = body(paths.map((path) => `<a href="${receiver.url(path)}">hier</a>`).join(' '));
    const found = await check({ html });
    expect(found.links.map(({ state, status }) => [state, status])).toEqual([
      ['ok', 200],
      ['ok', 200],
      ['ok', 301],
      ['broken', 404],
      ['failing', 500],
      ['ok', 200],
    ]);
    const broken = found.findings.find(({ code }) => code === 'link_broken');
    expect(broken).toMatchObject({
      severity: 'error',
      place: { part: 'html', excerpt: receiver.url('/weg') },
      message: expect.stringContaining('404'),
    });
    const asked = () => receiver.requests.map(({ method, path }) => `${method} ${path}`).toSorted();
    const expected = [
      ...['GET /kaputt', 'GET /nur-get', 'GET /weg'],
      ...['HEAD /kaputt', 'HEAD /nur-get', 'HEAD /termin', 'HEAD /umzug', 'HEAD /weg'],
    ];
    expect(asked()).toEqual(expected);
    await check({ html });
    expect(asked()).toEqual(expected);
  });

  test('that no host can answer are told from what they are written as', async () => {
    const urls = [
      'htps://praxis.example',
      'praxis.example/termin',
      'http://praxis.example/',
      'https://10.1.2.3/',
      'mailto:praxis@praxis.example',
      'tel:+4940123456',
      'https://praxis.example/{{pfad}}',
    ];
    const html = body(urls.map((url) => `<a href="${url}">hier</a>`).join(' '));
    const { links } = await check({ html });
    expect(links.map(({ state }) => state)).toEqual([
      ...['malformed', 'malformed', 'insecure', 'unreachable', 'ok', 'ok', 'unchecked'],
    ]);
  });

  test('that show another host than they lead to are found', async () => {
    const html = body('<a href="https://evil-seite.com/x">www.praxis-am-markt.de</a>');
    const found = await check({ html, check_links: false });
    expect(found.links).toEqual([
      expect.objectContaining({ state: 'unchecked', shows_other_host: true, text: 'www.praxis-am-markt.de' }),
    ]);
    expect(codesIn(found)).toContain('link_host_differs');
  });

  test('of plain text are found too', async () => {
    const { links } = await check({
      text: `Guten Tag, siehe ${receiver.url('/termin')}.`,
      check_links: false,
    });
    expect(links).toMatchObject([{ url: receiver.url('/termin'), text: null }]);
  });
});

describe('what is shown', () => {
  test('is measured against what Gmail cuts off', async () => {
    const long = await check({ html: body(`<p>${'Lang. '.repeat(18_000)}</p>`), check_links: false });
    expect(long.size.html_bytes).toBeGreaterThan(long.size.clipped_at);
    expect(codesIn(long)).toContain('html_clipped');
    const short = await check({ html: body('<p>Kurz.</p>'), check_links: false });
    expect(codesIn(short).filter((code) => code.startsWith('html_'))).toEqual([]);
  });

  test('can hardly be read in a colour like its ground, and says so in German and English', async () => {
    const html = body(
      '<p style="color:#bbbbbb">Blass</p><div style="background:#222222"><p style="color:#ffffff">Gut</p></div>',
    );
    const english = (await check({ html, check_links: false })).findings;
    const german = (await check({ html, check_links: false }, 'de')).findings;
    const pale = [english, german].map((all) => all.find(({ code }) => code === 'contrast_low'));
    expect(pale[0]?.place).toEqual({ part: 'html', excerpt: 'Blass' });
    expect(pale[0]?.message).toContain('1.9 to 1');
    expect(pale[1]?.message).toContain('Kontrast');
    expect(english.filter(({ code }) => code === 'contrast_low')).toHaveLength(1);
  });

  test('needs words where it is an image, and its image', async () => {
    const png = await sharp({ create: { width: 9, height: 9, channels: 3, background: '#00ff00' } })
      .png()
      .toBuffer();
    const content = png.toString('base64');
    const { body: image } = await app.request<{ id: string; url: string; bytes: number }>(
      'POST',
      `${sender.base}/images`,
      { content },
      sender.token,
    );
    const html = body(
      `<img src="${image.url}"><a href="https://praxis.example/"><img src="${image.url}" alt=""></a><img src="${image.url}" alt="">`,
    );
    const there = await check({ html, check_links: false });
    expect(codesIn(there).filter((code) => code.endsWith('_alt'))).toEqual([
      'image_without_alt',
      'linked_image_without_alt',
    ]);
    expect(there.size.image_bytes).toBe(image.bytes);
    await app.request('DELETE', `${sender.base}/images/${image.id}`, undefined, sender.token);
    expect(codesIn(await check({ html, check_links: false }))).toContain('image_missing');
  });

  test('is told by what mail programs do not show, with their readers', async () => {
    const html = `<style>a:hover { color: red } .zeile { display: flex }</style>${body('<video src="x"></video>')}`;
    const found = await check({ html, check_links: false });
    const video = found.clients.features.find(({ title }) => title.includes('video'));
    expect(video).toMatchObject({ effect: 'content' });
    expect(video?.clients).toContainEqual({ name: 'Gmail (Browser)', support: 'none' });
    expect(found.clients.readers_affected).toBeGreaterThan(40);
    expect(codesIn(found)).toEqual(expect.arrayContaining(['lost_content', 'lost_layout']));
    const plain = await check({ html: body('<p><b>Fett</b></p>'), check_links: false });
    expect(plain.clients.features).toEqual([]);
  });

  test('is judged as a send of that kind is: by the rules that a send has', async () => {
    const found = await check({
      kind: 'termin',
      html: body('<p>Jetzt 50 % Rabatt auf Zahnreinigung sichern!</p>'),
      check_links: false,
    });
    const checked = await app.request<{ issues: { id: string }[] }>(
      'POST',
      `${sender.base}/practice-mail/check`,
      {
        kind: 'termin',
        subject: 'Neues aus der Praxis',
        html: body('<p>Jetzt 50 % Rabatt auf Zahnreinigung sichern!</p>'),
      },
      sender.token,
    );
    const ids = checked.body.issues.map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(0);
    expect(codesIn(found)).toEqual(expect.arrayContaining(ids));
  });

  test('may be a document, and what it makes is quiet', async () => {
    const document = {
      version: 1,
      content: [
        {
          type: 'paragraph',
          attrs: { align: 'start' },
          content: [{ type: 'text', text: 'Guten Tag {{name}},' }],
        },
        { type: 'paragraph', attrs: { align: 'start' }, content: [{ type: 'text', text: 'bis Montag!' }] },
      ],
    };
    const found = await check({ document, data: { name: 'Frau Muster' } });
    expect(found.size.html_bytes).toBeGreaterThan(100);
    expect(found.findings.filter(({ severity }) => severity !== 'info')).toEqual([]);
    const both = await app.request(
      'POST',
      `${sender.base}/content/check`,
      { subject: 'Neues', document, html: '<p>x</p>' },
      sender.token,
    );
    expect(both.status).toBe(400);
  });
});
