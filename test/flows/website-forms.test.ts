// Forms by which people write to a practice: sent as browsers send them, from a page of the service and from a site of another origin,
// with the mail as the mailbox keeps it, and the answer as a relay gets it.
import { simpleParser } from 'mailparser';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { DAY, SECOND } from '#src/kernel/time.ts';
import { type List, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { startDnsZone } from '#test/support/dns-zone.ts';
import { until } from '#test/support/process.ts';
import { createSmtpReceiver, type SmtpReceiver } from '#test/support/smtp-receiver.ts';
import { talkTo } from '#test/support/smtp-talk.ts';
import { textOf, visitorAt } from '#test/support/visitor.ts';

let app: TestApp;
let receiver: SmtpReceiver;
let dns: Awaited<ReturnType<typeof startDnsZone>>;
let ahead = 0;
/** The time at which the service's clock is stopped; undefined while it runs. */
let stopped: number | undefined;
const listening = { smtp: { inbound: { listen: '127.0.0.1:0' } } };
beforeAll(async () => {
  receiver = await createSmtpReceiver({
    rcpt: ({ address }) => (address.startsWith('unknown') ? '550 5.1.1 User unknown' : '250 2.1.5 Ok'),
  });
  dns = await startDnsZone();
  app = await startApp({
    receiver,
    clock: { now: () => stopped ?? Date.now() + ahead },
    config: {
      ...listening,
      dns: { resolvers: [dns.address] },
      service: { public_origin: 'https://mail.example.com' },
      limits: {
        sign_in_rate: { per_address: { per_minute: 100_000 } },
        managed_host_mails: 1_000_000,
      },
      http: { trust_proxy: 1 },
    },
  });
});
afterAll(async () => {
  await app?.remove();
  await receiver?.stop();
  await dns?.stop();
});

interface Form {
  readonly id: string;
  readonly url: string;
  readonly html: string;
  readonly state: string;
  readonly reason: string | null;
  readonly fields: readonly { readonly key: string; readonly type: string }[];
}
interface Mail {
  readonly id: string;
  readonly subject: string;
  readonly thread_id: string;
  readonly state_reason: string | null;
  readonly reply_to: readonly { readonly address: string }[];
  readonly text: string;
  readonly original_recipient: string;
  readonly internet_message_id: string;
  readonly form: object | null;
}

const call = <Body = Readonly<Record<string, unknown>>>(
  { base, token }: Sender,
  method: string,
  path: string,
  body?: unknown,
) => app.request<Body>(method, `${base}${path}`, body, token);

const newScene = async (
  fields: object = {},
  name = 'Praxis am Markt',
): Promise<{ sender: Sender; form: Form }> => {
  const sender = await app.createSender({ name });
  await app.completeLegal(sender.practice.id);
  await call(sender, 'POST', '/inbound/enable', {});
  const { body: form, ...made } = await call<Form>(sender, 'POST', '/website-forms', {
    preset: 'prescription',
    language: 'de',
    ...fields,
  });
  expect(made.status, made.text).toBe(201);
  return { sender, form };
};

let clients = 0;
/** A client that has sent nothing yet. */
const newClient = (): string => {
  clients += 1;
  return `203.0.113.${clients}`;
};

const ERIKA = {
  name: 'Erika Muster',
  birthday: '1980-02-03',
  email: 'erika@example.org',
  medicine: 'Ibuprofen 400\n20 Stück',
  pickup: 'Ich hole es ab',
  consent: 'yes',
};

type Value = string | File;
/** Sends HTML of a site as a browser does: from another origin, with the type and the address that the form names. */
const send = async (
  form: Form,
  values: Readonly<Record<string, Value>>,
  { client = newClient(), accept = 'text/html' } = {},
) => {
  const [, action = ''] = /action="([^"]+)"/.exec(form.html) ?? [];
  expect(form.html).toContain('enctype="multipart/form-data"');
  const { pathname, search } = new URL(action.replaceAll('&amp;', '&'));
  const body = new FormData();
  for (const [name, value] of Object.entries(values)) body.append(name, value);
  const answer = await fetch(app.origin + pathname + search, {
    method: 'POST',
    redirect: 'manual',
    headers: { Accept: accept, Origin: 'https://www.praxis.example', 'X-Forwarded-For': client },
    body,
  });
  return { status: answer.status, location: answer.headers.get('location'), text: await answer.text() };
};

