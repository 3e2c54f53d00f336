import { describe, expect, test } from 'vitest';
import { type Content, combine, HARD_BLOCK_SCORE, SCANNER_FINDINGS } from '#src/content/assessment.ts';
import { contentRules, rateContent, wordsOf } from '#src/content/rate-content.ts';
import { promotionalRules } from '#src/content/rules/promotional-rules.ts';
import { subjectRules } from '#src/content/subject-risk.ts';
import { wordsIn } from '#src/content/words.ts';
import { memberLanguages } from '#src/kernel/language.ts';
import { escapeHtml } from '#src/kernel/page.ts';
import { advertisingTexts, badMails, doubtfulMails, type Mail, ordinaryMails, plainTexts } from './mails.ts';

const contentOf = ({ subject = '', text, html, attachments = [], settings }: Partial<Content>): Content => ({
  subject: subject === '' ? 'Ihr Termin' : subject,
  text: text ?? null,
  html: html ?? null,
  attachments,
  ...(settings === undefined ? {} : { settings }),
});
const rate = (content: Partial<Content>) => rateContent(contentOf(content));
const assess = (mail: Mail) => combine(rate(mail), null);
const idsOf = (content: Partial<Content>): string[] => rate(content).findings.map(({ id }) => id);

/** From the first score on the gate treats a transactional mail as advertising, a confirmation mail from the second. */
const ADVERTISING_FROM = 40;
const SINGLE_SIGN = 10;

describe('an ordinary mail scores next to nothing', () => {
  test.each(ordinaryMails)('$name', (mail) => {
    const { score, findings, promotionalScore, promotional } = assess(mail);
    expect(score, JSON.stringify(findings)).toBeLessThan(10);
    expect(promotionalScore, promotional.join()).toBeLessThan(ADVERTISING_FROM);
  });

  test.each(ordinaryMails.filter(({ name }) => /confirmation of (?:a sign-up|an address)/.test(name)))(
    '$name has not a single sign of advertising',
    (mail) => {
      expect(assess(mail).promotionalScore).toBeLessThan(SINGLE_SIGN);
    },
  );
});

describe('a doubtful mail gets a warning and is not blocked', () => {
  test.each(doubtfulMails)('$name', (mail) => {
    const { score, block, findings, promotionalScore, promotional } = assess(mail);
    expect(score + promotionalScore).toBeGreaterThan(0);
    expect(score, JSON.stringify(findings)).toBeLessThan(55);
    expect(block).toBeNull();
    expect(promotionalScore >= ADVERTISING_FROM, promotional.join()).toBe(mail.isAdvertising);
  });
});

describe('fraud and spam are blocked', () => {
  test.each(badMails)('$name', (mail) => {
    const { score, block, findings } = assess(mail);
    expect(score, JSON.stringify(findings)).toBeGreaterThanOrEqual(HARD_BLOCK_SCORE);
    expect(block).toBe('score');
  });
});

describe('advertising', () => {
  test.each(plainTexts)('is not: %s', (text) => {
    const { promotionalScore, promotional } = rate({ text });
    expect(promotionalScore, promotional.join()).toBeLessThan(ADVERTISING_FROM);
  });
  test.each(advertisingTexts)('is: %s', (text) => {
    const { promotionalScore, promotional } = rate({ text });
    expect(promotionalScore, promotional.join()).toBeGreaterThanOrEqual(ADVERTISING_FROM);
    expect(promotional.length).toBeGreaterThan(0);
  });
  test('is found in HTML, text and subject', () => {
    const text = 'Nur noch heute: 20 % Rabatt auf alle Behandlungen. Jetzt buchen!';
    const { promotionalScore } = rate({ text });
    const html =
      '<p>Nur noch heute:<br>20&nbsp;% <b>Rabatt</b> auf alle&shy; Behand&shy;lungen. <a>Jetzt</a> buchen!';
    expect(rate({ html }).promotionalScore).toBe(promotionalScore);
    expect(rate({ subject: text, text: 'Hallo' }).promotionalScore).toBe(promotionalScore);
    expect(rate({ html, text }).promotionalScore).toBe(promotionalScore);
  });
  test('a bill may contain discounts', () => {
    const offer = '10 % Rabatt auf alle Artikel, Gutscheincode HERBST.';
    expect(rate({ text: offer }).promotionalScore).toBeGreaterThanOrEqual(ADVERTISING_FROM);
    const bill = `Rechnungsnummer 17. Zwischensumme 90 €, ${offer} Inkl. MwSt.`;
    expect(rate({ text: bill }).promotionalScore).toBeLessThan(ADVERTISING_FROM);
  });
});

