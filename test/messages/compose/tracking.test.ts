// The links that lead through the service; nothing else of the HTML may change.

import { describe, expect, test } from 'vitest';
import { parseAddress } from '#src/mail/address.ts';
import { createTrackingLinks, MAX_TRACKED_URL, readClickLink, readOpenLink } from '#src/mail/copy-links.ts';
import { contentOfCopy } from '#src/messages/compose/copy-content.ts';
import type { Copy, StoredMessage } from '#src/messages/compose/message.ts';
import { trackedLinks } from '#src/messages/compose/tracking.ts';
import type { MessageSettings } from '#src/messages/settings.ts';
import { testTokenKeys } from '#test/support/keys.ts';
import { messageRow } from '#test/support/message-row.ts';

const ORIGIN = 'https://mail.example.com';
const KEY = testTokenKeys(7);
const links = createTrackingLinks(ORIGIN, KEY);
const TENANT = 3;

const copyFor = (recipientId: number): Copy => ({
  recipient: parseAddress('erika@example.org').address,
  unsubscribeUrl: `${ORIGIN}/api/public/unsub?t=${recipientId}`,
  preferencesUrl: null,
  unsubscribeAddress: null,
  complaints: null,
  tracking: {
    openUrl: () => links.open({ tenantNumber: TENANT, recipientId }),
    clickUrl: (url) => links.click({ tenantNumber: TENANT, recipientId }, url),
  },
  practice: 'praxis-am-markt',
  service: { name: 'Sendwerk', origin: ORIGIN },
});

const footer = {
  language: 'de',
  unsubscribe: 'one_click',
  powered_by: true,
  legal: { name: 'Praxis', street: 'Am Markt 1', city: 'Hamburg', privacy_url: 'https://praxis.example/d' },
} as const;
const TRACKED: MessageSettings = {
  plain_text_fallback: true,
  track_opens: true,
  track_clicks: true,
  footer,
};
const UNTRACKED: MessageSettings = { ...TRACKED, track_opens: false, track_clicks: false };

const rowsOf = (html: string | null, text: string | null = null): StoredMessage => ({
  message: {
    seq: 1,
    is_pseudonymous: 0,
    ...messageRow({
      project_id: 'project',
      route_id: 'route',
      from: 'praxis@praxis.example',
      to: [{ address: 'erika@example.org' }],
      at: 0,
    }),
  },
  body: { text, html, sealed: null, headers_json: '[]', calendar_json: null, parts_json: null },
  attachments: [],
});

const compose = (html: string, settings: MessageSettings, recipientId = 1): string =>
  contentOfCopy(rowsOf(html), settings, copyFor(recipientId)).html ?? '';

const CLICK = /https:\/\/mail\.example\.com\/t\/c\/([A-Za-z0-9_-]+)\/([A-Za-z0-9_-]+)/g;
const OPEN =
  /<img src="https:\/\/mail\.example\.com\/t\/o\/([A-Za-z0-9_-]+)" width="1" height="1" alt="" style="[^"]*">/;

const urlsIn = (html: string): (string | undefined)[] =>
  Array.from(html.matchAll(CLICK), ([, token = '', url = '']) => readClickLink(KEY, token, url)?.url);

