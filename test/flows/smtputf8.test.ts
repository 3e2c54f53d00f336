// Addresses with letters beyond ASCII before the @ (RFC 6531): where every upstream of a practice offers SMTPUTF8, lists, imports and
// sends take them, and mail goes out to them, signed; where one does not, each of these says so before anything is stored.
import { Resolver } from 'node:dns/promises';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { simpleParser } from 'mailparser';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Refusal, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import type { ConfigFile } from '#test/support/daemon.ts';
import { importFile } from '#test/support/imports.ts';
import { startPostfix } from '#test/support/postfix.ts';
import { createSmtpReceiver, type SmtpReceiver } from '#test/support/smtp-receiver.ts';

/** In UTF-8, à and Å end in octets that some programs take for white space. */
const ADDRESSES = ['müller@example.org', 'grà.Å@example.org', '用户@例え.jp'] as const;
const config = {
  service: { public_origin: 'https://mail.example.com' },
  dns: { authoritative: { listen: '127.0.0.1:0' } },
};
/** The receiver keeps commands as octets. */
const octets = (text: string): string => Buffer.from(text).toString('latin1');
const inAscii = (address: string): string => address.replace('例え.jp', 'xn--r8jz45g.jp').normalize('NFC');

interface Scene {
  readonly app: TestApp;
  readonly sender: Sender;
  readonly receiver: SmtpReceiver;
  readonly listId: string;
  /** What its form names the list by. */
  readonly formToken: string;
  readonly ask: <Body = Refusal>(
    method: string,
    path: string,
    body?: object,
  ) => Promise<{ readonly status: number; readonly body: Body; readonly text: string }>;
  readonly end: () => Promise<void>;
}

const start = async (receiver: SmtpReceiver, upstream: ConfigFile = {}): Promise<Scene> => {
  const app = await startApp({ receiver, config, upstream });
  const sender = await app.createSender({ plan: 'gruppe' });
  await app.completeLegal(sender.practice.id);
  const ask: Scene['ask'] = (method, path, body) =>
    app.request(method, sender.base + path, body, sender.token);
  const { body } = await ask<{ id: string; form_url: string }>('POST', '/lists', { name: 'Praxisbrief' });
  const formToken = new URL(body.form_url).searchParams.get('l') ?? '';
  const end = async (): Promise<void> => {
    await app.remove();
    await receiver.stop();
  };
  return { app, sender, receiver, listId: body.id, formToken, ask, end };
};

const signaturesOf = async ({ app }: Scene, content: Buffer): Promise<string[]> => {
  const resolver = new Resolver();
  resolver.setServers([`127.0.0.1:${app.dnsPort}`]);
  const { results } = await dkimVerify(content, {
    resolver: (name, type) => resolver.resolve(name, type) as never,
  });
  return results.map(({ status }) => status.result);
};
const consent = { evidence: 'Anmeldebogen' };
const FILE = `E-Mail;Name\nanna@example.org;Anna\n${ADDRESSES[0]};Frau Müller\n`;
const assertion = 'status=active&evidence=Anmeldebogen';

