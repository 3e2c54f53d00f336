// @module-tag debian/chromium-headless-shell
// Hostile mail in a browser: as the daemon shows it, and as its policy alone would hold it. Nothing runs, loads, leaves its frame or
// counts, and links lead where the sender meant.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type List, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { openBrowser } from '#test/support/browser.ts';
import { checkCells } from '#test/support/cells.ts';
import { hostile, type TestPage } from '#test/support/chromium.ts';
import { makeOwner, signIn } from '#test/support/people.ts';
import { putMail } from '#test/support/received-mail.ts';

const EVIL = 'https://evil.example';
const RUN = "__ran('x')";
const bodies: Readonly<Record<string, string>> = {
  'all forms at once': hostile('body'),
  'a script': `<script>${RUN}</script><script src="${EVIL}/a.js"></script>`,
  handlers: `<img src=x onerror="${RUN}"><body onload="${RUN}"><details open ontoggle="${RUN}">x</details>`,
  'script in SVG': `<svg onload="${RUN}"><script>${RUN}</script><animate onbegin="${RUN}" attributeName=x dur=1s></svg>`,
  'script in MathML': `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=${RUN}&gt;">`,
  'a frame with its document': `<iframe srcdoc="<script>parent.${RUN}</script>"></iframe>`,
  'a frame with script as its address': `<iframe src="javascript:parent.${RUN}"></iframe>`,
  'a frame elsewhere': `<iframe src="${EVIL}"></iframe><frameset><frame src="${EVIL}"></frameset>`,
  objects: `<object data="data:text/html,<script>${RUN}</script>"></object><embed src="${EVIL}/a.swf">`,
  'a refresh': `<meta http-equiv="refresh" content="0;url=${EVIL}">`,
  'a refresh to script': `<meta http-equiv="refresh" content="0;url=javascript:${RUN}">`,
  'a base': `<base href="${EVIL}/" target="_top"><img src="pixel.png">`,
  'links that a browser follows': `<link rel=stylesheet href="${EVIL}/a.css"><link rel=preload as=image href="${EVIL}/b.png"><link rel=icon href="${EVIL}/c.ico"><link rel=dns-prefetch href="//evil.example"><link rel=preconnect href="${EVIL}">`,
  'styles that load': `<style>@import "${EVIL}/a.css"; @font-face { font-family: x; src: url(${EVIL}/a.woff) } p { font-family: x }</style><p>x</p>`,
  'images and media': `<img src="${EVIL}/a.png" srcset="${EVIL}/b.png 1x"><picture><source srcset="${EVIL}/c.png"><img src="${EVIL}/d.png"></picture><video poster="${EVIL}/e.png" src="${EVIL}/f.mp4" autoplay></video><audio src="${EVIL}/g.mp3" autoplay></audio><input type=image src="${EVIL}/h.png">`,
  'a form that sends itself': `<form action="${EVIL}" id=f><input name=a autofocus onfocus="f.submit()"><button formaction="javascript:${RUN}">x</button></form>`,
  'what ends raw text': `<noscript><p title="</noscript><img src=x onerror=${RUN}>"><textarea></textarea><img src=x onerror=${RUN}></textarea><xmp></xmp><img src=x onerror=${RUN}>`,
  'what ends the style': `<style><a title="</style><img src=x onerror=${RUN}>"></style>`,
  'comments of two readings': `<!--><img src=x onerror=${RUN}>--><![CDATA[<img src=x onerror=${RUN}>]]><?xml <img src=x onerror=${RUN}>?>`,
  'a template with a shadow': `<div><template shadowrootmode=open><script>${RUN}</script><img src=x onerror=${RUN}></template></div>`,
  'a policy of its own': `<meta http-equiv="Content-Security-Policy" content="script-src * 'unsafe-inline'"><script>${RUN}</script><meta name=referrer content=unsafe-url>`,
};
/** What a policy held back is no harm, and neither is what the browser says of it; what passed it is among `reached`. */
const HARM = /^(?:script ran|alert|confirm|prompt|web socket|status)/;
/** What can navigate, connect or hold others, whether or not a policy stops it. */
const REACHES =
  'script, link, base, [http-equiv], iframe, frame, object, embed, form, template, svg, math, [srcset], [onload], [onerror]';

