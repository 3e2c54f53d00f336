// The forms of real mails, and one of 25 MB, delivered by SMTP to a mailbox of the running daemon: each is stored byte for byte
// behind our trace fields, and the API shows it as its writer meant it.
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import type { inboundMessageSchema } from '#src/inbound/mailbox/schema.ts';
import { mailForms } from '#test/fixtures/mail-forms/forms.ts';
import type { MailForm } from '#test/fixtures/mail-forms/samples.ts';
import { PATIENCE_MS, untilTestEnds } from '#test/flows/fixture.ts';
import { startApp } from '#test/support/app.ts';
import { checkCells } from '#test/support/cells.ts';
import { talkTo } from '#test/support/smtp-talk.ts';

type Shown = z.infer<typeof inboundMessageSchema>;

const CRLF = Buffer.from('\r\n');
/** DATA ends every mail with a line end. */
const asSent = ({ source }: MailForm): Buffer =>
  source.subarray(-2).equals(CRLF) ? source : Buffer.concat([source, CRLF]);
const onTheWire = (source: Buffer): Buffer =>
  Buffer.from(`${source.toString('latin1').replace(/^\./gm, '..')}.\r\n`, 'latin1');

const FILE = randomBytes(18_000_000);
const huge: MailForm = {
  name: 'a mail of 25 MB',
  source: Buffer.from(
    [
      'From: Anna <anna@example.org>',
      'Message-ID: <huge@example.org>',
      'Subject: 25 MB',
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      '',
      'Anbei.',
      '--b',
      'Content-Type: application/zip; name=film.zip',
      'Content-Transfer-Encoding: base64',
      '',
      FILE.toString('base64').replace(/.{76}/g, '$&\r\n'),
      '--b--',
      '',
    ].join('\r\n'),
  ),
  from: { address: 'anna@example.org', name: 'Anna' },
  subject: '25 MB',
  text: 'Anbei.',
  attachments: [{ filename: 'film.zip', size: FILE.length }],
};

test('each form comes into the mailbox, is shown, and is read back byte for byte', {
  timeout: PATIENCE_MS,
}, async () => {
  const started = untilTestEnds();
  const daemon = await startApp({ config: { smtp: { inbound: { listen: '127.0.0.1:0' } } } });
  started.defer(daemon.remove);
  const { id: practice, default_from } = await daemon.createPractice();
  const token = await daemon.createToken(practice);
  const mailbox = `/api/practices/${practice}/inbound`;
  await daemon.request('POST', `${mailbox}/enable`, {}, token);
  await daemon.request('PATCH', mailbox, { dmarc_action: 'accept' }, token);
  const bytesOf = async (path: string): Promise<Buffer> => {
    const answer = await fetch(`${daemon.origin}${mailbox}/messages/${path}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(answer.status).toBe(200);
    return Buffer.from(await answer.arrayBuffer());
  };

  // A NUL ends the connection.
  const forms = [huge, ...mailForms.filter(({ source }) => !source.includes(0))];
  const client = await talkTo(daemon.inboundPort ?? 0);
  await client.hello();
  for (const form of forms) {
    await client.envelope('anna@example.org', `info@in.${default_from.split('@')[1]}`);
    client.write(onTheWire(asSent(form)));
    expect([form.name, await client.reply()]).toEqual([form.name, expect.stringMatching(/^250/)]);
  }
  client.end();

  const ids: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const path: string = `${mailbox}/messages?limit=100${cursor}`;
    const { body } = await daemon.request<{ data: readonly Shown[]; next_cursor: string | null }>(
      'GET',
      path,
      undefined,
      token,
    );
    ids.unshift(...body.data.map(({ id }) => id).reverse());
    cursor = body.next_cursor === null ? null : `&cursor=${body.next_cursor}`;
  }
  expect(ids).toHaveLength(forms.length);

  await checkCells(
    forms.map((form, index) => ({ form, id: ids[index] ?? '' })),
    ({ form }) => form.name,
    async ({ form, id }) => {
      const raw = await bytesOf(`${id}/raw`);
      const original = asSent(form);
      expect(raw.subarray(-original.length).equals(original)).toBe(true);
      expect(raw.subarray(0, -original.length).toString()).toMatch(
        /^Return-Path: <anna@example\.org>\r\n(?:.*\r\n)*Received: /,
      );
      const { body } = await daemon.request<Shown>('GET', `${mailbox}/messages/${id}`, undefined, token);
      const from = form.from && { name: null, ...form.from };
      expect([body.subject, body.from, body.notes]).toEqual([form.subject, from, form.notes ?? []]);
      expect(body.attachments?.map(({ filename }) => filename)).toEqual(
        form.attachments.map(({ filename }) => filename),
      );
      if (form.text !== null) expect(body.text).toContain(form.text);
      // Each takes the whole mail apart once more.
      if (form === huge) return;
      for (const [index, { size }] of form.attachments.slice(0, 2).entries())
        expect([0, 2]).toContain((await bytesOf(`${id}/attachments/${index}`)).length - size);
    },
  );
  expect((await bytesOf(`${ids[0]}/attachments/0`)).equals(FILE)).toBe(true);
});
