import { describe, expect, test } from 'vitest';
import { bareContentId, withPlainReferences } from '#src/intake/inline-images.ts';

describe('an id', () => {
  test.each([
    ['logo', 'logo'],
    ['<logo@praxis.example>', 'logo@praxis.example'],
    ['cid:logo%40praxis.example', 'logo@praxis.example'],
    ['CID:logo', 'logo'],
    ['cid:100%', '100%'],
    ['50%25', '50%25'],
    ['cid:a%0D%0ABcc:x', 'a%0D%0ABcc:x'],
    ['cid:a%20b', 'a%20b'],
    ['cid:%3Clogo%3E', 'logo'],
  ])('%s is %s', (typed, id) => {
    expect(bareContentId(typed)).toBe(id);
  });
});

describe('a reference', () => {
  const ids = ['logo', 'logo@praxis.example', 'a.b-c_d', 'odd"id', 'am&p'];
  test.each([
    ['<img src="cid:logo">', '<img src="cid:logo">'],
    ["<img src='CID:logo'>", "<img src='cid:logo'>"],
    ['<img src=Cid:logo>', '<img src=cid:logo>'],
    ['<img src=cid:logo/>', '<img src=cid:logo/>'],
    ['<img src = " cid:<logo>">', '<img src = " cid:logo">'],
    ['<img src="cid:&lt;logo&gt;">', '<img src="cid:logo">'],
    ['<img src="cid:%3Clogo%3E">', '<img src="cid:logo">'],
    ['<img src="cid:logo%40praxis.example">', '<img src="cid:logo@praxis.example">'],
    ['<td style="background:url(cid:a.b%2Dc_d)">', '<td style="background:url(cid:a.b-c_d)">'],
    ['<td style=\'background: url( "CID:logo" )\'>', '<td style=\'background: url( "cid:logo" )\'>'],
    ['<a href="cid:logo"><img src="cid:LOGO"></a>', '<a href="cid:logo"><img src="cid:LOGO"></a>'],
    ['<img src="cid:%%%">', '<img src="cid:%%%">'],
    ['<p>See cid:%6Cogo in the text, "cid:other"</p>', '<p>See cid:%6Cogo in the text, "cid:other"</p>'],
    ['<img src="https://x.example/cid:%6Cogo">', '<img src="https://x.example/cid:%6Cogo">'],
    ['<img src="cid:am&amp;p">', '<img src="cid:am&amp;p">'],
  ])('%s', (typed, written) => {
    expect(withPlainReferences(typed, ids)).toBe(written);
  });

  test('stays as it is where nothing has an id', () => {
    expect(withPlainReferences('<img src="CID:logo">', [])).toBe('<img src="CID:logo">');
  });

  test.each([
    ['cid: without an end', '="cid:'.repeat(400_000)],
    ['white space before it', `="${' '.repeat(2_000_000)}cid:logo`],
    ['one long word', `="cid:${'a'.repeat(2_000_000)}`],
    ['encoded characters', `="cid:${'%41'.repeat(700_000)}`],
  ])('is looked for in linear time in hostile HTML, by the time limit of a test: %s', (_, html) => {
    expect(withPlainReferences(html, ids)).toBe(html);
  });
});
