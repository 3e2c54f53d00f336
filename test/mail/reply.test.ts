import { describe, expect, test } from 'vitest';
import { formatReply, parseReply, replyInWords } from '#src/mail/reply.ts';

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

describe('the reply that a letter quotes', () => {
  const rows: readonly { name: string; words: string; found: string | null }[] = [
    {
      name: 'both codes, behind a colon',
      words: 'Remote host said: 550 5.1.1 User unknown',
      found: '550 5.1.1 User unknown',
    },
    {
      name: 'over several lines',
      words: '<a@b.example>:\n550-5.1.1 There is\n550 5.1.1 nobody here',
      found: '550 5.1.1 There is nobody here',
    },
    {
      name: 'both codes go before a bare number further up',
      words: 'error: 554 rejected\nThe host said: 552 5.2.2 Mailbox full',
      found: '552 5.2.2 Mailbox full',
    },
    {
      name: 'in quotation marks of the letter',
      words: "Remote Server returned '550 5.1.10 not found'",
      found: '550 5.1.10 not found',
    },
    {
      name: 'between marks of Exchange',
      words: '#550 5.1.1 RESOLVER.ADR.RecipNotFound; not found ##',
      found: '550 5.1.1 RESOLVER.ADR.RecipNotFound; not found',
    },
    {
      name: 'in a transcript, without the next command',
      words: ' 18:04: <-- 550 5.1.1 User unknown\n 18:04: --> QUIT',
      found: '550 5.1.1 User unknown',
    },
    {
      name: 'a reply code alone',
      words: 'Reason:\n  550 No such user',
      found: '550 No such user',
    },
    {
      name: 'a colon behind the code, and a number of the provider',
      words: '<a@b.example>:\n554: 30: Sorry, this mailbox is disabled',
      found: '554 30: Sorry, this mailbox is disabled',
    },
    {
      name: 'an enhanced code alone, with the words around it',
      words: 'first\n\nSorry, no mailbox\nby that name. (#5.1.1)\n\nlast',
      found: '0 5.1.1 Sorry, no mailbox by that name. (#5.1.1)',
    },
    { name: 'sizes are no replies', words: 'limit: 500 MB\nwaited: 450 seconds', found: null },
    {
      name: 'nor are addresses and versions',
      words: 'host 192.0.5.1.1 and 5.1.1.1, version 5.5.2653.19',
      found: null,
    },
    { name: 'nothing', words: '', found: null },
  ];
  test.each(rows)('$name', ({ words, found }) => {
    const reply = replyInWords(words);
    expect(reply && [reply.code, reply.enhanced, reply.text].filter((part) => part !== null).join(' ')).toBe(
      found,
    );
  });

  test.each(['5', '5.', '550 ', '550-', '5.1.1 ', ' ', "'", '#', '\n', 'said ', 'a: '])(
    'a MiB of %j holds nobody up',
    (piece) => {
      const words = piece.repeat(Math.ceil(1_048_576 / piece.length));
      expect(replyInWords(words)?.text.length ?? 0).toBeLessThanOrEqual(1_000);
    },
  );
});
