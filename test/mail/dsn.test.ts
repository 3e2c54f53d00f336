import { describe, expect, test } from 'vitest';
import {
  type Notification,
  type RecipientStatus,
  readDeliveryStatus,
  writeNotification,
} from '#src/mail/dsn.ts';
import type { Address } from '#src/mail/mailbox.ts';
import { replyOf } from '#src/mail/reported-reply.ts';
import { mutations } from '#test/support/mutations.ts';

const none: RecipientStatus = {
  action: 'failed',
  status: null,
  finalRecipient: null,
  originalRecipient: null,
  comment: null,
  remoteMta: null,
  diagnostic: null,
};

/** Written by Postfix; RFC 3464 appendix E has the same form. */
const postfix = [
  'Reporting-MTA: dns; mta.example.org',
  'X-Postfix-Queue-ID: 4bQd1z5xYzz1',
  'X-Postfix-Sender: rfc822; b+1abc@bounce.praxis.example',
  'Arrival-Date: Sat, 21 Nov 2026 18:00:00 +0000 (UTC)',
  '',
  'Final-Recipient: rfc822; erika@example.net',
  'Original-Recipient: rfc822;Erika@example.net',
  'Action: failed',
  'Status: 5.1.1',
  'Remote-MTA: dns; mx.example.net',
  'Diagnostic-Code: smtp; 550-5.1.1 <erika@example.net>: Recipient address',
  '    rejected: User unknown 550 5.1.1 in relay recipient table',
  '',
].join('\r\n');