describe('an upstream that offers SMTPUTF8', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await start(
      await createSmtpReceiver({ extensions: ['8BITMIME', 'SMTPUTF8', 'DSN', 'PIPELINING'] }),
    );
  });
  afterAll(() => scene?.end());

  test.each(ADDRESSES)('gets mail to %s, whose header and signatures hold', async (address) => {
    const { app, sender, receiver } = scene;
    const id = await app.send(sender, { to: `Größe <${address}>`, cc: 'anna@example.org' });
    const message = await app.untilStatus(sender, id, 'processed');
    expect(message.recipients.map(({ status }) => status)).toEqual(['processed', 'processed']);
    const own = receiver.messages.filter(({ content }) => content.includes(address.split('@')[0] ?? ''));
    expect(own.map(({ recipients }) => recipients[0]?.address).toSorted()).toEqual(
      [octets(inAscii(address)), 'anna@example.org'].toSorted(),
    );
    for (const { mailParameters, recipients, content } of own) {
      expect(mailParameters).toEqual(expect.arrayContaining(['BODY=8BITMIME', 'SMTPUTF8']));
      if (recipients[0]?.address !== 'anna@example.org')
        expect(recipients[0]?.parameters.join()).toMatch(/ORCPT=utf-8;.*\\x\{[0-9A-F]+\}/);
      const head = content.subarray(0, content.indexOf('\r\n\r\n')).toString();
      expect(head).toContain(`<${inAscii(address)}>`);
      expect(head).toMatch(/^To: =\?UTF-8\?/m);
      expect(await signaturesOf(scene, content)).toEqual(['pass', 'pass']);
    }
    const { to } = await simpleParser(own[0]?.content ?? '');
    expect(JSON.stringify(to)).toContain(address.normalize('NFC'));
  });

  test('takes them on a list, in an import and by its form, and a campaign reaches them', async () => {
    const { app, sender, listId, ask } = scene;
    const added = await ask('POST', `/lists/${listId}/subscribers`, {
      address: ADDRESSES[1],
      status: 'active',
      consent,
    });
    expect(added.status, added.text).toBe(201);
    const imported = await importFile(app, sender, `/lists/${listId}/subscribers/import?${assertion}`, FILE);
    expect(imported.record?.counts).toMatchObject({ added: 2, failed: 0 });
    const form = await app.request('POST', '/api/public/subscribe', {
      list: scene.formToken,
      email: 'größe@example.org',
    });
    expect(form.status, form.text).toBe(202);
    const validated = await ask<{ results: { reasons: string[] }[] }>('POST', '/validate-emails', {
      emails: [ADDRESSES[0]],
    });
    expect(validated.body.results[0]?.reasons).not.toContain('smtputf8');
    const { body: campaign } = await ask<{ id: string }>('POST', '/campaigns', {
      list_id: listId,
      subject: 'Neues',
      text: 'Guten Tag',
    });
    const { body: audience } = await ask<{ will_receive: number }>(
      'GET',
      `/campaigns/${campaign.id}/audience`,
    );
    expect(audience.will_receive).toBe(3);
    expect((await ask('POST', `/campaigns/${campaign.id}/send`)).status).toBe(200);
    await scene.receiver.waitFor(scene.receiver.messages.length + 3);
  });

  test('but From and Reply-To stay ASCII, for everyone gets them', async () => {
    const { ask } = scene;
    const letter = { to: 'anna@example.org', subject: 'Ihr Termin', text: 'Am Montag um 9:30 Uhr.' };
    const refused = await ask('POST', '/send', { ...letter, reply_to: ADDRESSES[0] });
    expect(refused.body).toMatchObject({ code: 'invalid_recipient', recipients: [ADDRESSES[0]] });
  });
});

