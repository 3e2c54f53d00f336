// The way out of every mail: the page behind its link, the one click of mail programs (RFC 8058), what both leave behind,
// and that nobody but who has the link can do it.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { encodeUnsubscribeToken } from '#src/mail/copy-links.ts';
import type { TokenKeys } from '#src/mail/token-keys.ts';
import { type List, type Message, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { keysIn } from '#test/support/keys.ts';
import { until } from '#test/support/process.ts';

const GERMAN = { Accept: 'text/html', 'Accept-Language': 'de-DE,de;q=0.9' };
const ENGLISH = { Accept: 'text/html', 'Accept-Language': 'en' };
const ONE_CLICK = 'List-Unsubscribe=One-Click';
const URL_ENCODED = { 'Content-Type': 'application/x-www-form-urlencoded' };

let app: TestApp;
let key: TokenKeys;
beforeAll(async () => {
  app = await startApp({ config: { service: { public_origin: 'https://mail.example.com' } } });
  key = keysIn(app.home)('unsubscribe links');
});
afterAll(() => app?.remove());

/** The link's path and query in the copy that the recipient got. */
const linkTo = (sender: Sender, address: string): string => {
  const [row] = app.sql<{ id: number; number: number }>(
    sender.practice.id,
    'SELECT recipients.id, number FROM recipients, practice WHERE address = ? ORDER BY recipients.id DESC',
    address,
  );
  if (!row) throw new Error(`nothing went to ${address}`);
  const token = encodeUnsubscribeToken(key, { tenantNumber: row.number, recipientId: row.id });
  return `/api/public/unsub?t=${token}`;
};

const deliver = async (sender: Sender, fields: object = {}): Promise<{ id: string; link: string }> => {
  const to = 'erika.muster@example.org';
  const id = await app.send(sender, { to, ...fields });
  await app.untilStatus(sender, id, 'processed');
  return { id, link: linkTo(sender, to) };
};

const legalSender = async (name = 'Praxis am Markt'): Promise<Sender> => {
  const sender = await app.createSender({ name });
  await app.completeLegal(sender.practice.id);
  return sender;
};

/** All that a signal could leave behind. */
const traceOf = ({ practice }: Sender) => ({
  suppressions: app.sql(practice.id, 'SELECT scope, route_id, reason, source_message_id FROM suppressions'),
  events: app
    .sql<{ type: string }>(
      practice.id,
      "SELECT type FROM events WHERE type <> 'message.created' ORDER BY seq",
    )
    .map(({ type }) => type),
  statuses: app
    .sql<{ status: string }>(practice.id, 'SELECT status FROM recipients ORDER BY id')
    .map(({ status }) => status),
  counted: app.sql<{ sum: number }>(
    practice.id,
    'SELECT coalesce(sum(unsubscribes), 0) AS sum FROM counters',
  )[0]?.sum,
});

const click = (
  link: string,
  body: unknown = Buffer.from(ONE_CLICK),
  headers: Record<string, string> = URL_ENCODED,
) => app.request<string>('POST', link, body, undefined, headers);

const routeId = (sender: Sender, slug: string) =>
  app.sql<{ id: string }>(sender.practice.id, 'SELECT id FROM routes WHERE slug = ?', slug)[0]?.id;

describe('the link that each copy bears', () => {
  test('is the one of its recipient, in the header field of RFC 8058 and nowhere else’s', async () => {
    const sender = await legalSender();
    const { id, link } = await deliver(sender, { html: '<p>Am Montag</p>' });
    const list = await app.request<List<{ id: string; message_id: string }>>(
      'GET',
      `${sender.base}/captures`,
      undefined,
      app.adminToken,
    );
    const capture = list.body.data.find(({ message_id }) => message_id === id);
    const { text } = await app.request(
      'GET',
      `${sender.base}/captures/${capture?.id}`,
      undefined,
      app.adminToken,
    );
    const unfolded = text.replace(/\r\n[ \t]+/g, ' ');
    const field = /^List-Unsubscribe: <https:\/\/mail\.example\.com([^>]+)>/m.exec(unfolded)?.[1];
    expect(field).toBe(link);
    expect(unfolded).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m);
  });
});