/** A page may be short where the machine is slow. */
const mailsOf = async (sender: Sender, query = 'state=inbox', cursor = ''): Promise<readonly Mail[]> => {
  const { body } = await call<List<Mail>>(sender, 'GET', `/inbound/messages?${query}${cursor}`);
  const rest = body.next_cursor === null ? [] : await mailsOf(sender, query, `&cursor=${body.next_cursor}`);
  return [...body.data, ...rest];
};
const readOf = async (sender: Sender, id: string): Promise<Mail> =>
  (await call<Mail>(sender, 'GET', `/inbound/messages/${id}`)).body;
const sourceOf = async (sender: Sender, id: string) =>
  simpleParser((await call(sender, 'GET', `/inbound/messages/${id}/raw`)).text);
const relayed = (address: string) =>
  receiver.messages.filter(({ recipients }) => recipients.some((one) => one.address === address));

const PDF = new File(
  [Buffer.from('%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer <<>>\n%%EOF\n')],
  'Überweisung.pdf',
  {
    type: 'application/pdf',
  },
);

describe('a form on a site of another origin', () => {
  test('arrives as a mail with its file, and the answer to it reaches the person', async () => {
    const { sender, form } = await newScene();
    const answer = await send(form, { ...ERIKA, file: PDF });
    expect(answer.status).toBe(200);
    expect(textOf(answer.text)).toContain('Ihre Angaben sind bei Praxis am Markt angekommen');

    const [listed] = await mailsOf(sender);
    const mail = await readOf(sender, listed?.id ?? '');
    expect(mail).toMatchObject({
      subject: 'Rezept bestellen – Erika Muster',
      from: { name: 'Erika Muster', address: 'erika@example.org' },
      form: { id: form.id, name: 'Rezept bestellen', proved: false },
      thread_id: mail.id,
    });
    const parsed = await sourceOf(sender, mail.id);
    expect(parsed.replyTo?.text).toBe('"Erika Muster" <erika@example.org>');
    expect(parsed.from?.value).toEqual([{ name: 'Erika Muster', address: mail.original_recipient }]);
    expect(parsed.to).toMatchObject({ value: [{ address: mail.original_recipient }] });
    expect(parsed.text).toContain('Medikament, Stärke und Packungsgröße:\n  Ibuprofen 400\n  20 Stück');
    expect(parsed.text).toContain('Geburtsdatum: 1980-02-03');
    expect(parsed.text).toMatch(/verwendet werden.*\n {2}ja/);
    expect(parsed.html).toBe(false);
    expect(parsed.attachments).toMatchObject([
      { filename: 'Überweisung.pdf', contentType: 'application/pdf' },
    ]);
    expect(relayed('erika@example.org')).toEqual([]);

    const events = app.sql<{ type: string }>(
      sender.practice.id,
      'SELECT type FROM events WHERE inbound_seq > 0',
    );
    expect(events).toEqual([{ type: 'inbound.received' }]);

    await app.send(sender, {
      to: mail.reply_to[0]?.address,
      subject: `Re: ${mail.subject}`,
      text: 'Ihr Rezept liegt bereit.',
      reply_to: mail.original_recipient,
      headers: { 'In-Reply-To': mail.internet_message_id, References: mail.internet_message_id },
    });
    await until('the answer is at the person', () => relayed('erika@example.org').length > 0);
    const reply = await simpleParser(relayed('erika@example.org')[0]?.content ?? '');
    expect(reply).toMatchObject({ inReplyTo: mail.internet_message_id, subject: `Re: ${mail.subject}` });

    // What the person answers is in the same conversation, and opens it again.
    const thread = `/inbound/threads/${mail.thread_id}`;
    await call(sender, 'PATCH', thread, { done: true });
    const client = await talkTo(app.inboundPort ?? 0);
    await client.hello();
    await client.envelope('erika@example.org', mail.original_recipient);
    client.write(
      `From: erika@example.org\r\nSubject: Danke\r\nIn-Reply-To: ${reply.messageId}\r\n\r\nDanke!\r\n.\r\n`,
    );
    expect(await client.reply()).toContain('250');
    client.end();
    expect(await mailsOf(sender, `thread_id=${mail.thread_id}`)).toHaveLength(2);
    expect((await call(sender, 'GET', thread)).body).toMatchObject({ done_at: null });
  });

  test('leads to the page of the practice’s own site, and so does a form without files in the old encoding', async () => {
    const { sender, form } = await newScene({ redirect_url: 'https://www.praxis.example/danke' });
    expect(await send(form, ERIKA)).toMatchObject({
      status: 303,
      location: 'https://www.praxis.example/danke',
    });
    const { pathname, search } = new URL(form.url);
    const plain = await fetch(app.origin + pathname + search, {
      method: 'POST',
      redirect: 'manual',
      headers: { Accept: 'text/html' },
      body: new URLSearchParams(ERIKA),
    });
    expect(plain.status).toBe(303);
    expect(await mailsOf(sender)).toHaveLength(2);
  });

  test('has a page of its own for who has no site, which shows again what cannot be taken', async () => {
    const { sender, form } = await newScene({ preset: 'contact' });
    const visitor = visitorAt(app.origin);
    const page = await visitor.open(form.url);
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self'");
    expect(textOf(page.html)).toContain('Datenschutzerklärung');
    ahead += 10 * SECOND;
    const { pathname, search } = new URL(form.url);
    const [, opened = ''] = /name="opened" value="([^"]+)"/.exec(page.html) ?? [];
    const post = async (values: object) => {
      const answer = await fetch(app.origin + pathname + search, {
        method: 'POST',
        headers: { Accept: 'text/html' },
        body: new URLSearchParams({ opened, ...values }),
      });
      return { status: answer.status, text: await answer.text() };
    };
    const filled = { name: 'Max <b>', email: 'max@', message: 'Hallo', consent: 'yes' };
    const again = await post(filled);
    expect(again.status).toBe(400);
    expect(again.text).toContain('value="Max &lt;b&gt;"');
    expect(again.text).toContain('aria-invalid="true"');
    expect(textOf(again.text)).toContain('gültige E-Mail-Adresse');
    expect(await mailsOf(sender)).toEqual([]);
    expect(await post({ ...filled, email: 'max@example.org' })).toMatchObject({ status: 200 });
    expect(await mailsOf(sender)).toMatchObject([{ subject: 'Schreiben Sie uns – Max <b>' }]);
  });
});

