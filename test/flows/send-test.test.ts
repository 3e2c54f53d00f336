// POST …/send-test: a sample to an address of one's own, and mails to the simulator.
import { simpleParser } from 'mailparser';
import { afterEach, describe, expect, test } from 'vitest';
import { type AppOptions, type List, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { until } from '#test/support/process.ts';
import { createSmtpReceiver, type SmtpReceiver } from '#test/support/smtp-receiver.ts';
import { talkTo } from '#test/support/smtp-talk.ts';

const endings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

const started = async (options: AppOptions = {}): Promise<TestApp> => {
  const app = await startApp(options);
  endings.push(() => app.remove());
  return app;
};
const receiving = async (): Promise<SmtpReceiver> => {
  const receiver = await createSmtpReceiver();
  endings.push(() => receiver.stop());
  return receiver;
};
const sendTest = (app: TestApp, { base, token }: Sender, body: object, language?: string) =>
  app.request<{ id: string; status: string; hint?: string; code?: string }>(
    'POST',
    `${base}/send-test`,
    body,
    token,
    language === undefined ? {} : { 'Accept-Language': language },
  );

describe('a sample message', () => {
  test.each([
    { language: 'de-DE', subject: 'Beispielnachricht von Praxis am Markt', words: 'Freundliche Grüße' },
    { language: 'en', subject: 'Sample message from Praxis am Markt', words: 'Kind regards' },
  ])('arrives in the language asked for: $language', async ({ language, subject, words }) => {
    const receiver = await receiving();
    const app = await started({ receiver });
    const sender = await app.createSender();
    const answer = await sendTest(
      app,
      sender,
      { kind: 'quality', to: 'Erika <erika@example.org>' },
      language,
    );
    expect(answer.status).toBe(202);
    expect(answer.body).toEqual({ id: expect.any(String), message_id: answer.body.id, status: 'queued' });
    await receiver.waitFor(1);
    const mail = await simpleParser(receiver.messages[0]?.content ?? '');
    expect(mail.subject).toBe(subject);
    expect([mail.to].flat()[0]?.text).toContain('erika@example.org');
    for (const part of [mail.text, mail.html]) {
      expect(part).toContain(words);
      expect(part).toContain('Ä, Ö, Ü, ä, ö, ü, ß');
    }
    const message = await app.message(sender, answer.body.id);
    expect(message).toMatchObject({
      message_kind: 'quality',
      tags: ['send-test'],
      route: { slug: 'outgoing' },
    });
  });

  test('needs an address', async () => {
    const app = await started();
    const sender = await app.createSender();
    const missing = await sendTest(app, sender, { kind: 'quality' });
    expect(missing.body).toMatchObject({ code: 'invalid_request', fields: [{ path: 'body.to' }] });
    const wrong = await sendTest(app, sender, { kind: 'quality', to: 'erika' });
    expect(wrong.body).toMatchObject({ code: 'invalid_recipient', recipients: ['erika'] });
    const unknown = await sendTest(app, sender, { kind: 'hard' });
    expect(unknown.body).toMatchObject({ code: 'invalid_request', fields: [{ path: 'body.kind' }] });
  });

  test('goes to no one outside the allowlist in safe mode; the simulator is always allowed', async () => {
    const app = await started({ config: { safe_mode: { default: true, allowlist: ['@example.net'] } } });
    const sender = await app.createSender();
    const outside = await sendTest(app, sender, { kind: 'quality', to: 'erika@example.org' });
    expect(outside.body).toMatchObject({ code: 'safe_mode_recipient', recipients: ['erika@example.org'] });
    expect((await sendTest(app, sender, { kind: 'quality', to: 'a@example.net' })).status).toBe(202);
    expect((await sendTest(app, sender, { kind: 'bounce' })).status).toBe(202);
  });
});

describe('a mail to the simulator', () => {
  test.each([
    ['success', 'delivered'],
    ['bounce', 'hard_bounced'],
    ['complaint', 'spam_complaint'],
    ['ooto', 'auto_replied'],
  ] as const)('comes back on a fresh install: %s as %s', async (kind, status) => {
    const app = await started();
    const sender = await app.createSender();
    const answer = await sendTest(app, sender, { kind, to: 'ignored@example.org' });
    expect(answer.status).toBe(202);
    const message = await app.untilStatus(sender, answer.body.id, status);
    expect(message).toMatchObject({ message_kind: 'test' });
    expect(message.recipients.map(({ address }) => address)).toEqual([`${kind}@simulator.mail.example.com`]);
  });
});

describe('what is written to postmaster', () => {
  const LETTER = [
    'From: Eve <eve@example.net>',
    'Subject: =?UTF-8?Q?Sie_schicken_M=C3=BCll?=',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    'Bitte h=C3=B6ren Sie auf.',
    '',
  ].join('\r\n');
  const bring = async (app: TestApp, to: string, letter = LETTER): Promise<string | null> => {
    const one = await talkTo(app.inboundPort ?? 0);
    try {
      await one.hello();
      await one.envelope('eve@example.net', to);
      one.write(`${letter}.\r\n`);
      return await one.reply();
    } finally {
      one.end();
    }
  };

  test('goes to the address that the operator has named, once however often it is brought', async () => {
    const receiver = await receiving();
    const inbound = { listen: '127.0.0.1:0', postmaster: 'operator@example.org' };
    const app = await started({ receiver, config: { smtp: { inbound } } });
    expect(await bring(app, 'postmaster')).toMatch('250 2.0.0');
    expect(await bring(app, 'postmaster')).toMatch('250 2.0.0');
    expect(await bring(app, 'abuse@mail.example.com')).toMatch('250 2.0.0');
    await receiver.waitFor(2);
    const mails = await Promise.all(receiver.messages.map(({ content }) => simpleParser(content)));
    expect(mails.map(({ subject }) => subject).toSorted()).toEqual([
      '[abuse@mail.example.com] Sie schicken Müll',
      '[postmaster] Sie schicken Müll',
    ]);
    expect(mails[0]?.text).toContain('Bitte hören Sie auf.');
    expect(mails[0]?.text).toContain('MAIL FROM: <eve@example.net> [127.0.0.1]');
    expect(mails[0]?.headers.get('auto-submitted')).toBe('auto-forwarded');
    expect(mails[0]?.replyTo?.text).toBe('eve@example.net');
    expect(receiver.messages[0]?.recipients.map(({ address }) => address)).toEqual(['operator@example.org']);
  });

  test('is read as text, however deep its HTML is nested', async () => {
    const receiver = await receiving();
    const inbound = { listen: '127.0.0.1:0', postmaster: 'operator@example.org' };
    const app = await started({ receiver, config: { smtp: { inbound } } });
    const head = 'From: Eve <eve@example.net>\r\nSubject: Tief\r\nContent-Type: text/html\r\n\r\n';
    const deep = `${'<ul><li>\r\n'.repeat(4_000)}Bitte melden`;
    expect(await bring(app, 'postmaster', `${head}${deep}\r\n`)).toMatch('250 2.0.0');
    await receiver.waitFor(1);
    const [mail] = await Promise.all(receiver.messages.map(({ content }) => simpleParser(content)));
    expect(mail?.text).toContain('Bitte melden');
  });

  test('is kept where the operator can read it if none is named', async () => {
    const app = await started({ config: { smtp: { inbound: { listen: '127.0.0.1:0' } } } });
    expect(await bring(app, 'postmaster@simulator.mail.example.com')).toMatch('250 2.0.0');
    const [system] = app.sql<{ id: string }>(null, "SELECT id FROM tenants WHERE purpose = 'system'");
    const base = `/api/practices/${system?.id}/captures`;
    const list = await app.request<List<{ id: string; recipient: string; return_path: string }>>(
      'GET',
      base,
      undefined,
      app.adminToken,
    );
    expect(list.body.data).toMatchObject([
      { recipient: 'postmaster@simulator.mail.example.com', return_path: 'eve@example.net' },
    ]);
    const source = await app.request('GET', `${base}/${list.body.data[0]?.id}`, undefined, app.adminToken);
    expect(source.text).toContain('Return-Path: <eve@example.net>\r\nReceived: from client.example.net');
    expect(source.text).toContain(LETTER);
  });

  test('comes in such numbers only as somebody can read', async () => {
    const app = await started({ config: { smtp: { inbound: { listen: '127.0.0.1:0' } } } });
    let replies = 0;
    await until('it is too much', async () => {
      replies += 1;
      return (await bring(app, 'abuse@mail.example.com'))?.startsWith('450 4.7.1') ?? false;
    });
    expect(replies).toBeGreaterThan(5);
    expect(replies).toBeLessThan(30);
  });
});
