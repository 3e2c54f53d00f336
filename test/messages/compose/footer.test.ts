import { describe, expect, test } from 'vitest';
import { parseAddress } from '#src/mail/address.ts';
import { FOOT } from '#src/mail/document/look.ts';
import { footerPlace, htmlFooter, textFooter } from '#src/messages/compose/footer.ts';
import type { Copy } from '#src/messages/compose/message.ts';
import type { MessageFooter } from '#src/messages/settings.ts';

const copy: Copy = {
  recipient: parseAddress('erika@example.org').address,
  unsubscribeUrl: 'https://mail.example.com/api/public/unsub?t=token',
  preferencesUrl: null,
  unsubscribeAddress: null,
  complaints: null,
  tracking: {
    openUrl: () => 'https://mail.example.com/t/o/token',
    clickUrl: (url) => `https://mail.example.com/t/c/token/${url}`,
  },
  practice: 'praxis-am-markt',
  service: { name: 'Sendwerk', origin: 'https://mail.example.com' },
};
const nothing: MessageFooter = { language: 'de', unsubscribe: null, powered_by: false, legal: null };
const legal = {
  name: 'Müller & Söhne',
  street: 'Am <Markt> 1',
  city: '20095 Hamburg',
  privacy_url: 'https://praxis.example/?a=1&b="2"',
};

const further = {
  email: 'a@praxis.example',
  phone: '+49 40 1',
  represented_by: 'Dr. Weber',
  register: 'AG Köln, HRB 1',
  vat_id: 'DE123456789',
  authority: 'Kammer',
};

describe('as text', () => {
  const rows: readonly (readonly [string, Partial<MessageFooter>, Partial<Copy>, string])[] = [
    ['without lines is empty', {}, { unsubscribeUrl: null }, ''],
    [
      'has the link to unsubscribe',
      { unsubscribe: 'one_click' },
      {},
      '\n\n---\nVon weiteren E-Mails dieser Art abmelden: https://mail.example.com/api/public/unsub?t=token\n',
    ],
    [
      'has all there is, the sender first',
      { unsubscribe: 'one_click', powered_by: true, legal },
      {},
      [
        '\n\n---',
        'Müller & Söhne, Am <Markt> 1, 20095 Hamburg',
        'Datenschutzerklärung: https://praxis.example/?a=1&b="2"',
        'Von weiteren E-Mails dieser Art abmelden: https://mail.example.com/api/public/unsub?t=token',
        'Versendet mit Sendwerk: https://mail.example.com\n',
      ].join('\n'),
    ],
    [
      'has the link to the lists of the recipient',
      { unsubscribe: 'one_click' },
      { preferencesUrl: 'https://mail.example.com/api/public/preferences?t=token' },
      [
        '\n\n---',
        'Von weiteren E-Mails dieser Art abmelden: https://mail.example.com/api/public/unsub?t=token',
        'Listen auswählen: https://mail.example.com/api/public/preferences?t=token\n',
      ].join('\n'),
    ],
    [
      'speaks English',
      { language: 'en', unsubscribe: 'link', powered_by: true, legal },
      {},
      [
        '\n\n---',
        'Müller & Söhne, Am <Markt> 1, 20095 Hamburg',
        'Privacy policy: https://praxis.example/?a=1&b="2"',
        'Unsubscribe from emails like this: https://mail.example.com/api/public/unsub?t=token',
        'Sent with Sendwerk: https://mail.example.com\n',
      ].join('\n'),
    ],
    [
      'has in short what the page of the legal notice has whole',
      { legal: { ...legal, ...further, imprint_url: 'https://praxis.example/impressum' } },
      { unsubscribeUrl: null },
      [
        '\n\n---',
        'Müller & Söhne, Am <Markt> 1, 20095 Hamburg',
        'Vertreten durch: Dr. Weber · E-Mail: a@praxis.example · Telefon: +49 40 1 · Register: AG Köln, HRB 1',
        'Impressum: https://praxis.example/impressum',
        'Datenschutzerklärung: https://praxis.example/?a=1&b="2"\n',
      ].join('\n'),
    ],
    [
      'leaves nothing out where there is no such page',
      { language: 'en', legal: { ...legal, ...further } },
      { unsubscribeUrl: null },
      [
        '\n\n---',
        'Müller & Söhne, Am <Markt> 1, 20095 Hamburg',
        'Represented by: Dr. Weber · Email: a@praxis.example · Phone: +49 40 1 · Register: AG Köln, HRB 1 · VAT ID: DE123456789 · Supervisory authority: Kammer',
        'Privacy policy: https://praxis.example/?a=1&b="2"\n',
      ].join('\n'),
    ],
    [
      'links to no origin without HTTPS',
      { powered_by: true },
      { unsubscribeUrl: null, service: { name: 'Sendwerk', origin: 'http://localhost:8080' } },
      '\n\n---\nVersendet mit Sendwerk\n',
    ],
  ];
  test.each(rows)('%s', (_, fields, changes, written) => {
    expect(textFooter({ ...nothing, ...fields }, { ...copy, ...changes }, true)).toBe(written);
  });

  test('has no link to unsubscribe if the content has one', () => {
    expect(textFooter({ ...nothing, unsubscribe: 'one_click' }, copy, false)).toBe('');
  });
});

