import { describe, expect, test } from 'vitest';
import { autoReplyRuleOf, autoSubmitted, isAutoReply, openingOf } from '#src/mail/auto-reply.ts';
import { autoReplyRules } from '#src/mail/auto-reply-rules.ts';
import { headOf, readFields } from '#src/mail/field-block.ts';

describe('automatic replies', () => {
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

  const ruleOf = (mail: string): string | undefined => {
    const [head = '', text = ''] = mail.split('\n\n');
    return autoReplyRuleOf(readFields(head), text)?.rule;
  };

  test.each(autoReplyRules)('$rule decides what it is for', ({ rule, example, source }) => {
    expect(ruleOf(example)).toBe(rule);
    expect(source).not.toBe('');
  });

  test('each rule has its own name', () => {
    expect(new Set(autoReplyRules.map(({ rule }) => rule)).size).toBe(autoReplyRules.length);
  });

  test.each([
    ['in Q', 'Subject: =?iso-8859-1?Q?Erika_Muster_ist_au=DFer_Haus?='],
    ['in base64', 'Subject: =?utf-8?B?QXV0b21hdGlzY2hlIEFudHdvcnQ6IElociBUZXJtaW4=?='],
    ['with a date', 'Subject: Abwesenheit bis 5.12.'],
    ['of a notice with a date', 'Subject: Abwesenheitsnotiz bis 5.12.'],
  ])('a subject %s', (_, head) => {
    expect(isAutoReply(readFields(head))).toBe(true);
  });

  test.each([
    ['quoted with marks', 'Gern.\n\n> Dies ist eine automatische Antwort.'],
    ['quoted by Outlook', 'Gern.\n\nVon: Praxis <a@b.example>\nDies ist eine automatische Antwort.'],
    [
      'quoted by Thunderbird',
      'Gern.\n\nAm 21.11.26 um 10:00 schrieb Praxis am Markt:\nDiese E-Mail wurde automatisch erstellt.',
    ],
    [
      'quoted by Gmail',
      'OK\n\nOn Sat, Nov 21, 2026 at 10:00 AM A <a@b.example> wrote:\nThis is an automatic reply.',
    ],
    [
      'quoted by older Outlook',
      'Ja\n\n-----Ursprüngliche Nachricht-----\nDies ist eine automatische Antwort.',
    ],
    [
      'behind a long letter',
      `${'Sehr geehrte Damen und Herren, '.repeat(30)}\nDies ist eine automatische Antwort.`,
    ],
    ['of a person who is away', 'Ich bin bis Freitag nicht im Büro, geht auch Montag?'],
    ['of a person who has left', 'Herr Muster hat das Unternehmen verlassen.'],
    ['of a person who has got it', 'Ihre Anfrage habe ich erhalten, ich melde mich.'],
  ])('words %s are no mark', (_, text) => {
    expect(isAutoReply(readFields('From: Erika <erika@example.org>\nSubject: Re: Ihr Termin'), text)).toBe(
      false,
    );
  });

  test.each([
    [
      'a newsletter',
      'List-Id: <n.example.org>\nAuto-Submitted: auto-generated\nX-Auto-Response-Suppress: All',
    ],
    ['a report', 'Content-Type: multipart/report; boundary=b\nAuto-Submitted: auto-replied'],
    ['a bounce of Exim', 'X-Failed-Recipients: a@b.example\nAuto-Submitted: auto-replied'],
    ['a bounce of others', 'From: Mail System <MAILER-DAEMON@mx.example.org>\nAuto-Submitted: auto-replied'],
    ['somebody’s company', 'Subject: Auto Müller: Ihr Wagen ist fertig'],
    ['a question', 'Subject: Vacation plans of my son'],
    ['an invitation', 'Subject: Out of office party'],
    ['another', 'Subject: Urlaub buchen'],
    ['who answers an automatic reply', 'Subject: AW: Automatische Antwort: Ihr Termin'],
    ['who answers a receipt of the practice', 'Subject: Re: Ihre Anfrage ist eingegangen'],
    ['somebody with a car', 'Subject: Auto'],
    ['somebody who will be away', 'Subject: Away'],
  ])('%s is none', (_, head) => {
    expect(autoReplyRuleOf(readFields(head))?.rule).toBeUndefined();
  });

  test('an automatic reply of a mailing list needs Auto-Submitted', () => {
    expect(isAutoReply(readFields('List-Id: <n.example.org>\nAuto-Submitted: auto-replied'))).toBe(true);
  });

  test.each([
    'a',
    ' ',
    '\n',
    '>',
    '_',
    '-',
    '.',
    'am ',
    'ich bin bis ',
    'ist ',
    'your request ',
    '=?utf-8?Q?',
    '[',
    'is ',
  ])('a MiB of %j is read like any other mail', (piece) => {
    // Quadratic work would take minutes, and the test would time out.
    const long = piece.repeat(1_048_576 / piece.length);
    isAutoReply(readFields(`Subject: ${long}\r\nFrom: ${long}\r\nPrecedence: bulk`), long);
    expect(openingOf(long).length).toBeLessThanOrEqual(600);
  });

  test('the first word of Auto-Submitted counts', () => {
    expect(autoSubmitted(readFields('Auto-Submitted: auto-replied; x=1'))).toBe('auto-replied');
    expect(autoSubmitted(readFields('Subject: x'))).toBeNull();
  });
});

describe('fields of a header', () => {
  test('are unfolded, and other lines are skipped', () => {
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
