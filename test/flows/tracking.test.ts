// The links of tracked copies, followed as people and machines do: what they answer, what is kept of it, and that nobody
// can make or alter one.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HOUR, SECOND, toIso } from '#src/kernel/time.ts';
import { createTrackingLinks, encodeUnsubscribeToken } from '#src/mail/copy-links.ts';
import type { TokenKeys } from '#src/mail/token-keys.ts';
import type { ReturnPathTarget } from '#src/mail/verp.ts';
import { type List, letter, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { keysIn } from '#test/support/keys.ts';
import { until } from '#test/support/process.ts';
import { createTestClock } from '#test/support/storage.ts';

const SHOP = 'https://praxis.example/termin?day=1&art=a#oben';
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0';
const GMAIL = 'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)';
const APPLE_PREFETCH = 'Mozilla/5.0';
const SLACK = 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)';
const PIXEL_BYTES = 42;

interface Event {
  readonly type: string;
  readonly recipient: string | null;
  readonly ip: string | null;
  readonly user_agent: string | null;
  readonly url: string | null;
  readonly bot: boolean;
  readonly rule: string | null;
}

/** One recipient of one message, and the links of their copy. */
interface Reader {
  readonly sender: Sender;
  readonly messageId: string;
  readonly target: ReturnPathTarget;
  readonly open: string;
  readonly click: (url?: string) => string;
}

const clock = createTestClock(Date.now());
let app: TestApp;
let key: TokenKeys;
let sender: Sender;
const config = { http: { trust_proxy: 1 } };
beforeAll(async () => {
  app = await startApp({ clock, config, holdMs: 0 });
  key = keysIn(app.home)('tracking links');
  sender = await app.createSender();
});
afterAll(() => app?.remove());

const targetOf = ({ practice }: Sender, messageId: string): ReturnPathTarget => {
  const [row] = app.sql<{ id: number; number: number }>(
    practice.id,
    `SELECT recipients.id, number FROM practice, recipients JOIN messages ON messages.seq = message_seq
     WHERE messages.id = ?`,
    messageId,
  );
  if (!row) throw new Error(`no recipient of ${messageId}`);
  return { tenantNumber: row.number, recipientId: row.id };
};

const readerOf = (from: Sender, messageId: string): Reader => {
  const target = targetOf(from, messageId);
  const links = createTrackingLinks('', key);
  return {
    sender: from,
    messageId,
    target,
    open: links.open(target),
    click: (url = SHOP) => links.click(target, url),
  };
};

