// Whose mail gets an automatic reply, by what proves that the envelope sender wrote it.
import { expect, test } from 'vitest';
import { answerTo } from '#src/inbound/automatic-reply/rules.ts';
import type { AuthResult } from '#src/inbound/mail.ts';

const SENDER = 'erika@example.org';
const MAILBOX = 'info@in.practice.test';

const isAnswered = (
  spf: AuthResult,
  dmarc: AuthResult,
  author: string | null,
  recipient = MAILBOX,
): boolean =>
  answerTo({
    mailFrom: SENDER,
    author,
    recipients: [recipient],
    named: [recipient],
    fields: [],
    auth: {
      spf: { result: spf, domain: 'example.org' },
      dkim: [],
      dmarc: { result: dmarc, domain: 'example.org', policy: null },
      arc: { result: 'none' },
      iprev: { result: 'none', name: null },
    },
    spam: { verdict: 'clean', score: null, reasons: [] },
    ownHosts: [],
  }) !== null;

test.each<[boolean, AuthResult, AuthResult, string | null]>([
  [true, 'pass', 'none', 'other@example.net'],
  [true, 'pass', 'none', null],
  [false, 'pass', 'fail', SENDER],
  [false, 'none', 'none', SENDER],
  [false, 'neutral', 'none', SENDER],
  [false, 'temperror', 'none', SENDER],
  [false, 'softfail', 'none', SENDER],
  // DKIM proves the author; whether the envelope names the same person is compared.
  [true, 'none', 'pass', 'Erika@example.org'],
  [false, 'none', 'pass', 'other@example.org'],
  [false, 'none', 'pass', null],
])('an answer: %s (SPF %s, DMARC %s, From %s)', (expected, spf, dmarc, author) => {
  expect(isAnswered(spf, dmarc, author)).toBe(expected);
});

test('none to a mail at a return path, which is no mailbox that people write to', () => {
  expect(isAnswered('pass', 'pass', SENDER, 'b@in.practice.test')).toBe(true);
  expect(isAnswered('pass', 'pass', SENDER, 'b@bounce.practice.test')).toBe(false);
});
