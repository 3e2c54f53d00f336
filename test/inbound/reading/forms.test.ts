// Forms of real mails, each read as the API reads it: what it says, from whom, and its files.
import { expect, test } from 'vitest';
import { attachmentOf } from '#src/inbound/reading/attachments.ts';
import { readHead } from '#src/inbound/reading/head.ts';
import { readMail } from '#src/inbound/reading/read.ts';
import { mailForms } from '#test/fixtures/mail-forms/forms.ts';
import type { MailForm } from '#test/fixtures/mail-forms/samples.ts';
import { checkCells } from '#test/support/cells.ts';

/** No line of a form or boundary may depend on where the pieces of a source end. */
const inPieces = function* (source: Buffer): Generator<Buffer> {
  for (let at = 0; at < source.length; at += 997) yield source.subarray(at, at + 997);
};

const sizeOf = async (source: Buffer, index: number): Promise<number | null> => {
  const found = await attachmentOf(inPieces(source), index);
  return found && Buffer.concat(await Array.fromAsync(found.content)).length;
};

const check = async (form: MailForm): Promise<void> => {
  const { source, from, subject, text, attachments, reply, notes = [] } = form;
  const head = readHead(source);
  const read = await readMail(inPieces(source));
  expect({ from: head.from, subject: head.subject, notes: read.notes }).toEqual({ from, subject, notes });
  expect(read.attachments.map(({ filename, size }) => ({ filename, size }))).toEqual(attachments);
  expect(head.internetMessageId === null).toBe(form.messageId === null);
  if (text === null) expect(read.text).toBeNull();
  else expect(read.text).toContain(text);
  if (reply !== undefined) expect(read.reply_text).toBe(reply);
  for (const [index, { size }] of attachments.entries()) expect(await sizeOf(source, index)).toBe(size);
};

test('the forms are five hundred different mails', () => {
  expect(new Set(mailForms.map(({ source }) => source.toString('latin1'))).size).toBe(mailForms.length);
  expect(mailForms.length).toBeGreaterThanOrEqual(500);
});

test('each form is read as its writer meant it', async () => {
  await checkCells(mailForms, ({ name }) => name, check);
});