describe('the page', () => {
  test('says in German whose mail it is and what ends, and loads nothing', async () => {
    const sender = await legalSender('Praxis <Dr. Ö>');
    const { link } = await deliver(sender);
    const { status, headers, text } = await app.request('GET', link, undefined, undefined, GERMAN);
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('x-robots-tag')).toBe('noindex');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.getSetCookie()).toEqual([]);
    expect(text).toContain('<html lang="de">');
    expect(text).toContain('<h1>E-Mails abbestellen</h1>');
    expect(text).toContain('<strong>Praxis &lt;Dr. Ö&gt;</strong>');
    expect(text).not.toContain('<Dr.');
    expect(text).toContain('e…@example.org');
    expect(text).not.toContain('erika');
    expect(text).toContain('Mitteilungen wie Terminbestätigungen und Erinnerungen');
    expect(text).toContain(', Am Markt 1, 20095 Hamburg<br>');
    expect(text).toContain('href="https://praxis.example/datenschutz"');
    expect(text).not.toMatch(/<script|<img|<input/);
    const escaped = link.replace('&', '&amp;');
    expect([...text.matchAll(/<form method="post" action="([^"]+)">/g)].map(([, action]) => action)).toEqual([
      escaped,
      `${escaped}&amp;from=all`,
    ]);
  });

  test('has all of the legal notice', async () => {
    const sender = await legalSender();
    await app.request(
      'PATCH',
      `${sender.base}/compliance`,
      {
        email: 'praxis@praxis.example',
        register: 'AG Köln, HRB 12345',
        authority: 'Kammer <Nord>',
        imprint_url: 'https://praxis.example/impressum',
      },
      sender.token,
    );
    const { link } = await deliver(sender);
    const { text } = await app.request('GET', link, undefined, undefined, GERMAN);
    expect(text).toContain(
      'E-Mail: praxis@praxis.example · Register: AG Köln, HRB 12345 · Aufsichtsbehörde: Kammer &lt;Nord&gt;',
    );
    expect(text).toContain(
      '<a href="https://praxis.example/impressum" rel="noopener noreferrer">Impressum</a>',
    );
  });

  test('says it in English, names a route of the practice’s own, and leaves out what it does not know', async () => {
    const sender = await app.createSender();
    const body = { name: 'Recall <2026>', slug: 'recall', type: 'transactional' };
    await app.request('POST', `${sender.base}/routes`, body, sender.token);
    const { link } = await deliver(sender, { route: 'recall' });
    const { text } = await app.request('GET', link, undefined, undefined, ENGLISH);
    expect(text).toContain('<h1>Unsubscribe</h1>');
    expect(text).toContain('Recall &lt;2026&gt; (messages such as appointment confirmations and reminders)');
    expect(text).not.toContain('Privacy policy');
    expect(text).toContain(sender.practice.managed_host);
  });

  test.each(['GET', 'HEAD'])(
    'changes nothing by %s, however often and by whom it is looked at',
    async (method) => {
      const sender = await legalSender();
      const { link } = await deliver(sender);
      const before = traceOf(sender);
      const files = app.rowCounts(sender.practice.id);
      for (const address of [link, `${link}&from=all`, `${link}&utm_source=scan`]) {
        const { status } = await app.request(method, address, undefined, undefined, GERMAN);
        expect(status).toBe(200);
      }
      expect(traceOf(sender)).toEqual(before);
      expect(app.rowCounts(sender.practice.id)).toEqual(files);
    },
  );
});

