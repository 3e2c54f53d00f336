import { describe, expect, test } from 'vitest';
import { bounceRules, classifyBounce, findBounceRule } from '#src/mail/bounce-class.ts';
import { parseReply } from '#src/mail/reply.ts';

describe('each row decides on its own example', () => {
  test.each(bounceRules.map((row) => [row.example, row] as const))('%s', (example, row) => {
    const reply = parseReply([example]);
    expect(classifyBounce(reply)).toEqual({
      class: reply.code >= 400 && reply.code < 500 ? 'soft' : row.class,
      rule: row.rule,
    });
    expect(findBounceRule(reply)).toBe(row);
  });
});

const cases: readonly (readonly [name: string, lines: readonly string[], verdict: string])[] = [
  [
    'Gmail, unknown user over several lines',
    [
      '550-5.1.1 The email account that you tried to reach does not exist. Please try',
      "550-5.1.1 double-checking the recipient's email address for typos or",
      '550 5.1.1 unnecessary spaces. - gsmtp',
    ],
    'hard unknown_address',
  ],
  [
    'Postfix, unknown in the virtual table',
    ['550 5.1.1 <a@b.example>: Recipient address rejected: User unknown in virtual mailbox table'],
    'hard unknown_address',
  ],
  [
    'Postfix with a passing 450 for an unknown user',
    ['450 4.1.1 <a@b.example>: Recipient address rejected: unverified address'],
    'soft unknown_address',
  ],
  [
    'a 550 with a class 4 detail is final, and not about the address',
    ['550 4.4.7 Message expired'],
    'soft network',
  ],
  ['a 450 with a class 5 detail is not final', ['450 5.1.1 User unknown'], 'soft unknown_address'],
  ['Exim without enhanced code', ['550 Unrouteable address', '550 Unknown user'], 'hard unknown_address'],
  [
    'qmail without enhanced code',
    ['550 sorry, no mailbox here by that name (#5.7.17)'],
    'hard unknown_address',
  ],
  [
    'Yahoo, unknown user',
    ["554 delivery error: dd This user doesn't have a yahoo.com account (a@yahoo.example) [0]"],
    'hard unknown_address',
  ],
  ['T-Online, unknown user in German', ['550 5.1.1 unbekannter Empfänger'], 'hard unknown_address'],
  [
    'Yahoo, mailbox disabled',
    ['554 30 Sorry, your message to a@yahoo.example cannot be delivered. This mailbox is disabled (554.30).'],
    'hard disabled',
  ],
  ['mailbox full is soft even with 5yz', ['552 5.2.2 Mailbox over quota'], 'soft mailbox_full'],
  ['mailbox full in German without a code', ['550 Postfach des Empfängers voll'], 'soft mailbox_full'],
  ['too large', ['552 5.3.4 Message too big'], 'soft too_large'],
  [
    'Spamhaus listing at RCPT',
    ['554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org'],
    'soft block',
  ],
  [
    'a listing never counts as an unknown address',
    ['550 5.7.1 Client host rejected: user unknown to reputation, listed at Spamhaus'],
    'soft block',
  ],
  [
    'Gmail, DMARC',
    ["550-5.7.26 Unauthenticated email from b.example is not accepted due to domain's DMARC policy."],
    'soft auth_policy',
  ],
  ['Outlook, banned address', ['550 5.7.511 Access denied, banned sender[192.0.2.1]'], 'soft block'],
  [
    'Exchange, only internal senders',
    ['550 5.7.1 RESOLVER.RST.AuthRequired; not authorized to send to this recipient'],
    'soft recipient_policy',
  ],
  [
    'Microsoft directory-based blocking',
    ['550 5.4.1 Recipient address rejected: Access denied.'],
    'hard unknown_address',
  ],
  ['greylisting', ['451 4.7.1 Greylisting in action, please come back later'], 'soft greylisted'],
  ['a domain without mail servers', ['550 5.1.2 Host unknown'], 'hard unknown_domain'],
  ['null MX by its own code', ['556 5.1.10 Domain does not accept mail (nullMX)'], 'hard unknown_domain'],
  ['timeout', ['450 4.4.2 b.example: timed out while receiving the initial server greeting'], 'soft network'],
  ['expired', ['554 5.4.7 delivery expired (message too old)'], 'soft network'],
  ['loop', ['554 5.4.6 Too many hops'], 'soft loop'],
  ['an unknown code', ['599 5.9.9 Nobody knows'], 'soft unknown'],
  ['nothing at all', ['550'], 'soft unknown'],
];

test.each(cases)('%s', (_name, lines, verdict) => {
  const { class: bounceClass, rule } = classifyBounce(parseReply(lines));
  expect(`${bounceClass} ${rule}`).toBe(verdict);
});

describe('reports that give only a status', () => {
  test.each([
    ['5.1.1', 'hard unknown_address'],
    ['4.1.1', 'soft unknown_address'],
    ['5.2.2', 'soft mailbox_full'],
    ['4.4.1', 'soft network'],
  ])('%s', (enhanced, verdict) => {
    const { class: bounceClass, rule } = classifyBounce({ code: 0, enhanced, text: '' });
    expect(`${bounceClass} ${rule}`).toBe(verdict);
  });
});

test('long hostile text is classified in bounded time', () => {
  const text = 'mailbox account user address '.repeat(40).slice(0, 1_000);
  expect(classifyBounce({ code: 550, enhanced: '5.7.1', text }).class).toBe('soft');
});
