// Documents made into HTML and text: what mail programs, screen readers and Outlook get of them, and that nothing a person types
// becomes markup.
import { describe, expect, test } from 'vitest';
import { contrast } from '#src/kernel/contrast.ts';
import { FOOT } from '#src/mail/document/look.ts';
import { problemsIn } from '#src/mail/document/problems.ts';
import { documentSchema } from '#src/mail/document/schema.ts';
import { compileTemplate } from '#src/mail/merge-fields.ts';
import { textOfHtml } from '#src/mail/plain-text.ts';
import { documentOf, IMAGE, makeDocument, paragraph, text } from '#test/support/documents.ts';
import { asOutlook, readForm } from '#test/support/html-form.ts';

const link = (href: string) => ({ type: 'link', attrs: { href } });
const item = (...content: readonly object[]) => ({ type: 'list_item', content });
const bullets = (...content: readonly object[]) => ({ type: 'bullet_list', content });
const numbers = (start: number, ...content: readonly object[]) => ({
  type: 'ordered_list',
  attrs: { start },
  content,
});
const heading = (level: number, written: string, align = 'start') => ({
  type: 'heading',
  attrs: { level, align },
  content: [text(written)],
});
const image = (attrs: object) => ({ type: 'image', attrs: { image: IMAGE, ...attrs } });
const button = (written: string, href: string) => ({
  type: 'button',
  attrs: { href },
  content: [text(written)],
});
const column = (...content: readonly object[]) => ({ type: 'column', content });
const placeholder = (name: string) => ({ type: 'placeholder', attrs: { name } });

/** One of everything. */
const whole = documentOf(
  heading(1, 'Sommerfest'),
  paragraph(text('Guten Tag '), placeholder('name'), text(','), { type: 'hard_break' }, text('wir feiern.')),
  paragraph(text('Mehr auf '), text('unserer ', link('https://a.example/?a=1&b=2')), {
    ...text('Seite', { type: 'strong' }, link('https://a.example/?a=1&b=2')),
  }),
  bullets(item(paragraph(text('Kuchen')), numbers(3, item(paragraph(text('Apfel')))))),
  { type: 'quotation', content: [paragraph(text('Schön war es.')), paragraph(text('Anna'))] },
  image({ alt: 'Der Garten', width: 50, align: 'center', href: 'https://a.example/garten' }),
  image({ decorative: true, alt: 'übrig' }),
  { type: 'divider' },
  {
    type: 'columns',
    content: [column(heading(3, 'Wann'), paragraph(text('Im Juli'))), column(paragraph(text('Im Garten')))],
  },
  button('Anmelden', '{{link}}'),
  { type: 'signature' },
);

test('the same document makes the same bytes', () => {
  expect(makeDocument(whole)).toEqual(makeDocument(structuredClone(whole)));
});

test('the text says all of it, in the order of reading', () => {
  expect(makeDocument(whole).text).toBe(`Sommerfest
==========

Guten Tag {{name}},
wir feiern.

Mehr auf unserer Seite: https://a.example/?a=1&b=2

- Kuchen
  3. Apfel

> Schön war es.
>
> Anna

[Der Garten]: https://a.example/garten

* * *

Wann

Im Juli

Im Garten

Anmelden: {{link}}

Freundliche Grüße
{{practice.name}}
`);
});

