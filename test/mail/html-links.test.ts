// The places of links in HTML of editors, in malformed HTML and in random mixtures of both, compared with
// a tokenizer that follows the standard exactly.
import { Tokenizer, TokenizerMode } from 'parse5';
import { describe, expect, test } from 'vitest';
import { type LinkPlace, linksIn } from '#src/mail/html-links.ts';

const LIMIT = 1_000;
const X = 'https://x.example/';

const shown = (html: string): (readonly [target: string, text: string])[] =>
  linksIn(html, LIMIT).map(({ target, text }) => [target, text]);

describe('finds', () => {
  const rows: readonly (readonly [
    title: string,
    html: string,
    links: readonly (readonly [target: string, text: string])[],
  ])[] = [
    ['a link', `<p><a href="${X}">Termin</a></p>`, [[X, 'Termin']]],
    ['upper case', `<A HREF="${X}">Termin</A>`, [[X, 'Termin']]],
    ['single quotes', `<a href='${X}?q="a"'>x</a>`, [[`${X}?q="a"`, 'x']]],
    ['no quotes', `<a href=${X}a>x</a>`, [[`${X}a`, 'x']]],
    ['no quotes before a slash', `<a href=${X}a/>x</a>`, [[`${X}a/`, 'x']]],
    ['no quotes and another attribute', `<a href=${X}a class=b>x</a>`, [[`${X}a`, 'x']]],
    ['white space around the equals sign', `<a href \n=\t "${X}">x</a>`, [[X, 'x']]],
    ['line breaks between attributes', `<a\n class="b"\r\n href="${X}"\n>x</a>`, [[X, 'x']]],
    [
      'line breaks and tabs in the address',
      '<a href=" https://x.\n  exa\tmple/">x</a>',
      [['https://x.  example/', 'x']],
    ],
    ['an address with white space around it', `<a href="\n  ${X}  \n">x</a>`, [[X, 'x']]],
    ['attributes without white space between them', `<a class="b"href="${X}">x</a>`, [[X, 'x']]],
    ['slashes between attributes', `<a/href="${X}"/>x</a>`, [[X, 'x']]],
    ['the first of two addresses', `<a href="${X}1" href="${X}2">x</a>`, [[`${X}1`, 'x']]],
    ['no address in the name of another attribute', `<a data-href="${X}1" xhref="${X}2">x</a>`, []],
    ['an end of a tag within a value', `<a title="a > b" href="${X}">x</a>`, [[X, 'x']]],
    ['an attribute without a value', `<a disabled href="${X}" download>x</a>`, [[X, 'x']]],
    [
      'references to characters',
      `<a href="${X}?a=1&amp;b=2&#38;c=3&#x26;d">x</a>`,
      [[`${X}?a=1&b=2&c=3&d`, 'x']],
    ],
    ['a scheme in references', '<a href="&#104;ttps&colon;&sol;/x.example/">x</a>', [[X, 'x']]],
    [
      'parameters that look like references',
      `<a href="${X}?a&copy=1&lt=2&notit=3&amp">x</a>`,
      [[`${X}?a&copy=1&lt=2&notit=3&`, 'x']],
    ],
    [
      'a reference that has a name like no other',
      `<a href="${X}&CounterClockwiseContourIntegral;">x</a>`,
      [[`${X}∳`, 'x']],
    ],
    [
      'an empty address',
      '<a href="">x</a><a href>y</a>',
      [
        ['', 'x'],
        ['', 'y'],
      ],
    ],
    ['an anchor without an address', '<a name="top">x</a>', []],
    ['a map', `<map><area shape="rect" href="${X}">no text</map>`, [[X, '']]],
    [
      'no other elements',
      `<link href="${X}"><base href="${X}"><abbr href="${X}">x</abbr><aside href="${X}">`,
      [],
    ],
    ['a text with elements in it', `<a href="${X}"><b>Zum</b>\n <i>Termin</i></a>`, [[X, 'Zum\n Termin']]],
    [
      'a text with references and invisible characters',
      `<a href="${X}">Z&uuml;m&shy;\u200bTermin&nbsp;</a>`,
      [[X, 'ZümTermin']],
    ],
    ['an image', `<a href="${X}"><img src="a.png" alt="b"></a>`, [[X, '']]],
    ['a link that is never closed', `<a href="${X}">Termin`, [[X, 'Termin']]],
    [
      'a link that the next one closes',
      `<a href="${X}1">a<a href="${X}2">b</a>`,
      [
        [`${X}1`, 'a'],
        [`${X}2`, 'b'],
      ],
    ],
    ['a link that an anchor closes', `<a href="${X}">a<a name="n">b</a>`, [[X, 'a']]],
    ['nothing in a comment', `<!-- <a href="${X}">x</a> -->`, []],
    [
      'nothing in a comment with a tag’s end',
      `<!-- > <a href="${X}1">x</a> --><a href="${X}2">y</a>`,
      [[`${X}2`, 'y']],
    ],
    [
      'what comes behind comments of nothing',
      `<!--><a href="${X}1">x</a><!---><a href="${X}2">y</a><!-- --!><a href="${X}3">z</a>`,
      [
        [`${X}1`, 'x'],
        [`${X}2`, 'y'],
        [`${X}3`, 'z'],
      ],
    ],
    ['nothing in a comment that is never closed', `<!-- <a href="${X}">x</a>`, []],
    ['nothing in a script', `<script>'<a href="${X}">x</a>'</script>`, []],
    [
      'nothing in a style sheet, a title or a text field',
      `<style><a href="${X}"></style><title><a href="${X}"></title><textarea><a href="${X}"></textarea>`,
      [],
    ],
    ['nothing behind a script that is never closed', `<script><a href="${X}">x</a></scripts>`, []],
    ['what comes behind a closed one', `<STYLE>a</STYLE ><a href="${X}">x</a>`, [[X, 'x']]],
    ['nothing in a tag that is never closed', `<a href="${X}"`, []],
    ['nothing in a value that is never closed', `<a href="${X}>x</a>`, []],
    ['nothing in a declaration', `<!DOCTYPE a "<a href='${X}'"><a href="${X}">x</a>`, [[X, 'x']]],
    ['nothing in other text', `1 < 2 <a2 href="${X}"> < a href="${X}">`, []],
    [
      'links to Outlook alone, and those to all others',
      `<!--[if mso]><table><a href="${X}1">o</a></table><![endif]--><!--[if !mso]><!--><a href="${X}2">b</a><!--<![endif]-->`,
      [
        [`${X}1`, 'o'],
        [`${X}2`, 'b'],
      ],
    ],
    [
      'buttons as Outlook draws them',
      `<!--[if (gte mso 9)|(IE)]><v:roundrect xmlns:v="urn:schemas-microsoft-com:vml" href="${X}"><center>Termin</center></v:roundrect><![endif]-->`,
      [[X, 'Termin']],
    ],
    [
      'links around what Outlook alone reads',
      `<a href="${X}"><!--[if mso]><i>&nbsp;</i><![endif]--><span>Termin</span></a>`,
      [[X, 'Termin']],
    ],
    [
      'links behind a condition that opens more than it closes',
      `<!--[if mso]><a title="<!--[if mso]>--><a href="${X}">x</a>`,
      [[X, 'x']],
    ],
    [
      'links within two conditions',
      `<!--[if mso]><a href="${X}1">a</a><!--[if gte mso 9]><a href="${X}2">b</a><![endif]-->`,
      [
        [`${X}1`, 'a'],
        [`${X}2`, 'b'],
      ],
    ],
    [
      'a link of Outlook’s within another, in their order',
      `<a href="${X}1">a<!--[if mso]><a href="${X}2">b</a><![endif]-->c</a>`,
      [
        [`${X}1`, 'ac'],
        [`${X}2`, 'b'],
      ],
    ],
    ['nothing in a comment that is no condition', `<!-- [if mso]><a href="${X}">x</a><![endif]-->`, []],
  ];
  test.each(rows)('%s', (_, html, links) => {
    expect(shown(html)).toEqual(links);
  });

  test('the mark of a link that its author does not want tracked', () => {
    const html = `<a data-no-track href="${X}">a</a><a href="${X}" DATA-NO-TRACK="false">b</a><a href="${X}">c</a>`;
    expect(linksIn(html, LIMIT).map(({ isMarked }) => isMarked)).toEqual([true, true, false]);
  });

  test('the first links if there are too many', () => {
    const html = Array.from({ length: 9 }, (_, index) => `<a href="${X}${index}">x</a>`).join('');
    expect(linksIn(html, 3).map(({ target }) => target)).toEqual([`${X}0`, `${X}1`, `${X}2`]);
  });
});

