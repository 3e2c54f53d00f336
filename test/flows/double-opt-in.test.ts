// The whole way of a newsletter as a person and a practice see it, in a browser without scripts and over real SMTP: sign-up,
// confirmation, proof, campaign, one click of a mail program, suppression, and a campaign that leaves the person out.
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parseDocument } from 'htmlparser2';
import { simpleParser } from 'mailparser';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type List, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { until } from '#test/support/process.ts';
import { createSmtpReceiver, type SmtpReceiver } from '#test/support/smtp-receiver.ts';

const ENTRY = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const ORIGIN = 'https://mail.example.com';
const ERIKA = 'erika.muster@example.org';
const BROWSER = {
  Accept: 'text/html,application/xhtml+xml',
  'Accept-Language': 'de-DE,de;q=0.9',
  'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0',
};
const URL_ENCODED = { 'Content-Type': 'application/x-www-form-urlencoded' };

let app: TestApp;
let receiver: SmtpReceiver;
let sender: Sender;
beforeAll(async () => {
  receiver = await createSmtpReceiver();
  app = await startApp({ receiver, runsTwice: true, config: { service: { public_origin: ORIGIN } } });
  sender = await app.createSender({ name: 'Praxis am Markt', plan: 'praxis' });
  await app.completeLegal(sender.practice.id);
});
afterAll(async () => {
  await app?.remove();
  await receiver?.stop();
});

const call = async <T = Readonly<Record<string, unknown>>>(
  method: string,
  place: string,
  body?: unknown,
): Promise<T> => {
  const answer = await app.request<T>(method, `${sender.base}${place}`, body, sender.token);
  if (answer.status >= 300) throw new Error(`${method} ${place}: ${answer.status} ${answer.text}`);
  return answer.body;
};

interface Element {
  readonly name: string;
  readonly attribs: Readonly<Record<string, string>>;
}
const elements = (html: string, ...names: string[]): Element[] => {
  const walk = (node: { children?: unknown[] }): Element[] =>
    (node.children ?? []).flatMap((child) => {
      const { name } = child as Element;
      return [
        ...(names.includes(name) ? [child as Element] : []),
        ...walk(child as { children?: unknown[] }),
      ];
    });
  return walk(parseDocument(html) as unknown as { children: unknown[] });
};

const local = (url: string): string => url.replace(ORIGIN, '');
const show = (url: string) => app.request<string>('GET', local(url), undefined, undefined, BROWSER);
/** Sends the page's form as a browser does, with what the person fills in. */
const submit = (html: string, filled: Readonly<Record<string, string>> = {}) => {
  const [form] = elements(html, 'form');
  const fields = new URLSearchParams();
  for (const { attribs } of elements(html, 'input'))
    if (attribs.name !== undefined && attribs.type !== 'checkbox')
      fields.set(attribs.name, filled[attribs.name] ?? attribs.value ?? '');
  const body = Buffer.from(fields.toString());
  return app.request<string>('POST', local(form?.attribs.action ?? ''), body, undefined, {
    ...BROWSER,
    ...URL_ENCODED,
  });
};

const mailTo = async (address: string, subject: RegExp) => {
  const find = () =>
    receiver.messages.findLast(
      ({ recipients, content }) => recipients[0]?.address === address && subject.test(content.toString()),
    );
  await until(`a mail to ${address}`, async () => find() !== undefined);
  return simpleParser(find()?.content ?? '');
};

const evidence = async () => {
  const answer = await app.request<{ entries: { facts: { action: string; way: string } }[] }>(
    'GET',
    `${sender.base}/consent/evidence?address=${encodeURIComponent(ERIKA)}`,
    undefined,
    sender.token,
  );
  expect(answer.status).toBe(200);
  const file = path.join(app.home, 'evidence.json');
  await writeFile(file, answer.text);
  return { file, actions: answer.body.entries.map(({ facts }) => facts.action) };
};
/** By the key of this installation. */
const verify = (file: string) => {
  const config = path.join(app.home, 'service.yaml');
  return promisify(execFile)(process.execPath, [ENTRY, 'consent', 'verify', file, '--config', config]);
};

interface Campaign {
  readonly id: string;
  readonly status: string;
  readonly counts: Readonly<Record<string, number>>;
  readonly left_out: Readonly<Record<string, number>>;
}
const campaign = async (listId: string, name: string): Promise<Campaign> => {
  const { id } = await call<Campaign>('POST', '/campaigns', {
    name,
    list_id: listId,
    subject: `${name}: Neues aus der Praxis`,
    text: 'Guten Tag {{name}}, ab Dezember haben wir auch samstags geöffnet: https://praxis.example/zeiten',
    html: '<p>Guten Tag {{name}}, ab Dezember haben wir <a href="https://praxis.example/zeiten">auch samstags</a> geöffnet.</p>',
  });
  await call('POST', `/campaigns/${id}/send`);
  await until(`${name} is sent`, async () => {
    const { status } = await call<Campaign>('GET', `/campaigns/${id}`);
    return status === 'sent';
  });
  return call<Campaign>('GET', `/campaigns/${id}`);
};

