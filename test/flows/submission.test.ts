// Message submission, as programs use it: swaks and nodemailer hand messages in over TLS with a token as password, a
// receiver behind the daemon shows what left, and raw sockets try what no honest program does.
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { type ParsedMail, simpleParser } from 'mailparser';
import { createTransport } from 'nodemailer';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { contentOf } from '#test/fixtures/file-contents.ts';
import { appleMail, invitation, outlook, thunderbird } from '#test/fixtures/mail-programs.ts';
import { type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { createCertificate } from '#test/support/certificate.ts';
import { until } from '#test/support/process.ts';
import { createSmtpReceiver, type SmtpReceiver } from '#test/support/smtp-receiver.ts';
import { type SmtpTalk, talkTo } from '#test/support/smtp-talk.ts';
import { createTestClock } from '#test/support/storage.ts';
import { temporaryDirectory } from './fixture.ts';

const HOST = 'mail.example.com';
const NOBODY = 'nobody@example.org';
const certificate = createCertificate([HOST, '127.0.0.1']);
const files = new AsyncDisposableStack();

let app: TestApp;
let receiver: SmtpReceiver;
let sender: Sender;
let from: string;
let ca: string;
let port: number;
let implicitPort: number;

beforeAll(async () => {
  const directory = await temporaryDirectory(files);
  ca = path.join(directory, 'mail.crt');
  const key = path.join(directory, 'mail.key');
  writeFileSync(ca, certificate.certificate);
  writeFileSync(key, certificate.key);
  receiver = await createSmtpReceiver();
  app = await startApp({
    receiver,
    config: {
      smtp: {
        submission: { listen: '127.0.0.1:0', implicit_listen: '127.0.0.1:0', tls: { cert: ca, key } },
      },
      limits: { body_bytes: 2_000_000, managed_host_mails: 100_000 },
    },
  });
  port = app.submissionPorts.port ?? 0;
  implicitPort = app.submissionPorts.implicitPort ?? 0;
  sender = await app.createSender({ plan: 'gruppe' });
  from = sender.practice.default_from;
});

afterAll(async () => {
  await app.remove();
  await receiver.stop();
  await files.disposeAsync();
});

const plain = (token: string, user = 'praxis'): string =>
  `AUTH PLAIN ${Buffer.from(`\0${user}\0${token}`).toString('base64')}`;

/** Signed in on loopback, where that needs no TLS. */
const signedIn = async (token = sender.token): Promise<SmtpTalk> => {
  const talk = await talkTo(port);
  await talk.hello();
  expect(await talk.say(plain(token))).toMatch(/^235 2\.7\.0 /);
  return talk;
};

const dotted = (message: Buffer): Buffer =>
  Buffer.from(`${message.toString('latin1').replace(/^\./gm, '..')}\r\n.\r\n`, 'latin1');

/** The reply to the final dot. */
const submit = async (message: Buffer, recipients: readonly string[], token?: string): Promise<string> => {
  const talk = await signedIn(token);
  expect(await talk.say('MAIL FROM:<anybody@anywhere.example>')).toMatch(/^250 /);
  for (const recipient of recipients) expect(await talk.say(`RCPT TO:<${recipient}>`)).toMatch(/^250 /);
  expect(await talk.say('DATA')).toMatch(/^354 /);
  talk.write(dotted(message));
  const reply = await talk.reply();
  talk.end();
  return reply ?? '';
};

const idIn = (reply: string): string => /queued as ([0-9a-f-]{36})/.exec(reply)?.[1] ?? `no id in ${reply}`;

const letter = (fields: Readonly<Record<string, string>> = {}, text = 'Guten Tag\r\n'): Buffer => {
  const all = { From: from, To: 'erika@example.org', Subject: 'Ihr Termin', ...fields };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${head.join('')}\r\n${text}`, 'latin1');
};

const rows = (): number => app.rowCounts(sender.practice.id).messages ?? 0;

/** What left for that recipient, once it has. */
const arrived = async (recipient: string): Promise<Buffer> => {
  const find = () => receiver.messages.findLast(({ recipients }) => recipients[0]?.address === recipient);
  await until(`a message for ${recipient} has come`, async () => find() !== undefined);
  return find()?.content ?? Buffer.alloc(0);
};

describe('swaks', { tags: 'debian/swaks' }, () => {
  const swaks = async (...args: readonly string[]): Promise<string> => {
    const { stdout } = await promisify(execFile)('swaks', [
      ...[
        '--from',
        'me@anywhere.example',
        '--tls-verify',
        '--tls-ca-path',
        ca,
        '--helo',
        'client.example.net',
      ],
      ...['--auth-user', 'praxis', '--auth-password', sender.token, ...args],
    ]);
    return stdout;
  };

  test.each([
    ['STARTTLS and AUTH PLAIN', () => ['-tls', '--auth', 'PLAIN', '-s', `127.0.0.1:${port}`]],
    ['STARTTLS and AUTH LOGIN', () => ['-tls', '--auth', 'LOGIN', '-s', `127.0.0.1:${port}`]],
    ['implicit TLS and AUTH PLAIN', () => ['-tlsc', '--auth', 'PLAIN', '-s', `127.0.0.1:${implicitPort}`]],
  ])('submits by %s', async (name, options) => {
    const to = `${name.replaceAll(' ', '-').toLowerCase()}@example.org`;
    const said = await swaks(
      ...options(),
      ...['--to', to, '--h-From', from, '--h-Subject', 'Ihr Termin', '--body', 'Am Montag um 9:30 Uhr.'],
    );
    const id = idIn(said);
    const message = await app.untilStatus(sender, id, 'processed');
    expect(message).toMatchObject({ source: 'smtp', subject: 'Ihr Termin', to: [{ address: to }] });
    const mail = await simpleParser(await arrived(to));
    expect(mail).toMatchObject({ subject: 'Ihr Termin', from: { value: [{ address: from }] } });
    expect(mail.text).toContain('Am Montag um 9:30 Uhr.');
  });
});

describe('mail programs', () => {
  const contentIds = /cid:[^"]+/g;
  const shown = (mail: ParsedMail) => ({
    subject: mail.subject,
    from: mail.from?.value,
    to: Array.isArray(mail.to) ? null : mail.to?.value,
    cc: Array.isArray(mail.cc) ? null : mail.cc?.value,
    text: mail.text?.trim(),
    images: (mail.html || '').match(contentIds)?.length ?? 0,
    attachments: mail.attachments.map(({ filename, content, related }) => ({
      filename,
      content: content.toString('base64'),
      related: related === true,
    })),
  });

  test.each([
    ['Thunderbird', thunderbird, ['erika@example.org']],
    ['Outlook', outlook, ['anna@example.org', 'chef@example.org']],
    ['Apple Mail', appleMail, ['otto@example.org']],
  ])('%s: what arrives is what it sent', async (_, source, recipients) => {
    const sent = source(from);
    const id = idIn(await submit(sent, recipients));
    await app.untilStatus(sender, id, 'processed');
    const options = { skipImageLinks: true };
    const before = shown(await simpleParser(sent, options));
    for (const recipient of recipients) {
      const received = await arrived(recipient);
      const after = await simpleParser(received, options);
      expect(shown(after)).toEqual({
        ...before,
        // Only what the HTML shows is part of it; an id alone makes no image.
        attachments: before.attachments.map((one) => ({ ...one, related: one.filename?.endsWith('.png') })),
      });
      expect(after.messageId).toBe((await simpleParser(sent)).messageId);
      expect(received.toString('latin1')).not.toMatch(/^X-Service-/im);
      expect(received.toString('latin1')).not.toMatch(/[^\r]\n|\r[^\n]/);
    }
  });

  test('an invitation arrives with its bytes', async () => {
    const sent = invitation(from);
    await app.untilStatus(sender, idIn(await submit(sent, ['anna@example.org'])), 'processed');
    const before = await simpleParser(sent);
    const after = await simpleParser(await arrived('anna@example.org'));
    const calendar = (mail: ParsedMail) =>
      mail.attachments.find(({ filename }) => filename === 'invite.ics')?.content;
    expect(calendar(after)).toEqual(calendar(before));
  });

  test('fields of ours are kept with the message and do not leave', async () => {
    const id = idIn(await submit(thunderbird(from, 'felder@example.org'), ['felder@example.org']));
    expect(await app.message(sender, id)).toMatchObject({
      source: 'smtp',
      message_kind: 'termin',
      route: { slug: 'outgoing' },
      tag: 'termin',
      tags: ['termin', 'hamburg'],
      metadata: { 'Order-Id': '4711' },
      internet_message_id: '<2f1c9f4e-6b7f-4f43-9a58-3f6f0c1d2e3a@praxis.example>',
    });
  });
});

describe('nodemailer', () => {
  const transport = () =>
    createTransport({
      host: '127.0.0.1',
      port,
      requireTLS: true,
      tls: { ca: certificate.certificate, servername: HOST },
      auth: { user: 'praxis', pass: sender.token },
    });

  test('hidden recipients get their copy and stand in none', async () => {
    const { response } = await transport().sendMail({
      from: { name: 'Praxis Müller', address: from },
      to: ['Änne <aenne@example.org>', 'bert@example.org'],
      cc: 'carl@example.org',
      bcc: ['dora@example.org'],
      subject: 'Größe „XL“',
      text: 'Schöne Grüße',
      html: '<p>Schöne Grüße</p>',
      attachments: [{ filename: 'Röntgen.pdf', content: Buffer.from(contentOf('pdf')) }],
    });
    const id = idIn(response);
    const { recipients, bcc } = await app.untilStatus(sender, id, 'processed');
    expect(bcc).toEqual([{ address: 'dora@example.org', name: null }]);
    expect(recipients.map(({ address, field }) => `${field} ${address}`)).toEqual([
      'to aenne@example.org',
      'to bert@example.org',
      'cc carl@example.org',
      'bcc dora@example.org',
    ]);
    for (const { address } of recipients) {
      const mail = await simpleParser(await arrived(address));
      expect(mail.headers.has('bcc')).toBe(false);
      expect(mail).toMatchObject({
        subject: 'Größe „XL“',
        from: { value: [{ address: from, name: 'Praxis Müller' }] },
        to: { value: [{ address: 'aenne@example.org', name: 'Änne' }, { address: 'bert@example.org' }] },
        cc: { value: [{ address: 'carl@example.org' }] },
        attachments: [{ filename: 'Röntgen.pdf', content: Buffer.from(contentOf('pdf')) }],
      });
    }
  });

  test('who hands in a copy for each recipient keeps the whole To field', async () => {
    const mail = { from, to: ['eins@example.org', 'zwei@example.org'], subject: 'Beide', text: 'Guten Tag' };
    const raw = await createTransport({ streamTransport: true, buffer: true }).sendMail(mail);
    for (const recipient of mail.to)
      await transport().sendMail({ envelope: { from, to: [recipient] }, raw: raw.message as Buffer });
    for (const recipient of mail.to) {
      const { to, messageId } = await simpleParser(await arrived(recipient));
      expect(to).toMatchObject({ value: mail.to.map((address) => ({ address })) });
      expect(messageId).toBe(raw.messageId);
    }
    expect(
      receiver.messages.filter(({ recipients }) => recipients[0]?.address === 'eins@example.org'),
    ).toHaveLength(1);
  });
});

describe('signing in', () => {
  test('is offered over TLS and on this machine, with the extensions there are', async () => {
    const talk = await talkTo(port);
    await talk.reply();
    const offered = async () =>
      (await talk.say('EHLO client.example.net'))
        ?.split('\n')
        .slice(1)
        .map((line) => line.slice(4))
        .toSorted();
    expect(await offered()).toEqual([
      '8BITMIME',
      'AUTH PLAIN LOGIN',
      'ENHANCEDSTATUSCODES',
      'PIPELINING',
      'SIZE 2000000',
      'STARTTLS',
    ]);
    await talk.startTls(certificate.certificate);
    expect(await offered()).not.toContain('STARTTLS');
    expect(await talk.say(plain(sender.token))).toMatch(/^235 2\.7\.0 /);
    talk.end();
  });

  test.each([
    ['an unknown token', () => 'svc_team_0000000000000000000000000000000000000000000'],
    ['the admin token', () => app.adminToken],
    ['nothing', () => ''],
  ])('not with %s', async (_, password) => {
    const talk = await talkTo(port);
    await talk.hello();
    expect(await talk.say(plain(password()))).toMatch(/^535 5\.7\.8 unauthorized: /);
    expect(await talk.say(`MAIL FROM:<${from}>`)).toMatch(/^530 5\.7\.0 /);
    talk.end();
  });

  test('not from elsewhere, where the token is for certain addresses', async () => {
    const token = await app.createToken(sender.practice.id, { allowed_addresses: ['192.0.2.1'] });
    const talk = await talkTo(port);
    await talk.hello();
    expect(await talk.say(plain(token))).toMatch(/^535 5\.7\.8 /);
    talk.end();
  });

  test('a token that is revoked meanwhile ends the connection at the next message', async () => {
    const made = await app.request<{ id: string; token: string }>(
      'POST',
      `${sender.base}/api-tokens`,
      { name: 'short', scope: 'team' },
      app.adminToken,
    );
    const talk = await signedIn(made.body.token);
    await app.request('DELETE', `${sender.base}/api-tokens/${made.body.id}`, undefined, app.adminToken);
    expect(await talk.say(`MAIL FROM:<${from}>`)).toMatch(/^421 4\.7\.0 /);
    expect(await talk.rest()).toBe('');
  });

  test('a token of a project sends for its project', async () => {
    const project = await app.request<{ id: string }>(
      'POST',
      `${sender.base}/projects`,
      { name: 'Labor' },
      sender.token,
    );
    const token = await app.createToken(sender.practice.id, {
      scope: 'project',
      project_id: project.body.id,
    });
    const id = idIn(await submit(letter({ To: 'labor@example.org' }), ['labor@example.org'], token));
    expect(await app.message(sender, id)).toMatchObject({ project_id: project.body.id });
  });

  test('its use is noted', async () => {
    const { token, practice } = await app.createSender();
    (await signedIn(token)).end();
    await app.runJob('note when tokens were used');
    const used = app.sql<{ used: number }>(practice.id, 'SELECT count(last_used_at) AS used FROM api_tokens');
    expect(used).toEqual([{ used: 1 }]);
  });
});

describe('refusals', () => {
  test.each([
    ['a foreign From', { From: 'a@elsewhere.example' }, '550 5.7.1 from_not_allowed: '],
    ['two From addresses', { From: 'a@b.example, c@d.example' }, '554 5.6.0 invalid_request: '],
    [
      'marketing on the transactional route',
      { 'X-Service-Kind': 'newsletter' },
      '550 5.7.1 kind_not_allowed_on_route: ',
    ],
    ['an unknown route', { 'X-Service-Route': 'nowhere' }, '554 5.6.0 not_found: '],
    [
      'marketing without an Impressum',
      { 'X-Service-Route': 'broadcast', 'X-Service-Kind': 'newsletter' },
      '550 5.7.1 impressum_incomplete: ',
    ],
    ['a field of ours that does not exist', { 'X-Service-Tags': 'a' }, '554 5.6.0 header_not_allowed: '],
    [
      'an unknown project',
      { 'X-Service-Project': '0197aaaa-0000-7000-8000-000000000000' },
      '554 5.6.0 not_found: ',
    ],
    [
      'a signed message',
      { 'Content-Type': 'multipart/signed; boundary=x' },
      '554 5.6.1 unsupported_media_type: ',
    ],
  ])('%s', async (_, fields, said) => {
    const before = rows();
    const reply = await submit(letter({ ...fields }), [NOBODY]);
    expect(reply.slice(0, said.length)).toBe(said);
    expect(reply).toMatch(/^[\x20-\x7e]{20,510}$/);
    expect(rows()).toBe(before);
  });

  test('a foreign From is told which domain would do', async () => {
    const host = sender.practice.domain;
    expect(await submit(letter({ From: 'a@elsewhere.example' }), [NOBODY])).toBe(
      `550 5.7.1 from_not_allowed: This practice may not send from elsewhere.example. Use an address on ${host}, or leave the From address out.`,
    );
  });

  test('an attachment that is not allowed', async () => {
    const type = 'multipart/mixed; boundary=m';
    const text =
      '--m\r\n\r\nText\r\n--m\r\nContent-Type: application/x-msdownload\r\nContent-Disposition: attachment; filename=a.exe\r\n\r\nMZ\r\n--m--\r\n';
    const reply = await submit(letter({ 'Content-Type': type }, text), [NOBODY]);
    expect(reply).toMatch(/^550 5\.7\.1 attachment_rejected: The attachment "a\.exe" is rejected: /);
  });

  test('a paused practice, and one at its cap', async () => {
    const other = await app.createSender();
    const mail = (): Buffer => letter({ From: other.practice.default_from });
    app.sql(other.practice.id, "UPDATE practice SET paused_at = 1, pause_reason = 'Beschwerden'");
    expect(await submit(mail(), [NOBODY], other.token)).toMatch(/^550 5\.7\.1 tenant_paused: /);
    app.sql(other.practice.id, 'UPDATE practice SET paused_at = NULL');
    app.sql(
      other.practice.id,
      "INSERT OR REPLACE INTO monthly_usage (month, accepted) VALUES (strftime('%Y-%m', 'now'), 200)",
    );
    expect(await submit(mail(), [NOBODY], other.token)).toMatch(/^550 5\.7\.1 plan_cap_reached: /);
  });

  test('content that is blocked is kept as failed', async () => {
    const gtube = 'XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X\r\n';
    const before = rows();
    expect(await submit(letter({ Subject: 'Test' }, gtube), [NOBODY])).toMatch(
      /^550 5\.7\.1 content_blocked: /,
    );
    expect(rows()).toBe(before + 1);
  });

  test('a larger message than is told, before it is sent and after', async () => {
    const talk = await signedIn();
    expect(await talk.say(`MAIL FROM:<${from}> SIZE=2000001`)).toMatch(/^552 5\.3\.4 /);
    expect(await talk.say(`MAIL FROM:<${from}> SIZE=100`)).toMatch(/^250 /);
    await talk.say(`RCPT TO:<${NOBODY}>`);
    await talk.say('DATA');
    talk.write(dotted(letter({}, `${`${'x'.repeat(76)}\r\n`.repeat(27_000)}`)));
    expect(await talk.reply()).toMatch(/^552 5\.3\.4 /);
    expect(await talk.say('NOOP')).toMatch(/^250 /);
    talk.end();
  });

  test('the 51st recipient', async () => {
    const talk = await signedIn();
    await talk.say(`MAIL FROM:<${from}>`);
    for (let number = 1; number <= 50; number += 1)
      expect(await talk.say(`RCPT TO:<r${number}@example.org>`)).toMatch(/^250 /);
    expect(await talk.say('RCPT TO:<r51@example.org>')).toMatch(/^550 5\.5\.3 too_many_recipients: /);
    talk.end();
  });

  test.each([
    ['RCPT TO:<nobody>', /^501 5\.1\.3 /],
    ['RCPT TO:<a..b@example.org>', /^501 5\.1\.3 /],
    ['RCPT TO:<a@[192.0.2.1]>', /^550 5\.1\.3 invalid_recipient: /],
    ['RCPT TO:<a@localhost>', /^550 5\.1\.3 invalid_recipient: /],
    ['RCPT TO:<\xc3\xbc@example.org>', /^553 5\.6\.7 /],
    ['VRFY erika', /^252 /],
    ['EXPN staff', /^50\d /],
    ['BDAT 5 LAST', /^500 /],
    ['XCLIENT ADDR=192.0.2.1', /^500 /],
  ])('%s', async (command, said) => {
    const talk = await signedIn();
    await talk.say(`MAIL FROM:<${from}>`);
    talk.write(Buffer.from(`${command}\r\n`, 'latin1'));
    expect(await talk.reply()).toMatch(said);
    talk.end();
  });

  test.each([
    ['MAIL FROM:<>', /^550 5\.7\.1 /],
    ['MAIL FROM:<a@b.example> SMTPUTF8', /^555 5\.5\.4 /],
  ])('%s', async (command, said) => {
    const talk = await signedIn();
    expect(await talk.say(command)).toMatch(said);
    talk.end();
  });

  test('too many failed attempts to sign in end the connection; the right token still passes', async () => {
    const own = await startApp({
      clock: createTestClock(),
      config: {
        smtp: { submission: { listen: '127.0.0.1:0' } },
        limits: { sign_in_rate: { per_address: { per_minute: 3 } } },
      },
    });
    try {
      const { token } = await own.createSender();
      const talk = await talkTo(own.submissionPorts.port ?? 0);
      await talk.hello();
      for (let attempt = 1; attempt <= 3; attempt += 1)
        expect(await talk.say(plain('svc_team_wrong'))).toMatch(/^535 5\.7\.8 /);
      expect(await talk.say(plain('svc_team_wrong'))).toMatch(/^421 4\.7\.0 /);
      expect(await talk.rest()).toBe('');
      const again = await talkTo(own.submissionPorts.port ?? 0);
      await again.hello();
      expect(await again.say(plain(token))).toMatch(/^235 /);
      again.end();
    } finally {
      await own.remove();
    }
  });
});

describe('what suppressions keep back', () => {
  test('a message to nobody else is taken, and the reply says so', async () => {
    const target = 'abgemeldet@example.org';
    const answer = await app.request('POST', `${sender.base}/suppression`, { address: target }, sender.token);
    expect(answer.status).toBe(201);
    const reply = await submit(letter({ To: target }), [target]);
    expect(reply).toMatch(/^250 2\.0\.0 queued as .*recipient_suppressed/);
    expect(await app.message(sender, idIn(reply))).toMatchObject({ status: 'suppressed' });
    const both = await submit(letter({ To: `${target}, andere@example.org` }), [
      target,
      'andere@example.org',
    ]);
    expect(both).toMatch(/^250 2\.0\.0 queued as .*recipients_suppressed/);
  });
});

describe('a client that lost the answer', () => {
  test('sends the same bytes again: one message', async () => {
    const mail = letter({ 'Message-ID': '<lost@praxis.example>', To: 'einmal@example.org' });
    const [first, ...others] = await Promise.all(
      Array.from({ length: 10 }, () => submit(mail, ['einmal@example.org'])),
    );
    expect(new Set([first, ...others].map((reply) => idIn(reply ?? ''))).size).toBe(1);
    expect(idIn(first ?? '')).toMatch(/^[0-9a-f]/);
    await arrived('einmal@example.org');
    const copies = receiver.messages.filter(
      ({ recipients }) => recipients[0]?.address === 'einmal@example.org',
    );
    expect(copies).toHaveLength(1);
  });

  test('without a Message-ID each is one of its own', async () => {
    const mail = letter({ To: 'zweimal@example.org' });
    const ids = [
      await submit(mail, ['zweimal@example.org']),
      await submit(mail, ['zweimal@example.org']),
    ].map(idIn);
    expect(new Set(ids).size).toBe(2);
  });
});

describe('bytes that are no honest message', () => {
  const SMUGGLED =
    'MAIL FROM:<evil@example.org>\r\nRCPT TO:<smuggled@example.org>\r\nDATA\r\nSubject: smuggled\r\n\r\nx\r\n.\r\n';
  const endings = [
    '\n.\n',
    '\n.\r\n',
    '\r\n.\n',
    '\r.\r',
    '\r\n.\r',
    '\r\n\0.\r\n',
    '\r.\r\n',
    '\n\r\n.\r\n\n',
  ];

  test.each(endings.map((ending) => [JSON.stringify(ending), ending] as const))(
    'what follows %s is never a second message, wherever the segments are cut',
    async (_, ending) => {
      const head = letter({ Subject: 'Smuggling' }).toString('latin1');
      const bytes = Buffer.from(`${head}${ending}${SMUGGLED}\r\n.\r\nQUIT\r\n`, 'latin1');
      const before = rows();
      const at = head.length;
      for (let cut = at - 1; cut <= at + ending.length + 1; cut += 1) {
        const talk = await signedIn();
        await talk.envelope(from, NOBODY);
        await talk.writePieces([bytes.subarray(0, cut), bytes.subarray(cut)]);
        expect(await talk.rest()).toMatch(/^550 5\.(?:5\.2|6\.0) [^\r]+\r\n$/);
      }
      expect(rows()).toBe(before);
    },
  );

  test('dots are taken off once, and only where a line begins', async () => {
    const text = '.eins\r\n..zwei\r\nmitten . drin\r\n...\r\n';
    const id = idIn(await submit(letter({ To: 'punkte@example.org' }, text), ['punkte@example.org']));
    const { body } = await app.request<{ text: string }>(
      'GET',
      `${sender.base}/messages/${id}`,
      undefined,
      sender.token,
    );
    expect(body.text.trimEnd()).toBe(text.replaceAll('\r\n', '\n').trimEnd());
  });

  test('commands with a bare line feed, and what comes before its turn, end the connection', async () => {
    const bare = await signedIn();
    bare.write(`MAIL FROM:<${from}>\nRCPT TO:<${NOBODY}>\r\n`);
    expect(await bare.rest()).toMatch(/^550 5\.5\.2 bare <LF> received\r\n$/);
    const early = await signedIn();
    early.write(`MAIL FROM:<${from}>\r\nRCPT TO:<${NOBODY}>\r\nDATA\r\nSubject: x\r\n\r\nx\r\n.\r\n`);
    expect(await early.rest()).toMatch(/554 5\.5\.0 /);
  });

  test('pipelined commands are answered in order', async () => {
    const talk = await signedIn();
    talk.write(`MAIL FROM:<${from}>\r\nRCPT TO:<a@example.org>\r\nRCPT TO:<b@example.org>\r\nDATA\r\n`);
    for (const code of ['250 2.1.0', '250 2.1.5', '250 2.1.5', '354'])
      expect(await talk.reply()).toContain(code);
    talk.write(Buffer.concat([dotted(letter()), Buffer.from('NOOP\r\nQUIT\r\n')]));
    expect(await talk.reply()).toMatch(/^250 2\.0\.0 queued as /);
    expect(await talk.reply()).toMatch(/^250 /);
    expect(await talk.reply()).toMatch(/^221 /);
  });

  test('what is sent in clear behind STARTTLS is never answered under TLS', async () => {
    const talk = await talkTo(port);
    await talk.hello();
    talk.write(`STARTTLS\r\n${plain(sender.token)}\r\nMAIL FROM:<${from}>\r\n`);
    expect(await talk.reply()).toMatch(/^220 /);
    talk.end();
    const honest = await talkTo(port);
    await honest.hello();
    expect(await honest.say(plain(sender.token))).toMatch(/^235 /);
    await honest.startTls(certificate.certificate);
    expect(await honest.say(`MAIL FROM:<${from}>`)).toMatch(/^503 /);
    await honest.say('EHLO client.example.net');
    expect(await honest.say(`MAIL FROM:<${from}>`)).toMatch(/^530 5\.7\.0 /);
    honest.end();
  });

  test.each([
    ['a line without an end', Buffer.alloc(20_000, 'A')],
    ['thousands of empty lines', Buffer.from('\r\n'.repeat(5_000))],
    ['noise', Buffer.from('\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 'latin1')],
  ])('%s ends the connection', async (_, bytes) => {
    const talk = await signedIn();
    talk.write(bytes);
    expect(await talk.rest()).toMatch(/^[\s\S]*(?:421|5\d\d) [45]\.\d\.\d [^\r]+\r\n$/);
  });
});

describe('around it', () => {
  test('meta and health tell of it', async () => {
    const { body: meta } = await app.request('GET', '/api/meta', undefined, sender.token);
    expect(meta).toMatchObject({
      features: { submission: true },
      submission: { host: 'mail.example.com', port: expect.any(Number) },
      simulator_host: 'simulator.mail.example.com',
    });
    const { body: health } = await app.request('GET', '/api/admin/health', undefined, app.adminToken);
    expect(health).toMatchObject({ submission: { listening: true, connections: expect.any(Number) } });
  });

  test('at a stop, a message under way is taken to its end, and nobody new is let in', async () => {
    const own = await startApp({ config: { smtp: { submission: { listen: '127.0.0.1:0' } } } });
    const at = own.submissionPorts.port ?? 0;
    const { token, practice } = await own.createSender();
    const [busy, idle] = [await talkTo(at), await talkTo(at)];
    await busy.hello();
    await idle.hello();
    expect(await busy.say(plain(token))).toMatch(/^235 /);
    await busy.envelope(practice.default_from, NOBODY);
    const mail = dotted(letter({ From: practice.default_from }));
    busy.write(mail.subarray(0, 40));
    const stopped = own.stop();
    expect(await idle.rest()).toMatch(/^421 4\.3\.2 /);
    await expect(talkTo(at)).rejects.toThrow(/ECONNREFUSED/);
    busy.write(mail.subarray(40));
    expect(await busy.reply()).toMatch(/^250 2\.0\.0 queued as /);
    await stopped;
    expect(own.rowCounts(practice.id).messages).toBe(1);
    await own.remove();
  });
});
