// Names, subjects and names of files in which joiners are spelling leave as they were written; characters that hide or turn text do not.
import { simpleParser } from 'mailparser';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { createSmtpReceiver, type SmtpReceiver } from '#test/support/smtp-receiver.ts';

const PERSIAN = 'علی\u200cرضا';
const HINDI = 'क्\u200dष';
const DOCTOR = '👩\u200d⚕️';

let app: TestApp;
let receiver: SmtpReceiver;
let sender: Sender;
beforeAll(async () => {
  receiver = await createSmtpReceiver();
  app = await startApp({ receiver });
  sender = await app.createSender();
});
afterAll(async () => {
  await app.remove();
  await receiver.stop();
});

test('joiners leave as they were written, and what hides is taken out', async () => {
  const id = await app.send(sender, {
    to: `"${PERSIAN}\u200b" <ali@example.org>`,
    subject: `\u202e${HINDI} ${DOCTOR}\ufeff`,
    attachments: [
      { filename: `${PERSIAN} ${DOCTOR}.csv`, content: Buffer.from('a;b\r\n1;2\r\n').toString('base64') },
    ],
  });
  await app.untilStatus(sender, id, 'processed');
  const source = receiver.messages.findLast(({ recipients }) => recipients[0]?.address === 'ali@example.org');
  const mail = await simpleParser(source?.content ?? '');
  expect(mail.subject).toBe(`${HINDI} ${DOCTOR}`);
  expect(mail.headers.get('to')).toMatchObject({ value: [{ address: 'ali@example.org', name: PERSIAN }] });
  expect(mail.attachments.map(({ filename }) => filename)).toEqual([`${PERSIAN} ${DOCTOR}.csv`]);
});