describe('the HTML', () => {
  const { html } = makeDocument(whole, { subject: 'Fest & {{tag}}', colour: '#ffd700' });
  const { faults, elements } = readForm(html);
  const named = (name: string) => elements.filter((element) => element.name === name);

  test('is well formed for every reader, and for Outlook', () => {
    expect(html).toMatch(/^<!doctype html><html lang="de" dir="ltr"/);
    expect(faults).toEqual([]);
    const outlook = readForm(asOutlook(html));
    expect(outlook.faults).toEqual([]);
    expect(outlook.elements.length).toBeGreaterThan(elements.length + 20);
  });

  test('has title, viewport, and what screen readers need', () => {
    expect(html).toContain('<title>Fest &amp; {{tag}}</title>');
    expect(named('meta').map(({ attributes }) => attributes)).toEqual(
      expect.arrayContaining([
        { name: 'viewport', content: 'width=device-width, initial-scale=1' },
        { name: 'color-scheme', content: 'light dark' },
      ]),
    );
    expect(named('table').filter(({ attributes }) => attributes.role !== 'presentation')).toEqual([]);
    expect(named('img').map(({ attributes }) => [attributes.alt, attributes.width])).toEqual([
      ['Der Garten', '276'],
      ['', '552'],
    ]);
    expect(elements.filter(({ name }) => /^h\d$/.test(name)).map(({ name }) => name)).toEqual(['h1', 'h3']);
  });

  test('loads nothing but its images', () => {
    const loaded = elements.flatMap(({ attributes }) => attributes.src ?? attributes.background ?? []);
    expect(new Set(loaded)).toEqual(new Set([`https://mail.example.com/i/${IMAGE}.png`]));
    expect(html).not.toMatch(/<link|@import|url\(/i);
  });

  test('can be narrow, and columns stand beside each other where there is room', () => {
    expect(html).toContain('min-width:480px');
    expect(html.match(/mj-column-per-50[^>]*width:100%/g)).toHaveLength(2);
    const widths = [...html.replace(/<!--\[if.*?<!\[endif\]-->/gs, '').matchAll(/[^-]width="(\d+)"/g)];
    expect(Math.max(...widths.map(([, width]) => Number(width)))).toBeLessThanOrEqual(552);
  });

  test('has the place of the footer once, below everything in the paper', () => {
    expect(html.split(FOOT)).toHaveLength(2);
    expect(html.indexOf(FOOT)).toBeGreaterThan(html.indexOf('Freundliche Grüße'));
    expect(html).toMatch(new RegExp(`class="foot"[^>]*><div[^>]*>${FOOT}</div>`));
  });

  test('says what the text says', () => {
    const wordsOf = (written: string) => new Set(written.toLowerCase().match(/[\p{L}\d]{3,}/gu));
    const { text: plain } = makeDocument(whole);
    const missing = [...wordsOf(plain)].filter((word) => !wordsOf(textOfHtml(html)).has(word));
    expect(missing).toEqual([]);
  });
});

describe('colours can be read', () => {
  test.each(['#ffffff', '#000000', '#ffd700', '#0b57d0', '#777777', '#ff0000', '#00ff00', '#1e1e1e'])(
    'also where the practice chose %s',
    (colour) => {
      const { html } = makeDocument(whole, { colour });
      const of = (pattern: RegExp): string => pattern.exec(html)?.[1] ?? 'none';
      expect(contrast(of(/class="link" style="color:(#\w{6})/), '#ffffff')).toBeGreaterThanOrEqual(4.5);
      const fill = of(/bgcolor="(#\w{6})" role="presentation" valign/);
      expect(fill).toBe(colour);
      expect(contrast(of(/<a href="{{link}}"[^>]*?;color:(#\w{6})/), fill)).toBeGreaterThanOrEqual(4.5);
      const dark = html.slice(html.indexOf('prefers-color-scheme:dark'));
      const inDark = (pattern: RegExp): string => pattern.exec(dark)?.[1] ?? 'none';
      const ground = inDark(/\.paper>table{background:(#\w{6})/);
      for (const rule of ['ink div', 'ink .link', 'foot a'])
        expect(
          contrast(inDark(new RegExp(`\\.${rule}{color:(#\\w{6})`)), ground),
          rule,
        ).toBeGreaterThanOrEqual(4.5);
      const [, ground2 = '', on = ''] =
        /\.act a{background:(#\w{6}) !important;color:(#\w{6})/.exec(dark) ?? [];
      expect(contrast(ground2, on)).toBeGreaterThanOrEqual(4.5);
    },
  );
});

test('from right to left: direction, sides and language', () => {
  const { html } = makeDocument({
    version: 1,
    direction: 'rtl',
    content: [
      paragraph(text('مرحبا بكم في عيادتنا')),
      { type: 'paragraph', attrs: { align: 'end' }, content: [text('x')] },
      bullets(item(paragraph(text('واحد')))),
      { type: 'quotation', content: [paragraph(text('y'))] },
    ],
  });
  expect(html).toContain('<html lang="ar" dir="rtl"');
  expect(html).toContain('margin:0 0 16px;text-align:left');
  expect(html).toContain('padding-right:24px');
  expect(html).toContain('border-right:3px');
  expect(html).not.toContain('direction:ltr');
  expect(readForm(html).faults).toEqual([]);
});

test('the letterhead: logo no larger than its room, or the name; colour; signature', () => {
  const { html, text: plain } = makeDocument(documentOf(paragraph(text('Hallo')), { type: 'signature' }), {
    logo: IMAGE,
    logo_alt: 'Praxis <Adler>',
    colour: '#0b57d0',
    signature: 'Herzlich\nIhr Team & {{practice.name}}',
  });
  expect(html).toContain(
    `<img alt="Praxis &lt;Adler&gt;" src="https://mail.example.com/i/${IMAGE}.png" width="160"`,
  );
  expect(html).toContain('border-top:4px solid #0b57d0');
  expect(html).toContain('Herzlich<br />Ihr Team &amp; {{practice.name}}');
  expect(plain).toContain('Herzlich\nIhr Team & {{practice.name}}');
  expect(makeDocument(documentOf(paragraph(text('Hi')))).html).toContain(
    'class="name">{{practice.name}}</p>',
  );
});

describe('what a person types stays text', () => {
  const hostile = [
    '<script>alert(1)</script>',
    '</p></div></td></tr></table></mj-text><mj-raw><b>x</b></mj-raw>',
    '--><!-- <![endif]--> <!--[if mso]><v:rect>',
    FOOT,
    '<![CDATA[ x ]]> &lt;b&gt; &#60;i&#62; &nope; &',
    `"' onload='x' style="y`,
    '<mj-include path="/etc/passwd" />',
    ' vertical-align="middle" height="auto"',
    '\u202e\u200b\u{1f600} ä \t zwei  Leerzeichen',
    '<?xml version="1.0"?> <!DOCTYPE x [<!ENTITY a "b">]>',
    '$& $1 $` \\0 {{name}} %7B%7B',
  ];
  const tagsOf = (html: string) => readForm(html).elements.map(({ name }) => name);
  const places: readonly (readonly [string, (written: string) => object])[] = [
    ['a paragraph', (written) => paragraph(text(written))],
    ['a link', (written) => paragraph(text(written, link('https://a.example/')))],
    ['a heading', (written) => heading(2, written)],
    ['a list', (written) => bullets(item(paragraph(text(written))))],
    ['a button', (written) => button(written, 'https://a.example/')],
    ['an alternative text', (written) => image({ alt: written })],
  ];
  test.each(places)('in %s', (_, block) => {
    const plain = tagsOf(makeDocument(documentOf(block('x'))).html);
    for (const written of hostile) {
      const { html } = makeDocument(documentOf(block(written)), { subject: written, logo_alt: written });
      expect(readForm(html).faults, written).toEqual([]);
      expect(tagsOf(html), written).toEqual(plain);
      expect(readForm(asOutlook(html)).faults, written).toEqual([]);
      expect(html.split(FOOT), written).toHaveLength(2);
      expect(compileTemplate(html, 'html').problems, written).toEqual([]);
    }
  });
  test('in a signature', () => {
    for (const signature of hostile)
      expect(readForm(makeDocument(documentOf({ type: 'signature' }), { signature }).html).faults).toEqual(
        [],
      );
  });

  test('and reads as it was typed', () => {
    const written = '<b> & "x" \'y\' &amp; --> {{name}}';
    const { html, text: plain } = makeDocument(documentOf(paragraph(text(written))));
    expect(textOfHtml(html)).toContain(written);
    expect(plain).toBe(`${written}\n`);
  });
});

describe('placeholders', () => {
  const fill = (document: object, data: Readonly<Record<string, string>>): string =>
    compileTemplate(makeDocument(document).html, 'html').merge(data);

  test('typed or chosen are the same, and their values are escaped', () => {
    const chosen = makeDocument(documentOf(paragraph(placeholder('name'))));
    const typed = makeDocument(documentOf(paragraph(text('{{name}}'))));
    expect(typed.html).toBe(chosen.html);
    expect(typed.text).toBe(chosen.text);
    expect(fill(documentOf(paragraph(placeholder('name'))), { name: '<b>Anna</b>' })).toContain(
      '&lt;b&gt;Anna&lt;/b&gt;',
    );
  });

  test('in links lead only where links may lead', () => {
    const document = documentOf(button('Los', '{{link}}'), button('Los', 'https://a.example/{{id}}'));
    const html = fill(document, { link: 'javascript:alert(1)', id: '"><script>' });
    expect(html).toContain('<a href="#"');
    expect(html).toContain('<a href="https://a.example/%22%3E%3Cscript%3E"');
  });
});

describe('problems are found at their place', () => {
  const rows: readonly (readonly [string, object, (string | number)[]])[] = [
    [
      'a script as a link',
      paragraph(text('x', link('javascript:alert(1)'))),
      ['content', 0, 'marks', 0, 'attrs', 'href'],
    ],
    ['a file', button('x', 'file:///etc/passwd'), ['attrs', 'href']],
    ['data', image({ href: 'data:text/html,x' }), ['attrs', 'href']],
    ['a link without a scheme', button('x', 'praxis.example'), ['attrs', 'href']],
    ['a link with a space', button('x', 'https://a.example/ b'), ['attrs', 'href']],
    ['an empty link', button('x', ''), ['attrs', 'href']],
    ['a placeholder in the host', button('x', 'ht{{x}}ps://a'), ['attrs', 'href']],
    ['a button without a text', { type: 'button', attrs: { href: 'https://a.example' } }, ['content']],
    ['braces that are no placeholder', paragraph(text('{{ nö }}')), ['content', 0, 'text']],
    ['an image that is not there', image({ image: 'b'.repeat(64) }), ['attrs', 'image']],
  ];
  const find = (document: object) =>
    problemsIn(documentSchema.parse(document), (id) =>
      id === IMAGE ? { url: 'https://a.example/a.png', width: 1, height: 1 } : null,
    );
  test.each(rows)('%s', (_, block, path) => {
    expect(find(documentOf(paragraph(text('gut')), block)).map((problem) => problem.path)).toEqual([
      ['content', 1, ...path],
    ]);
  });
  test.each([
    'https://a.example',
    'HTTP://a.example/x?y={{z}}#t',
    'mailto:a@a.example',
    'tel:+49401',
    '{{link}}',
    '{{ link }}/x',
    'https://a.example/{{ id }}',
    'https://müller.example/ä',
  ])('%s is a link', (href) => {
    expect(find(documentOf(button('x', href)))).toEqual([]);
  });
});

describe('is refused', () => {
  const nested = (depth: number): object => {
    let list = bullets(item(paragraph(text('x'))));
    for (let level = 1; level < depth; level += 1) list = bullets(item(list));
    return list;
  };
  const rows: readonly (readonly [string, object, string])[] = [
    ['another version', { version: 2, content: [paragraph()] }, 'version'],
    ['nothing', { version: 1, content: [] }, 'content'],
    ['an unknown block', documentOf({ type: 'iframe' }), 'content.0.type'],
    ['an unknown attribute', documentOf({ ...paragraph(), style: 'x' }), 'content.0'],
    [
      'an unknown mark',
      documentOf(paragraph(text('x', { type: 'blink' }))),
      'content.0.content.0.marks.0.type',
    ],
    [
      'columns in columns',
      documentOf({ type: 'columns', content: [column({ type: 'columns', content: [] }), column()] }),
      'content.0.content.0.content.0.type',
    ],
    [
      'three columns',
      documentOf({ type: 'columns', content: [column(), column(), column()] }),
      'content.0.content',
    ],
    ['a control character', documentOf(paragraph(text('a\u0000b'))), 'content.0.content.0.text'],
    ['half a character', documentOf(paragraph(text('a\ud800'))), 'content.0.content.0.text'],
    [
      'a placeholder with another name',
      documentOf(paragraph(placeholder('x}}<b>{{'))),
      'content.0.content.0.attrs.name',
    ],
    [
      'an image that is no id',
      documentOf(image({ image: 'https://a.example/a.png' })),
      'content.0.attrs.image',
    ],
    [
      'a button with a break',
      documentOf({ type: 'button', attrs: { href: 'https://a.example' }, content: [{ type: 'hard_break' }] }),
      'content.0.content.0.type',
    ],
    ['far too deep', documentOf(nested(5_000)), ''],
    ['far too much', documentOf(...Array(2_001).fill(paragraph())), ''],
    ['far too long', documentOf(...Array(20).fill(paragraph(text('x'.repeat(19_000))))), ''],
  ];
  test.each(rows)('%s', (_, document, path) => {
    const { error } = documentSchema.safeParse(document);
    expect(error?.issues.map((issue) => issue.path.join('.'))).toEqual([path]);
  });

  test('but lists in lists, as deep as people write them, are made', () => {
    expect(makeDocument(documentOf(nested(10))).text).toContain('- - - x');
  });
});