describe('one click', () => {
  const multipart = () => {
    const form = new FormData();
    form.set('List-Unsubscribe', 'One-Click');
    return form;
  };
  const BODIES: readonly (readonly [says: string, body: () => Promise<[unknown, Record<string, string>]>])[] =
    [
      ['as an urlencoded form', async () => [Buffer.from(ONE_CLICK), URL_ENCODED]],
      [
        'as a multipart form',
        async () => {
          const encoded = new Response(multipart());
          const type = encoded.headers.get('content-type') ?? '';
          return [new Uint8Array(await encoded.arrayBuffer()), { 'Content-Type': type }];
        },
      ],
      ['with no body', async () => [undefined, {}]],
      [
        'with a body of no known type',
        async () => [Buffer.from(ONE_CLICK), { 'Content-Type': 'text/x-odd' }],
      ],
      [
        'from a foreign page, with cookies',
        async () => [
          Buffer.from(ONE_CLICK),
          { ...URL_ENCODED, Origin: 'https://evil.example', Referer: 'https://evil.example/', Cookie: 'a=b' },
        ],
      ],
    ];
  test.each(BODIES)('%s unsubscribes, once, and is answered 200 without a redirect', async (_, bodyOf) => {
    const sender = await legalSender();
    const { id, link } = await deliver(sender);
    const answers = [];
    for (let time = 0; time < 2; time++) {
      const [body, headers] = await bodyOf();
      answers.push(await click(link, body, headers));
      expect(traceOf(sender)).toEqual({
        suppressions: [
          {
            scope: 'route',
            route_id: routeId(sender, 'outgoing'),
            reason: 'unsubscribe',
            source_message_id: id,
          },
        ],
        events: ['message.sent', 'suppression.added', 'message.unsubscribed', 'message.subscription'],
        statuses: ['unsubscribed'],
        counted: 1,
      });
    }
    for (const { status, headers } of answers) {
      expect(status).toBe(200);
      expect(headers.get('location')).toBeNull();
      expect(headers.getSetCookie()).toEqual([]);
    }
    expect((await app.message(sender, id)).status).toBe('unsubscribed');
  });

  test('of twenty at once is one', async () => {
    const sender = await legalSender();
    const { link } = await deliver(sender);
    const answers = await Promise.all(Array.from({ length: 20 }, () => click(link)));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(traceOf(sender)).toMatchObject({ suppressions: [{}], statuses: ['unsubscribed'], counted: 1 });
    expect(traceOf(sender).events).toHaveLength(4);
  });

  test('ends the mail of that route, and no other', async () => {
    const sender = await legalSender();
    const { link } = await deliver(sender, { route: 'broadcast' });
    await click(link);
    const statusOf = async (fields: object) => {
      const id = await app.send(sender, { to: 'Erika.Muster@example.org', ...fields });
      return (await app.message(sender, id)).status;
    };
    expect(await statusOf({ route: 'broadcast' })).toBe('suppressed');
    expect(await statusOf({})).not.toBe('suppressed');
    const other = await legalSender();
    const elsewhere = await app.send(other, { to: 'erika.muster@example.org', route: 'broadcast' });
    expect((await app.message(other, elsewhere)).status).not.toBe('suppressed');
  });

  test('works while the practice is paused', async () => {
    const sender = await legalSender();
    const { link } = await deliver(sender);
    app.sql(
      sender.practice.id,
      "UPDATE practice SET paused_at = 1, pause_reason = 'x', pause_by = 'guardrail'",
    );
    expect((await click(link)).status).toBe(200);
    expect(traceOf(sender).statuses).toEqual(['unsubscribed']);
  });

  test('of each of two mails marks both, and is counted once', async () => {
    const sender = await legalSender();
    const first = await deliver(sender);
    const second = await deliver(sender);
    await click(first.link);
    await click(second.link);
    const { events, ...trace } = traceOf(sender);
    expect(trace).toMatchObject({
      suppressions: [{ source_message_id: first.id }],
      statuses: ['unsubscribed', 'unsubscribed'],
      counted: 1,
    });
    expect(
      events.filter((type) => type.startsWith('message.sub') || type === 'suppression.added'),
    ).toHaveLength(2);
    expect(events.filter((type) => type === 'message.unsubscribed')).toHaveLength(2);
  });

  test('of mail to the simulator is counted nowhere', async () => {
    const sender = await legalSender();
    const to = 'success@simulator.mail.example.com';
    await app.untilStatus(sender, await app.send(sender, { to }), 'delivered');
    await click(linkTo(sender, to));
    expect(traceOf(sender)).toMatchObject({ suppressions: [{}], counted: 0 });
  });

  test('leaves a worse fate standing, and is told all the same', async () => {
    const sender = await legalSender();
    const { id, link } = await deliver(sender);
    app.sql(sender.practice.id, "UPDATE recipients SET status = 'spam_complaint'");
    await click(link);
    await click(link);
    const { events, ...trace } = traceOf(sender);
    expect(trace).toMatchObject({ suppressions: [{ source_message_id: id }], statuses: ['spam_complaint'] });
    expect(events.filter((type) => type === 'message.unsubscribed')).toHaveLength(1);
  });

  test('tells webhooks whom and where', async () => {
    const sender = await legalSender();
    const { link } = await deliver(sender);
    await click(link);
    const rows = app.sql<{ data_json: string; recipient_id: number | null; type: string }>(
      sender.practice.id,
      "SELECT type, recipient_id, data_json FROM events WHERE data_json LIKE '%suppression%' ORDER BY seq",
    );
    expect(rows.map(({ type, recipient_id }) => [type, recipient_id !== null])).toEqual([
      ['suppression.added', false],
      ['message.unsubscribed', true],
      ['message.subscription', true],
    ]);
    for (const { data_json } of rows)
      expect(JSON.parse(data_json).suppression).toMatchObject({
        address: 'erika.muster@example.org',
        scope: 'route',
        route_slug: 'outgoing',
        project_id: null,
        reason: 'unsubscribe',
      });
  });
});