const words = (count: number, prefix: string): string =>
  Array.from(
    { length: count },
    (_, index) =>
      `${prefix}${'abcdefghij'.charAt(index % 10)}${'klmnopqrst'.charAt(Math.floor(index / 10))}wort`,
  ).join(' ');
const page = (body: string): string => `<html><body><p>${words(20, 'seite')}</p>${body}</body></html>`;
const link = (href: string, text = 'hier'): Partial<Content> => ({
  html: page(`<a href="${href}">${text}</a>`),
});
const pdf = (content: string) => [{ filename: 'a.pdf', content: Buffer.from(content) }];

const finds: readonly (readonly [id: string, name: string, content: Partial<Content>])[] = [
  ['link_host_differs', 'another domain', link('https://evil.example/', 'www.praxis-adler.de')],
  ['link_host_differs', 'a whole address', link('https://evil.example/', 'https://praxis-adler.de/login')],
  [
    'link_host_differs',
    'text in several elements',
    link('https://evil.example/', '<b>praxis</b>-<i>adler</i>.de'),
  ],
  [
    'link_host_differs',
    'an unquoted address',
    { html: page('<a HREF=https://evil.example/>praxis-adler.de</A>') },
  ],
  ['script_link', 'a script', link('javascript:alert(1)')],
  ['script_link', 'a script with a line within', link('java\nscript:alert(1)')],
  ['script_link', 'a script in numbers', link('&#106;avascript&colon;alert(1)')],
  ['script_link', 'a page as data', link('data:text/html,<p>x')],
  ['deceptive_host', 'a Cyrillic letter among Latin ones', link('https://p\u0430ypal.com/')],
  ['deceptive_host', 'a Cyrillic word that looks Latin', link('https://\u0430\u0440\u0440\u04cf\u0435.com/')],
  ['deceptive_host', 'the same as it is registered', link('https://xn--80ak6aa92e.com/')],
  ['link_user_info', 'a bank before the @', { text: 'https://www.bank.de@evil.example/' }],
  ['nested_domain', 'a bank’s domain below another', { text: 'https://www.bank.de.login.evil.example/' }],
  ['link_to_ip_address', 'four numbers', { text: 'Hier: http://203.0.113.7/x' }],
  ['link_to_ip_address', 'one number', link('http://3405803783/')],
  ['link_to_ip_address', 'IPv6', link('http://[2001:db8::1]/')],
  ['url_shortener', 'in the text', { text: 'https://bit.ly/x' }],
  ['url_shortener', 'without a scheme', link('//tinyurl.com/x')],
  ['many_links', 'more than twenty', { html: page('<a href="https://a.example/">x</a> '.repeat(21)) }],
  ['insecure_link', 'http', { text: 'http://praxis.example/' }],
  ['active_content', 'a script', { html: page('<script>x</script>') }],
  ['active_content', 'a handler', { html: page('<img onerror="x" src="a">') }],
  [
    'active_content',
    'a redirect',
    { html: `<meta http-equiv="refresh" content="0;url=https://a.example">${page('')}` },
  ],
  ['embedded_page', 'a frame', { html: page('<iframe src="https://a.example"></iframe>') }],
  ['form', 'a form', { html: page('<form></form>') }],
  ['hidden_text', 'not shown', { html: page(`<div style="display : none">${words(80, 'x')}</div>`) }],
  ['hidden_text', 'by attribute', { html: page(`<div hidden>${words(80, 'x')}</div>`) }],
  ['hidden_text', 'white on white', { html: page(`<div style="color:#FFF">${words(80, 'x')}</div>`) }],
  [
    'hidden_text',
    'white on white, the old way',
    { html: page(`<font color=white>${words(80, 'x')}</font>`) },
  ],
  ['hidden_text', 'black on black', { html: page(`<td bgcolor="#000000">${words(80, 'x')}</td>`) }],
  ['hidden_text', 'too small', { html: page(`<p style="font-size:1px">${words(80, 'x')}</p>`) }],
  [
    'hidden_text',
    'within another element',
    { html: page(`<div style="visibility:hidden"><p><b>${words(80, 'x')}</b></p></div>`) },
  ],
  ['image_only', 'a picture and a word', { html: '<img src="https://a.example/b.png"><p>Hallo' }],
  ['parts_differ', 'two texts', { text: words(60, 'text'), html: `<p>${words(60, 'anders')}</p>` }],
  ['html_clipped', 'a long page', { html: page('<p>ä</p>'.repeat(13_000)) }],
  ['html_too_complex', 'more than is read', { html: '<b>x</b>'.repeat(60_000) }],
  ['unfinished_html', 'a quotation', { html: page('<a href="https://a.example>x</a>') }],
  ['unfinished_html', 'a comment', { html: page('<!-- x') }],
  ['unfinished_html', 'a tag', { html: `${page('')}<p` }],
  [
    'embedded_data',
    'a picture as data',
    { html: page(`<img src="data:image/png;base64,${'A'.repeat(30_000)}">`) },
  ],
  [
    'external_styles',
    'a linked sheet',
    { html: `<link rel=stylesheet href="https://a.example/a.css">${page('')}` },
  ],
  ['no_text_part', 'none wanted', { html: page(''), settings: { plain_text_fallback: false } }],
  [
    'gtube',
    'in the subject',
    { subject: 'XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X', text: 'x' },
  ],
  ['mixed_scripts', 'in two words', { text: 'Ihr P\u0430ket von P\u0430ypal ist da' }],
  ['split_words', 'in three words', { text: 'Gra\u200btis Ge\u200bwinn ein\u200blösen' }],
  ['unfilled_placeholder', 'of our own templates', { text: 'Guten Tag {{vorname}}' }],
  ['unfilled_placeholder', 'of another service', { html: page('<p>Dear *|FNAME|*') }],
  ['unfilled_placeholder', 'in capitals', { text: 'Hallo %FIRST_NAME%' }],
  ['unfilled_placeholder', 'in brackets', { text: 'Liebe Frau [Nachname]' }],
  ['unfilled_placeholder', 'a value that was missing', { text: 'Guten Tag Frau undefined' }],
  ['unfilled_placeholder', 'dummy text', { text: 'Lorem ipsum dolor sit amet' }],
  ['spaced_words', 'a word with gaps', { text: 'Jetzt G R A T I S bestellen' }],
  ['spaced_words', 'with dots', { text: 'Jetzt G.R.A.T.I.S bestellen' }],
  ['encoded_text', 'data in the text', { text: `Hallo ${'QUJD'.repeat(100)}` }],
  ['shouted_text', 'capitals', { text: 'DIE PRAXIS BLEIBT AM MONTAG GESCHLOSSEN. '.repeat(5) }],
  ['garbled_text', 'wrong umlauts', { text: 'FÃ¼r Sie geÃ¶ffnet' }],
  ['exclamations', 'six of them', { text: 'Hallo! Achtung! Jetzt! Heute! Sofort! Wirklich!' }],
  [
    'phishing_trap',
    'a threat, a request, a link',
    { text: 'Ihr Konto wurde gesperrt. Bestätigen Sie Ihre Kontodaten: https://a.example' },
  ],
  ['credential_request', 'of cards', { text: 'Bitte bestätigen Sie Ihre Kreditkartendaten.' }],
  ['credential_request', 'in decomposed letters', { text: 'Bitte besta\u0308tigen Sie Ihre Kontodaten.' }],
  ['credential_request', 'without umlauts', { text: 'Bitte bestaetigen Sie Ihre Kontodaten.' }],
  ['account_threat', 'in English', { text: 'Your account has been temporarily suspended.' }],
  ['parcel_fee', 'a fee', { text: 'Ihr Paket konnte nicht zugestellt werden.' }],
  ['advance_fee', 'a lottery', { text: 'Claim your winnings' }],
  ['money_promise', 'an income', { text: 'Passives Einkommen für alle' }],
  ['gambling', 'spins', { text: '50 Freispiele' }],
  ['gambling', 'a word in two elements', { html: page('50 Frei<b>spiele</b>') }],
  ['gambling', 'a word with a soft hyphen behind it', { text: '50 Freispiele\u00ad' }],
  ['pharmacy', 'pills', { text: 'Viagra' }],
  ['adult', 'dating', { text: 'Adult dating' }],
  ['extortion', 'a camera', { text: 'Ihre Webcam aufgenommen' }],
  ['fake_goods', 'watches', { text: 'Replica watches' }],
  ['pdf_script', 'in a PDF', { text: 'x', attachments: pdf('%PDF-1.7 <</S/JavaScript/JS(x)>>') }],
  ['pdf_script', 'at its end', { text: 'x', attachments: pdf(`%PDF-1.7 ${' '.repeat(900_000)}/JS (x)`) }],
];

