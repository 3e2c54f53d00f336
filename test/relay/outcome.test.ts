import { describe, expect, test } from 'vitest';
import { parseReply } from '#src/mail/reply.ts';
import { judge } from '#src/relay/outcome.ts';
import type { Phase } from '#src/relay/upstream.ts';

const phases: readonly Phase[] = [
  'connect',
  'greeting',
  'ehlo',
  'starttls',
  'auth',
  'mail',
  'rcpt',
  'data',
  'dot',
];
const beforeMessages = phases.slice(0, 5);

const kindOf = (phase: Phase, line: string): string => {
  const outcome = judge({ result: 'refused', phase, reply: parseReply([line]) });
  return outcome.kind === 'bounced' ? `bounced ${outcome.class} ${outcome.rule}` : outcome.kind;
};

test('accepted keeps the reply and whether a success notice was asked for', () => {
  const reply = parseReply(['250 2.0.0 Ok: queued as 1']);
  expect(judge({ result: 'accepted', reply, dsnRequested: true })).toEqual({
    kind: 'accepted',
    reply,
    dsnRequested: true,
  });
});

describe('a broken connection', () => {
  test.each(phases)('while waiting for %s', (phase) => {
    const outcome = judge({ result: 'broken', phase, error: 'connection reset' });
    expect(outcome).toEqual({
      kind: phase === 'dot' ? 'deferred' : 'upstream_failure',
      reply: null,
      diagnostic: `connection reset (waiting for ${phase})`,
    });
  });
});

describe('whatever is refused before a message was named is the upstream', () => {
  test.each(beforeMessages)('%s', (phase) => {
    expect(kindOf(phase, '554 5.7.1 go away')).toBe('upstream_failure');
    expect(kindOf(phase, '450 4.7.1 later')).toBe('upstream_failure');
  });
});

describe('421 is the upstream at any time', () => {
  test.each(phases)('%s', (phase) => expect(kindOf(phase, '421 4.3.0 closing')).toBe('upstream_failure'));
});

const refusals: readonly (readonly [phase: Phase, line: string, verdict: string])[] = [
  ['mail', '530 5.7.0 Authentication required', 'upstream_failure'],
  ['rcpt', '530 5.7.1 Authentication required', 'upstream_failure'],
  ['mail', '535 5.7.8 Bad credentials', 'upstream_failure'],
  ['mail', '538 5.7.11 Encryption required', 'upstream_failure'],
  ['dot', '454 Throttling failure: Maximum sending rate exceeded.', 'upstream_failure'],
  ['mail', '451 4.3.0 Temporary lookup failure', 'upstream_failure'],
  ['mail', '452 4.3.1 Insufficient system storage', 'upstream_failure'],
  ['mail', '451 Local error in processing', 'upstream_failure'],
  ['mail', '503 5.5.1 Error: send HELO/EHLO first', 'upstream_failure'],
  ['mail', '450 4.7.1 You have exceeded the hourly rate', 'upstream_failure'],
  ['mail', '550 5.7.0 Account suspended', 'upstream_failure'],
  ['dot', '550 5.4.5 Daily user sending quota exceeded', 'upstream_failure'],
  ['rcpt', '554 5.7.1 <a@b.example>: Relay access denied', 'upstream_failure'],
  ['rcpt', '550 5.7.54 SMTP; Unable to relay recipient in non-accepted domain', 'upstream_failure'],

  ['mail', '450 4.1.8 Sender address rejected: Domain not found', 'deferred'],
  ['rcpt', '450 4.7.1 Greylisted', 'deferred'],
  ['rcpt', '451 4.3.0 Temporary lookup failure', 'deferred'],
  ['rcpt', '452 4.2.2 Mailbox over quota', 'deferred'],
  [
    'rcpt',
    '450 4.2.1 The user you are trying to contact is receiving mail at a rate that prevents',
    'deferred',
  ],
  ['data', '451 4.3.2 Try later', 'deferred'],
  ['dot', '451 4.7.1 Greylisting in action', 'deferred'],
  ['dot', '452 4.3.1 Insufficient system storage', 'deferred'],

  ['rcpt', '550 5.1.1 User unknown', 'bounced hard unknown_address'],
  ['dot', '550 5.1.1 User unknown', 'bounced hard unknown_address'],
  ['mail', '550 5.1.1 User unknown', 'bounced soft sender_address'],
  ['mail', '553 5.1.8 Sender address rejected', 'bounced soft sender_address'],
  ['mail', '552 5.3.4 Message size exceeds fixed limit', 'bounced soft too_large'],
  ['rcpt', '552 5.2.2 Mailbox over quota', 'bounced soft mailbox_full'],
  ['data', '554 5.5.1 No valid recipients', 'bounced soft unknown'],
  ['dot', '554 5.7.1 Spam message rejected', 'bounced soft content'],
  ['dot', '500 5.5.2 Line too long', 'bounced soft unknown'],
];

test.each(refusals)('%s: %s', (phase, line, verdict) => expect(kindOf(phase, line)).toBe(verdict));

test('the diagnostic names reply, phase and reason', () => {
  expect(judge({ result: 'refused', phase: 'rcpt', reply: parseReply(['450 4.2.0 Later']) })).toMatchObject({
    diagnostic: '450 4.2.0 Later (to rcpt)',
  });
  expect(judge({ result: 'refused', phase: 'mail', reply: parseReply(['530 5.7.0 Auth']) })).toMatchObject({
    diagnostic: expect.stringContaining('530 5.7.0 Auth (to mail): authentication'),
  });
});
