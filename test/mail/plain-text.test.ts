import { describe, expect, test } from 'vitest';
import { textOfHtml } from '#src/mail/plain-text.ts';

describe('text made of HTML', () => {
  test('keeps paragraphs, lists and the targets of links, also without end tags', () => {
    expect(textOfHtml('<p>Guten Tag<p>zwei<ul><li>a<li>b</ul><a href="https://a.example/">mehr</a>')).toBe(
      'Guten Tag\n\nzwei\n\n * a\n * b\n\nmehr [https://a.example/]',
    );
  });

  test('a long page with ordinary nesting keeps its layout', () => {
    expect(textOfHtml('<div><ul><li>a</li></ul></div><!-- </div> -->'.repeat(2_000))).toContain(
      ' * a\n\n * a',
    );
  });

  // The converter would need seconds for each recipient.
  test.each([
    ['lists', '<ul><li>a'],
    ['lists between end tags of nothing', '<ul><li>a</b>'],
    ['lists whose end tags stand in comments', '<ul><li>a<!--</ul>-->'],
    ['lists whose end tags stand in attributes', '<ul title="</ul>"><li>a'],
    ['elements that end without an end tag', '<p><li><td>a'],
  ])('has no layout where nesting is too deep: %s', (_, html) => {
    const text = textOfHtml(html.repeat(5_000));
    expect(text).toContain(' a');
    expect(text).not.toMatch(/[\n*]/);
  });
});

test.each([
  [
    'rows of a table are lines, and their cells stand apart',
    '<table><tr><th>Datum</th><th>Uhrzeit</th></tr><tr><td>Montag</td><td>9:30 Uhr</td></tr></table>',
    'Datum Uhrzeit\nMontag 9:30 Uhr',
  ],
  [
    'a table that only places things adds nothing to them',
    '<table><tr><td><p>Guten Tag,</p><table><tr><td>Raum 3</td></tr></table></td></tr></table>',
    'Guten Tag,\n\nRaum 3',
  ],
  [
    'an image is the text in its place',
    '<p><img src="cid:logo@example.org" alt="Praxis am Markt"><img src="https://example.org/p.png"></p><p>x</p>',
    'Praxis am Markt\n\nx',
  ],
  [
    'an address that is shown is not repeated',
    '<a href="https://example.org/x">https://example.org/x</a> <a href="mailto:a@example.org">a@example.org</a>',
    'https://example.org/x a@example.org',
  ],
  [
    'one that is not shown is named',
    '<a href="https://example.org/x?a=1&amp;b=2">Ihr Termin</a>',
    'Ihr Termin [https://example.org/x?a=1&b=2]',
  ],
])('%s', (_, html, text) => {
  expect(textOfHtml(html)).toBe(text);
});
