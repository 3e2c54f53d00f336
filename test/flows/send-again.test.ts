// Sending a message again: what is stored of it leaves once more, as a new message that passes all that a new one does.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { contentOf } from '#test/fixtures/file-contents.ts';
import { type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { asking, refused } from '#test/support/asking.ts';
import { join, mailsTo, systemTenant } from '#test/support/people.ts';
import { freePort } from '#test/support/process.ts';
import { talkTo } from '#test/support/smtp-talk.ts';

let app: TestApp;
let sender: Sender;
let port: number;
beforeAll(async () => {
  port = await freePort();
  app = await startApp({
    config: {
      service: { public_origin: 'https://mail.example.com' },
      smtp: { submission: { listen: `127.0.0.1:${port}` } },
    },
  });
  sender = await app.createSender({ plan: 'gruppe' });
  await app.completeLegal(sender.practice.id);
});
afterAll(() => app?.remove());

const { call, list } = asking(() => ({ app, token: sender.token }));
type Accepted = { readonly id: string; readonly status: string; readonly code?: string };
const again = (id: string, body?: unknown, token?: string) =>
  call<Accepted & { code: never }>('POST', `${sender.base}/messages/${id}/send-again`, body, token);
const repeat = async (id: string, body?: unknown) => {
  const answer = await again(id, body);
  expect(answer.status).toBe(202);
  return answer.body.id;
};

/** What each recipient got, without what differs in every message. */
const copies = async (id: string): Promise<Record<string, string>> => {
  await app.untilStatus(sender, id, 'processed');
  const captures = await list(`${sender.base}/captures?message_id=${id}`);
  const sources = await Promise.all(
    captures.map(async ({ id: capture, recipient }) => {
      const { text } = await call('GET', `${sender.base}/captures/${capture}`);
      return [String(recipient), text.replace(/^DKIM-Signature:.*\r\n(?:[ \t].*\r\n)*/gm, '')] as const;
    }),
  );
  return Object.fromEntries(sources);
};
const alike = (source: string | undefined): string =>
  (source ?? '')
    .replace(/^(?:[A-Za-z0-9+/]{76}\r\n)+[A-Za-z0-9+/=]+$/gm, (base64) =>
      Buffer.from(base64, 'base64')
        .toString()
        .replace(/^DTSTAMP.*$/m, ''),
    )
    .replace(/(?<!=\?)=\r\n/g, '')
    .replace(/=_[0-9a-f]+/g, '=_')
    .replace(/^Date:.*\r\n/m, '')
    .replace(/^Message-ID:\s+<.*>\r\n/m, '')
    .replace(/([?]t=(?:3D)?|\/t\/c\/)[\w-]{36}/g, '$1');

test('the same recipients get the same, in a message that names the first one', async () => {
  const id = await app.send(sender, {
    to: ['Anna <anna@example.org>'],
    cc: 'ben@example.org',
    bcc: 'cara@example.org',
    reply_to: 'antwort@example.org',
    subject: 'Grüße im März',
    text: 'Grüße',
    html: '<p>Grüße <img src="cid:a"> <a href="https://example.org/x">x</a></p>',
    headers: { 'X-Praxis': '7' },
    tags: ['a', 'b'],
    metadata: { patient: '4711' },
    message_kind: 'termin',
    settings: { track_clicks: true },
    calendar: { summary: 'Vorsorge', starts_at: '2026-12-07T09:30:00', location: 'Am Markt 1' },
    attachments: [
      { filename: 'Plan.pdf', content: Buffer.from(contentOf('pdf')).toString('base64') },
      { filename: 'a.png', content: Buffer.from(contentOf('png')).toString('base64'), content_id: 'a' },
    ],
  });
  const first = await copies(id);
  const repeated = await repeat(id);
  const second = await copies(repeated);
  expect(Object.keys(second).toSorted()).toEqual(['anna@example.org', 'ben@example.org', 'cara@example.org']);
  for (const address of Object.keys(first)) expect(alike(second[address])).toBe(alike(first[address]));
  expect(second['anna@example.org']).not.toContain('cara@');
  const [one, two] = [await app.message(sender, id), await app.message(sender, repeated)];
  expect(two.metadata).toEqual({ patient: '4711', repeats_message_id: id });
  for (const field of ['tags', 'message_kind', 'route', 'attachments', 'headers', 'bcc'] as const)
    expect(two[field]).toEqual(one[field]);
  expect(two.calendar).toEqual({ ...one.calendar, uid: one.internet_message_id.slice(1, -1) });
  expect(two.internet_message_id).not.toBe(one.internet_message_id);
  expect((await app.message(sender, await repeat(repeated))).metadata).toMatchObject({
    repeats_message_id: repeated,
  });
});

test('others get it alone, and see no one of the first ones', async () => {
  const id = await app.send(sender, {
    to: 'anna@example.org',
    cc: 'ben@example.org',
    subject: 'Befund',
    text: 'Da.',
  });
  const sent = await copies(await repeat(id, { to: ['Doris <doris@example.org>'] }));
  expect(Object.keys(sent)).toEqual(['doris@example.org']);
  expect(sent['doris@example.org']).toContain('To: Doris <doris@example.org>');
  expect(sent['doris@example.org']).not.toMatch(/anna@|ben@/);
});

describe('by SMTP', () => {
  const submit = async (message: string, ...recipients: string[]): Promise<string> => {
    const talk = await talkTo(port);
    await talk.hello();
    await talk.say(`AUTH PLAIN ${Buffer.from(`\0praxis\0${sender.token}`).toString('base64')}`);
    await talk.say('MAIL FROM:<anybody@anywhere.example>');
    for (const recipient of recipients) await talk.say(`RCPT TO:<${recipient}>`);
    await talk.say('DATA');
    talk.write(`${message}\r\n.\r\n`);
    expect(await talk.reply()).toMatch(/^250/);
    talk.end();
    const { body } = await call<{ data: { id: string }[] }>(
      'GET',
      `${sender.base}/messages/search?q=${recipients[0]}`,
    );
    return body.data[0]?.id ?? '';
  };
  const head = (to: string, type: string) =>
    [
      `From: ${sender.practice.default_from}`,
      `To: ${to}`,
      'Subject: Plan',
      'MIME-Version: 1.0',
      `Content-Type: ${type}`,
      '',
    ].join('\r\n');

  test('a tree of parts leaves as it was written, also to who was not in its header', async () => {
    const parts = [
      head('Erika <erika@example.org>, fritz@example.org', 'multipart/mixed; boundary=b'),
      '--b\r\nContent-Type: text/plain\r\n\r\neins\r\n--b',
      `Content-Type: application/pdf; name="Plan.pdf"\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.from(contentOf('pdf')).toString('base64')}`,
      '--b\r\nContent-Type: text/plain\r\n\r\nzwei\r\n--b--',
    ];
    const id = await submit(parts.join('\r\n'), 'erika@example.org', 'geheim@example.org');
    const [first, second] = [await copies(id), await copies(await repeat(id))];
    expect(Object.keys(second).toSorted()).toEqual(['erika@example.org', 'geheim@example.org']);
    for (const address of Object.keys(first)) expect(alike(second[address])).toBe(alike(first[address]));
    expect(second['erika@example.org']).toContain('fritz@example.org');
    expect(second['erika@example.org']).not.toContain('geheim@');
  });

  test('what is signed in clear leaves octet for octet, with its files for the gates and for who downloads them', async () => {
    const signed = [
      '--s\r\nContent-Type: multipart/mixed; boundary=i\r\n',
      '--i\r\nContent-Type: text/plain\r\n\r\nunterschrieben\r\n--i',
      `Content-Type: application/pdf; name="Plan.pdf"\r\nContent-Disposition: attachment; filename="Plan.pdf"\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.from(contentOf('pdf')).toString('base64')}`,
      '--i--\r\n--s\r\nContent-Type: application/pgp-signature; name="signature.asc"\r\n',
      '-----BEGIN PGP SIGNATURE-----\r\n\r\niQEz\r\n-----END PGP SIGNATURE-----\r\n--s--',
    ].join('\r\n');
    const type = 'multipart/signed; boundary=s; micalg=pgp-sha256; protocol="application/pgp-signature"';
    const id = await submit(`${head('gerd@example.org', type)}\r\n${signed}`, 'gerd@example.org');
    const repeated = await repeat(id);
    const second = await copies(repeated);
    expect(second['gerd@example.org']).toContain(signed);
    const [one, two] = [await app.message(sender, id), await app.message(sender, repeated)];
    expect(two.attachments).toEqual(one.attachments);
    expect(one.attachments).toMatchObject([{ filename: 'Plan.pdf', size: contentOf('pdf').length }]);
    const file = await call('GET', `${sender.base}/messages/${repeated}/attachments/0`);
    expect(file.text).toBe(Buffer.from(contentOf('pdf')).toString());
  });
});

test('a suppressed recipient gets nothing', async () => {
  const id = await app.send(sender, {
    to: ['gesperrt@example.org', 'anna@example.org'],
    subject: 'x',
    text: 'x',
  });
  await app.untilStatus(sender, id, 'processed');
  await call('POST', `${sender.base}/suppression`, { address: 'gesperrt@example.org' });
  const answer = await again(id);
  expect(answer.body).toMatchObject({ code: 'recipients_suppressed', suppressed: ['gesperrt@example.org'] });
  expect(Object.keys(await copies(answer.body.id))).toEqual(['anna@example.org']);
});

test('one key sends it once, and answers the same', async () => {
  const id = await app.send(sender);
  const ask = (body?: unknown) =>
    app.request<Accepted>('POST', `${sender.base}/messages/${id}/send-again`, body, sender.token, {
      'Idempotency-Key': 'nochmal',
    });
  const [first, second, other] = [await ask(), await ask(), await ask({ to: 'doris@example.org' })];
  expect(second.body).toEqual(first.body);
  expect(second.headers.get('idempotent-replayed')).toBe('true');
  expect(other).toMatchObject({ status: 409, body: { code: 'idempotency_conflict' } });
});

describe('refused', () => {
  test('while it waits for its time, and once its content or its people are gone', async () => {
    const later = new Date(Date.now() + 3_600_000).toISOString();
    await refused('conflict', again(await app.send(sender, { scheduled_at: later })) as never);
    const id = await app.send(sender, { to: 'anna@example.org', subject: 'x', text: 'x' });
    await app.untilStatus(sender, id, 'processed');
    for (const removal of [
      'INSERT INTO removed_attachments SELECT seq FROM messages WHERE id = ?',
      'DELETE FROM message_bodies WHERE message_seq = (SELECT seq FROM messages WHERE id = ?)',
    ]) {
      app.sql(sender.practice.id, removal, id);
      const { status, body } = await again(id);
      expect({ ...body, status }).toMatchObject({
        status: 409,
        code: 'conflict',
        hint: 'Send a new message.',
      });
    }
  });

  test('marketing for who did not get it, but not for who did', async () => {
    const id = await app.send(sender, {
      to: 'Anna@example.org',
      subject: 'Neues',
      text: 'Neues',
      route: 'broadcast',
      message_kind: 'newsletter',
    });
    await refused('conflict', again(id, { to: ['anna@example.org', 'doris@example.org'] }) as never);
    expect((await again(id, { to: 'anna@EXAMPLE.org' })).status).toBe(202);
    expect((await again(id)).status).toBe(202);
  });

  test('a mail that confirms a subscription, which is proof only in its first mailbox', async () => {
    const id = await app.send(sender, { message_kind: 'doi' });
    await refused('conflict', again(id, { to: 'doris@example.org' }) as never);
    await refused('conflict', again(id) as never);
  });

  test('content for who may not see it, and all for who may not send', async () => {
    const id = await app.send(sender, { to: 'anna@example.org', subject: 'x', text: 'x' });
    const viewer = await join(app, sender.practice.id, 'viewer@example.org', { role_id: 'viewer' });
    await refused('forbidden', again(id, undefined, viewer.token) as never);
    const token = await app.createToken(sender.practice.id, {
      scope: 'project',
      project_id: (await app.message(sender, id)).project_id,
    });
    expect((await again(id, undefined, token)).status).toBe(202);
    const { status, body } = await again(id, { to: 'doris@example.org' }, token);
    expect({ ...body, status }).toMatchObject({ status: 403, permission: 'messages.view_content' });
  });

  test("the service's own mails", async () => {
    const base = `/api/practices/${systemTenant(app)}/messages`;
    await mailsTo(app, 'viewer@example.org');
    const { body } = await call<{ data: { id: string }[] }>(
      'GET',
      `${base}/search?q=viewer@example.org`,
      undefined,
      app.adminToken,
    );
    const path = `${base}/${body.data[0]?.id}/send-again`;
    await refused('conflict', call('POST', path, { to: 'boese@example.org' }, app.adminToken));
  });
});