describe('goes through the service', () => {
  const rows: readonly (readonly [title: string, html: string, url: string])[] = [
    ['a page', '<a href="https://praxis.example/termin">Termin</a>', 'https://praxis.example/termin'],
    ['a page without encryption', '<a href="http://praxis.example">x</a>', 'http://praxis.example'],
    ['a page by upper case', '<a href="HTTPS://Praxis.Example/A">x</a>', 'HTTPS://Praxis.Example/A'],
    [
      'a page with parameters and a fragment, as they are written',
      '<a href="https://praxis.example/a/../b//?q=%C3%A4+%7e&amp;r=ä b&amp;&amp;s#oben">x</a>',
      'https://praxis.example/a/../b//?q=%C3%A4+%7e&r=ä b&&s#oben',
    ],
    ['a page by its number', '<a href="https://192.0.2.1:8443/">x</a>', 'https://192.0.2.1:8443/'],
    [
      'a page of letters beyond ASCII',
      '<a href="https://münchen.example/">x</a>',
      'https://münchen.example/',
    ],
    ['a page on a map', '<area href="https://praxis.example/">', 'https://praxis.example/'],
    [
      'a page beside a base',
      '<base href="https://b.example/"><a href="https://praxis.example/">x</a>',
      'https://praxis.example/',
    ],
    ['the front page of the service', `<a href="${ORIGIN}/">x</a>`, `${ORIGIN}/`],
    [
      'the service’s host at another port',
      '<a href="https://mail.example.com:8443/t/x">x</a>',
      'https://mail.example.com:8443/t/x',
    ],
    [
      'the longest address',
      `<a href="https://x.example/${'a'.repeat(MAX_TRACKED_URL - 18)}">x</a>`,
      `https://x.example/${'a'.repeat(MAX_TRACKED_URL - 18)}`,
    ],
    [
      'a link with a mail address to be seen',
      '<a href="https://praxis.example/k">info@praxis.example</a>',
      'https://praxis.example/k',
    ],
    [
      'a link with a sentence',
      '<a href="https://praxis.example/k">Bitte lesen. Danke.</a>',
      'https://praxis.example/k',
    ],
    [
      'an image',
      '<a href="https://praxis.example/k"><img alt="www.praxis.example" src="a.png"></a>',
      'https://praxis.example/k',
    ],
  ];
  test.each(rows)('%s', (_, html, url) => {
    expect(trackedLinks(html, ORIGIN).map((link) => link.url)).toEqual([url]);
    expect(urlsIn(compose(html, TRACKED))).toEqual([url]);
    expect(compose(html, UNTRACKED).startsWith(html)).toBe(true);
  });
});

