import { expect, test } from 'vitest';
import { unflow } from '#src/mail/flowed-text.ts';

test.each([
  ['fixed lines stay', 'a\nb\n', false, 'a\nb\n'],
  ['a flowed line goes on in the next', 'Guten \nTag\n', false, 'Guten Tag\n'],
  ['three of them', 'a \nb \nc\n', false, 'a b c\n'],
  ['an empty line ends a paragraph', 'a \n\nb', false, 'a \nb'],
  ['a stuffed space is none', ' From here\n >no quote', false, 'From here\n>no quote'],
  ['the signature is no flowed line', 'Ende\n-- \nAnna', false, 'Ende\n-- \nAnna'],
  ['nor does a paragraph flow into it', 'Ende \n-- \nAnna', false, 'Ende \n-- \nAnna'],
  ['quotes flow among themselves', '> a \n> b\nc', false, '> a b\nc'],
  ['another depth is another paragraph', '> a \n>> b \nc', false, '> a \n>> b \nc'],
  ['an empty quoted line', '>\n> a', false, '>\n> a'],
  ['DelSp takes the space away', '漢 \n字', true, '漢字'],
  ['nothing', '', false, ''],
])('%s', (_, text, delSp, read) => {
  expect(unflow(text, delSp)).toBe(read);
});