const findsNothing: readonly (readonly [id: string, name: string, content: Partial<Content>])[] = [
  ['link_host_differs', 'the same domain', link('https://www.praxis-adler.de/x', 'praxis-adler.de')],
  ['link_host_differs', 'a host below it', link('https://termine.praxis-adler.de/x', 'www.praxis-adler.de')],
  ['link_host_differs', 'words', link('https://evil.example/', 'Termin ansehen')],
  ['link_host_differs', 'an address for mail', link('mailto:info@praxis-adler.de', 'info@praxis-adler.de')],
  ['link_host_differs', 'the name of a file', link('https://a.example/x', 'Rechnung.pdf')],
  ['link_host_differs', 'a file whose ending is a domain’s', link('https://a.example/x', 'unterlagen.zip')],
  ['link_host_differs', 'a German name in both forms', link('https://xn--mller-kva.de/', 'www.müller.de')],
  ['deceptive_host', 'umlauts', link('https://müller.de/')],
  ['deceptive_host', 'a Russian site', link('https://пример.рф/')],
  ['deceptive_host', 'a Greek site', link('https://ελλάδα.gr/')],
  ['nested_domain', 'a host with a language', { text: 'https://de.shop.example.com/' }],
  ['nested_domain', 'www before it', { text: 'https://www.de.example.com/' }],
  [
    'script_link',
    'telephone and mail',
    { html: page('<a href="tel:+4930123">x</a><a href="mailto:a@b.example">y</a>') },
  ],
  ['script_link', 'a picture as data', { html: page('<img src="data:image/png;base64,AAAA">') }],
  ['many_links', 'pictures', { html: page('<img src="https://a.example/b.png">'.repeat(30)) }],
  [
    'hidden_text',
    'a preheader',
    { html: page(`<div style="display:none">${words(15, 'x')}${'&nbsp;&zwnj;'.repeat(300)}</div>`) },
  ],
  [
    'hidden_text',
    'white on a colour',
    { html: page(`<td bgcolor="#003366" style="color:#ffffff">${words(80, 'x')}</td>`) },
  ],
  [
    'hidden_text',
    'white on a picture',
    { html: page(`<td style="background:url(a.png);color:#fff">${words(80, 'x')}</td>`) },
  ],
  [
    'hidden_text',
    'white on what a class says',
    {
      html: `<style>.b{background:#036}</style>${page(`<p class="b" style="color:white">${words(80, 'x')}</p>`)}`,
    },
  ],
  [
    'hidden_text',
    'a container without size',
    { html: page(`<td style="font-size:0px"><div style="font-size:14px">${words(80, 'x')}</div></td>`) },
  ],
  [
    'hidden_text',
    'what follows something hidden',
    { html: page(`<p style="display:none">x<p>${words(80, 'x')}`) },
  ],
  [
    'hidden_text',
    'what follows a hidden cell',
    { html: page(`<table><tr><td style="display:none">x<td>${words(80, 'x')}</table>`) },
  ],
  ['image_only', 'a picture and a text', { html: page('<img src="https://a.example/b.png">') }],
  ['parts_differ', 'the same', { text: words(60, 'text'), html: `<p>${words(60, 'text')}</p>` }],
  ['parts_differ', 'too short to tell', { text: words(10, 'text'), html: `<p>${words(60, 'anders')}</p>` }],
  ['unfinished_html', 'a comparison', { html: page('<p>1 < 2</p>') }],
  ['active_content', 'a tag in a comment', { html: page('<!-- <script>x</script> -->') }],
  [
    'active_content',
    'a tag in an attribute',
    { html: page('<img alt="<script>" src="https://a.example/b.png">') },
  ],
  ['no_text_part', 'one is made', { html: page('') }],
  ['mixed_scripts', 'one word', { text: 'Das Wort P\u0430ket' }],
  [
    'split_words',
    'soft hyphens',
    {
      text: 'Ter\u00admin\u00adver\u00adein\u00adba\u00adrung und Ver\u00adsi\u00adche\u00adrung, Kranken\u00adkasse',
    },
  ],
  [
    'split_words',
    'a family',
    { text: '\u{1f468}\u200d\u{1f469}\u200d\u{1f467} \u{1f468}\u200d\u{1f469} \u{1f468}\u200d\u{1f469}' },
  ],
  ['unfilled_placeholder', 'the way out', { text: 'Abmelden: {{ unsubscribe_url }}' }],
  ['unfilled_placeholder', 'per cents', { text: '100% Baumwolle, 50% Wolle' }],
  ['unfilled_placeholder', 'a list in brackets', { text: 'Siehe [1], [2] und [Anlage]' }],
  ['spaced_words', 'numbers', { text: '1 2 3 4 5 6 7' }],
  ['spaced_words', 'a roster', { text: 'A A B B A - -\nM D M D F S S' }],
  ['spaced_words', 'letters far apart', { text: 'A  B  C  D  E' }],
  ['encoded_text', 'a long address', { text: `https://a.example/?x=${'QUJD'.repeat(100)}` }],
  ['encoded_text', 'a line of hyphens of usual length', { text: `Hallo\n${'-'.repeat(78)}\nTschüss` }],
  ['gambling', 'two words in two blocks', { html: 'Hier <p>Frei</p><p>spiele</p> dort' }],
  ['gambling', 'two words on two lines', { html: 'Hier Frei<br>spiele dort' }],
  ['phishing_trap', 'no link', { text: 'Ihr Konto wurde gesperrt. Bestätigen Sie Ihre Kontodaten.' }],
  ['phishing_trap', 'no request', { text: 'Ihr Konto wurde gesperrt. Melden Sie sich: https://a.example' }],
  ['pdf_script', 'none', { text: 'x', attachments: pdf('%PDF-1.7 /JSON') }],
  [
    'pdf_script',
    'in another file',
    { text: 'x', attachments: [{ filename: 'a.csv', content: Buffer.from('/JavaScript') }] },
  ],
];

