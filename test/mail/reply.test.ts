import { describe, expect, test } from 'vitest';
import { formatReply, parseReply } from '#src/mail/reply.ts';

const cases: readonly (readonly [
  name: string,
  lines: readonly string[],
  code: number,
  enhanced: string | null,
  text: string,
])[] = [
  ['one line', ['250 OK'], 250, null, 'OK'],
  ['one line with an enhanced code', ['250 2.0.0 Ok: queued as 4Xyz'], 250, '2.0.0', 'Ok: queued as 4Xyz'],
  ['several lines', ['550-5.1.1 No such', '550 5.1.1 user'], 550, '5.1.1', 'No such user'],
  ['enhanced code on the last line only', ['550-No such', '550 5.1.1 user'], 550, '5.1.1', 'No such user'],
  ['no text at all', ['250'], 250, null, ''],
  ['a hyphen and nothing else', ['250-', '250 '], 250, null, ''],
  ['enhanced code and nothing else', ['250 2.1.0'], 250, '2.1.0', ''],
  ['class 1 is no enhanced code', ['250 1.2.3 go'], 250, null, '1.2.3 go'],
  ['an address is no enhanced code', ['220 2.2.2.2 ready'], 220, null, '2.2.2.2 ready'],
  ['four digits are no enhanced code', ['550 5.1.1000 no'], 550, null, '5.1.1000 no'],
  ['a class that contradicts the code is kept', ['550 4.4.7 expired'], 550, '4.4.7', 'expired'],
  ['the code of the last line counts', ['250-one', '550 two'], 550, null, 'one two'],
  [
    'control characters become spaces',
    ['550 a\u0000b\u001b[31mc\td\u0085e\u2028f'],
    550,
    null,
    'a b [31mc d e f',
  ],
  ['text without a code', ['hello', 'world'], 0, null, 'hello world'],
  ['umlauts', ['550 Empfänger unbekannt'], 550, null, 'Empfänger unbekannt'],
  ['nothing', [], 0, null, ''],
];

describe('parseReply', () => {
  test.each(cases)('%s', (_name, lines, code, enhanced, text) => {
    expect(parseReply(lines)).toEqual({ code, enhanced, text });
  });

  test('cuts the text at 1,000 characters without halving one', () => {
    const { text } = parseReply([`550 ${'x'.repeat(999)}😀 tail`]);
    expect(text).toHaveLength(1_000);
    expect(text.isWellFormed()).toBe(true);
  });
});

test('formatReply writes it on one line again', () => {
  expect(formatReply(parseReply(['550-5.1.1 No such', '550 5.1.1 user']))).toBe('550 5.1.1 No such user');
  expect(formatReply({ code: 250, enhanced: null, text: '' })).toBe('250');
});