describe('stays unchanged', () => {
  const rows: readonly (readonly [title: string, html: string])[] = [
    ['a mail address', '<a href="mailto:praxis@praxis.example">x</a>'],
    ['a phone number', '<a href="tel:+4940123">040 123</a>'],
    ['a short message', '<a href="sms:+4940123">x</a>'],
    ['a part of the mail', '<a href="cid:plan@praxis.example">x</a>'],
    ['data', '<a href="data:text/plain,x">x</a>'],
    ['a script', '<a href="javascript:alert(1)">x</a>'],
    ['a place in the mail', '<a href="#unten">x</a>'],
    ['a relative address', '<a href="termin.html">x</a><a href="/termin">x</a><a href="?a">x</a>'],
    ['an address without a scheme', '<a href="//praxis.example/">x</a><a href="www.praxis.example">x</a>'],
    [
      'an address without a host',
      '<a href="https://">x</a><a href="https:termin">x</a><a href="https:///">x</a>',
    ],
    ['a host that is none', '<a href="https://a b/">x</a><a href="https://[::1/">x</a>'],
    ['another scheme', '<a href="ftp://praxis.example/">x</a><a href="webcal://praxis.example/">x</a>'],
    ['no address', '<a href="">x</a><a href>x</a><a>x</a>'],
    ['what its author has marked', '<a href="https://praxis.example/" data-no-track>x</a>'],
    ['an address too long', `<a href="https://x.example/${'a'.repeat(MAX_TRACKED_URL - 17)}">x</a>`],
    ['an address beyond all length', `<a href="https://x.example/${'&#97;'.repeat(5_000)}">x</a>`],
    ['a user name', '<a href="https://praxis@bank.example/">x</a><a href="https://a:b@c.example/">x</a>'],
    ['the service’s link to unsubscribe', `<a href="${ORIGIN}/api/public/unsub?t=1">x</a>`],
    [
      'the service’s link to unsubscribe, without encryption',
      '<a href="http://mail.example.com/api/public/unsub?t=1">x</a>',
    ],
    ['what leads through the service', `<a href="${ORIGIN}/t/c/1/2">x</a>`],
    ['a placeholder that nobody fills in', '<a href="https://praxis.example/{{name}}">x</a>'],
    [
      'the link to unsubscribe inside of an address',
      '<a href="https://praxis.example/?u={{ unsubscribe_url }}">x</a>',
    ],
    ['half a placeholder in an address', '<a href=https://praxis.example/{{ unsubscribe_url }}>x</a>'],
    ['a link to unsubscribe of the sender', '<a href="https://praxis.example/unsubscribe?id=1">hier</a>'],
    ['one in German', '<a href="https://praxis.example/newsletter/abmelden">hier</a>'],
    ['one in other words', '<a href="https://praxis.example/m">Ich möchte keine E-Mails mehr</a>'],
    ['one that ends it', '<a href="https://praxis.example/m">Newsletter k&uuml;ndigen</a>'],
    ['a page of settings by its words', '<a href="https://praxis.example/m">Newsletter-Einstellungen</a>'],
    ['a confirmation by its words', '<a href="https://praxis.example/m">E-Mail-Adresse bestätigen</a>'],
    ['one that says so', '<a href="https://praxis.example/?x=1">Newsletter abbestellen</a>'],
    ['preferences', '<a href="https://praxis.example/email-preferences">hier</a>'],
    ['a confirmation', '<a href="https://praxis.example/newsletter/confirm?t=1">Ja</a>'],
    ['a text that is the address', '<a href="https://praxis.example/a">https://praxis.example/a</a>'],
    ['a text that is a host', '<a href="https://praxis.example/a">praxis.example</a>'],
    [
      'a text that is a host in elements',
      '<a href="https://praxis.example/a"><b>www.</b>praxis<wbr>.example/a </a>',
    ],
    ['a text that is a host in references', '<a href="https://praxis.example/a">praxis&#46;exa&shy;mple</a>'],
    ['a text with an address', '<a href="https://praxis.example/a">Mehr: www.praxis.example</a>'],
    [
      'a text with an address to its end',
      '<a href="https://praxis.example/a">Termin (https://praxis.example)</a>',
    ],
    ['a link in a comment', '<!-- <a href="https://praxis.example/">x</a> -->'],
    ['a link in a script', '<script>"<a href=https://praxis.example/>x</a>"</script>'],
    [
      'what is no link',
      '<img src="https://praxis.example/a.png"><form action="https://praxis.example/">x</form>',
    ],
    ['text', 'https://praxis.example/'],
  ];
  test.each(rows)('%s', (_, html) => {
    expect(trackedLinks(html, ORIGIN)).toEqual([]);
    expect(compose(html, { ...TRACKED, track_opens: false })).toBe(compose(html, UNTRACKED));
  });

  test('links behind the first five hundred', () => {
    const html = '<a href="https://praxis.example/">x</a>'.repeat(501);
    expect(trackedLinks(html, ORIGIN)).toHaveLength(500);
  });
});

describe('nothing else of the HTML changes', () => {
  const rows: readonly (readonly [title: string, html: string, count: number])[] = [
    [
      'tables of an editor',
      '<!DOCTYPE html>\r\n<html><head><title>a <b></title><style>a[href="https://x.example"]{}</style></head>\r\n<body bgcolor=#ffffff>\r\n<table cellpadding=0><tr><td><a\r\n   style="color:red"\r\n   HREF="https://x.example/1?a=1&amp;b=2"\r\n   target=_blank>Eins</a></td></tr></table>\r\n</body></html>\r\n',
      1,
    ],
    [
      'what Outlook alone reads',
      '<body><!--[if mso]><v:roundrect href="https://x.example/o"><w:anchorlock/><center>Termin</center></v:roundrect><![endif]--><!--[if !mso]><!--><a href="https://x.example/b">Termin</a><!--<![endif]--></body>',
      2,
    ],
    [
      'no quotes, a second address, no end',
      '<A HREF=https://x.example/1>a</A><a href=\'https://x.example/2\' href=https://x.example/no>b<a href="https://x.example/3">c',
      3,
    ],
    [
      'ways out among the links',
      '<p>{{unsubscribe_url}}<a href="https://x.example/1">a</a><a href="{{ unsubscribe_url }}">b</a><a href="https://x.example/2">{{unsubscribe_url}}</a></p>',
      1,
    ],
    ['line breaks in an address', '<a href="https://x.example/\n\t1">a</a>\n\n\n', 1],
    ['links behind the end of the body', '<body>a</body><a href="https://x.example/1">a</a></html>', 1],
    ['what is no HTML', '<<a <a "> < a href="https://x.example/1"> <a href="https://x.example/2">b</a', 1],
    ['no text at all', '<a href="https://x.example/1"></a>', 1],
  ];
  test.each(rows)('%s', (_, html, count) => {
    const tracked = compose(html, TRACKED);
    expect(urlsIn(tracked)).toHaveLength(count);
    // Both are compared without the addresses of pages and the image.
    const bare = (text: string): string =>
      text
        .replace(OPEN, '')
        .replace(CLICK, 'LINK')
        .replace(/https:\/\/x\.example\/(?!no)(?:[\w?=&;]|\n\t)+/g, 'LINK');
    expect(bare(tracked)).toBe(bare(compose(html, UNTRACKED)));
    expect(bare(tracked)).toContain('LINK');
  });

  test('the links of the footer, and the text', () => {
    const content = (settings: MessageSettings) =>
      contentOfCopy(
        rowsOf('<p>Guten Tag <a href="https://praxis.example/a">hier</a></p>'),
        settings,
        copyFor(1),
      );
    const tracked = content(TRACKED);
    expect(tracked.text).toBe(content(UNTRACKED).text);
    expect(tracked.text).toContain('https://praxis.example/a');
    expect(tracked.html).toContain('href="https://praxis.example/d"');
    expect(tracked.html).toContain(`href="${ORIGIN}/api/public/unsub?t=1"`);
    expect(tracked.html).toContain(`href="${ORIGIN}"`);
  });
});

