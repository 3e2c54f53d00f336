// What the mailbox of `sendwerk dev` keeps, however much comes.
import { expect, test } from 'vitest';
import { openMailbox } from '#src/smtp/dev/mailbox.ts';

const NOBODY = { from: '', recipients: [], username: '' };
const mail = (subject: string, bytes: number): Buffer =>
  Buffer.from(`Subject: ${subject}\r\n\r\n${'x'.repeat(bytes)}\r\n`);

test('the oldest go when there is too much of them, and the newest always stays', async () => {
  const mailbox = await openMailbox(100, null, 10_000);
  for (const subject of ['1', '2', '3']) await mailbox.add(mail(subject, 4_000), NOBODY, 0);
  expect(mailbox.list().map(({ Subject }) => Subject)).toEqual(['3', '2']);
  await mailbox.add(mail('large', 20_000), NOBODY, 0);
  expect(mailbox.list().map(({ Subject }) => Subject)).toEqual(['large']);
  expect(mailbox.counted()).toMatchObject({ accepted: 4, deleted: 3 });
});

test('a mail to a hundred who are not named in it is found by each', async () => {
  const mailbox = await openMailbox(100, null);
  const recipients = Array.from({ length: 100 }, (_, index) => `${'long-'.repeat(20)}${index}@list.example`);
  await mailbox.add(mail('to all', 10), { ...NOBODY, recipients }, 0);
  expect(mailbox.list()[0]?.Bcc.map(({ Address }) => Address)).toEqual(recipients);
});

test('what is no mail is kept as it came', async () => {
  const mailbox = await openMailbox(100, null);
  for (const content of [
    '',
    '\r\n',
    'x',
    'Content-Type: multipart/mixed; boundary=b\r\n\r\n--b',
    '\0\x80\r\n',
  ])
    await mailbox.add(Buffer.from(content, 'latin1'), NOBODY, 0);
  expect(mailbox.list()).toHaveLength(5);
});