let app: TestApp;
let sender: Sender;
let cookie: string;
beforeAll(async () => {
  app = await startApp();
  sender = await app.createSender();
  await makeOwner(app, sender.practice.id, 'owner@example.org');
  ({ cookie } = await signIn(app, 'owner@example.org'));
});
afterAll(() => app?.remove());
const browser = openBrowser();

/** With the requests that went to another server. */
const open = async () => {
  const page = await browser.newPage({ origin: app.origin, cookie });
  const reached: string[] = [];
  await page.context().route(`${EVIL}/**`, (route) => {
    reached.push(route.request().url());
    return route.fulfill({ body: '' });
  });
  const noHarm = async (isLoaded = (_url: string): boolean => false): Promise<void> => {
    expect((await page.problems()).filter((one) => HARM.test(one))).toEqual([]);
    expect(reached.filter((url) => !isLoaded(url))).toEqual([]);
  };
  return { page, reached, noHarm };
};
const received = (html: string): string => {
  const source = `Subject: x\r\nContent-Type: text/html; charset=utf-8\r\n\r\n${html}\r\n`;
  return `${sender.base}/inbound/messages/${putMail(app, sender.practice.id, {}, undefined, Buffer.from(source))}/preview`;
};
/** A page of the daemon's origin that shows the path in a frame. */
const showIn = async (page: TestPage, path: string) => {
  await page.route('**/shown', (route) =>
    route.fulfill({ contentType: 'text/html', body: `<iframe src="${path}" title="Mail"></iframe>` }),
  );
  await page.goto('/shown');
  const frame = page.frames().find((one) => one !== page.mainFrame());
  if (!frame) throw new Error('there is no frame');
  await frame.waitForLoadState('load');
  return frame;
};

describe('a received mail', () => {
  test('of whatever HTML does nothing, in a frame and alone', async () => {
    const { page, noHarm } = await open();
    await checkCells(
      Object.entries(bodies),
      ([name]) => name,
      async ([, html]) => {
        const path = received(`<p>Anfang</p>${html}`);
        const frame = await showIn(page, path);
        expect(new URL(frame.url()).pathname).toBe(path);
        expect(await frame.evaluate('document.body.innerText')).toContain('Anfang');
        expect(await frame.evaluate('self.origin')).toBe('null');
        expect(await frame.locator(REACHES).count()).toBe(0);
        await page.goto(path);
        expect(new URL(page.url()).pathname).toBe(path);
        await noHarm();
      },
    );
  });

  test('is held by the policy alone, were its HTML shown as it came', async () => {
    const { page, noHarm } = await open();
    const path = received('x');
    await checkCells(
      Object.entries(bodies),
      ([name]) => name,
      async ([, html]) => {
        await page.route(`**${path}*`, async (route) =>
          route.fulfill({ response: await route.fetch(), body: `<!doctype html><p>Anfang</p>${html}` }),
        );
        const frame = await showIn(page, path);
        expect(await frame.evaluate('document.body?.innerText ?? ""')).toBeDefined();
        expect(new URL(frame.url()).pathname).toBe(path);
        await page.unrouteAll();
        await noHarm();
      },
    );
  });
});

