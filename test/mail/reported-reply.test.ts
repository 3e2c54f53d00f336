// Which of the accounts in a report is the receiver's own, and what follows from it.
import { describe, expect, test } from 'vitest';
import { classifyBounce } from '#src/mail/bounce-class.ts';
import { readDeliveryStatus } from '#src/mail/dsn.ts';
import { judgedReply, replyOf } from '#src/mail/reported-reply.ts';

interface Row {
  readonly name: string;
  readonly status?: string;
  readonly diagnostic?: string;
  /** The text for people. */
  readonly words?: string;
  readonly verdict: string;
}

const read = ({ status, diagnostic }: Row) => {
  const fields = [
    'Final-Recipient: rfc822; erika@b.example',
    'Action: failed',
    ...(status === undefined ? [] : [`Status: ${status}`]),
    ...(diagnostic === undefined ? [] : [`Diagnostic-Code: smtp; ${diagnostic}`]),
  ];
  const [own] = readDeliveryStatus(fields.join('\r\n'));
  if (own === undefined) throw new Error('no recipient was read');
  return own;
};

const rows: readonly Row[] = [
  {
    name: 'a reply that the diagnostic quotes outranks the diagnostic',
    status: '5.1.1',
    diagnostic: "550 5.1.1 Remote server returned an error -> 550-'5.2.2 <erika@b.example> is over it'",
    verdict: 'soft mailbox_full',
  },
  {
    name: 'also where it says that the mailbox is gone',
    status: '5.0.350',
    diagnostic: '550 5.0.350 Remote server returned an error -> 550 5.1.1 refused',
    verdict: 'hard unknown_address',
  },
  {
    name: 'a temporary reply in a final one',
    status: '5.1.1',
    diagnostic: '550 5.1.1 undeliverable address: host mx.b.example said: 450 4.1.1 refused',
    verdict: 'soft unknown_address',
  },
  {
    name: 'the diagnostic outranks a status that was derived from its code',
    status: '5.1.1',
    diagnostic: '550 5.7.509 refused',
    verdict: 'soft auth_policy',
  },
  {
    name: 'the diagnostic outranks any other status too',
    status: '5.7.1',
    diagnostic: '550 5.1.1 refused',
    verdict: 'hard unknown_address',
  },
  {
    name: 'a general status does not hide an enhanced code among the words',
    status: '5.0.0',
    diagnostic: '550 sorry, refused (#5.1.1)',
    verdict: 'hard unknown_address',
  },
  {
    name: 'giving up after all attempts is not overruled by one reply',
    status: '5.4.7',
    diagnostic: '550 5.1.1 refused',
    verdict: 'soft expired',
  },
  {
    name: 'a status that is only a guess from the code decides nothing',
    status: '5.1.1',
    diagnostic: '550 refused',
    verdict: 'soft unknown',
  },
  {
    name: 'under that status, the words decide',
    status: '5.1.1',
    diagnostic: '550 user unknown',
    verdict: 'hard unknown_address',
  },
  {
    name: 'a guess for 554 is one as well',
    status: '5.1.1',
    diagnostic: '554 DT:SPM refused',
    verdict: 'soft unknown',
  },
  { name: 'the status alone', status: '5.1.1', verdict: 'hard unknown_address' },
  {
    name: 'the comment behind a status that says nothing',
    status: '5.0.0 (no such user)',
    verdict: 'hard unknown_address',
  },
  {
    name: 'the comment contradicts the status',
    status: '5.1.1 (mailbox full)',
    verdict: 'soft mailbox_full',
  },
  {
    name: 'the words near the recipient, where there is no diagnostic',
    status: '5.0.0',
    words: '<erika@b.example>: user unknown',
    verdict: 'hard unknown_address',
  },
  {
    name: 'above the recipient',
    status: '5.1.1',
    words: 'The account is temporarily over quota.\n\n<erika@b.example>',
    verdict: 'soft mailbox_full',
  },
  {
    name: 'a reply that they quote',
    status: '5.4.4',
    words: '<erika@b.example>:\n  Remote host said: 550 5.1.1 refused',
    verdict: 'hard unknown_address',
  },
  {
    name: 'not the words near another recipient',
    status: '5.0.0',
    words: '<anna@b.example>: user unknown\n<erika@b.example>: refused\n<otto@b.example>: user unknown',
    verdict: 'soft unknown',
  },
  {
    name: 'nor those of the returned message',
    status: '5.0.0',
    words: '<erika@b.example>: refused\n--- Below this line is a copy of the message.\nuser unknown',
    verdict: 'soft unknown',
  },
  {
    name: 'not where the diagnostic says it',
    status: '5.1.1',
    diagnostic: '550 5.1.1 User unknown',
    words: '<erika@b.example>: please try again later',
    verdict: 'hard unknown_address',
  },
  {
    name: 'unable to route, and the words say why',
    status: '5.4.4',
    diagnostic: '550 refused',
    words: '<erika@b.example>: the domain does not exist',
    verdict: 'hard unknown_domain',
  },
  {
    name: 'unable to route, and no word why',
    status: '5.4.4',
    diagnostic: '550 refused',
    verdict: 'soft network',
  },
  {
    name: 'a reply to MAIL is about the sender',
    status: '5.1.1',
    diagnostic: '550 5.1.1 User unknown',
    words:
      '<erika@b.example>: host mx.b.example said: 550 5.1.1 User unknown (in reply to MAIL FROM command)',
    verdict: 'soft sender_address',
  },
  {
    name: 'the words near the recipient, which name the phase',
    status: '5.1.1',
    words: '<erika@b.example>: mailbox full (in reply to end of DATA command)',
    verdict: 'soft mailbox_full',
  },
  {
    name: 'another reply behind the first is not a part of it',
    diagnostic: '550 5.7.1 refused 550 5.1.1 User unknown',
    verdict: 'soft policy',
  },
  {
    name: 'all lines of one reply are',
    diagnostic: '550-5.1.1 refused 550-5.1.1 for now 550 5.1.1 mailbox full',
    verdict: 'soft mailbox_full',
  },
];

describe('a report is classified by the receiver’s own reply', () => {
  test.each(rows)('$name: $verdict', (row) => {
    const own = read(row);
    const { class: kind, rule } = classifyBounce(judgedReply(own, row.words ?? ''), own.remoteMta);
    expect(`${kind} ${rule}`).toBe(row.verdict);
  });
});

describe('the reply that is stored', () => {
  const said = '550 5.2.1 disabled';
  test.each([
    { name: 'has the receiver’s code, not the status', status: '5.1.1', diagnostic: said, enhanced: '5.2.1' },
    {
      name: 'has the status where the receiver gave no code',
      status: '5.7.1',
      diagnostic: '550 no',
      enhanced: '5.7.1',
    },
    { name: 'has a status that says nothing, where nothing says more', status: '5.0.0', enhanced: '5.0.0' },
    { name: 'has none', enhanced: null },
  ])('$name', ({ enhanced, ...row }) => {
    expect(replyOf(read({ ...row, verdict: '' })).enhanced).toBe(enhanced);
  });
});
