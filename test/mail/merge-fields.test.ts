import { describe, expect, test } from 'vitest';
import { compileTemplate, isLink, type MergeData, merge } from '#src/mail/merge-fields.ts';
import { soak } from '#test/support/soak.ts';

const HOSTILE = `"><script>alert(1)</script>'&`;

describe('a value in HTML is escaped:', () => {
  const rows: readonly (readonly [name: string, template: string, value: string, expected: string])[] = [
    ['as text', '<p>{{x}}</p>', HOSTILE, '<p>&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&#39;&amp;</p>'],
    [
      'with its line breaks',
      '<p>{{x}}</p>',
      'Am Markt 1\r\nHamburg\nAltona',
      '<p>Am Markt 1<br>\nHamburg<br>\nAltona</p>',
    ],
    ['in a title, without markup', '<title>{{x}}</title>', 'a\n</title>', '<title>a\n&lt;/title&gt;</title>'],
    [
      'in a quoted attribute',
      '<img alt="{{x}}">',
      '" onerror="a\nb',
      '<img alt="&quot; onerror=&quot;a\nb">',
    ],
    ['in an attribute in single quotes', "<img alt='{{x}}'>", "' x='", "<img alt='&#39; x=&#39;'>"],
    ['in a comment, which it cannot end', '<!-- {{x}} -->', '--><b>', '<!-- --&gt;&lt;b&gt; -->'],
    ['behind a less-than that opens nothing', '1 < 2 {{x}}', '<', '1 < 2 &lt;'],
    [
      'in the path of a link, with what may not stand there encoded',
      '<a href="https://a.de/{{x}}">',
      'Grün & "rot"',
      '<a href="https://a.de/Gr%C3%BCn%20&amp;%20%22rot%22">',
    ],
    [
      'in a link that is encoded already',
      '<a href="https://a.de/?q={{x}}">',
      'a%20b&c=1',
      '<a href="https://a.de/?q=a%20b&amp;c=1">',
    ],
    [
      'as the whole of a link',
      '<a href="{{x}}">',
      'https://a.de/?a=1&b=2',
      '<a href="https://a.de/?a=1&amp;b=2">',
    ],
    ['as the whole of a link to write to', '<a href=" {{x}}">', 'mailto:a@b.de', '<a href=" mailto:a@b.de">'],
    [
      'behind the part that begins the link',
      '<a href="{{x}}/{{y}}">',
      'https://a.de',
      '<a href="https://a.de/javascript:1">',
    ],
    [
      'in what Outlook alone reads',
      '<!--[if mso]><a href="{{x}}"><![endif]-->',
      'https://a.de',
      '<!--[if mso]><a href="https://a.de"><![endif]-->',
    ],
  ];
  test.each(rows)('%s', (_, template, x, expected) => {
    expect(compileTemplate(template, 'html').problems).toEqual([]);
    expect(merge(template, { x, y: 'javascript:1' }, 'html')).toBe(expected);
  });
});

describe('a link never begins with a value that is not a link:', () => {
  const bad = [
    'javascript:alert(1)',
    ' javascript:alert(1)',
    'java\tscript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'data:text/html,<script>1</script>',
    'vbscript:x',
    'file:///etc/passwd',
    '//a.de',
    '/relative',
    'a.de',
    'https:',
    'https:// a.de',
    '',
  ];
  test.each(bad)('%j', (value) => {
    expect(isLink(value)).toBe(false);
    for (const template of [
      '<a href="{{x}}">',
      "<img src='{{ x }}'>",
      '<form action="{{x}}">',
      '<body background="{{x}}">',
      '<!--[if mso]><a href="{{x}}"><![endif]-->',
    ]) {
      const compiled = compileTemplate(template, 'html');
      expect(compiled.links).toEqual(['x']);
      expect(compiled.merge({ x: value })).toBe(template.replace(/\{\{ ?x ?\}\}/, '#'));
    }
  });
  test.each(['https://a.de', 'HTTP://a.de/x', 'mailto:a@b.de', 'tel:+4940123', 'sms:+4940123'])(
    'but with %s',
    (value) => {
      expect(isLink(value)).toBe(true);
    },
  );
});

describe('the author gets an error for', () => {
  const code: readonly string[] = [
    '<a href={{x}}>',
    '<a href= {{ x }} >',
    '<a {{x}}>',
    '<a {{x}}="1">',
    '<{{x}}>a',
    '</{{x}}>',
    '<b{{x}}>',
    '1 <{{x}}',
    '<p class=a{{x}}>',
    '<p onclick="go({{x}})">',
    "<p ONCLICK='{{x}}'>",
    '<p style="color:{{x}}">',
    '<iframe srcdoc="{{x}}">',
    '<img srcset="{{x}}">',
    '<script>var a = "{{x}}";</script>',
    '<script type="x"><!-- "{{x}}"</script>',
    '<style>p { color: {{x}} }</style>',
    '<STYLE>{{x}}',
    '<a href="javascript:{{x}}">',
    '<a href="java{{x}}">',
    '<a href="&#106;avascript:{{x}}">',
    '<a href="{{x}}', // no end: what follows is anything
    '<p title="a" {{x}}',
    '<!doctype {{x}}>',
  ];
  test.each(code)('a value that could become code: %s', (template) => {
    const { problems, merge } = compileTemplate(template, 'html');
    expect(problems).toEqual([
      expect.objectContaining({ key: expect.stringContaining('could become code') }),
    ]);
    expect(merge({ x: 'VALUE' })).not.toContain('VALUE');
  });

  const unknown = [
    '{{{x}}}',
    '{{#if x}}a{{/if}}',
    '{{> footer}}',
    '{{x | upper}}',
    '{{x y}}',
    '{{}}',
    '{{ }}',
    '{{größe}}',
    '{{x.}}',
    '{{.x}}',
    '{{1x}}',
    '{{x',
    '{{x}',
    '{{ {{x}} }}',
  ];
  test.each(unknown)('what is no placeholder: %s', (template) => {
    for (const into of ['html', 'text', 'subject'] as const)
      expect(compileTemplate(template, into).problems.length, into).toBeGreaterThan(0);
  });

  test('only the first of many mistakes', () => {
    expect(compileTemplate('{{#}}'.repeat(100), 'text').problems).toHaveLength(5);
  });
});