test('a link in a mail opens a window of its own, at once where it leads, and counts as no click', async () => {
  const id = await app.send(sender, {
    to: 'anna@example.org',
    subject: 'x',
    html: `<p><a href="${EVIL}/goal" target="_top">hin</a> <a href="javascript:${RUN}">nicht</a></p>`,
    settings: { track_opens: true, track_clicks: true },
  });
  await app.untilStatus(sender, id, 'processed');
  const before = app.rowCounts(sender.practice.id);
  const { page, reached } = await open();
  const frame = await showIn(page, `${sender.base}/messages/${id}/preview?images=remote`);
  const [popup] = await Promise.all([page.context().waitForEvent('page'), frame.click('text=hin')]);
  await popup.waitForURL(`${EVIL}/goal`);
  expect(reached).toEqual([`${EVIL}/goal`]);
  await page.problems();
  expect(await popup.evaluate('opener')).toBeNull();
  await frame.click('text=nicht');
  expect(page.context().pages()).toHaveLength(2);
  expect(await page.problems()).toEqual([]);
  expect(app.rowCounts(sender.practice.id)).toEqual(before);
  await popup.close();
});

describe('images of other servers', () => {
  const IMAGE = `${EVIL}/bild.png`;
  const asked = async (path: string): Promise<void> => {
    const { page, reached } = await open();
    await page.goto(`/app/${sender.practice.id}/${path}`);
    await page.frameLocator('iframe').getByText('Mit Bild').waitFor();
    expect(reached).toEqual([]);
    await page.getByRole('button', { name: 'Bilder aus dem Internet laden' }).click();
    await expect.poll(() => reached).toEqual([IMAGE]);
    await page.frameLocator('iframe').getByText('Mit Bild').waitFor();
    await page.getByRole('button', { name: 'Bilder aus dem Internet laden' }).waitFor({ state: 'detached' });
    expect(await page.problems()).toEqual([`request to another origin: ${IMAGE}`]);
  };
  const html = `<p>Mit Bild</p><img src="${IMAGE}" alt="Bild">`;

  test('are loaded when they are asked for, and not before, of a message and of its captured copy', async () => {
    const id = await app.send(sender, { to: 'anna@example.org', subject: 'x', html });
    await app.untilStatus(sender, id, 'processed');
    await asked(`post/${id}`);
    const { body } = await app.request<List<{ id: string }>>(
      'GET',
      `${sender.base}/captures`,
      undefined,
      sender.token,
    );
    await asked(`captures/${body.data[0]?.id}`);
  });

  test('are loaded when they are asked for, and not before, of a received mail', async () => {
    await asked(`inbox/${received(html).split('/').at(-2)}`);
  });
});

describe('the frame for what is being written', () => {
  const post = (page: TestPage, html: string) =>
    page.evaluate(`frames[0].postMessage({ html: ${JSON.stringify(html)} }, '*')`);

  test('shows what its page sends, and nothing of it runs', async () => {
    const { page, noHarm } = await open();
    const frame = await showIn(page, '/app/frame');
    await checkCells(
      Object.entries(bodies),
      ([name]) => name,
      async ([name, html]) => {
        await post(page, `<title>${name}</title><p id="begin">${name}</p>${html}`);
        await frame.waitForFunction(`document.title === ${JSON.stringify(name)}`);
        expect(await frame.locator('#begin').count()).toBe(1);
        expect(new URL(frame.url()).pathname).toBe('/app/frame');
        expect(await frame.evaluate('self.origin')).toBe('null');
        // Its images are those that its author chose.
        await noHarm((url) => url.endsWith('.png'));
      },
    );
    await post(page, '<style>p { color: rgb(1, 2, 3) }</style><p id="now">Jetzt</p>');
    const colour = `getComputedStyle(document.querySelector('#now')).color`;
    await frame.waitForSelector('#now');
    expect(await frame.evaluate(colour)).toBe('rgb(1, 2, 3)');
  });

  test('takes nothing from anyone else', async () => {
    const { page } = await open();
    const frame = await showIn(page, '/app/frame');
    await frame.evaluate(`postMessage({ html: '<title>own</title>' }, '*')`);
    await post(page, '<title>shown</title>');
    await frame.waitForFunction(`document.title === 'shown'`);
    await page.goto('about:blank');
    await page.setContent(`<iframe src="${app.origin}/app/frame" title="x"></iframe>`);
    expect((await page.problems()).join()).toMatch(/frame-ancestors|failed/);
  });
});
