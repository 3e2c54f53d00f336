import { describe, expect, test } from 'vitest';
import { autoSubmitted, isAutoReply } from '#src/mail/auto-reply.ts';
import { headOf, readFields } from '#src/mail/field-block.ts';

describe('what is an automatic reply', () => {
  test.each([
    ['Auto-Submitted: auto-replied', 'says so (RFC 3834 §5)'],
    ['auto-submitted: Auto-Replied; owner-email="a@b.example"', 'with parameters'],
    ['Auto-Submitted: auto-generated (vacation)', 'a program wrote it'],
    ['X-Autoreply: yes', 'older programs'],
    ['X-Autorespond: vacation', 'older programs'],
    ['X-Auto-Response-Suppress: All', 'Exchange'],
    ['Precedence: auto_reply', 'qmail-autoresponder'],
    ['Subject: Automatische Antwort: Ihr Termin', 'Outlook, German'],
    ['Subject: Automatische Antwort', 'without a subject behind it'],
    ['Subject: Automatic reply: Your appointment', 'Outlook, English'],
    ['Subject: Abwesenheitsnotiz: Ihr Termin', 'older Outlook, German'],
    ['Subject: Out of Office: x', 'Lotus Notes'],
    ['Subject: Auto: x', 'GroupWise'],
  ])('%s', (line) => {
    expect(isAutoReply(readFields(line))).toBe(true);
  });

  test.each([
    'Subject: Re: Ihr Termin',
    'Subject: Autohaus Meier: Ihr Angebot',
    'Subject: Abwesenheit meines Sohnes',
    'Auto-Submitted: no',
    'Precedence: bulk',
    '',
  ])('%j is none', (line) => {
    expect(isAutoReply(readFields(line))).toBe(false);
  });

  test('the first word of Auto-Submitted counts', () => {
    expect(autoSubmitted(readFields('Auto-Submitted: auto-replied; x=1'))).toBe('auto-replied');
    expect(autoSubmitted(readFields('Subject: x'))).toBeNull();
  });
});

describe('fields of a header', () => {
  test('are unfolded, and what is none is passed over', () => {
    const block = 'From nobody\r\nSubject: one\r\n\ttwo\r\n three\r\n: none\r\nX Y: no\r\nTo:a@b.example';
    expect(readFields(block)).toEqual([
      { name: 'subject', value: 'one two three' },
      { name: 'to', value: 'a@b.example' },
    ]);
  });

  test('are bounded in number and size', () => {
    expect(readFields('A: b\r\n'.repeat(5_000))).toHaveLength(1_000);
    expect(readFields(`A: ${'b'.repeat(100_000)}`)[0]?.value).toHaveLength(8_192);
  });

  test('end where the content begins', () => {
    expect(headOf(Buffer.from('A: b\r\nC: d\r\n\r\nE: f'))).toBe('A: b\r\nC: d');
    expect(headOf(Buffer.from('A: b'))).toBe('A: b');
  });
});
