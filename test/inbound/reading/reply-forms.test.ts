// What a person wrote, in the forms in which mail programs send it with a quotation and their own lines.
import { expect, test } from 'vitest';
import { readMail } from '#src/inbound/reading/read.ts';
import { firstForms } from '#test/fixtures/reply-forms/first-forms.ts';
import type { ReplyForm } from '#test/fixtures/reply-forms/form.ts';
import { secondForms } from '#test/fixtures/reply-forms/second-forms.ts';

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

test('eighty forms', async () => {
  expect([firstForms.length, secondForms.length]).toEqual([40, 40]);
  expect(await misread([...firstForms, ...secondForms])).toEqual([]);
});