describe('the second button', () => {
  test('ends all mail of this sender, after the first one too', async () => {
    const sender = await legalSender();
    const { id, link } = await deliver(sender);
    const first = await app.request<string>('POST', link, undefined, undefined, GERMAN);
    expect(first.text).toContain('<h1>Sie sind abgemeldet</h1>');
    expect(first.text).toContain('schickt an <strong>e…@example.org</strong> keine E-Mails dieser Art mehr');
    expect(first.text).toContain('Alle E-Mails dieses Absenders abbestellen');
    expect(first.text).not.toContain('Diese E-Mails abbestellen');
    const all = await app.request<string>('POST', `${link}&from=all`, undefined, undefined, GERMAN);
    expect(all.text).toContain('schickt an <strong>e…@example.org</strong> keine E-Mails mehr');
    expect(all.text).not.toContain('<form');
    expect(traceOf(sender)).toMatchObject({
      suppressions: [
        { scope: 'route', reason: 'unsubscribe' },
        { scope: 'team', route_id: null, reason: 'unsubscribe_all', source_message_id: id },
      ],
      counted: 1,
    });
    for (const route of ['outgoing', 'broadcast']) {
      const later = await app.send(sender, { to: 'erika.muster@example.org', route });
      expect((await app.message(sender, later)).status).toBe('suppressed');
    }
    const looked = await app.request<string>('GET', link, undefined, undefined, ENGLISH);
    expect(looked.text).toContain('no longer sends any emails');
  });
});

describe('who was suppressed before they asked', () => {
  const suppress = async (sender: Sender, fields: object) => {
    const body = { address: 'erika.muster@example.org', ...fields };
    const { status } = await app.request('POST', `${sender.base}/suppression`, body, sender.token);
    expect(status).toBe(201);
  };

  test.each([
    ['all mail', {}, '&from=all', 'unsubscribe_all'],
    ['this mail', { route_id: 'outgoing' }, '', 'unsubscribe'],
  ] as const)(
    'by the sender, from %s, is asked all the same, and has it in their own name',
    async (_, place, from, reason) => {
      const sender = await legalSender();
      const { id, link } = await deliver(sender);
      await suppress(sender, place);
      const { text } = await app.request<string>('GET', link, undefined, undefined, ENGLISH);
      expect(text).toContain('<h1>Unsubscribe</h1>');
      for (let time = 0; time < 2; time++) await click(link + from);
      const { events, ...trace } = traceOf(sender);
      expect(trace).toMatchObject({ suppressions: [{ reason, source_message_id: id }], counted: 1 });
      expect(events).toEqual([
        'message.sent',
        'suppression.added',
        'message.unsubscribed',
        'message.subscription',
      ]);
    },
  );

  test('by a complaint of theirs is unsubscribed, and the complaint stands', async () => {
    const sender = await legalSender();
    const { link } = await deliver(sender);
    await suppress(sender, {});
    app.sql(sender.practice.id, "UPDATE suppressions SET reason = 'complaint'");
    const { text } = await app.request<string>('POST', `${link}&from=all`, undefined, undefined, ENGLISH);
    expect(text).toContain('no longer sends any emails');
    expect(traceOf(sender).suppressions).toMatchObject([{ reason: 'complaint' }]);
  });
});

