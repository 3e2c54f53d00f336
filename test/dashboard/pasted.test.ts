// What is pasted into the editor for documents: of HTML as Word, Google Docs and web pages give it to the clipboard only that is left
// which the blocks know. The browser's own part is in document-editor.test.ts.
import { readFileSync } from 'node:fs';
import { cpuUsage } from 'node:process';
import { describe, expect, test } from 'vitest';
import { reducePasted } from '../../src/dashboard/parts/document-editor/pasted.ts';

const fixture = (name: string): string => readFileSync(`test/fixtures/pasted/${name}.html`, 'utf8');
/** Without the blanks between blocks. */
const reduced = (html: string): string =>
  reducePasted(html).html.replace(/\s+/g, ' ').replace(/> </g, '><').trim();

test('Word: its lists are lists, its styles and empty lines are gone, tables are paragraphs', () => {
  expect(reduced(fixture('word'))).toBe(
    [
      '<h1>Neue Sprechzeiten</h1>',
      '<p data-align="center">Guten Tag, <strong>ab Montag</strong> sind wir <em>länger</em><u>für Sie</u> da.</p>',
      '<ul><li><p>Montag</p><ul><li><p>bis 19 Uhr</p></li></ul></li><li><p>Dienstag</p></li></ul>',
      '<p>Bitte bringen Sie mit:</p>',
      '<ol><li><p>die Karte</p></li><li><p>etwas Zeit</p></li></ol>',
      '<div><div><div><p>Telefon</p></div><div><p>030 1234</p></div></div></div>',
    ].join(''),
  );
});

test('Google Docs: what is around all of it is not bold, lists of a deeper level are in their item', () => {
  expect(reduced(fixture('google-docs'))).toBe(
    [
      '<h2 data-align="center">Sommerfest</h2>',
      '<p>Hallo {{name}}, wir feiern <strong>am Samstag</strong><em> im Garten</em>. ',
      '<a href="https://verein.example/fest">Mehr dazu</a></p>',
      '<ul><li><p>Grillen</p><ul><li><p>auch ohne Fleisch</p></li></ul></li><li><p>Musik</p></li></ul>',
    ].join(''),
  );
});

test('web pages: nothing runs, loads or is hidden in what is left', () => {
  const html = reduced(fixture('web-page'));
  expect(html).toContain(
    '<a href="https://gesund.example/grippe?a=1&amp;b=2">eher gesund</a>.<br>Fragen Sie uns.',
  );
  expect(html).toContain('<blockquote><p>Vorbeugen ist besser.</p></blockquote>');
  expect(html).not.toMatch(/style|onclick|onerror|script|iframe|img|versteckt/);
});

describe('HTML that is not as it should be', () => {
  test.for([
    ['a style in a tag that is not closed', '<p style="color:red" Hallo', '&lt;p style="color:red" Hallo'],
    ['a tag within an attribute', '<p title="<b onclick=x>">Ja</p>', '<p>Ja</p>'],
    ['attributes without quotes', '<p style=color:red onclick=x()>Ja', '<p>Ja</p>'],
    [
      'items and paragraphs that are not closed',
      '<ul><li>A<li>B</ul><p>C<p>D',
      '<ul><li>A</li><li>B</li></ul><p>C</p><p>D</p>',
    ],
    ['less than', '1 < 2 &lt; 3', '1 &lt; 2 &lt; 3'],
    ['a script that is not closed', 'a<script>b', 'a'],
    ['a comment that is not closed', 'a<!-- <b>b</b>', 'a'],
    [
      'weight by a number',
      '<span style="font-weight: 600">A</span><b style="font-weight:400">B</b>',
      '<strong>A</strong>B',
    ],
    [
      'an address with a quote',
      `<a href='https://x.example/?q="'>A</a>`,
      '<a href="https://x.example/?q=&quot;">A</a>',
    ],
    [
      'the editor itself',
      '<p data-pm-slice="1 1 []" style="x" onclick="y">A<span data-placeholder="name" class="z">{{name}}</span></p>',
      '<p data-pm-slice="1 1 []">A<span data-placeholder="name">{{name}}</span></p>',
    ],
  ] as const)('%s', ([, html, expected]) => {
    expect(reduced(html)).toBe(expected);
  });

  test('a megabyte of it takes no time', () => {
    const before = cpuUsage();
    for (const piece of ['<', '<a ', '<a "', '</', '<!--', '<p>', '<b><i>', '&nbsp;'])
      reducePasted(piece.repeat(1_000_000 / piece.length / 50));
    // Microseconds; it would take ten times as long if it were looked at again from each beginning.
    expect(cpuUsage(before).user).toBeLessThan(2_000_000);
  });
});

test('images within the text are handed out, those of other servers are left out', () => {
  const png = 'data:image/png;base64,iVBORw0KGgo=';
  expect(reducePasted(`<p>A<img src="${png}"><img src="https://x.example/b.png"></p>`)).toEqual({
    html: '<p>A</p>',
    images: [png],
  });
});
