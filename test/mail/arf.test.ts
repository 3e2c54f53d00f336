import { describe, expect, test } from 'vitest';
import { isComplaint, isOptOut, originalSenders, readFeedbackReport, writeComplaint } from '#src/mail/arf.ts';
import type { Address } from '#src/mail/mailbox.ts';
import { mutations } from '#test/support/mutations.ts';

/** RFC 5965 appendix B.2, shortened. */
const sample = [
  'Feedback-Type: abuse',
  'User-Agent: SomeGenerator/1.0',
  'Version: 1',
  'Original-Mail-From: <somesender@example.net>',
  'Original-Rcpt-To: <user@example.com>',
  'Arrival-Date: Thu, 8 Mar 2005 14:00:00 EDT',
  'Reporting-MTA: dns; mail.example.com',
  'Source-IP: 192.0.2.1',
  '',
].join('\r\n');

describe('reading a report of abuse', () => {
  test.each([
    {
      part: sample,
      found: { feedbackType: 'abuse', originalMailFrom: 'somesender@example.net' },
      complaint: true,
    },
    {
      part: 'feedback-type: FRAUD\n',
      found: { feedbackType: 'fraud', originalMailFrom: null },
      complaint: true,
    },
    {
      part: 'Feedback-Type: not-spam',
      found: { feedbackType: 'not-spam', originalMailFrom: null },
      complaint: false,
    },
    {
      part: 'Feedback-Type: auth-failure',
      found: { feedbackType: 'auth-failure', originalMailFrom: null },
      complaint: false,
    },
    {
      part: 'Feedback-Type: opt-out; x=1',
      found: { feedbackType: 'opt-out', originalMailFrom: null },
      complaint: false,
    },
  ])('$found.feedbackType', ({ part, found, complaint }) => {
    const report = readFeedbackReport(part);
    expect(report).toEqual(found);
    expect(report && isComplaint(report)).toBe(complaint);
  });

  test.each([
    ['opt-out', true],
    ['opt-out-list', true],
    ['Opt-Out', true],
    ['abuse', false],
    ['not-spam', false],
  ])('%s asks for no more of such mail: %s', (type, expected) => {
    const report = readFeedbackReport(`Feedback-Type: ${type}`);
    expect(report && isOptOut(report)).toBe(expected);
  });

  test.each([
    [sample, ['somesender@example.net']],
    ['Original-Mail-From:\n <a@b.example>', ['a@b.example']],
    ['Original-Mail-From: <>\nOriginal-Rcpt-To: ', []],
    ['To: a@b.example\nFrom: c@d.example', []],
  ])('the senders that %j names', (part, senders) => {
    expect(originalSenders(part, 20)).toEqual(senders);
  });

  test('returns no more senders than requested', () => {
    expect(originalSenders('Original-Mail-From: a@b.example\n'.repeat(500), 20)).toHaveLength(20);
  });

  test.each(['', 'User-Agent: x', 'Feedback-Type: ', 'Feedback-Type: 12'])('%j reports nothing', (part) => {
    expect(readFeedbackReport(part)).toBeNull();
  });

  test('10,000 damaged reports are read without an exception', () => {
    for (const damaged of mutations(Buffer.from(sample), 10_000, 2))
      readFeedbackReport(damaged.toString('latin1'));
  });
});

test('a written report is read back with the same values', () => {
  const text = writeComplaint(
    {
      id: '0191@simulator.mail.example.com',
      date: 0,
      from: { address: 'complaints@simulator.mail.example.com' as Address },
      to: 'b+1abc@bounce.praxis.example' as Address,
      subject: 'Complaint',
    },
    {
      originalMailFrom: 'b+1abc@bounce.praxis.example',
      originalRecipient: 'complaint@simulator.mail.example.com',
      arrivedAt: 0,
      userAgent: 'Sendwerk-Simulator/1.0',
      words: 'Spam.',
      originalHead: 'Subject: x',
    },
  ).toString('latin1');
  expect(text).toContain('report-type=feedback-report');
  const part = /message\/feedback-report\r\n\r\n(.*?)\r\n--=_/s.exec(text)?.[1] ?? '';
  expect(part).toContain('Version: 1\r\n');
  expect(readFeedbackReport(part)).toEqual({
    feedbackType: 'abuse',
    originalMailFrom: 'b+1abc@bounce.praxis.example',
  });
});