describe('as a tokenizer of the standard does', () => {
  const raw = new Map<string, (typeof TokenizerMode)[keyof typeof TokenizerMode]>([
    ['title', TokenizerMode.RCDATA],
    ['textarea', TokenizerMode.RCDATA],
    ['style', TokenizerMode.RAWTEXT],
    ['xmp', TokenizerMode.RAWTEXT],
    ['noscript', TokenizerMode.RAWTEXT],
  ]);

  interface Seen {
    readonly name: string;
    readonly value: string;
    /** The span of the whole attribute. */
    readonly start: number;
    readonly end: number;
  }

  const byTheBook = (html: string): Seen[] => {
    const seen: Seen[] = [];
    const ignore = (): void => undefined;
    const tokenizer: Tokenizer = new Tokenizer(
      { sourceCodeLocationInfo: true },
      {
        onStartTag: ({ tagName, attrs, location }) => {
          const mode = raw.get(tagName);
          if (mode !== undefined) {
            tokenizer.state = mode;
            tokenizer.lastStartTagName = tagName;
          }
          const href = attrs.find(({ name }) => name === 'href');
          const place = location?.attrs?.href;
          if ((tagName === 'a' || tagName === 'area') && href && place)
            seen.push({ name: tagName, value: href.value, start: place.startOffset, end: place.endOffset });
        },
        onEndTag: ignore,
        onComment: ignore,
        onDoctype: ignore,
        onEof: ignore,
        onCharacter: ignore,
        onNullCharacter: ignore,
        onWhitespaceCharacter: ignore,
      },
    );
    tokenizer.write(html, true);
    return seen;
  };

  /** Strips an address like a URL parser. */
  const bare = (value: string): string =>
    value.replace(/^[\0-\x20]+|[\0-\x20]+$/g, '').replace(/[\t\n\r]/g, '');

  /** The first pieces make links and are chosen more often. */
  const LINK_PIECES = 6;
  const pieces = [
    `<a href="${X}">`,
    `<area\nhref='${X}?a=1&amp;b'>`,
    '<a ',
    `href="${X}"`,
    '>',
    '</a>',
    '<a ',
    '<A\n',
    '<area ',
    '<p>',
    '</p>',
    '</a>',
    '</A >',
    'href',
    'HREF',
    '=',
    ' = ',
    '"',
    "'",
    '>',
    '/>',
    ' ',
    '\n',
    '\t',
    '/',
    X,
    `href="${X}"`,
    `href='${X}?a=1&amp;b'`,
    `href=${X}`,
    ` href=${X}?a&copy=1 `,
    '<',
    '</',
    '<!',
    '<!--',
    '-->',
    '--!>',
    '->',
    '-',
    '<!-->',
    '<!--->',
    '<?',
    '<style>',
    '</style>',
    '</style',
    '<title>',
    '</title >',
    '<textarea>',
    '</textarea>',
    '<xmp>',
    '</xmp/>',
    '<noscript>',
    '</noscript>',
    'Termin',
    '&amp;',
    '&#104;',
    'é',
    '😀',
    '<abbr href=x>',
    ' class="b"',
    ' data-no-track',
    '<a\fhref=x>',
    '<a =href="x">',
    "<a title='>' ",
    '<a"b" ',
    '\0',
  ];

  /** xorshift, so that every run has the same texts. */
  const random = (seed: number) => {
    let state = seed;
    return (below: number): number => {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      return (state >>> 0) % below;
    };
  };

  test('in 20,000 texts of random pieces', () => {
    const next = random(20_261_121);
    let found = 0;
    for (let round = 0; round < 20_000; round += 1) {
      const html = Array.from({ length: 1 + next(40) }, () =>
        next(4) === 0 ? pieces[next(LINK_PIECES)] : pieces[next(pieces.length)],
      ).join('');
      const expected = byTheBook(html);
      const links: readonly LinkPlace[] = linksIn(html, LIMIT);
      found += expected.length;
      expect({ html, targets: links.map(({ target }) => target) }).toEqual({
        html,
        targets: expected.map(({ value }) => bare(value.replaceAll('\ufffd', '\0'))),
      });
      for (const [index, { start, end }] of links.entries()) {
        const attribute = expected[index];
        expect(html.slice(attribute?.start, start)).toMatch(/^href(?:\s*=\s*["']?)?$/i);
        expect(html.slice(end, attribute?.end)).toMatch(/^["']?$/);
      }
    }
    // Some of the texts must have links.
    expect(found).toBeGreaterThan(10_000);
  });
});

describe('hostile HTML is read in linear time', () => {
  const MIB = 2 ** 20;
  const fill = (text: string): string => text.repeat(Math.ceil(MIB / text.length));
  const rows: readonly (readonly [title: string, html: string, count: number])[] = [
    ['tags that never end', fill('<a '), 0],
    ['one tag of attributes', `<a ${fill('href=')}`, 0],
    ['values that never end', fill('<a href="'), 0],
    ['comments that never end', fill('<!--'), 0],
    ['conditions that never end', fill('<!--[if mso]>'), 0],
    ['conditions that end together', `${fill('<!--[if mso]>')}--><a href="${X}">x</a>`, 1],
    ['an element that never ends', `<title>${fill('</titl')}`, 0],
    ['white space', `<a href="${fill(' ')}">x</a>`, 1],
    ['references', fill(`<a href="${X}?${'&'.repeat(15_000)}">x</a>`), 70],
    ['text', `<a href="${X}">${fill('a.')}</a>`, 1],
    ['signs that open nothing', fill('<'), 0],
    ['a name', `<${fill('a')} href="${X}">`, 0],
  ];
  test.each(rows)('is read in one go: 1 MiB of %s', (_, html, count) => {
    expect(linksIn(html, LIMIT)).toHaveLength(count);
  });
});
