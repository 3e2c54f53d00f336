// What a person wrote, in the forms in which mail programs send it with a quotation and their own lines.
import { expect, test } from 'vitest';
import { readMail } from '#src/inbound/reading/read.ts';
import { firstForms } from '#test/fixtures/reply-forms/first-forms.ts';
import type { ReplyForm } from '#test/fixtures/reply-forms/form.ts';

const sourceOf = ({ body, subject }: ReplyForm): Buffer =>
  Buffer.from(
    [
      'From: Erika Muster <erika@example.org>',
      `Subject: ${subject}`,
      `Content-Type: text/${body.startsWith('<html') ? 'html' : 'plain'}; charset=utf-8`,
      '',
      body.replace(/\n/g, '\r\n'),
    ].join('\r\n'),
  );

const misread = async (forms: readonly ReplyForm[]): Promise<string[]> => {
  const wrong: string[] = [];
  for (const form of forms) {
    const { reply_text } = await readMail([sourceOf(form)]);
    if (reply_text !== form.own) wrong.push(form.name);
  }
  return wrong;
};

test('the first forty forms', async () => {
  expect(firstForms.length).toBe(40);
  expect(await misread(firstForms)).toEqual([
    'Gmail in Polish',
    'Gmail in Turkish',
    'Gmail in Czech, with words between',
    'Gmail in Japanese',
    'Gmail in Russian',
    'Outlook in French',
    'Outlook in Spanish, names without addresses',
    'Outlook in Italian',
    'Outlook in Polish',
    'a rule of dashes above the header of Outlook',
    'Yahoo on Android, nothing marked',
    'Proton',
    'a name in quotes behind the date',
    'an introduction broken within the address',
    'the answer below an unmarked quotation with its end',
    'forwarded by Gmail, with a word above',
    'Outlook in the browser, only HTML',
  ]);
});