describe('as HTML', () => {
  test('escapes what the practice and the operator typed', () => {
    const named = { ...copy, service: { name: '<b>S&W</b>', origin: 'https://mail.example.com' } };
    const html = htmlFooter({ ...nothing, powered_by: true, legal }, named, true);
    expect(html).toContain('>Müller &amp; Söhne, Am &lt;Markt&gt; 1, 20095 Hamburg</p>');
    expect(html).toContain('<a href="https://praxis.example/?a=1&amp;b=&quot;2&quot;" style="');
    expect(html).toContain('>&lt;b&gt;S&amp;W&lt;/b&gt;</a>');
  });

  test('has its language and is readable on light and dark backgrounds', () => {
    const html = htmlFooter({ ...nothing, unsubscribe: 'one_click' }, copy, true);
    expect(html).toMatch(/^\n<div lang="de" style="/);
    /** WCAG 2 §1.4.3, against white and black. */
    const colours = new Set(
      [...html.matchAll(/[^-]color:#(..)(..)(..)/g)].map(([, ...parts]) => parts.slice(0, 3)),
    );
    expect(colours.size).toBeGreaterThan(0);
    for (const parts of colours) {
      const [red = 0, green = 0, blue = 0] = parts.map((part) => {
        const value = Number.parseInt(part, 16) / 255;
        return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
      });
      const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
      expect(1.05 / (luminance + 0.05)).toBeGreaterThanOrEqual(4.5);
      expect((luminance + 0.05) / 0.05).toBeGreaterThanOrEqual(4.5);
    }
  });

  test('loads nothing', () => {
    const html = htmlFooter({ ...nothing, unsubscribe: 'one_click', powered_by: true, legal }, copy, true);
    expect(html).not.toMatch(/<(?:img|link|script|style|iframe)|url\(|src=/i);
  });

  test('without lines is empty', () => {
    expect(htmlFooter(nothing, { ...copy, unsubscribeUrl: null }, true)).toBe('');
  });
});

/** `|` is the place of the footer. */
const places = [
  '<html><body><p>x</p>|</body></html>',
  '<HTML><BODY>x|</BODY ></HTML>',
  '<p>x</p>|',
  'x|',
  '|',
  '<html><p>x</p>|</html>',
  '<body>one</body><body>two|</body>',
  '<body>x|</body><!-- </body> -->',
  '<body>x|</body><!--[if mso]></body></html><![endif]-->',
  '<body><!--[if !mso]><!-->x<!--<![endif]-->|</body>',
  '<body>x|</body><script>document.write("</body>")</script>',
  '<body>x|</body><style>/* </body> */</style>',
  '<html><head><title></body></title></head><body>x|</body></html>',
  '<body><textarea></body></textarea>x|</body>',
  '<body>x|</body>\n\n</html>\n',
  '<body>x |<!-- never closed </body>',
  '<body>x|</body></html><!-- never closed',
  '<body>|<script> never closed </body>',
  '<p>x</p>|<style>p { color: red }',
  '<p>&lt;/body&gt;</p>|',
  `<body><div>x|${FOOT}</div>y</body>`,
  `<body>${FOOT}<div>x|${FOOT}</div></body>`,
  `<body>x|</body><script>${FOOT}</script>`,
  `<body>x<!--[if mso]>${FOOT}<![endif]-->|</body>`,
];
test.each(places)('%s', (marked) => {
  expect(footerPlace(marked.replace('|', ''))).toBe(marked.indexOf('|'));
});

test.each([
  ['comments that never end', '<!--'],
  ['ends inside of a comment', '<!--</body>'],
  ['scripts that never end', '<script>'],
  ['ends of the body', '</body>'],
  ['ends of the body that do not end', '</body '],
])('takes time in proportion to the HTML: %s', (_, piece) => {
  const html = piece.repeat(Math.ceil(1_000_000 / piece.length));
  expect(footerPlace(html)).toBeLessThanOrEqual(html.length);
});