/** Handed over `ago` before now. */
const deliver = async (
  from: Sender = sender,
  ago: number = HOUR,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<Reader> => {
  const messageId = await app.send(from, fields);
  await app.untilStatus(from, messageId, 'processed');
  clock.set(clock.now() + ago);
  return readerOf(from, messageId);
};

const deliverSome = async (count: number, from: Sender = sender): Promise<readonly Reader[]> => {
  const readers: Reader[] = [];
  while (readers.length < count) readers.push(await deliver(from));
  return readers;
};

const fetchLink = (link: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> =>
  fetch(app.origin + link, {
    method,
    redirect: 'manual',
    headers: { 'User-Agent': FIREFOX, 'X-Forwarded-For': '198.51.100.77', ...headers },
  });

/** Follows it and reads the answer off. */
const follow = async (link: string, headers?: Record<string, string>, method?: string): Promise<number> => {
  const response = await fetchLink(link, headers, method);
  await response.arrayBuffer();
  return response.status;
};

const eventsOf = async (reader: Reader, after = ''): Promise<readonly Event[]> => {
  const { base, token } = reader.sender;
  const page = `${base}/messages/${reader.messageId}/events?limit=200${after}`;
  const { body } = await app.request<List<Event>>('GET', page, undefined, token);
  const rest = body.next_cursor === null ? [] : await eventsOf(reader, `&cursor=${body.next_cursor}`);
  const isHit = ({ type }: Event) => type === 'message.opened' || type === 'message.clicked';
  return [...body.data.filter(isHit), ...rest];
};

const untilEvents = async (reader: Reader, count: number): Promise<readonly Event[]> => {
  let events = await eventsOf(reader);
  await until(`${count} opens and clicks are written`, async () => {
    events = await eventsOf(reader);
    return events.length >= count;
  });
  return events;
};

const statusOf = async ({ sender: from, messageId }: Reader): Promise<string> =>
  (await app.message(from, messageId)).status;

const countersOf = ({ practice }: Sender) =>
  app.sql<{ opens: number; clicks: number }>(
    practice.id,
    'SELECT coalesce(sum(opens), 0) AS opens, coalesce(sum(clicks), 0) AS clicks FROM counters',
  )[0];

/** Resolves when all that was done before is written: what comes to one practice is written in its order. */
const untilWritten = async (from: Sender): Promise<void> => {
  const last = await deliver(from);
  await follow(last.open);
  await untilEvents(last, 1);
};

describe('an open', () => {
  test('is answered with one transparent point that nobody keeps', async () => {
    const reader = await deliver();
    const response = await fetchLink(reader.open, {
      'If-None-Match': '*',
      'If-Modified-Since': new Date().toUTCString(),
    });
    const image = new Uint8Array(await response.arrayBuffer());
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/gif',
      'cache-control': 'no-store, private',
      'content-length': String(PIXEL_BYTES),
      'x-robots-tag': 'noindex',
      'referrer-policy': 'no-referrer',
    });
    expect(['set-cookie', 'etag', 'last-modified'].filter((name) => response.headers.has(name))).toEqual([]);
    expect(Buffer.from(image.subarray(0, 10)).toString('latin1')).toBe('GIF89a\x01\x00\x01\x00');
    expect(image).toHaveLength(PIXEL_BYTES);
    expect(image.at(-1)).toBe(0x3b);
  });

  test('moves the status, is kept as an event without the full address, and is counted once for its recipient', async () => {
    const own = await app.createSender();
    const reader = await deliver(own);
    await follow(reader.open);
    const [first] = await untilEvents(reader, 1);
    expect(first).toMatchObject({
      type: 'message.opened',
      recipient: letter.to,
      ip: '198.51.100.0',
      user_agent: FIREFOX,
      url: null,
      bot: false,
      rule: null,
    });
    expect(await statusOf(reader)).toBe('opened');
    await follow(reader.open, { 'User-Agent': GMAIL });
    expect(await untilEvents(reader, 2)).toHaveLength(2);
    expect(countersOf(own)).toEqual({ opens: 1, clicks: 0 });
    const { body } = await app.request<List<{ status: string }>>(
      'GET',
      `${own.base}/messages/${reader.messageId}/timeline`,
      undefined,
      own.token,
    );
    expect(body.data.map(({ status }) => status)).toContain('opened');
  });

  test('is kept from the network its client is in, which the proxy tells', async () => {
    const table = [
      ['203.0.113.129', '203.0.113.0'],
      ['2001:db8:1:2:3:4:5:6', '2001:db8:1::'],
      ['::ffff:203.0.113.129', '203.0.113.0'],
      ['no address', '127.0.0.0'],
    ] as const;
    const readers = await deliverSome(table.length);
    for (const [index, reader] of readers.entries())
      await follow(reader.open, { 'X-Forwarded-For': table[index]?.[0] ?? '' });
    for (const [index, reader] of readers.entries())
      expect((await untilEvents(reader, 1))[0]?.ip, table[index]?.[0]).toBe(table[index]?.[1]);
  });

  test('by an agent of any length and bytes is kept by its printable beginning', async () => {
    const reader = await deliver();
    await follow(reader.open, { 'User-Agent': `Mozilla/5.0 (\xfc\t${'x'.repeat(1_000)}) Firefox` });
    const agent = (await untilEvents(reader, 1))[0]?.user_agent ?? '';
    expect(agent).toMatch(/^Mozilla\/5\.0 \(\?\?x+$/);
    expect(agent).toHaveLength(256);
  });
});

describe('a click', () => {
  test('leads where the mail linked to, and nowhere else, and tells that place nothing', async () => {
    const reader = await deliver();
    const response = await fetchLink(reader.click(), { Accept: 'text/html' });
    expect(response.status).toBe(302);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      location: SHOP,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex',
    });
    expect(response.headers.has('set-cookie')).toBe(false);
    expect((await response.text()).length).toBeLessThan(2 * SHOP.length + 50);
  });

  test('moves the status and counts as an open too, where none was heard', async () => {
    const own = await app.createSender();
    const reader = await deliver(own);
    await follow(reader.click());
    const [event] = await untilEvents(reader, 1);
    expect(event).toMatchObject({ type: 'message.clicked', url: SHOP, ip: '198.51.100.0', bot: false });
    expect(await statusOf(reader)).toBe('clicked');
    expect(countersOf(own)).toEqual({ opens: 1, clicks: 1 });
    await follow(reader.open);
    await follow(reader.click());
    await untilEvents(reader, 3);
    expect(await statusOf(reader)).toBe('clicked');
    expect(countersOf(own)).toEqual({ opens: 1, clicks: 1 });
  });

  test.each([
    [
      'with umlauts',
      'https://müller.example/Öffnung zeiten',
      'https://xn--mller-kva.example/%C3%96ffnung%20zeiten',
    ],
    [
      'with line breaks',
      'https://praxis.example/a\r\nSet-Cookie: a=b',
      'https://praxis.example/aSet-Cookie:%20a=b',
    ],
    ['without TLS', 'http://praxis.example/', 'http://praxis.example/'],
    ['in capital letters', 'HTTPS://PRAXIS.EXAMPLE/A', 'HTTPS://PRAXIS.EXAMPLE/A'],
  ])('to an address %s goes there', async (_, url, location) => {
    const reader = await deliver();
    const response = await fetchLink(reader.click(url));
    expect([response.status, response.headers.get('location')]).toEqual([302, location]);
  });

  test.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'mailto:a@example.org',
    '//evil.example',
    '/path',
    'x',
  ])('to %s, even if it were signed, goes nowhere', async (url) => {
    const reader = await deliver();
    expect(await follow(reader.click(url))).toBe(404);
  });

  test('of a link that others have put parameters to goes where it did', async () => {
    const reader = await deliver();
    const response = await fetchLink(`${reader.click()}?utm_source=x&url=https://evil.example/`);
    expect([response.status, response.headers.get('location')]).toEqual([302, SHOP]);
    expect(await follow(`${reader.open}?x=1`)).toBe(200);
  });

  test('of a mail that is gone, or of a practice that is gone, still leads there, and leaves nothing', async () => {
    const own = await app.createSender();
    await deliver(own);
    const before = app.rowCounts(own.practice.id);
    const links = createTrackingLinks('', key);
    const [row] = app.sql<{ number: number }>(own.practice.id, 'SELECT number FROM practice');
    for (const target of [
      { tenantNumber: row?.number ?? 0, recipientId: 999_999 },
      { tenantNumber: 999_999, recipientId: 1 },
    ]) {
      expect(await follow(links.click(target, SHOP))).toBe(302);
      expect(await follow(links.open(target))).toBe(200);
    }
    await untilWritten(own);
    expect(app.rowCounts(own.practice.id).events).toBe((before.events ?? 0) + 3);
  });
});