describe('a rule', () => {
  test.each(finds)('%s finds %s', (id, _, content) => {
    expect(idsOf(content)).toContain(id);
  });
  test.each(findsNothing)('%s finds nothing in %s', (id, _, content) => {
    expect(idsOf(content)).not.toContain(id);
  });
  test('each rule is found by a row here', () => {
    const proved = new Set(finds.map(([id]) => id));
    expect(contentRules.map(({ id }) => id).filter((id) => !proved.has(id))).toEqual([]);
  });
  test('with several findings weighs more', () => {
    const weight = (text: string) => rate({ text }).findings.find(({ id }) => id === 'gambling')?.weight;
    expect(weight('Freispiele')).toBe(15);
    expect(weight('Freispiele im Online Casino')).toBe(35);
    expect(weight('Freispiele, Freispiele, Freispiele')).toBe(15);
  });
  test('shows its finding in the words of its table, not of the message', () => {
    const { findings } = rate({
      text: 'BESTAETIGEN SIE IHRE KONTODATEN, Frau Geheim! https://Bit.LY/geheim',
    });
    expect(findings).toContainEqual({
      id: 'credential_request',
      weight: 20,
      detail: 'bestätigen sie ihre kontodaten',
    });
    expect(findings).toContainEqual({ id: 'url_shortener', weight: 10, detail: 'bit.ly' });
  });
  test('for subjects counts less in the whole', () => {
    expect(rate({ subject: 'Ihr Konto wurde gesperrt', text: 'Hallo' }).findings).toContainEqual({
      id: 'subject_phishing_words',
      weight: 9,
      detail: null,
    });
  });
});