describe('reading the fields of a notification', () => {
  test('of long comments behind the status only the beginning is read', () => {
    const status = `5.1.1 (bad mailbox ${')'.repeat(8_150)}x`;
    const recipient = `Final-Recipient: rfc822; a@b.example\r\nAction: failed\r\nStatus: ${status}\r\n`;
    const found = readDeliveryStatus(recipient.repeat(31));
    expect(found).toHaveLength(31);
    expect(found[0]?.comment).toBe('bad mailbox');
  });
  test('reads all fields of a recipient', () => {
    expect(readDeliveryStatus(postfix)).toEqual([
      {
        action: 'failed',
        status: '5.1.1',
        finalRecipient: 'erika@example.net',
        originalRecipient: 'erika@example.net',
        comment: null,
        remoteMta: 'mx.example.net',
        diagnostic: {
          code: 550,
          enhanced: '5.1.1',
          text: '<erika@example.net>: Recipient address rejected: User unknown in relay recipient table',
        },
      },
    ]);
  });

  const group = (...lines: string[]): string => lines.join('\n');
  const rows: readonly { name: string; part: string; found: Partial<RecipientStatus>[] }[] = [
    {
      name: 'several recipients, each in a block of its own',
      part: group(
        'Reporting-MTA: dns; a.example',
        '',
        'Final-Recipient: rfc822;a@b.example',
        'Action: delayed',
        'Status: 4.4.1',
        '',
        'Final-Recipient: rfc822;c@d.example',
        'Action: delivered',
        'Status: 2.0.0',
      ),
      found: [
        { action: 'delayed', status: '4.4.1', finalRecipient: 'a@b.example', remoteMta: 'a.example' },
        { action: 'delivered', status: '2.0.0', finalRecipient: 'c@d.example', remoteMta: 'a.example' },
      ],
    },
    {
      name: 'empty lines where there should be none, and none where there should be one',
      part: group(
        'Reporting-MTA: dns; a.example',
        'Final-Recipient: rfc822;a@b.example',
        '',
        'Action: failed',
        '',
        'Status: 5.2.2',
        'Final-Recipient: rfc822;c@d.example',
        'Action: failed',
        'Status: 5.1.1',
      ),
      found: [
        { status: '5.2.2', finalRecipient: 'a@b.example', remoteMta: 'a.example' },
        { status: '5.1.1', finalRecipient: 'c@d.example', remoteMta: 'a.example' },
      ],
    },
    {
      name: 'names and words in capitals, comments behind the status',
      part: group('FINAL-RECIPIENT: RFC822; A@B.EXAMPLE', 'ACTION: Failed', 'STATUS: 5.1.1 (bad mailbox)'),
      found: [{ status: '5.1.1', finalRecipient: 'a@b.example', comment: 'bad mailbox' }],
    },
    {
      name: 'a diagnostic of another type than smtp',
      part: group(
        'Final-Recipient: rfc822;a@b.example',
        'Action: failed',
        'Diagnostic-Code: X-Postfix; unknown user',
      ),
      found: [
        { finalRecipient: 'a@b.example', diagnostic: { code: 0, enhanced: null, text: 'unknown user' } },
      ],
    },
    {
      name: 'a status that is none',
      part: group('Final-Recipient: rfc822;a@b.example', 'Action: failed', 'Status: unknown'),
      found: [{ finalRecipient: 'a@b.example' }],
    },
    {
      name: 'no action, and a status that leaves no doubt',
      part: group('Final-Recipient: rfc822;a@b.example', 'Status: 5.1.1'),
      found: [{ status: '5.1.1', finalRecipient: 'a@b.example' }],
    },
    {
      name: 'no action, and a status of class 4',
      part: group('Final-Recipient: rfc822;a@b.example', 'Status: 4.1.1'),
      found: [{ action: 'delayed', finalRecipient: 'a@b.example', status: '4.1.1' }],
    },
    ...['deliverable', 'relayed', 'failed', 'unheard-of'].map((action) => ({
      name: `class 2 is no failure: ${action}`,
      part: group('Final-Recipient: rfc822;a@b.example', `Action: ${action}`, 'Status: 2.1.5'),
      found: [{ action: 'relayed' as const, finalRecipient: 'a@b.example', status: '2.1.5' }],
    })),
    {
      name: 'neither action nor status, and a final refusal',
      part: group('Final-Recipient: rfc822;a@b.example', 'Diagnostic-Code: smtp; 550 User unknown'),
      found: [
        { finalRecipient: 'a@b.example', diagnostic: { code: 550, enhanced: null, text: 'User unknown' } },
      ],
    },
    {
      name: 'neither, and a refusal for the moment',
      part: group('Final-Recipient: rfc822;a@b.example', 'Diagnostic-Code: smtp; 450 User unknown'),
      found: [],
    },
    {
      name: 'the field that Exchange 2003 has for the reply',
      part: group(
        'Final-Recipient: rfc822;a@b.example',
        'Action: failed',
        'X-Supplementary-Info: <mx.b.example #5.2.2 smtp;552 5.2.2 Mailbox full>',
      ),
      found: [
        {
          finalRecipient: 'a@b.example',
          diagnostic: { code: 552, enhanced: '5.2.2', text: 'Mailbox full' },
        },
      ],
    },
    {
      name: 'an action in another word',
      part: group('Final-Recipient: rfc822;a@b.example', 'Action: Failure', 'Status: 5.0.0'),
      found: [{ status: '5.0.0', finalRecipient: 'a@b.example' }],
    },
    {
      name: 'the reply code before the status, and a host with its address',
      part: group(
        'Final-Recipient: rfc822;a@b.example',
        'Action: failed',
        'Status: 550 5.2.1',
        'Remote-MTA: dns; MX.b.example. (192.0.2.1, the server for the domain b.example.)',
      ),
      found: [{ status: '5.2.1', finalRecipient: 'a@b.example', remoteMta: 'mx.b.example' }],
    },
    {
      name: 'a letter where a reply should stand',
      part: group(
        'Final-Recipient: rfc822;a@b.example',
        'Action: failed',
        "Diagnostic-Code: smtp; The remote server answered: '550 5.1.1 User unknown'",
      ),
      found: [
        {
          finalRecipient: 'a@b.example',
          diagnostic: { code: 550, enhanced: '5.1.1', text: 'User unknown' },
        },
      ],
    },
    {
      name: 'an action nobody knows',
      part: 'Final-Recipient: rfc822;a@b.example\nAction: exploded',
      found: [],
    },
    { name: 'nothing', part: '', found: [] },
  ];
  test.each(rows)('$name', ({ part, found }) => {
    expect(readDeliveryStatus(part)).toEqual(found.map((one) => ({ ...none, ...one })));
  });

  test('no more than a hundred recipients are looked at', () => {
    const one = 'Final-Recipient: rfc822;a@b.example\r\nAction: failed\r\n\r\n';
    expect(readDeliveryStatus(one.repeat(300))).toHaveLength(100);
  });

  test('10,000 damaged notifications are read without an exception', () => {
    for (const damaged of mutations(Buffer.from(postfix), 10_000, 1)) {
      for (const found of readDeliveryStatus(damaged.toString('latin1'))) replyOf(found);
    }
  });

  test.each([
    'Action: failed\r\n '.repeat(20_000),
    ` ${' '.repeat(250_000)}`,
    'a'.repeat(1_000_000),
    ':\n'.repeat(100_000),
  ])('hostile text ends in time', (hostile) => {
    readDeliveryStatus(
      `Final-Recipient: rfc822;a@b.example\r\nAction: failed\r\nDiagnostic-Code: smtp; 550 ${hostile}`,
    );
  });
});