describe('a link that is not ours', () => {
  const put = (text: string, index: number, length: number, put: string): string =>
    text.slice(0, index) + put + text.slice(index + length);
  /** Another character that may stand there too, none, and one more. */
  const altered = (link: string): string[] =>
    [...link].slice(1).flatMap((character, index) => {
      const other = character === 'A' ? 'B' : 'A';
      const otherCase =
        character === character.toLowerCase() ? character.toUpperCase() : character.toLowerCase();
      return [
        put(link, index + 1, 1, other),
        put(link, index + 1, 1, otherCase),
        put(link, index + 1, 1, ''),
        put(link, index + 1, 1, `${character}A`),
      ];
    });

  test('with any one byte altered, left out or put in is none, all look alike, and nothing is kept', async () => {
    const own = await app.createSender();
    const reader = await deliver(own);
    await untilWritten(own);
    const before = app.rowCounts(own.practice.id);
    const genuine = new Set([reader.open, reader.click()]);
    const all = [...genuine].flatMap(altered).filter((link) => !genuine.has(link));
    const bodies = new Set<string>();
    for (const link of all) {
      const response = await fetchLink(link);
      expect(response.status, link).toBe(404);
      bodies.add(await response.text());
    }
    expect(all.length).toBeGreaterThan(500);
    expect([...bodies]).toEqual([expect.stringContaining('not_found')]);
    const pages = new Set<string>();
    for (const link of [
      put(reader.open, 10, 1, '~'),
      put(reader.click(), 60, 1, '~'),
      reader.open.toUpperCase(),
    ])
      pages.add(await (await fetchLink(link, { Accept: 'text/html', 'Accept-Language': 'de' })).text());
    expect([...pages]).toEqual([expect.stringContaining('Diese Seite gibt es nicht')]);
    await untilWritten(own);
    const rows = app.rowCounts(own.practice.id);
    // Of the last delivery: created, sent, opened.
    expect(rows.events).toBe((before.events ?? 0) + 3);
    expect(await eventsOf(reader)).toEqual([]);
    expect(await statusOf(reader)).toBe('processed');
  });

  test('made of parts of others is none', async () => {
    const reader = await deliver();
    const other = await deliver();
    const [, , , clickToken = '', url = ''] = reader.click().split('/');
    const openToken = reader.open.split('/')[3] ?? '';
    const evil = Buffer.from('https://evil.example/').toString('base64url');
    const otherPurpose = encodeUnsubscribeToken(key, reader.target);
    const links = [
      `/t/c/${clickToken}/${evil}`,
      `/t/c/${openToken}/${url}`,
      `/t/c/${other.click('https://other.example/').split('/')[3]}/${url}`,
      `/t/o/${clickToken}`,
      `/t/o/${otherPurpose}`,
      `/t/c/${clickToken}/${url}=`,
      `/t/c/${clickToken}/`,
      `/t/c/${clickToken}`,
      `//t/o/${openToken}`,
      '/t/o/',
      `/t/c/${clickToken}/${'A'.repeat(12_000)}`,
      `/t/o/%FF`,
    ];
    for (const link of links) expect(await follow(link), link).toBe(404);
  });

  test('is one with other methods, and those leave nothing', async () => {
    const reader = await deliver();
    for (const method of ['OPTIONS', 'POST', 'PUT', 'DELETE']) {
      expect(await follow(reader.open, {}, method)).toBe(404);
      expect(await follow(reader.click(), {}, method)).toBe(404);
    }
    await untilWritten(sender);
    expect(await eventsOf(reader)).toEqual([]);
  });
});

