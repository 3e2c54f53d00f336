// What a mail at a return path is: our simulator's answers, read back whole, and what the world and the fuzzer send.

import { simpleParser } from 'mailparser';
import { describe, expect, test } from 'vitest';
import { readReport } from '#src/feedback/read-report.ts';
import { answerTo, type Behaviour, behaviourOf } from '#src/feedback/simulator.ts';
import type { Address } from '#src/mail/mailbox.ts';
import { mutations } from '#test/support/mutations.ts';
import { NULL_SENDER } from '#test/support/reports.ts';

const RETURN_PATH = 'b+1abcdefghij@bounce.praxis.example' as Address;
const HEAD = [
  'From: =?UTF-8?Q?Praxis_M=C3=BCller?= <noreply@praxis.example>',
  'To: ooto@simulator.mail.example.com',
  'Subject: =?UTF-8?Q?Ihr_Termin_f=C3=BCr_n=C3=A4chste_Woche?=',
  'Message-ID: <0190@praxis.example>',
  'Auto-Submitted: auto-generated',
].join('\r\n');
const answer = (behaviour: Behaviour, head = HEAD): Buffer | null =>
  answerTo(
    {
      behaviour,
      recipient: `${behaviour}+x@simulator.mail.example.com` as Address,
      returnPath: RETURN_PATH,
      head,
    },
    { serviceHost: 'mail.example.com', version: '1.0', id: '0191', now: Date.UTC(2026, 10, 21) },
  );
const whole = (behaviour: Behaviour): Buffer => {
  const made = answer(behaviour);
  if (made === null) throw new Error('nothing was answered');
  return made;
};

describe('an answer of the simulator', () => {
  test('success: delivered', async () => {
    expect(await readReport(whole('success'), NULL_SENDER)).toMatchObject({
      kind: 'delivery_status',
      recipients: [
        { action: 'delivered', status: '2.0.0', finalRecipient: 'success+x@simulator.mail.example.com' },
      ],
    });
  });
  test('bounce: failed, because there is no such mailbox', async () => {
    expect(await readReport(whole('bounce'), NULL_SENDER)).toMatchObject({
      kind: 'delivery_status',
      recipients: [{ action: 'failed', status: '5.1.1', diagnostic: { code: 550, enhanced: '5.1.1' } }],
    });
  });
  test('complaint: abuse, at the return path', async () => {
    expect(await readReport(whole('complaint'), NULL_SENDER)).toEqual({
      kind: 'feedback',
      feedback: { feedbackType: 'abuse', originalMailFrom: RETURN_PATH },
    });
  });
  test('ooto: an automatic reply to that message', async () => {
    const reply = whole('ooto');
    expect(await readReport(reply, NULL_SENDER)).toEqual({ kind: 'auto_reply' });
    const { inReplyTo, subject } = await simpleParser(reply);
    expect(inReplyTo).toBe('<0190@praxis.example>');
    expect(subject).toBe('Automatic reply: out of the office');
  });

  test.each(['success', 'bounce', 'complaint', 'ooto'] as const)(
    '%s is 7-bit with CRLF and goes to the return path',
    async (behaviour) => {
      const text = whole(behaviour).toString('latin1');
      expect(text).toMatch(/^[\t\r\n -~]*$/);
      expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
      expect(Math.max(...text.split('\r\n').map(({ length }) => length))).toBeLessThanOrEqual(998);
      const { to, messageId, date, attachments } = await simpleParser(whole(behaviour), {
        keepDeliveryStatus: true,
      });
      expect([to].flat()[0]?.text).toBe(RETURN_PATH);
      expect(messageId).toBe('<0191@simulator.mail.example.com>');
      expect(date?.toISOString()).toBe('2026-11-21T00:00:00.000Z');
      if (behaviour === 'ooto') return;
      const repeated = attachments.find(({ contentType }) => contentType === 'text/rfc822-headers');
      expect(repeated?.content.toString()).toContain('Message-ID: <0190@praxis.example>');
    },
  );

  test.each(['success', 'bounce', 'complaint', 'ooto'] as const)(
    '%s: an answer is not answered',
    (behaviour) => {
      expect(answer(behaviour, `${HEAD.replace('auto-generated', 'auto-replied')}`)).toBeNull();
    },
  );

  test.each([
    'Message-ID: none',
    `Message-ID: <${'a'.repeat(2_000)}@b.example>`,
    'Message-ID: <a b@c.example>',
    'X: y',
  ])('what is no Message-ID is not repeated as one: %s', async (field) => {
    const text = answer('ooto', field)?.toString('latin1') ?? '';
    expect(text).not.toContain('In-Reply-To');
  });
});

test.each([
  ['success', 'success'],
  ['Bounce+case.1', 'bounce'],
  ['OOTO', 'ooto'],
  ['complaint+', 'complaint'],
  ['', null],
  ['successful', null],
  ['success-1', null],
  ['constructor', null],
] as const)('the mailbox %j is %s', (localPart, behaviour) => {
  expect(behaviourOf(localPart)).toBe(behaviour);
});

