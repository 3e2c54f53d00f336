import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Piece } from '#src/messages/compose/message.ts';
import { base64Size, encodeAtEnd, encodeText } from '#src/messages/compose/transfer-encoding.ts';

/** Between other octets, which it leaves as they are, from the `start` on. */
const encoded = (content: Uint8Array, start = 0): string => {
  const end = start + base64Size(content);
  const memory = Buffer.alloc(end + 3, '#');
  memory.set(content, end - content.length);
  encodeAtEnd(memory, { start, end, length: content.length });
  expect(memory.toString('latin1', 0, start)).toBe('#'.repeat(start));
  expect(memory.toString('latin1', end)).toBe('###');
  return memory.toString('latin1', start, end);
};

const asText = (piece: Piece): string => (typeof piece === 'string' ? piece : encoded(piece.file));

const texts: readonly (readonly [text: string, encoding: string, body: string])[] = [
  ['', '7bit', '\r\n'],
  ['one\rtwo\nthree\r\nfour', '7bit', 'one\r\ntwo\r\nthree\r\nfour\r\n'],
  ['..\n.a\n>From\nFromage', '7bit', '..\r\n.a\r\n>From\r\nFromage\r\n'],
  ['.', 'quoted-printable', '=2E\r\n'],
  ['a long text\n.\n', 'quoted-printable', 'a long text\r\n=2E\r\n'],
  ['From here on\nFromage, From', 'quoted-printable', '=46rom here on\r\nFromage, From\r\n'],
  ['a space at the end \nand a tab\t\n', 'quoted-printable', 'a space at the end=20\r\nand a tab=09\r\n'],
  ['a tab\tinside', 'quoted-printable', 'a tab\tinside\r\n'],
  ['1 + 1 = 2, in Köln', 'quoted-printable', '1 + 1 =3D 2, in K=C3=B6ln\r\n'],
  [
    'bell \x07, vertical tab \v, form feed \f',
    'quoted-printable',
    'bell =07, vertical tab =0B, form feed =0C\r\n',
  ],
  ['a normal text, and a =_ at its end', 'quoted-printable', 'a normal text, and a =3D_ at its end\r\n'],
  ['x'.repeat(77), 'quoted-printable', `${'x'.repeat(75)}=\r\nxx\r\n`],
  [`${'x'.repeat(76)}\ntab\t.`, 'quoted-printable', `${'x'.repeat(76)}\r\ntab\t.\r\n`],
  [`${'x'.repeat(73)}ü`, 'quoted-printable', `${'x'.repeat(73)}=\r\n=C3=BC\r\n`],
  [`${'x'.repeat(75)}.x`, 'quoted-printable', `${'x'.repeat(75)}=\r\n=2Ex\r\n`],
  [`${'x'.repeat(75)}From x`, 'quoted-printable', `${'x'.repeat(75)}=\r\n=46rom x\r\n`],
  [`${'x'.repeat(75)} \n`, 'quoted-printable', `${'x'.repeat(75)}=\r\n=20\r\n`],
  ['约', 'base64', '57qmDQo=\r\n'],
  [`a${'\n'.repeat(17)}b`, '7bit', `a${'\r\n'.repeat(17)}b\r\n`],
  [`a${'\n'.repeat(18)}b`, 'base64', `${Buffer.from(`a${'\r\n'.repeat(18)}b\r\n`).toString('base64')}\r\n`],
];
test.each(texts)('the text %j as %s', (text, encoding, body) => {
  const made = encodeText(text);
  expect([made.encoding, asText(made.body)]).toEqual([encoding, body]);
});

const relaxed: readonly (readonly [text: string, isRelaxed: boolean])[] = [
  ['a b\n c\n\nd', true],
  ['ü = ö', true],
  ['a space at the end ', true],
  ['约', true],
  ['a  b', false],
  ['a long text with an ü  b', false],
  ['\n  a', false],
  ['a\tb', false],
];
test.each(relaxed)('the text %j is its own relaxed form: %s', (text, isRelaxed) => {
  const { isRelaxed: said, body } = encodeText(text);
  expect(said).toBe(isRelaxed);
  expect(/\t| {2}| \r\n/.test(asText(body))).toBe(!isRelaxed);
});

test('changed lines that are near each other and far from each other leave those between them as they are', () => {
  for (const count of [1, 3, 4, 5, 9]) {
    const between = `${'x'.repeat(75)}\n`.repeat(count);
    expect(encodeText(`ü\n${between}ü\n`).body).toBe(
      `=C3=BC\r\n${between.replaceAll('\n', '\r\n')}=C3=BC\r\n`,
    );
  }
});

const octets: readonly (readonly [length: number, lines: string])[] = [
  [1, 'YQ==\r\n'],
  [57, `${'YWFh'.repeat(19)}\r\n`],
  [58, `${'YWFh'.repeat(19)}\r\nYQ==\r\n`],
];
test.each(octets)('%d octets in base64', (length, lines) => {
  expect(encoded(Buffer.alloc(length, 'a'))).toBe(lines);
});

test('all octets in files of each length, at even and odd places', () => {
  for (let length = 1; length < 400; length += 1) {
    const content = Buffer.from(Array.from({ length }, (_, index) => (index * 167 + length) % 256));
    const lines = content.toString('base64').match(/.{1,76}/g) ?? [];
    const wanted = lines.map((line) => `${line}\r\n`).join('');
    for (const start of [0, 1, 2, 3]) expect(encoded(content, start)).toBe(wanted);
  }
});

test('a file of a megabyte', () => {
  const content = randomBytes(1_000_001);
  const lines = content.toString('base64').match(/.{1,76}/g) ?? [];
  expect(encoded(content, 5) === lines.map((line) => `${line}\r\n`).join('')).toBe(true);
});