describe('hosts of links', () => {
  test.each<[string, Partial<Content>, string[]]>([
    [
      'of both parts, each once',
      { text: 'https://A.example/1 http://b.example', html: '<a href="https://a.EXAMPLE/2">x</a>' },
      ['a.example', 'b.example'],
    ],
    [
      'of pictures, forms and backgrounds',
      {
        html: '<img src="https://a.example/b.png"><form action="https://b.example"><td background="https://c.example/x">',
      },
      ['a.example', 'b.example', 'c.example'],
    ],
    ['as A-labels', { text: 'https://müller.de/x' }, ['xn--mller-kva.de']],
    ['of references', { html: '<a href="https&#58;&#x2f;/a&period;example/">x</a>' }, ['a.example']],
    [
      'without what follows the link',
      { text: 'Siehe (https://a.example/b). „https://b.example“, https://c.example!' },
      ['a.example', 'b.example', 'c.example'],
    ],
    [
      'without a scheme',
      { text: 'www.a.example/x', html: '<a href="//b.example">x</a>' },
      ['b.example', 'www.a.example'],
    ],
    ['with a port and a dot', { text: 'https://a.example.:8080/x' }, ['a.example']],
    [
      'of the first of two attributes',
      { html: '<a href="https://a.example" href="https://b.example">x</a>' },
      ['a.example'],
    ],
    [
      'of backslashes, as browsers read them',
      { html: '<a href="https:\\\\a.example\\x">x</a>' },
      ['a.example'],
    ],
    [
      'behind much data',
      { html: `<img src="data:image/png;base64,${'A'.repeat(3_000_000)}"><a href="https://a.example">x</a>` },
      ['a.example'],
    ],
    [
      'behind a long text',
      { html: `<p>${'wort '.repeat(100_000)}</p><a href="https://a.example">x</a>` },
      ['a.example'],
    ],
    [
      'of none',
      {
        html: '<a href="/x">x</a><a href="cid:a">y</a><a href="#z">z</a><a href="https://">w</a>',
        text: 'a.example mail@b.example',
      },
      [],
    ],
    [
      'of what is no link',
      { html: '<!-- <a href="https://a.example"> --><style>a{x:"<a href=https://b.example>"}</style>' },
      [],
    ],
  ])('%s', (_, content, hosts) => {
    expect(rate(content).linkHosts).toEqual(hosts);
  });
  test('are the first 200', () => {
    const text = Array.from({ length: 300 }, (_, index) => `https://a${index}.example`).join(' ');
    expect(rate({ text }).linkHosts).toHaveLength(200);
  });
});

