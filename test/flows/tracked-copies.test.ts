// Mail whose opens and clicks are tracked, as it arrives: its HTML is read by a parser that follows the standard, and each
// link and image in it by the key they are made with.

import { Resolver } from 'node:dns/promises';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { simpleParser } from 'mailparser';
import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readClickLink, readOpenLink } from '#src/mail/copy-links.ts';
import type { TokenKeys } from '#src/mail/token-keys.ts';
import { type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { keysIn } from '#test/support/keys.ts';
import { createSmtpReceiver, type SmtpReceiver } from '#test/support/smtp-receiver.ts';

const ORIGIN = 'https://mail.example.com';

let receiver: SmtpReceiver;
let app: TestApp;
let sender: Sender;
let key: TokenKeys;

beforeAll(async () => {
  receiver = await createSmtpReceiver();
  app = await startApp({
    receiver,
    config: {
      service: { public_origin: ORIGIN },
      queue: { retry: ['1s'], then_every: '1s', jitter: 0 },
      dns: { authoritative: { listen: '127.0.0.1:0' }, zones: { addresses: ['127.0.0.1'] } },
    },
  });
  sender = await app.createSender({ name: 'Praxis Müller', plan: 'supporter' });
  await app.completeLegal(sender.practice.id);
  key = keysIn(app.home)('tracking links');
});
afterAll(async () => {
  await app?.remove();
  await receiver?.stop();
});

interface Arrived {
  readonly recipient: string;
  readonly recipientId: number | undefined;
  readonly source: string;
  readonly text: string;
  readonly html: string;
}

const arrivedOf = async (id: string): Promise<Arrived[]> => {
  await app.untilStatus(sender, id, 'processed');
  const copies = receiver.messages.filter(({ content }) => content.includes(`<${id}@`));
  return Promise.all(
    copies.map(async ({ content, mailFrom, recipients }) => {
      const mail = await simpleParser(content, { skipHtmlToText: true, skipTextToHtml: true });
      return {
        recipient: recipients.map(({ address }) => address).join(),
        recipientId: app.returnPathTarget(mailFrom)?.recipientId,
        source: content.toString('latin1'),
        text: mail.text ?? '',
        html: mail.html || '',
      };
    }),
  );
};

const arrive = async (fields: Readonly<Record<string, unknown>>): Promise<Arrived> => {
  const [copy] = await arrivedOf(await app.send(sender, fields));
  if (!copy) throw new Error('nothing has arrived');
  return copy;
};

type Node = DefaultTreeAdapterTypes.ChildNode;
type Element = DefaultTreeAdapterTypes.Element;

const elementsOf = (html: string, ...names: readonly string[]): Element[] => {
  const walk = (nodes: readonly Node[]): Element[] =>
    nodes.flatMap((node) => {
      if (!('tagName' in node)) return [];
      return [...(names.includes(node.tagName) ? [node] : []), ...walk(node.childNodes)];
    });
  return walk(parse(html, { scriptingEnabled: false }).childNodes);
};

const attribute = ({ attrs }: Element, name: string): string | undefined =>
  attrs.find((one) => one.name === name)?.value;

const target = (address: string | undefined, recipientId: number | undefined): string | undefined => {
  const [, token = '', url = ''] =
    /^https:\/\/mail\.example\.com\/t\/c\/([^/]+)\/([^/]+)$/.exec(address ?? '') ?? [];
  const read = token === '' ? null : readClickLink(key, token, url);
  return read && read.target.recipientId === recipientId ? `tracked ${read.url}` : address;
};

/** Where each link leads; one that leads through the service to it: `tracked <url>`. Without the footer's. */
const linksOf = ({ html, recipientId }: Arrived): (string | undefined)[] =>
  elementsOf(html, 'a', 'area')
    .map((element) => target(attribute(element, 'href'), recipientId))
    .filter(
      (address) =>
        !address?.startsWith(`${ORIGIN}/api/public/unsub`) &&
        address !== 'https://praxis.example/datenschutz',
    );

/** Of the images by which opens are noticed: whose they are. */
const opensOf = ({ html }: Arrived): (number | undefined)[] =>
  elementsOf(html, 'img').flatMap((image) => {
    const [, token] =
      /^https:\/\/mail\.example\.com\/t\/o\/([^/]+)$/.exec(attribute(image, 'src') ?? '') ?? [];
    return token === undefined ? [] : [readOpenLink(key, token)?.recipientId];
  });

const html = `<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN">
<html xmlns="http://www.w3.org/1999/xhtml"><head><title>Aktuelles</title>
<style>a { color: #123456 }</style></head>
<body bgcolor=#ffffff><table cellpadding=0 width=600><tr><td>
<p>Guten Tag, hier ist das Neueste aus der Praxis am Markt für Sie und Ihre Familie.</p>
<a href="https://praxis.example/aktuelles?a=1&amp;b=%C3%A4#neu" style="color:red">Mehr lesen</a>
<A HREF='http://praxis.example/team' TARGET=_blank>Unser Team</A>
<a class=x href=https://praxis.example/anfahrt>Anfahrt</a>
<a
  href="
    https://praxis.example/zeiten"
  href="https://praxis.example/zweite">Sprechzeiten</a>
<a href="https://praxis.example/web">www.praxis.example/web</a>
<a href="mailto:info@praxis.example?subject=Frage">Schreiben Sie uns</a>
<a href="tel:+494012345">040 12345</a>
<a href="#oben">Nach oben</a>
<a href="https://praxis.example/still" data-no-track>Datenblatt</a>
<a href="{{unsubscribe_url}}">Abmelden</a>
<map name="karte"><area shape="rect" coords="0,0,9,9" href="https://praxis.example/karte" alt="Karte"></map>
<!--[if mso]><a href="https://praxis.example/outlook">Termin</a><![endif]-->
<!-- <a href="https://praxis.example/kommentar">x</a> -->
</td></tr></table></body></html>`;
const newsletter = {
  route: 'broadcast',
  message_kind: 'newsletter',
  subject: 'Aktuelles aus der Praxis',
  text: 'Guten Tag, mehr lesen Sie hier: https://praxis.example/aktuelles',
  html,
};

describe('a newsletter of an ordinary editor', () => {
  let copies: Arrived[];
  beforeAll(async () => {
    const to = ['erika@example.org', 'max@example.org'];
    copies = await arrivedOf(await app.send(sender, { ...newsletter, to }));
  });

  test('leads through the service where it should, to each recipient by links of their own', () => {
    expect(copies.map(({ recipient }) => recipient).toSorted()).toEqual([
      'erika@example.org',
      'max@example.org',
    ]);
    for (const copy of copies)
      expect(linksOf(copy)).toEqual([
        'tracked https://praxis.example/aktuelles?a=1&b=%C3%A4#neu',
        'tracked http://praxis.example/team',
        'tracked https://praxis.example/anfahrt',
        'tracked https://praxis.example/zeiten',
        'https://praxis.example/web',
        'mailto:info@praxis.example?subject=Frage',
        'tel:+494012345',
        '#oben',
        'https://praxis.example/still',
        'tracked https://praxis.example/karte',
      ]);
  });

  test('leads Outlook through it, too, and nobody out of a comment', () => {
    for (const { html: arrived, recipientId } of copies) {
      const [, outlook] = /\[if mso\]><a href="([^"]+)"/.exec(arrived) ?? [];
      expect(target(outlook, recipientId)).toBe('tracked https://praxis.example/outlook');
      expect(arrived).toContain('<!-- <a href="https://praxis.example/kommentar">x</a> -->');
    }
  });

  test('leads on to where its author wanted', async () => {
    const [copy] = copies;
    const addresses = elementsOf(copy?.html ?? '', 'a').map((element) => attribute(element, 'href') ?? '');
    const ours = addresses.filter((address) => address.startsWith(`${ORIGIN}/t/c/`));
    const answers = await Promise.all(
      ours.map((address) => fetch(address.replace(ORIGIN, app.origin), { redirect: 'manual' })),
    );
    expect(answers.map(({ status, headers }) => [status, headers.get('location')])).toEqual([
      [302, 'https://praxis.example/aktuelles?a=1&b=%C3%A4#neu'],
      [302, 'http://praxis.example/team'],
      [302, 'https://praxis.example/anfahrt'],
      [302, 'https://praxis.example/zeiten'],
    ]);
  });

  test('ends with the image, each with its recipient’s', () => {
    for (const copy of copies) {
      expect(opensOf(copy)).toEqual([copy.recipientId]);
      expect(copy.html).toMatch(/<\/div>\s*<img [^>]*alt="" [^>]*><\/body><\/html>\s*$/);
    }
  });

  test('has its text, its way out and the header as they would be', () => {
    for (const { text, html: arrived, source } of copies) {
      expect(text).toContain('https://praxis.example/aktuelles');
      expect(text).not.toContain('/t/c/');
      expect(arrived).toMatch(
        /<a href="https:\/\/mail\.example\.com\/api\/public\/unsub\?t=[\w-]+">Abmelden<\/a>/,
      );
      expect(source.slice(0, source.indexOf('\r\n\r\n'))).not.toContain('/t/');
    }
  });

  test('is signed as it arrives', async () => {
    const resolver = new Resolver();
    resolver.setServers([`127.0.0.1:${app.dnsPort}`]);
    for (const { source } of copies) {
      const { results } = await dkimVerify(Buffer.from(source, 'latin1'), {
        resolver: (name, type) => resolver.resolve(name, type) as never,
      });
      expect(results.map(({ status }) => status.result)).toEqual(['pass', 'pass']);
    }
  });
});