describe('what strangers try', () => {
  test('a filled trap, and a page that was sent back at once, get the usual answer and leave nothing', async () => {
    const { sender, form } = await newScene();
    const usual = await send(form, ERIKA);
    // Else a slow machine takes as long as people do.
    stopped = Date.now() + ahead;
    onTestFinished(() => {
      stopped = undefined;
    });
    const page = await visitorAt(app.origin).open(form.url);
    const [, opened = ''] = /name="opened" value="([^"]+)"/.exec(page.html) ?? [];
    for (const more of [{ website: 'https://spam.example' }, { opened }, { opened: 'x' }])
      expect(await send(form, { ...ERIKA, ...more })).toEqual(usual);
    expect(await mailsOf(sender)).toHaveLength(1);
  });

  test('line breaks, markup and other addresses stay text; the only recipient is the practice', async () => {
    const { sender, form } = await newScene({ preset: 'contact' });
    const answer = await send(form, {
      name: 'Eve\r\nBcc: victim@example.org\r\n\r\n<script>alert(1)</script>',
      email: 'eve@example.org',
      message: '=cmd|calc\nE-Mail-Adresse: other@example.org\r\n.\r\nFrom: x@example.org',
      consent: 'yes',
      to: 'victim@example.org',
      recipient: 'victim@example.org',
      __proto__x: 'a',
    });
    expect(answer.status).toBe(200);
    const [mail] = await mailsOf(sender);
    const parsed = await sourceOf(sender, mail?.id ?? '');
    expect([...parsed.headers.keys()].sort()).toEqual([
      'content-transfer-encoding',
      'content-type',
      'date',
      'from',
      'message-id',
      'mime-version',
      'reply-to',
      'subject',
      'to',
      'x-auto-response-suppress',
    ]);
    expect(parsed.from?.value[0]?.name).toContain('Eve Bcc: victim@example.org');
    expect(parsed.text).toContain(
      '  =cmd|calc\n  E-Mail-Adresse: other@example.org\n  .\n  From: x@example.org',
    );
    expect(parsed.text?.match(/^E-Mail-Adresse:.*$/gm)).toEqual(['E-Mail-Adresse: eve@example.org']);
    expect(relayed('victim@example.org')).toEqual([]);
    const { html } = (await call<{ html: string | null }>(sender, 'GET', `/inbound/messages/${mail?.id}`))
      .body;
    expect(html).toBeNull();
  });

  test('files are taken by what they are, as attachments of messages', async () => {
    const { sender, form } = await newScene({ file_bytes: 2_000 });
    const files: readonly [string, File][] = [
      ['a program', new File(['MZ'], 'rezept.exe')],
      ['a program that calls itself a picture', new File(['MZ'], 'rezept.png', { type: 'image/png' })],
      ['a hidden extension', new File(['%PDF-1.4'], 'rezept.exe.pdf', { type: 'application/pdf' })],
      ['too large', new File([Buffer.alloc(3_000, 'a')], 'rezept.csv', { type: 'text/csv' })],
      ['a path', new File(['a'], '../../rezept.csv', { type: 'text/csv' })],
    ];
    for (const [what, file] of files) expect((await send(form, { ...ERIKA, file })).status, what).toBe(400);
    expect(await mailsOf(sender)).toEqual([]);
  });

  test('one client sends little, a form little in a day, and then it says so', async () => {
    const { sender, form } = await newScene({ per_day: 21 });
    const client = newClient();
    for (let count = 0; count < 20; count += 1)
      expect((await send(form, ERIKA, { client })).status).toBe(200);
    expect((await send(form, ERIKA, { client })).status).toBe(429);
    expect((await send(form, ERIKA)).status).toBe(200);
    const closed = await send(form, ERIKA);
    expect(closed.status).toBe(409);
    expect(textOf(closed.text)).toContain('Das Formular ist geschlossen');
    expect((await call<Form>(sender, 'GET', `/website-forms/${form.id}`)).body).toMatchObject({
      state: 'closed',
      reason: 'per_day',
      sent_last_day: 21,
    });
    ahead += DAY;
    expect((await send(form, ERIKA)).status).toBe(200);
  });

  test('senders whom the practice has blocked are kept apart', async () => {
    const { sender, form } = await newScene();
    await call(sender, 'PATCH', '/inbound', { senders: { block: ['eve@example.org'] } });
    expect((await send(form, { ...ERIKA, email: 'eve@example.org' })).status).toBe(200);
    expect(await mailsOf(sender)).toEqual([]);
    expect(await mailsOf(sender, 'state=quarantined')).toMatchObject([{ state_reason: 'blocked_sender' }]);
  });
});