describe('an upstream that does not offer SMTPUTF8', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await start(await createSmtpReceiver({ extensions: ['8BITMIME'] }));
  });
  afterAll(() => scene?.end());
  const said = /letters beyond ASCII before its @.*SMTPUTF8/;

  test('is asked by the first import, which leaves out the line and says why', async () => {
    const { app, sender, listId, receiver } = scene;
    expect(receiver.messages).toHaveLength(0);
    const preview = await app.request<{ reasons: object[] }>(
      'POST',
      `${sender.base}/lists/${listId}/subscribers/import/preview?status=active`,
      Buffer.from(FILE),
      sender.token,
      { 'Content-Type': 'text/csv' },
    );
    expect(preview.body.reasons).toMatchObject([
      { state: 'failed', reason: expect.stringMatching(said), count: 1 },
    ]);
    const { record, report } = await importFile(
      app,
      sender,
      `/lists/${listId}/subscribers/import?${assertion}`,
      FILE,
    );
    expect(record?.counts).toMatchObject({ added: 1, failed: 1 });
    expect(report).toMatchObject([{ line: 3, address: ADDRESSES[0], reason: expect.stringMatching(said) }]);
  });

  test('is refused by a list, a form, a check of addresses and a send alike', async () => {
    const { app, listId, ask } = scene;
    const added = await ask('POST', `/lists/${listId}/subscribers`, {
      address: ADDRESSES[0],
      status: 'active',
      consent,
    });
    expect(added).toMatchObject({
      status: 422,
      body: { code: 'invalid_recipient', error: expect.stringMatching(said) },
    });
    const form = await app.request('POST', '/api/public/subscribe', {
      list: scene.formToken,
      email: ADDRESSES[0],
    });
    expect(form.status).toBe(400);
    const { body } = await ask<{ results: object[] }>('POST', '/validate-emails', { emails: [ADDRESSES[0]] });
    expect(body.results).toMatchObject([
      { verdict: 'undeliverable', reasons: expect.arrayContaining(['smtputf8']) },
    ]);
    const sent = await ask('POST', '/send', { to: ADDRESSES[0], subject: 'Ihr Termin', text: 'Am Montag.' });
    expect(sent.body).toMatchObject({ code: 'invalid_recipient', hint: expect.stringContaining('SMTPUTF8') });
  });

  test('leaves out of a campaign who came when it was offered, and the audience says so', async () => {
    const { app, sender, listId, ask } = scene;
    app.sql(
      sender.practice.id,
      'UPDATE subscribers SET address = ? WHERE address = ?',
      ADDRESSES[0],
      'anna@example.org',
    );
    const fields = { list_id: listId, subject: 'Neues', text: 'Guten Tag' };
    const { body: campaign } = await ask<{ id: string }>('POST', '/campaigns', fields);
    const audience = await ask('GET', `/campaigns/${campaign.id}/audience`);
    expect(audience.body).toMatchObject({ will_receive: 0, left_out: { 'refused:invalid_recipient': 1 } });
    const refused = await ask('POST', `/campaigns/${campaign.id}/send`);
    expect(refused.body).toMatchObject({ code: 'no_recipients', error: expect.stringContaining('SMTPUTF8') });
  });

  test('that was never reached: the first mail is accepted, fails with 5.6.7, and says why', async () => {
    const fresh = await start(await createSmtpReceiver({ extensions: ['8BITMIME'] }));
    onTestFinished(() => fresh.end());
    const { app, sender, receiver } = fresh;
    const id = await app.send(sender, { to: ADDRESSES[0] });
    const message = await app.untilStatus(sender, id, 'soft_bounced');
    expect(message.recipients[0]).toMatchObject({
      smtp_code: 553,
      enhanced_code: '5.6.7',
      diagnostic: expect.stringContaining('does not offer SMTPUTF8'),
    });
    expect(receiver.messages).toHaveLength(0);
    const again = await fresh.ask('POST', '/send', { to: ADDRESSES[0], subject: 'A', text: 'B' });
    expect(again.body.code).toBe('invalid_recipient');
  });
});

test('through a Postfix to a mailbox the address and the signatures hold', {
  tags: 'debian/postfix',
}, async () => {
  const receiver = await createSmtpReceiver({ extensions: ['8BITMIME', 'SMTPUTF8', 'PIPELINING'] });
  const postfix = await startPostfix({ relayTo: receiver.port });
  const scene = await start(receiver, { port: postfix.smtpPort, delivered_on: 'accept' });
  onTestFinished(async () => {
    await scene.end();
    await postfix.stop();
  });
  const { app, sender } = scene;
  for (const to of ADDRESSES) await app.send(sender, { to });
  await receiver.waitFor(ADDRESSES.length);
  expect(receiver.messages.map(({ recipients }) => recipients[0]?.address).toSorted()).toEqual(
    ADDRESSES.map((address) => octets(inAscii(address))).toSorted(),
  );
  for (const { content, mailParameters } of receiver.messages) {
    expect(mailParameters).toContain('SMTPUTF8');
    expect(await signaturesOf(scene, content)).toEqual(['pass', 'pass']);
  }
});