describe('placeholders', () => {
  test('are listed by name, once and in order, with any white space', () => {
    const { fields } = compileTemplate('{{b}} {{ a }} {{b}} {{\tpractice.city\n}} {{_1}}', 'text');
    expect(fields).toEqual(['b', 'a', 'practice.city', '_1']);
  });

  test('of the service are not listed and stay', () => {
    const template = '<a href="{{unsubscribe_url}}">ab</a> {{ unsubscribe_url }}';
    const { fields, links, problems, merge } = compileTemplate(template, 'html');
    expect({ fields, links, problems }).toEqual({ fields: [], links: [], problems: [] });
    expect(merge({ unsubscribe_url: 'https://evil.example' })).toBe(template);
  });

  test('take no value from properties that every object has', () => {
    const template = '{{constructor}} {{__proto__}} {{toString}} {{hasOwnProperty}}';
    expect(merge(template, {}, 'text')).toBe(template);
    const own: MergeData = JSON.parse('{"__proto__":"a","constructor":"b"}');
    expect(merge('{{__proto__}}{{constructor}}', own, 'text')).toBe('ab');
  });

  test('in a value are not filled', () => {
    expect(merge('{{a}}{{b}}', { a: '{{b}}', b: 'x' }, 'text')).toBe('{{b}}x');
    expect(merge('{{a}}', { a: '$& $1 $$' }, 'text')).toBe('$& $1 $$');
  });

  test('without a value stay', () => {
    expect(merge('a {{x}} b', {}, 'html')).toBe('a {{x}} b');
  });
});

test('a subject stays one line with any value', () => {
  const x = 'a\r\nBcc: b@c.de\u2028c\u0085d\u0000e\tf';
  expect(merge('Termin {{x}} ', { x }, 'subject')).toBe('Termin a Bcc: b@c.de c d e f ');
});

test('in a text values are not escaped', () => {
  expect(merge('{{x}}', { x: HOSTILE }, 'text')).toBe(HOSTILE);
});

describe('megabytes are read in linear time', { tags: 'soak' }, () => {
  const size = soak(1_000_000, 5_000_000);
  const hostile: Readonly<Record<string, string>> = {
    braces: '{'.repeat(size),
    'open placeholders': '{{a'.repeat(size / 3),
    'a long name': `{{${'a'.repeat(size)}`,
    'a long name of parts': `{{${'a.'.repeat(size / 2)}`,
    'white space': `{{${' '.repeat(size)}`,
    'open tags': '<a '.repeat(size / 3),
    'open quotes': '<a b="'.repeat(size / 6),
    'both quotes': `<a b='${'" '.repeat(size / 2)}`,
    'open comments': '<!--'.repeat(size / 4),
    'open scripts': '<script>'.repeat(size / 8),
    'equals signs': `<a ${'= '.repeat(size / 2)}`,
    'attributes without a value': `<a ${'b '.repeat(size / 2)}`,
    slashes: `<a ${'/'.repeat(size)}`,
    'slashes at the end of a tag': `<a ${'/'.repeat(size)}>`,
    'white space at the end of a tag': `<a ${' '.repeat(size)}>`,
    'white space before an equals sign': `<a ${' '.repeat(size)}=`,
    'white space behind a name': `<a b${' '.repeat(size)}>`,
    placeholders: '{{a}}'.repeat(size / 5),
    'placeholders in links': '<a href="{{a}}{{a}}{{a}}">'.repeat(size / 26),
    'white space before a link': `<a href="${' '.repeat(size / 2)}${'{{a}}'.repeat(size / 10)}">`,
    'placeholders in one link': `<a href="https://x.de/${'{{a}}'.repeat(size / 5)}">`,
  };
  // Each takes less than half a second. Quadratic work would take more than ten minutes.
  test.each(Object.keys(hostile))('%s', (name) => {
    const template = `${hostile[name]}{{x}}`;
    const { merge } = compileTemplate(template, 'html');
    expect(merge({ x: 'y', a: 'https://b.de' }).length).toBeGreaterThan(0);
  });
});

test.each([
  ['html', '<p title="{{x}}">{{x}}{{ x }}</p><a href="https://a.de/{{x}}">{{unsubscribe_url}} {{y}}</a>'],
  ['html', '<a href="{{x}}">{{x}}</a>'],
  ['text', '{{x}} {{y}} {{x}}'],
  ['subject', '{{x}}, {{ x }}'],
] as const)('the length of what is made is known before, as %s: %s', (into, template) => {
  const made = compileTemplate(template, into);
  for (const data of [
    {},
    { x: '' },
    { x: HOSTILE },
    { x: 'ä\n"', y: 'b' },
    { x: 'https://a.de/ü' },
  ] as MergeData[])
    expect(made.lengthOf(data)).toBe(made.merge(data).length);
});