test('from the form to the last proof', async () => {
  const list = await call<{ id: string; form_url: string }>('POST', '/lists', { name: 'Praxisbrief' });
  const state = async (): Promise<string[]> => {
    const { data } = await call<List<{ status: string; address: string }>>(
      'GET',
      `/lists/${list.id}/subscribers`,
    );
    return data.map(({ address, status }) => `${address} ${status}`).toSorted();
  };
  await call('POST', `/lists/${list.id}/subscribers`, {
    address: 'otto@example.org',
    name: 'Otto',
    status: 'active',
    consent: { evidence: 'Formular auf Papier vom 3. November, Ordner 7' },
  });

  const form = await show(list.form_url);
  expect([form.status, elements(form.text, 'script')]).toEqual([200, []]);
  const answered = await submit(form.text, { email: ERIKA, name: 'Erika Muster' });
  expect(answered.status).toBeLessThan(300);
  expect(await state()).toEqual([`${ERIKA} pending`, 'otto@example.org active']);

  const confirmation = await mailTo(ERIKA, /Praxisbrief/);
  const link = /https:\/\/mail\.example\.com\/api\/public\/confirm\?token=[\w-]+/.exec(
    confirmation.text ?? '',
  )?.[0];
  expect((await show(link ?? '')).status).toBe(200);
  expect(await state()).toEqual([`${ERIKA} active`, 'otto@example.org active']);

  // The mail's bytes come into the ledger behind the confirmation, which does not wait for them.
  await until('the ledger has the confirmation mail', async () =>
    (await evidence()).actions.includes('mail'),
  );
  const first = await evidence();
  expect(first.actions.toSorted()).toEqual(['confirm', 'mail', 'request']);
  expect((await verify(first.file)).stdout).toMatch(/^all right$/m);

  const november = await campaign(list.id, 'November');
  expect(november.left_out).toEqual({});
  const letter = await mailTo(ERIKA, /November/);
  expect(letter.text).toContain('Guten Tag Erika Muster');
  const headers = Object.fromEntries(letter.headerLines.map(({ key, line }) => [key, line]));
  expect(headers['list-unsubscribe-post']).toContain('List-Unsubscribe=One-Click');
  const unsubscribe = /<(https:[^>]+)>/.exec(headers['list-unsubscribe'] ?? '')?.[1] ?? '';

  // As Gmail sends it (RFC 8058 §3.2, multipart), and Yahoo (urlencoded): no cookie, no referrer, twice without harm.
  const multipart = new FormData();
  multipart.set('List-Unsubscribe', 'One-Click');
  const gmail = new Response(multipart);
  const clicks = [
    await app.request('POST', local(unsubscribe), Buffer.from(await gmail.arrayBuffer()), undefined, {
      'Content-Type': gmail.headers.get('content-type') ?? '',
      'User-Agent': 'Mail program/1',
    }),
    await app.request(
      'POST',
      local(unsubscribe),
      Buffer.from('List-Unsubscribe=One-Click'),
      undefined,
      URL_ENCODED,
    ),
  ];
  expect(clicks.map(({ status }) => status)).toEqual([200, 200]);
  const suppressed = await call<List<object>>('GET', `/suppression?address=${encodeURIComponent(ERIKA)}`);
  expect(suppressed.data).toMatchObject([{ scope: 'route', route_slug: 'broadcast', reason: 'unsubscribe' }]);
  await until('the subscription has ended', async () => (await state()).includes(`${ERIKA} unsubscribed`));

  await mailTo('otto@example.org', /November/);
  const before = receiver.messages.length;
  const december = await campaign(list.id, 'Dezember');
  await mailTo('otto@example.org', /Dezember/);
  expect(receiver.messages.slice(before).map(({ recipients }) => recipients[0]?.address)).toEqual([
    'otto@example.org',
  ]);
  expect(december.counts).toMatchObject({ handed_over: 1 });

  const entries = await call<List<object>>('GET', `/consent?address=${encodeURIComponent(ERIKA)}`);
  expect(entries.data[0]).toMatchObject({
    way: 'unsubscribe',
    ip: '127.0.0.0',
    user_agent: 'Mail program/1',
    details: {
      happened_at: expect.stringMatching(/^\d{4}-.*Z$/),
      message_id: expect.any(String),
      campaign_id: november.id,
    },
  });

  const last = await evidence();
  expect(last.actions.toSorted()).toEqual(['confirm', 'mail', 'request', 'withdraw']);
  await verify(last.file);
  await writeFile(last.file, (await readFile(last.file, 'utf8')).replace('"confirm"', '"import"'));
  await expect(verify(last.file)).rejects.toMatchObject({ code: 1 });
});