describe('writing one', () => {
  const head = {
    id: '0190@simulator.mail.example.com',
    date: Date.UTC(2026, 10, 21, 18, 0, 0),
    from: { address: 'mailer-daemon@simulator.mail.example.com' as Address, name: 'Mailbox simulator' },
    to: 'b+1abc@bounce.praxis.example' as Address,
    subject: 'Undelivered: your message',
  };
  const notification: Notification = {
    action: 'failed',
    status: '5.1.1',
    diagnostic: '550 5.1.1 <bounce@simulator.mail.example.com>: there is no such mailbox',
    recipient: 'bounce@simulator.mail.example.com',
    reportingMta: 'mail.example.com',
    arrivedAt: head.date,
    words: 'It could not be delivered.',
    originalHead: 'Subject: gr\u00fc\u00dfe\r\nMessage-ID: <1@praxis.example>',
  };

  test('it is 7-bit with CRLF and short lines, and is read back with the same values', () => {
    const text = writeNotification(head, notification).toString('latin1');
    expect(text).toMatch(/^[\t\r\n -~]*$/);
    expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
    expect(Math.max(...text.split('\r\n').map(({ length }) => length))).toBeLessThanOrEqual(998);
    const part = /message\/delivery-status\r\n\r\n(.*?)\r\n--=_/s.exec(text)?.[1] ?? '';
    expect(readDeliveryStatus(part)).toEqual([
      {
        ...none,
        action: 'failed',
        status: '5.1.1',
        remoteMta: 'mail.example.com',
        finalRecipient: 'bounce@simulator.mail.example.com',
        diagnostic: {
          code: 550,
          enhanced: '5.1.1',
          text: '<bounce@simulator.mail.example.com>: there is no such mailbox',
        },
      },
    ]);
    expect(text).toContain('Subject: gr??e\r\nMessage-ID: <1@praxis.example>\r\n');
  });

  test('the original header cannot end the part', () => {
    const originalHead = [
      'X-A: 1',
      '',
      '--=_0190simulatormailexamplecom--',
      `X-B: ${'b'.repeat(2_000)}`,
      'X-C: 3',
    ].join('\r\n');
    const text = writeNotification(head, { ...notification, originalHead }).toString('latin1');
    const repeated = text.slice(text.indexOf('text/rfc822-headers'));
    expect(repeated).toContain('X-A: 1\r\n');
    expect(repeated.match(/^--=_/gm)).toHaveLength(1);
  });
});