describe('mail that is not a report', () => {
  test.each([
    ['a person’s reply', 'Subject: Re: Ihr Termin\r\n\r\nDanke!\r\n'],
    ['nothing', ''],
    ['no header', 'hello'],
    [
      'a report without its fields',
      'Content-Type: multipart/report; report-type=delivery-status; boundary=a\r\n\r\n--a\r\nContent-Type: message/delivery-status\r\n\r\n\r\n--a--\r\n',
    ],
    [
      'a report whose boundary is missing',
      'Content-Type: multipart/report; boundary=a\r\n\r\nContent-Type: message/delivery-status\r\n\r\nAction: failed\r\n',
    ],
  ])('%s', async (_, source) => {
    expect(await readReport(Buffer.from(source), NULL_SENDER)).toEqual({ kind: 'other' });
  });
});

test('a header in bare UTF-8 is read as one of encoded words', async () => {
  const source = 'From: erika@b.example\r\nSubject: Ich bin außer Haus\r\n\r\nGruß\r\n';
  expect(await readReport(Buffer.from(source, 'utf8'), NULL_SENDER)).toEqual({ kind: 'auto_reply' });
  expect(await readReport(Buffer.from(source, 'latin1'), NULL_SENDER)).toEqual({ kind: 'auto_reply' });
});

test('a notification in base64 with other line ends is read', async () => {
  const fields = Buffer.from(
    'Reporting-MTA: dns;a\n\nFinal-Recipient: rfc822;a@b.example\nAction: failed\nStatus: 5.2.1\n',
  );
  const source = [
    'Content-Type: multipart/report; report-type=delivery-status;',
    ' boundary="=_x"',
    '',
    '--=_x',
    'Content-Type: MESSAGE/DELIVERY-STATUS',
    'Content-Transfer-Encoding: base64',
    '',
    fields.toString('base64'),
    '--=_x--',
    '',
  ].join('\r\n');
  expect(await readReport(Buffer.from(source), NULL_SENDER)).toMatchObject({
    kind: 'delivery_status',
    recipients: [{ action: 'failed', status: '5.2.1' }],
  });
});

test('thousands of damaged reports are read without an exception', async () => {
  for (const [seed, behaviour] of (['success', 'complaint', 'ooto'] as const).entries())
    for (const damaged of mutations(whole(behaviour), 700, seed)) await readReport(damaged, NULL_SENDER);
}, 60_000);

test('reading ends on deeply nested parts', async () => {
  const depth = 5_000;
  const open = Array.from(
    { length: depth },
    (_, index) => `Content-Type: multipart/mixed; boundary=b${index}\r\n\r\n--b${index}\r\n`,
  );
  const source = Buffer.from(
    `${open.join('')}Content-Type: message/delivery-status\r\n\r\nAction: failed\r\n`,
  );
  expect(['other', 'delivery_status']).toContain((await readReport(source, NULL_SENDER)).kind);
});

describe('a server’s letter with a MiB of', () => {
  const pieces = ['<', '-', ' ', ':', '@', 'a@', '550 ', '5.1.1 ', '\n', '\r\n', '</', '<a ', '<!--', '&lt;'];
  const types = [
    'text/plain',
    'text/html',
    'text/plain\r\nContent-Transfer-Encoding: quoted-printable',
    'text/html; charset=utf-8\r\nContent-Transfer-Encoding: base64',
  ];
  test.each(pieces)('%j is read as one in any type and encoding', async (piece) => {
    for (const type of types) {
      const head = `From: MAILER-DAEMON@b.example\r\nSubject: failure notice\r\nContent-Type: ${type}\r\n\r\n`;
      const body = piece.repeat(Math.ceil(1_048_576 / piece.length));
      expect((await readReport(Buffer.from(head + body), NULL_SENDER)).kind).toBe('bounce');
    }
  });
});

test('at most a hundred recipients of one report are read', async () => {
  const fields = 'Final-Recipient: rfc822;a@b.example\r\nAction: failed\r\n'.repeat(50_000);
  const source = `Content-Type: multipart/report; boundary=a\r\n\r\n--a\r\nContent-Type: message/delivery-status\r\n\r\n${fields}--a--\r\n`;
  const report = await readReport(Buffer.from(source), NULL_SENDER);
  expect(report.kind === 'delivery_status' && report.recipients.length).toBe(100);
});

// The parser would block the event loop for hours.
test.each([
  ['blanks in quoted-printable', `${' '.repeat(900_000)}x`, ''],
  ['a list of groups in its head', 'x', `To: ${'a:'.repeat(400_000)}\r\n`],
])('a mail of %s is something else, at once', async (_, body, head) => {
  const source = `${head}Content-Type: text/plain\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n${body}\r\n`;
  expect((await readReport(Buffer.from(source), NULL_SENDER)).kind).toBe('other');
});