describe('a link that is not ours', () => {
  let sender: Sender;
  let link: string;
  beforeAll(async () => {
    sender = await legalSender();
    link = (await deliver(sender)).link;
  });

  test('with any one character altered, left out or put in does nothing, and all look alike', async () => {
    const token = link.slice(link.indexOf('=') + 1);
    const before = traceOf(sender);
    const altered = [...token].flatMap((character, index) => {
      const put = (text: string, length: number) =>
        token.slice(0, index) + text + token.slice(index + length);
      const other = character === 'A' ? 'B' : 'A';
      return [put(other, 1), put('', 1), put(`${character}A`, 1)];
    });
    const pages = new Set<string>();
    for (const one of [...altered, '', 'x', `${token}=`, token.toLowerCase(), `%00${token}`]) {
      const answer = await app.request<string>(
        'POST',
        `/api/public/unsub?t=${one}`,
        undefined,
        undefined,
        GERMAN,
      );
      expect(answer.status, one).toBe(404);
      pages.add(answer.text);
    }
    expect(pages.size).toBe(1);
    expect([...pages][0]).toContain('Dieser Link ist nicht gültig');
    expect(traceOf(sender)).toEqual(before);
    expect((await app.request('GET', '/api/public/unsub')).status).toBe(404);
    expect((await app.request('POST', '/api/public/unsub')).status).toBe(404);
  });

  test('of a mail that is no longer there, or of a practice that never was, looks the same', async () => {
    const { text: unknown } = await app.request<string>(
      'GET',
      '/api/public/unsub?t=x',
      undefined,
      undefined,
      GERMAN,
    );
    const [row] = app.sql<{ number: number }>(sender.practice.id, 'SELECT number FROM practice');
    const tokens = [
      { tenantNumber: row?.number ?? 0, recipientId: 999_999 },
      { tenantNumber: 999_999, recipientId: 1 },
    ].map((target) => encodeUnsubscribeToken(key, target));
    for (const token of tokens)
      for (const method of ['GET', 'POST'])
        expect(
          await app.request<string>(method, `/api/public/unsub?t=${token}`, undefined, undefined, GERMAN),
        ).toMatchObject({ status: 404, text: unknown });
  });

  test('of the service’s own mail leads nowhere', async () => {
    await app.createPractice({ owner_email: 'owner@example.org' });
    const [system] = app.sql<{ id: string; number: number }>(
      null,
      "SELECT id, number FROM tenants WHERE purpose = 'system'",
    );
    const recipients = () =>
      app.sql<{ id: number }>(
        system?.id ?? '',
        "SELECT id FROM recipients WHERE address = 'owner@example.org'",
      );
    await until('the owner is told', () => recipients().length > 0);
    const target = { tenantNumber: system?.number ?? 0, recipientId: recipients()[0]?.id ?? 0 };
    expect((await click(`/api/public/unsub?t=${encodeUnsubscribeToken(key, target)}`)).status).toBe(404);
  });
});

test('the retired path says what to use instead', async () => {
  const { status, body } = await app.request('POST', '/api/public/unsubscribe', { email: 'a@example.org' });
  expect({ status, code: body.code, hint: body.hint }).toMatchObject({
    status: 410,
    code: 'gone',
    hint: expect.stringContaining('/api/public/unsub?t='),
  });
});

test('the message shows it in its timeline', async () => {
  const sender = await legalSender();
  const { id, link } = await deliver(sender);
  await click(link);
  const { body } = await app.request<{ data: { status: Message['status'] }[] }>(
    'GET',
    `${sender.base}/messages/${id}/timeline`,
    undefined,
    sender.token,
  );
  expect(body.data.map(({ status }) => status)).toEqual(['queued', 'processed', 'unsubscribed']);
});