describe('a form that asks for a proof of the address', () => {
  const linkTo = async (address: string): Promise<string> => {
    await until(`a mail to ${address}`, () => relayed(address).length > 0);
    const mail = await simpleParser(relayed(address)[0]?.content ?? '');
    const [link = ''] =
      /https:\/\/mail\.example\.com\/api\/public\/form-proof\?t=\S+/.exec(mail.text ?? '') ?? [];
    // Nothing that was typed is sent to an address that someone else may have typed.
    expect(mail.text).not.toContain('Ibuprofen');
    expect(mail.text).not.toContain('Erika Muster');
    return link;
  };

  test('what was sent arrives with the button of the link alone, and then there is a receipt', async () => {
    const { sender, form } = await newScene({ proof: true, receipt: 'Wir melden uns bis morgen.' });
    const email = 'proof@example.org';
    const asked = await send(form, { ...ERIKA, email });
    expect(textOf(asked.text)).toContain('Bitte sehen Sie in Ihr Postfach');
    expect(await mailsOf(sender)).toEqual([]);
    expect(await mailsOf(sender, 'state=held')).toMatchObject([{ state_reason: 'unproved' }]);
    const link = await linkTo(email);
    const visitor = visitorAt(app.origin);
    const page = await visitor.open(link);
    expect(await mailsOf(sender)).toEqual([]);
    const done = await visitor.submit(page, 'Ja, abschicken');
    expect(textOf(done.html)).toContain('angekommen');
    const [mail] = await mailsOf(sender);
    expect((await readOf(sender, mail?.id ?? '')).form).toMatchObject({ proved: true });
    await until('the receipt is there', () => relayed(email).length === 2);
    const receipt = await simpleParser(relayed(email)[1]?.content ?? '');
    expect(receipt.subject).toBe('Angekommen: Rezept bestellen');
    expect(receipt.text).toContain('Wir melden uns bis morgen.');
    await visitor.submit(page, 'Ja, abschicken');
    expect(await mailsOf(sender)).toHaveLength(1);
    expect(relayed(email)).toHaveLength(2);
    const other = link.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
    expect((await visitor.open(other)).status).toBe(404);
  });

  test('what is not proved within a week is gone, and the link with it', async () => {
    const { sender, form } = await newScene({ proof: true });
    const email = 'late@example.org';
    await send(form, { ...ERIKA, email });
    const link = await linkTo(email);
    ahead += 7 * DAY;
    expect((await visitorAt(app.origin).open(link)).status).toBe(404);
    await app.runJob('remove what is old');
    expect(await mailsOf(sender, 'state=held')).toEqual([]);
  });

  test('a form by which many addresses are written to that do not exist closes by itself; the practice goes on', async () => {
    const { sender, form } = await newScene({ proof: true });
    for (let count = 0; count < 8; count += 1)
      expect((await send(form, { ...ERIKA, email: `unknown-${count}@example.org` })).status).toBe(200);
    await until('the form is closed', async () => {
      const { body } = await call<Form>(sender, 'GET', `/website-forms/${form.id}`);
      return body.reason === 'bounces';
    });
    expect((await send(form, ERIKA)).status).toBe(409);
    await app.send(sender, { to: 'ok@example.org' });
    await until('the practice sends', () => relayed('ok@example.org').length === 1);
    ahead += 3 * DAY;
    expect((await send(form, ERIKA)).status).toBe(200);
  });
});

