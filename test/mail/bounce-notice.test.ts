// Mail that is recognized as a server's notice, and mail that is not. The corpus has the notices themselves.
import { describe, expect, test } from 'vitest';
import { type BounceNotice, readBounceNotice, statusIn } from '#src/mail/bounce-notice.ts';
import { noticeForms } from '#src/mail/bounce-notice-forms.ts';
import { readFields } from '#src/mail/field-block.ts';

const head = (from: string, subject: string, ...more: string[]) =>
  readFields([`From: ${from}`, `Subject: ${subject}`, ...more].join('\r\n'));
const DAEMON = 'Mail Delivery System <MAILER-DAEMON@mx.example.org>';
const PERSON = 'Erika Mustermann <erika@example.org>';
const FAILED = 'Undelivered Mail Returned to Sender';
const WORDS = 'Your message to <a@b.example> failed: 550 5.1.1 User unknown\n';

const replyFrom = (notice: BounceNotice | null) =>
  notice && (statusIn(notice, 'a@b.example')?.diagnostic ?? null);

test.each(noticeForms)('$product is known by more than the words of a body', ({ from, field }) => {
  expect(from !== undefined || field !== undefined).toBe(true);
});

describe('by sender and subject', () => {
  test.each([
    ['a server under a subject of failures', head(DAEMON, FAILED), true],
    ['encoded', head('=?utf-8?Q?Postmaster?= <x@b.example>', '=?utf-8?Q?Unzustellbar:_Termin?='), true],
    ['a person under the same subject', head(PERSON, FAILED), false],
    ['a person who answers it', head(PERSON, `Re: ${FAILED}`), false],
    ['a server about something else', head(DAEMON, 'Your weekly quarantine'), false],
    ['a field that only Exim writes', head(DAEMON, 'Hello', 'X-Failed-Recipients: a@b.example'), true],
    ['that field from a person', head(PERSON, 'Hello', 'X-Failed-Recipients: a@b.example'), false],
    ['nobody', readFields(''), false],
  ] as const)('%s', (_, fields, isNotice) => {
    expect(readBounceNotice(fields, WORDS) !== null).toBe(isNotice);
  });
});

describe('its content', () => {
  const read = (words: string, subject = FAILED) => readBounceNotice(head(DAEMON, subject), words);

  test('has the recipient and the reply', () => {
    expect(read(WORDS)).toEqual({
      action: 'failed',
      product: 'other',
      recipient: 'a@b.example',
      reason: WORDS,
      isProven: true,
    });
  });

  test.each([
    ['--- Below this line is a copy of the message.'],
    ['------ This is a copy of the message, including all the headers. ------'],
    ['--- The header of the original message is following. ---'],
    ['-----Ursprüngliche Nachricht-----'],
    ['Received: from a by b'],
  ])('nothing of the returned message counts: behind %s', (line) => {
    const found = read(`It could not be delivered.\n\n${line}\n\n550 5.1.1 User unknown\n`);
    expect(replyFrom(found)).toEqual({ code: 0, enhanced: null, text: 'It could not be delivered.' });
  });

  test.each([
    ['Warning: message 1abc-00 delayed 24 hours', 'x'],
    ['Warning: could not send message for past 4 hours', 'x'],
    ['Zustellung verzögert: Termin', 'x'],
    ['Delivery Status Notification (Delay)', 'x'],
    [FAILED, 'It has not yet been delivered. Delivery attempts will continue.'],
    [FAILED, 'Die Nachricht wurde noch nicht zugestellt.'],
  ])('a delay is none of a failure: %s, %s', (subject, words) => {
    expect(read(`${words}\n550 5.1.1 User unknown`, subject)?.action).toBe('delayed');
  });

  test('words of a person in the returned message do not make a failure a delay', () => {
    const words = 'Failed: 550 5.1.1 User unknown\n\nReceived: from a by b\n\nwas noch nicht zugestellt';
    expect(read(words)?.action).toBe('failed');
  });
});

test.each([
  '-',
  '<',
  'a@',
  'a',
  ' ',
  ':',
  '\n',
  '"',
  '(',
  '|-',
  'address',
  'following recipients ',
  '5.1.1 ',
])('a MiB of %j is read in bounded time under each sender and subject', (piece) => {
  const words = piece.repeat(Math.ceil(1_048_576 / piece.length));
  for (const from of [DAEMON, 'mailer-daemon@googlemail.com', 'MAILER-DAEMON@yahoo.com', 'MDaemon@b.example'])
    for (const subject of [FAILED, 'failure notice', 'Undeliverable: x', 'DELIVERY FAILURE: x'])
      expect(replyFrom(readBounceNotice(head(from, subject), words))?.text.length ?? 0).toBeLessThanOrEqual(
        1_000,
      );
});