describe('a machine', () => {
  test('moves no status, is counted nowhere, and is kept as what it is; a person after it is one', async () => {
    const own = await app.createSender();
    const table: readonly (readonly [rule: string, act: (reader: Reader) => Promise<unknown>])[] = [
      ['link_preview', (reader) => follow(reader.click(), { 'User-Agent': SLACK })],
      ['no_agent', (reader) => follow(reader.open, { 'User-Agent': '' })],
      ['apple_mail_privacy', (reader) => follow(reader.open, { 'User-Agent': APPLE_PREFETCH })],
      ['no_get', (reader) => follow(reader.click(), {}, 'HEAD')],
      ['prefetch', (reader) => follow(reader.click(), { 'Sec-Purpose': 'prefetch;prerender' })],
      ['prefetch', (reader) => follow(reader.click(), { 'X-Moz': 'prefetch' })],
      ['prefetch', (reader) => follow(reader.click(), { Purpose: 'prefetch' })],
      ['prefetch', (reader) => follow(reader.open, { 'X-Purpose': 'preview' })],
    ];
    const readers = await deliverSome(table.length, own);
    for (const [index, reader] of readers.entries()) await table[index]?.[1](reader);
    for (const [index, reader] of readers.entries()) {
      expect(await untilEvents(reader, 1)).toMatchObject([{ bot: true, rule: table[index]?.[0] }]);
      expect(await statusOf(reader)).toBe('processed');
    }
    expect(countersOf(own)).toEqual({ opens: 0, clicks: 0 });
    for (const reader of readers) await follow(reader.open);
    for (const reader of readers) {
      await untilEvents(reader, 2);
      expect(await statusOf(reader)).toBe('opened');
    }
    expect(countersOf(own)).toEqual({ opens: table.length, clicks: 0 });
  });

  test('is whoever opens or follows too soon after the hand-over', async () => {
    const table = [
      { kind: 'open', ago: 4 * SECOND, bot: true },
      { kind: 'open', ago: 5 * SECOND, bot: false },
      { kind: 'click', ago: 9 * SECOND, bot: true },
      { kind: 'click', ago: 10 * SECOND, bot: false },
    ] as const;
    const readers: Reader[] = [];
    for (const { kind, ago } of table) {
      const reader = await deliver(sender, ago);
      readers.push(reader);
      await follow(kind === 'open' ? reader.open : reader.click());
    }
    for (const [index, reader] of readers.entries()) {
      const { bot = false } = table[index] ?? {};
      expect(await untilEvents(reader, 1), `row ${index}`).toMatchObject([
        { bot, rule: bot ? 'too_soon' : null },
      ]);
    }
  });
});