describe('a closed form', () => {
  test('says so, in safe mode, without receiving, and at the word of the practice', async () => {
    const { sender, form } = await newScene();
    const { practice } = sender;
    const safeMode = (enabled: boolean) =>
      app.request('POST', `/api/practices/${practice.id}/safe-mode`, { enabled }, app.adminToken);
    const reasonNow = async () => {
      const page = await visitorAt(app.origin).open(form.url);
      const { status, text } = await send(form, ERIKA, { accept: 'application/json' });
      expect([page.status, status]).toEqual([409, 409]);
      return JSON.parse(text).reason;
    };
    await safeMode(true);
    expect(await reasonNow()).toBe('safe_mode');
    await safeMode(false);
    await call(sender, 'POST', '/inbound/disable', {});
    expect(await reasonNow()).toBe('receiving_off');
    await call(sender, 'POST', '/inbound/enable', {});
    await call(sender, 'PATCH', `/website-forms/${form.id}`, { is_open: false });
    expect(await reasonNow()).toBe('closed');
    await call(sender, 'PATCH', `/website-forms/${form.id}`, { is_open: true });
    expect(JSON.parse((await send(form, ERIKA, { accept: 'application/json' })).text)).toEqual({
      status: 'received',
    });
    await call(sender, 'DELETE', `/website-forms/${form.id}`);
    expect((await send(form, ERIKA)).status).toBe(404);
    expect(await mailsOf(sender)).toHaveLength(1);
  });

  test('settings that do not agree are refused by the field', async () => {
    const { sender, form } = await newScene();
    const fields = [{ key: 'message', type: 'long_text', label: 'Nachricht' }];
    const wrong: readonly object[] = [
      { fields, proof: true },
      { receipt: 'Danke' },
      { fields: [...fields, ...fields] },
      { fields: [{ key: 'website', type: 'text', label: 'a' }] },
      { fields: [{ key: 'photo', type: 'file', label: 'a' }] },
      { fields: [{ key: 'a', type: 'choice', label: 'a' }] },
      { redirect_url: 'javascript:alert(1)' },
      { title: 'a\r\nBcc: b@example.org' },
    ];
    for (const body of wrong) {
      const { status, text } = await call(sender, 'PATCH', `/website-forms/${form.id}`, body);
      expect(status, `${JSON.stringify(body)} ${text}`).toBe(400);
    }
  });
});