describe('the image that records opens', () => {
  const rows: readonly (readonly [title: string, html: string, behind: string])[] = [
    ['in a document', '<html><body><p>a</p></body></html>', '</body></html>'],
    ['in a piece of one', '<p>a</p>', ''],
    ['before a comment that is never closed', '<p>a</p><!-- ', '<!-- '],
  ];
  test.each(rows)('is the last thing, below the footer: %s', (_, html, behind) => {
    const [before = '', token = '', after] = compose(html, TRACKED, 5).split(OPEN);
    expect(before.trimEnd().endsWith('</div>')).toBe(true);
    expect(after).toBe(behind);
    expect(readOpenLink(KEY, token)).toEqual({ tenantNumber: TENANT, recipientId: 5 });
  });

  test('is the only addition if clicks are not tracked, and is absent if opens are not', () => {
    const html = '<p><a href="https://praxis.example/">x</a></p>';
    expect(compose(html, { ...TRACKED, track_clicks: false }).replace(OPEN, '')).toBe(
      compose(html, UNTRACKED),
    );
    expect(compose(html, { ...TRACKED, track_opens: false })).not.toContain('<img');
  });

  test('is not in a mail with text only', () => {
    const { text, html } = contentOfCopy(rowsOf(null, 'https://praxis.example/'), TRACKED, copyFor(1));
    expect(html).toBeNull();
    expect(text).not.toContain('/t/');
  });
});

test('each recipient has own links, the same at every attempt', () => {
  const html = '<a href="https://praxis.example/">x</a><a href="https://praxis.example/">y</a>';
  const rows = rowsOf(html);
  const of = (recipientId: number): string => contentOfCopy(rows, TRACKED, copyFor(recipientId)).html ?? '';
  const named = (recipientId: number): unknown =>
    Array.from(of(recipientId).matchAll(CLICK), ([, token = '', url = '']) => readClickLink(KEY, token, url));
  for (const recipientId of [1, 2]) {
    const target = { target: { tenantNumber: TENANT, recipientId }, url: 'https://praxis.example/' };
    expect(named(recipientId)).toEqual([target, target]);
    expect(of(recipientId)).toBe(compose(html, TRACKED, recipientId));
  }
});

test('messages of versions without tracking stay unchanged', () => {
  const html = '<a href="https://praxis.example/">x</a>';
  const { track_opens: _, track_clicks: __, ...older } = TRACKED;
  expect(compose(html, older)).toBe(compose(html, UNTRACKED));
  const { footer: ___, ...oldest } = TRACKED;
  expect(compose(html, oldest)).toBe(html);
});
