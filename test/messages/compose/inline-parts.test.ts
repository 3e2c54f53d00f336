import { describe, expect, test } from 'vitest';
import { linkInlineParts } from '#src/messages/compose/inline-parts.ts';
import type { AttachmentRow } from '#src/messages/store.ts';

const HOST = 'mail.praxis.example';
const image = (content_id: string | null): AttachmentRow => ({
  filename: `${content_id}.png`,
  content_type: 'image/png',
  content_id,
  size_bytes: 1,
  content: Buffer.from('a'),
});

const references: readonly (readonly [
  title: string,
  ids: readonly string[],
  html: string,
  linked: string,
  inline: readonly (string | undefined)[],
])[] = [
  [
    'an id without a domain gets the From host’s, in both places',
    ['logo'],
    '<img src="cid:logo">',
    '<img src="cid:logo@mail.praxis.example">',
    ['logo@mail.praxis.example'],
  ],
  [
    'an id with a domain stays as it is',
    ['logo@x.example'],
    '<img src="cid:logo@x.example">',
    '<img src="cid:logo@x.example">',
    ['logo@x.example'],
  ],
  [
    'an id with too many',
    ['a@b@c'],
    '<img src="cid:a@b@c">',
    '<img src="cid:a.b.c@mail.praxis.example">',
    ['a.b.c@mail.praxis.example'],
  ],
  [
    'in quotes of either kind, in none, in CSS, in quotes within quotes',
    ['a'],
    `<img src='cid:a'><img src=cid:a><td background="cid:a" style="background:url(cid:a)"><p style="background:url(&quot;cid:a&quot;)">`,
    `<img src='cid:a@${HOST}'><img src=cid:a@${HOST}><td background="cid:a@${HOST}" style="background:url(cid:a@${HOST})"><p style="background:url(&quot;cid:a@${HOST}&quot;)">`,
    [`a@${HOST}`],
  ],
  [
    'an id that begins with another',
    ['a', 'a.b', 'a.b@c'],
    '<img src="cid:a.b"><img src="cid:a"><img src="cid:a.b@c">',
    `<img src="cid:a.b@${HOST}"><img src="cid:a@${HOST}"><img src="cid:a.b@c">`,
    [`a@${HOST}`, `a.b@${HOST}`, 'a.b@c'],
  ],
  [
    'an id with what means something in patterns',
    ['a.*+$'],
    '<img src="cid:a.*+$"><img src="cid:aXX">',
    `<img src="cid:a.*+$@${HOST}"><img src="cid:aXX">`,
    [`a.*+$@${HOST}`],
  ],
  [
    'two references to one image',
    ['a'],
    '<img src="cid:a"><img src="cid:a">',
    `<img src="cid:a@${HOST}"><img src="cid:a@${HOST}">`,
    [`a@${HOST}`],
  ],
  [
    'ids that differ in case are two',
    ['Logo', 'logo'],
    '<img src="cid:logo">',
    `<img src="cid:logo@${HOST}">`,
    [undefined, `logo@${HOST}`],
  ],
  [
    'what the HTML does not name is an ordinary attachment',
    ['a', 'b'],
    '<img src="cid:b">',
    `<img src="cid:b@${HOST}">`,
    [undefined, `b@${HOST}`],
  ],
  ['a longer id is not this one', ['a'], '<img src="cid:abc">', '<img src="cid:abc">', [undefined]],
];

describe('references', () => {
  test.each(references)('%s', (_, ids, html, linked, inline) => {
    const found = linkInlineParts(html, ids.map(image), HOST);
    expect(found.html).toBe(linked);
    expect(found.attachments.map(({ contentId }) => contentId)).toEqual(inline);
  });
});

test('without HTML all parts are ordinary attachments', () => {
  const { attachments } = linkInlineParts(null, [image('a'), image(null)], HOST);
  expect(attachments).toEqual([
    { filename: 'a.png', contentType: 'image/png', content: Buffer.from('a') },
    { filename: 'null.png', contentType: 'image/png', content: Buffer.from('a') },
  ]);
});