describe('words', () => {
  test('exist for every id and no other, in both languages', () => {
    const ids = [
      ...contentRules.map(({ id }) => id),
      ...promotionalRules.map(({ id }) => id),
      ...subjectRules.map(({ id }) => `subject_${id}`),
      ...SCANNER_FINDINGS,
    ];
    expect(new Set(ids).size).toBe(ids.length);
    expect(Object.keys(wordsIn('de').findings).toSorted()).toEqual(ids.toSorted());
    for (const id of ids) {
      for (const language of memberLanguages) {
        const { why, advice } = wordsOf({ id }, language);
        expect(why, id).toMatch(/^\p{Lu}.{10,}\.$/su);
        expect(advice, id).toMatch(/^\p{Lu}.{8,}\.$/su);
      }
    }
  });
  test('of an unknown id are the id itself', () => {
    expect(wordsOf({ id: 'gone' }, 'de')).toEqual({ why: 'gone', advice: '' });
  });
});

test('weights are between 0 and 100', () => {
  for (const { id, weight } of contentRules) {
    const steps = typeof weight === 'number' ? [weight] : weight;
    expect(
      [...steps].toSorted((a, b) => a - b),
      id,
    ).toEqual(steps);
    for (const step of steps) expect(step > 0 && step <= 100, id).toBe(true);
  }
});