describe('is tracked', () => {
  const page = '<p>Guten Tag, <a href="https://praxis.example/a">hier</a> steht mehr.</p>';
  const both = { track_opens: true, track_clicks: true };
  const rows: readonly (readonly [
    title: string,
    fields: Readonly<Record<string, unknown>>,
    opens: number,
    clicks: number,
  ])[] = [
    ['an appointment: not', { message_kind: 'termin' }, 0, 0],
    ['ordinary mail: not', { message_kind: 'transactional' }, 0, 0],
    ['ordinary mail that says so', { message_kind: 'transactional', settings: both }, 1, 1],
    ['clicks alone', { message_kind: 'transactional', settings: { track_clicks: true } }, 0, 1],
    ['opens alone', { message_kind: 'transactional', settings: { track_opens: true } }, 1, 0],
    ['a newsletter', { route: 'broadcast' }, 1, 1],
    ['other marketing', { route: 'broadcast', message_kind: 'custom' }, 1, 1],
    [
      'a newsletter that says no',
      { route: 'broadcast', settings: { track_opens: false, track_clicks: false } },
      0,
      0,
    ],
    ['an appointment over a route that has it on: not', { route: 'praxis', message_kind: 'termin' }, 0, 0],
    ['ordinary mail over such a route', { route: 'praxis', message_kind: 'transactional' }, 1, 1],
    [
      'by other names of the fields',
      { message_kind: 'transactional', TrackOpens: true, TrackLinks: 'HtmlOnly' },
      1,
      1,
    ],
    ['by its template', { template: 'verfolgt', html: undefined, text: undefined, subject: undefined }, 1, 0],
    [
      'not by its template, where the message says no',
      {
        template: 'verfolgt',
        html: undefined,
        text: undefined,
        subject: undefined,
        settings: { track_opens: false },
      },
      0,
      0,
    ],
  ];

  beforeAll(async () => {
    const admin = app.adminToken;
    const route = { name: 'Praxis', slug: 'praxis', type: 'transactional', ...both };
    const template = {
      name: 'verfolgt',
      message_kind: 'transactional',
      track_opens: true,
      subject: 'Termin',
      text: 'Guten Tag',
      html: page,
    };
    const answers = [
      await app.request('POST', `${sender.base}/routes`, route, admin),
      await app.request('POST', `${sender.base}/templates`, template, admin),
    ];
    expect(answers.map(({ status, text }) => [status, status === 201 || text])).toEqual([
      [201, true],
      [201, true],
    ]);
  });

  test.each(rows)('%s', async (_, fields, opens, clicks) => {
    const copy = await arrive({ html: page, ...fields });
    expect(opensOf(copy)).toHaveLength(opens);
    expect(linksOf(copy)).toEqual([`${clicks ? 'tracked ' : ''}https://praxis.example/a`]);
  });

  test('mail of text alone: not, whatever it says', async () => {
    const { source } = await arrive({ text: 'https://praxis.example/a', settings: both });
    expect(source).not.toMatch(/text\/html|\/t\//);
  });

  test('as was decided when it was accepted, whatever becomes of its route', async () => {
    const patch = (fields: object) =>
      app.request('PATCH', `${sender.base}/routes/praxis`, fields, app.adminToken);
    receiver.setBehaviour({ rcpt: '451 4.7.1 Later' });
    const id = await app.send(sender, { html: page, route: 'praxis', message_kind: 'transactional' });
    await receiver.waitForCommand(/RCPT/);
    expect((await patch({ track_opens: false, track_clicks: false })).status).toBe(200);
    receiver.setBehaviour({});
    const [copy] = await arrivedOf(id);
    expect(copy && opensOf(copy)).toHaveLength(1);
    await patch(both);
  });
});

describe('whoever tracks what is nobody’s business', () => {
  const fields = {
    to: 'erika@example.org',
    subject: 'Ihr Termin',
    text: 'Guten Tag, Ihr Termin ist am Montag.',
    message_kind: 'termin',
    settings: { track_opens: true },
  };

  test('is warned when the message is sent, and reads why it was', async () => {
    const { status, body } = await app.request<{
      id: string;
      content_warnings: readonly { id: string; why: string }[];
    }>('POST', `${sender.base}/send`, fields, sender.token);
    expect(status).toBe(202);
    const warning = body.content_warnings.find(({ id }) => id === 'tracking_on_kind');
    expect(warning?.why).toContain('Opens or clicks are tracked');
    const { decisions } = await app.message(sender, body.id);
    expect(decisions).toContainEqual({
      gate: 'tracking',
      verdict: 'warned',
      facts: { track_opens: true, track_clicks: false },
    });
  });

  test('is warned before, in the language asked for', async () => {
    const { body } = await app.request<{ warnings: readonly { id: string; why: string }[] }>(
      'POST',
      `${sender.base}/send/score`,
      fields,
      sender.token,
      { 'Accept-Language': 'de' },
    );
    expect(body.warnings.find(({ id }) => id === 'tracking_on_kind')?.why).toContain('Öffnungen oder Klicks');
  });
});

test('clients are told that the service can track', async () => {
  const { body } = await app.request('GET', '/api/meta', undefined, sender.token);
  expect(body).toMatchObject({ features: { tracking: true } });
});
