import { describe, expect, test } from 'vitest';
import { replyInWords } from '#src/mail/reply-in-words.ts';

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