// Quadratic work would take hours.
test('every content is rated in linear time', () => {
  const pieces = [
    '<',
    '<a ',
    '<a href=',
    '<p style="display:none"',
    '<!--',
    '<a href="x">',
    '</b>',
    '<div>',
    '&',
    '&#',
    'a',
    'a ',
    '\u200b',
    'a\u200b',
    '{{',
    '%',
    '*|',
    '[',
    'http://',
    'www.',
    '://',
    'http://a.',
    '<script>',
    '</',
    'ihr konto ',
    'sie ',
    '!',
    '1.',
    'ä',
    '\u0430a',
    "<a b='",
    ' =',
    '<td bgcolor=',
    '<style>',
    '\ufeff',
    'A B ',
    '<font color=white>a',
    '<img src="data:',
    '€ ',
    'nur noch ',
    '\ud83d',
  ];
  for (const piece of pieces) {
    const long = piece.repeat(5_000_000 / piece.length);
    rate({ subject: long, text: long });
    rate({ html: long });
  }
});

describe('names of the sender and of its lists', () => {
  const names = ['Angebote & Mehr GmbH', 'Neuheiten und Aktionen', 'kauf'];
  const promotionalOf = (text: string, of: readonly string[]): number =>
    rateContent({ ...contentOf({ text, html: `<p>${escapeHtml(text)}</p>` }), names: of }).promotionalScore;

  test.each([
    'Bitte bestätigen Sie: Neuheiten und Aktionen',
    'Ich möchte von Angebote & Mehr GmbH den Newsletter („Neuheiten und Aktionen“) bekommen.',
  ])('are no offers: %s', (text) => {
    expect(promotionalOf(text, [])).toBeGreaterThan(0);
    expect(promotionalOf(text, names)).toBe(0);
  });

  test.each([
    'Neuheiten und Aktionen: 50 % Rabatt sichern!',
    'Angebote & Mehr GmbH: jetzt kaufen und sparen',
  ])('leave the offers beside them: %s', (text) => {
    expect(promotionalOf(text, names)).toBeGreaterThanOrEqual(SINGLE_SIGN);
  });
});