describe('nothing is kept', () => {
  test('beyond a hundred opens and a hundred clicks of one recipient, machines included', async () => {
    const own = await app.createSender();
    const reader = await deliver(own);
    const both = () => [follow(reader.open), follow(reader.click(), { 'User-Agent': SLACK })];
    await Promise.all(Array.from({ length: 60 }, both).flat());
    await untilEvents(reader, 120);
    await Promise.all(Array.from({ length: 60 }, both).flat());
    const events = await untilEvents(reader, 200);
    await untilWritten(own);
    expect(events).toHaveLength(200);
    expect(await eventsOf(reader)).toHaveLength(200);
    expect(countersOf(own)).toEqual({ opens: 2, clicks: 0 });
  });

  test('of a message that waits: its links can only have been read in the API', async () => {
    const own = await app.createSender();
    const id = await app.send(own, { scheduled_at: toIso(clock.now() + 24 * HOUR) });
    const reader = readerOf(own, id);
    await follow(reader.open);
    await follow(reader.click());
    await untilWritten(own);
    expect(await eventsOf(reader)).toEqual([]);
    expect(app.sql(own.practice.id, 'SELECT recipient_id FROM queue')).toHaveLength(1);
  });
});

test('the links as they stand in the mail are noticed, and the practice sees it in its rates', async () => {
  const own = await app.createSender();
  const { sender: from, messageId } = await deliver(own, HOUR, {
    html: `<p>Guten Tag, <a href="${SHOP.replaceAll('&', '&amp;')}">zum Termin</a>.</p>`,
    message_kind: 'transactional',
    settings: { track_opens: true, track_clicks: true },
  });
  const [capture] = app.sql<{ id: string }>(own.practice.id, 'SELECT id FROM captures');
  const target = `${own.base}/captures/${capture?.id}`;
  const { text } = await app.request('GET', target, undefined, own.token);
  const source = text.replaceAll('=\r\n', '').replaceAll('=3D', '=');
  const [click = '', open = ''] = [/\/t\/c\/[\w-]+\/[\w-]+/, /\/t\/o\/[\w-]+/].map(
    (link) => link.exec(source)?.[0],
  );
  const response = await fetchLink(click);
  expect(response.headers.get('location')).toBe(SHOP);
  expect(await follow(open)).toBe(200);
  await untilEvents({ ...readerOf(from, messageId) }, 2);
  const { body } = await app.request<{ routes: { opens: number; clicks: number; open_rate: number }[] }>(
    'GET',
    `${own.base}/rates`,
    undefined,
    own.token,
  );
  const sums = body.routes.map(({ opens, clicks, open_rate }) => [opens, clicks, open_rate]);
  expect(sums).toContainEqual([1, 1, 1]);
});

test('mail to the simulator is opened and clicked, and counted nowhere', async () => {
  const own = await app.createSender();
  const messageId = await app.send(own, { to: 'success@simulator.mail.example.com' });
  await app.untilStatus(own, messageId, 'delivered');
  clock.set(clock.now() + HOUR);
  const reader = readerOf(own, messageId);
  await follow(reader.click());
  await untilEvents(reader, 1);
  expect(countersOf(own)).toEqual({ opens: 0, clicks: 0 });
});

describe('while they are held', () => {
  beforeAll(async () => {
    const { home } = app;
    await app.stop();
    app = await startApp({ clock, home, config });
  });

  test('a machine is whoever follows three links of a mail at once, from the first on; two, or one three times, follow people', async () => {
    const [scanned, read, hasty] = [await deliver(), await deliver(), await deliver()];
    await Promise.all([1, 2, 3].map((number) => follow(scanned.click(`https://praxis.example/${number}`))));
    for (const number of [1, 2]) await follow(read.click(`https://praxis.example/${number}`));
    for (const _ of [1, 2, 3]) await follow(hasty.click());
    expect((await untilEvents(scanned, 3)).map(({ rule }) => rule)).toEqual([
      'many_links',
      'many_links',
      'many_links',
    ]);
    expect((await untilEvents(read, 2)).map(({ bot }) => bot)).toEqual([false, false]);
    expect((await untilEvents(hasty, 3)).map(({ bot }) => bot)).toEqual([false, false, false]);
    expect(await statusOf(scanned)).toBe('processed');
  });

  test('what is held is written at the stop', async () => {
    const home = app.home;
    const own = await app.createSender();
    const reader = await deliver(own);
    await follow(reader.click());
    await follow(reader.open);
    await app.stop();
    const kept = app.sql<{ type: string }>(
      own.practice.id,
      "SELECT type FROM events WHERE type IN ('message.opened', 'message.clicked') ORDER BY seq",
    );
    expect(kept.map(({ type }) => type)).toEqual(['message.clicked', 'message.opened']);
    app = await startApp({ clock, home, config });
    expect(await statusOf(reader)).toBe('clicked');
  });
});
