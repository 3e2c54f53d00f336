// What comes to the address for complaints, after the forms of those who send them: what it is, and whose copy it may be.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { readComplaint } from '#src/feedback/read-complaint.ts';
import { mutations } from '#test/support/mutations.ts';

const REPORTS = path.join(import.meta.dirname, '..', 'fixtures', 'reports');
const read = (name: string): Promise<Buffer> => readFile(path.join(REPORTS, `${name}.eml`));

type Found = Awaited<ReturnType<typeof readComplaint>>;
const cluesOf = (found: Found) => (found !== null && 'clues' in found ? found.clues : undefined);

/** Of the mail that all of them return. */
const returned = {
  returnPaths: ['b+1aaaaaaibaaaaaaabaaaaaaaaaaaaaaaa@bounce.praxis.example'],
  feedbackIds: [],
  unsubscribeTokens: ['1AAAAAQAAAAAAAQAAAAAAAAAAAAAAAAAAAAA'],
  messageId: '<01930000-0000-7000-8000-000000000001@praxis.example>',
  fromHost: 'praxis.example',
};

describe('a mail to the address for complaints', () => {
  test.each([
    ['feedback-standard/smallest', 'abuse'],
    ['feedback-standard/every-field', 'abuse'],
    ['feedback-standard/fraud-headers-only', 'fraud'],
    ['feedback-standard/several-recipients', 'abuse'],
    ['feedback-standard/virus', 'virus'],
    ['feedback-standard/other', 'other'],
    ['feedback-standard/not-spam', 'not-spam'],
    ['feedback-standard/auth-failure', 'auth-failure'],
    ['feedback-yahoo/abuse', 'abuse'],
    ['feedback-yahoo/opt-out', 'opt-out-list'],
    ['feedback-aol/redacted', 'abuse'],
    ['feedback-outlook/jmrp-anonymous', 'abuse'],
    ['feedback-outlook/jmrp-attached', 'abuse'],
    ['feedback-mailru/base64', 'abuse'],
    ['feedback-comcast/abuse', 'abuse'],
    ['feedback-validity/universal-headers', 'abuse'],
    ['feedback-fastmail/quoted-printable', 'abuse'],
    ['feedback-signalspam/french', 'abuse'],
    ['feedback-seznam/abuse', 'abuse'],
  ] as const)('%s', async (name, feedbackType) => {
    const found = await readComplaint(await read(name));
    expect(found).toMatchObject({ report: { feedback: { feedbackType } } });
    expect(cluesOf(found)).toEqual(returned);
  });

  test('with nothing of the mail but its own fields (RFC 9477)', async () => {
    expect(cluesOf(await readComplaint(await read('feedback-cfbl/rfc9477')))).toEqual({
      ...returned,
      unsubscribeTokens: [],
      fromHost: null,
    });
  });

  test.each(['no-report/newsletter', 'no-report/spam', 'no-report/empty', 'absence-exchange/german'])(
    '%s reports nothing',
    async (name) => {
      expect(await readComplaint(await read(name))).toBeNull();
    },
  );

  test('a mail of another sender with a mail attached reports nothing', async () => {
    const source = (await read('feedback-outlook/jmrp-attached')).toString('latin1');
    for (const from of [
      'eve@hotmail.com',
      'staff@hotmail.com.example',
      '"staff@hotmail.com" <eve@example.org>',
    ])
      expect(
        await readComplaint(
          Buffer.from(source.replace('From: <staff@hotmail.com>', `From: ${from}`), 'latin1'),
        ),
      ).toBeNull();
  });

  test.each([
    'feedback-standard/smallest',
    'feedback-standard/every-field',
    'feedback-outlook/jmrp-attached',
  ])('whom %s says that the mail went to is no clue', async (name) => {
    expect(JSON.stringify(await readComplaint(await read(name)))).not.toMatch(/erika@/);
  });
});

describe('hostile mails', () => {
  test('2,000 damaged ones are read without an exception, and hold no more clues than are looked at', async () => {
    const source = await read('feedback-standard/every-field');
    for (const damaged of mutations(source, 2_000, 5)) {
      const found = await readComplaint(damaged);
      expect(cluesOf(found)?.returnPaths?.length ?? 0).toBeLessThanOrEqual(40);
    }
  });

  const path = `${returned.returnPaths[0]}`;
  test.each([
    ['fields', (piece: string) => `X: ${piece}\r\n`],
    ['one field', (piece: string) => piece],
  ])('thousands of clues in %s are looked at in part', async (_, line) => {
    const letters = 'abcdefghijklmnopqrstuvwxyz';
    const tokens = [...letters].flatMap((one) => [...letters].map((other) => `${one}${other}`));
    const many = tokens.map((two) => line(path.replace('aaaa', `aa${two}`))).join(' ');
    const source = `Content-Type: multipart/report; boundary=b\r\n\r\n--b\r\nContent-Type: message/feedback-report\r\n\r\nFeedback-Type: abuse\r\n\r\n--b\r\nContent-Type: message/rfc822\r\n\r\nX: ${many}\r\n\r\n--b--\r\n`;
    const found = await readComplaint(Buffer.from(source));
    expect(cluesOf(found)?.returnPaths).toHaveLength(20);
  });

  // A square of that takes minutes: the test would time out.
  test.each([
    'b+1',
    `b+1${'a'.repeat(32)}`,
    `${path.slice(0, 44)}.`,
    '&t=1',
    '<',
    ' ',
    '-',
    ':',
    '@',
    '\r\n ',
    'a@',
  ])('a MiB of %j in the returned head is read like any other', async (piece) => {
    const long = piece.repeat(1_048_576 / piece.length);
    const source = `From: ${long}\r\nContent-Type: multipart/report; boundary=b\r\n\r\n--b\r\nContent-Type: message/feedback-report\r\n\r\nFeedback-Type: abuse\r\nOriginal-Mail-From: ${long.slice(0, 200_000)}\r\n\r\n--b\r\nContent-Type: message/rfc822\r\n\r\nList-Unsubscribe: ${long}\r\n\r\n--b--\r\n`;
    await readComplaint(Buffer.from(source));
    await readComplaint(Buffer.from(source.slice(source.indexOf('Content-Type: multipart'))));
    expect(source.length).toBeGreaterThan(1_000_000);
  });
});
