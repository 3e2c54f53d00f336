// People who put themselves on a list: form, confirmation mail, link, evidence, leaving again. Driven as a browser without
// JavaScript does it, with the mails as a relay gets them.
import { createHash } from 'node:crypto';
import { cp, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { simpleParser } from 'mailparser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ConsentFacts } from '#src/audience/consent/entry.ts';
import { DAY, HOUR, MINUTE } from '#src/kernel/time.ts';
import { health } from '#test/flows/fixture.ts';
import { type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { until } from '#test/support/process.ts';
import { createSmtpReceiver, type SmtpReceiver } from '#test/support/smtp-receiver.ts';
import { linkIn, type ShownPage, textOf, type Visitor, visitorAt } from '#test/support/visitor.ts';

let app: TestApp;
let receiver: SmtpReceiver;
let ahead = 0;
beforeAll(async () => {
  receiver = await createSmtpReceiver();
  app = await startApp({
    receiver,
    clock: { now: () => Date.now() + ahead },
    config: {
      service: { public_origin: 'https://mail.example.com' },
      limits: { sign_in_rate: { per_address: { per_minute: 100_000 } } },
      http: { trust_proxy: 1 },
    },
  });
});
afterAll(async () => {
  await app?.remove();
  await receiver?.stop();
});

interface ListBody {
  readonly id: string;
  readonly form_url: string;
}

let count = 0;
const next = (): number => {
  count += 1;
  return count;
};
const newAddress = (): string => `person-${next()}@example.org`;

const newSender = async (): Promise<Sender> => {
  const sender = await app.createSender({ name: 'Praxis am Markt' });
  await app.completeLegal(sender.practice.id);
  return sender;
};

const newList = async (sender: Sender, fields: object = {}): Promise<ListBody> => {
  const body = {
    name: `Praxisbrief ${next()}`,
    wording: 'Ich möchte den Praxisbrief bekommen.',
    ...fields,
  };
  const answer = await app.request<ListBody>('POST', `${sender.base}/lists`, body, sender.token);
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
};

const mailsTo = (address: string) =>
  receiver.messages.filter(({ recipients }) => recipients.some((one) => one.address === address));
const mailTo = async (address: string, number = 1) => {
  await until(`mail ${number} to ${address}`, () => mailsTo(address).length >= number);
  const mail = await simpleParser(mailsTo(address)[number - 1]?.content ?? '');
  const [link = ''] =
    /https:\/\/mail\.example\.com\/api\/public\/confirm\?token=\S+/.exec(mail.text ?? '') ?? [];
  return { mail, link };
};

const browser = (headers?: Readonly<Record<string, string>>): Visitor => visitorAt(app.origin, headers);

const subscribe = async (list: ListBody, address: string, visitor = browser()): Promise<ShownPage> =>
  visitor.submit(await visitor.open(list.form_url), 'Anmelden', { email: address, name: 'Erika Muster' });

const statusOf = (sender: Sender, list: ListBody, address: string): string | null =>
  app.sql<{ status: string }>(
    sender.practice.id,
    'SELECT status FROM subscribers JOIN lists ON lists.seq = list_seq WHERE lists.id = ? AND address = ?',
    list.id,
    address,
  )[0]?.status ?? null;

const entriesOf = (sender: Sender, list: ListBody) =>
  app
    .sql<{ facts_json: string; openings_json: string; id: string }>(
      sender.practice.id,
      'SELECT id, facts_json, openings_json FROM consent_entries WHERE address_hash IS NOT NULL ORDER BY seq',
    )
    .map(({ id, facts_json, openings_json }) => ({
      id,
      ...(JSON.parse(facts_json) as ConsentFacts),
      openings: JSON.parse(openings_json) as Record<string, { value: string } | undefined>,
    }))
    .filter(({ list_id }) => list_id === list.id);

/** The entry with the bytes of the mail is written when it has left, before or after what the person does. */
const lastWord = (sender: Sender, list: ListBody) =>
  entriesOf(sender, list).findLast(({ action }) => action !== 'mail');

describe('by form, mail and link', () => {
  test('a person subscribes, confirms with one click, and every step is in the ledger', async () => {
    const sender = await newSender();
    const list = await newList(sender);
    const address = newAddress();
    const asked = await subscribe(list, address, browser({ 'X-Forwarded-For': '203.0.113.9' }));
    expect(asked.status).toBe(200);
    expect(textOf(asked.html)).toContain('Bitte sehen Sie in Ihr Postfach');
    expect(statusOf(sender, list, address)).toBe('pending');
    const { link } = await mailTo(address);
    await until('the mail is in the ledger', () =>
      entriesOf(sender, list).some(({ action }) => action === 'mail'),
    );
    const confirmed = await browser({ 'X-Forwarded-For': '203.0.113.10' }).open(link);
    expect(textOf(confirmed.html)).toContain('Ihre Anmeldung ist bestätigt');
    expect(statusOf(sender, list, address)).toBe('active');
    const [request, confirm] = entriesOf(sender, list).filter(({ action }) => action !== 'mail');
    expect(request).toMatchObject({ action: 'request', way: 'form', wording_version: 1 });
    expect(request?.openings).toMatchObject({
      address: { value: address },
      name: { value: 'Erika Muster' },
      ip: { value: '203.0.113.9' },
      user_agent: { value: expect.stringContaining('Firefox') },
      form_address: { value: list.form_url },
    });
    expect(request?.form).toMatch(/^[0-9a-f]{64}$/);
    expect(confirm).toMatchObject({
      action: 'confirm',
      way: 'link',
      answers: request?.id,
      wording: request?.wording,
      details: { machine: null, seconds_since_mail: expect.any(Number) },
    });
    expect(confirm?.openings).toMatchObject({ ip: { value: '203.0.113.10' } });
    const again = await browser().open(link);
    expect(again.status).toBe(200);
    expect(entriesOf(sender, list).filter(({ action }) => action === 'confirm')).toHaveLength(1);
  });

  test('the mail says who, what and which list, and has nothing of advertising', async () => {
    const sender = await newSender();
    const list = await newList(sender, { name: 'Praxisbrief' });
    const address = newAddress();
    await subscribe(list, address);
    const { mail } = await mailTo(address);
    expect(mail.subject).toBe('Bitte bestätigen Sie Ihre Anmeldung: Praxisbrief');
    expect(mail.from?.text).toContain('Praxis am Markt');
    for (const said of [
      address,
      'Liste „Praxisbrief“ von Praxis am Markt',
      'Ich möchte den Praxisbrief bekommen.',
      'Der Link gilt 7 Tage.',
      'Wenn Sie sich nicht eingetragen haben',
      'Am Markt 1',
      '20095 Hamburg',
      'https://praxis.example/datenschutz',
    ])
      expect(mail.text).toContain(said);
    // What a stranger typed does not reach the one whose address it was.
    expect(`${mail.text}${mail.html}`).not.toMatch(/Erika|Sendwerk|<img|\/t\/[oc]\//);
  });

  test('an English browser gets an English page and mail', async () => {
    const sender = await newSender();
    const list = await newList(sender);
    const address = newAddress();
    const visitor = browser({ 'Accept-Language': 'en' });
    const form = await visitor.open(list.form_url);
    expect(form.html).toContain('<html lang="en">');
    await visitor.submit(form, 'Subscribe', { email: address });
    const { mail, link } = await mailTo(address);
    expect(mail.subject).toMatch(/^Please confirm your subscription: /);
    expect(textOf((await visitor.open(link)).html)).toContain('Your subscription is confirmed');
  });

  test('No, thanks ends it, and the link does not bring it back', async () => {
    const sender = await newSender();
    const list = await newList(sender, { two_steps: true });
    const address = newAddress();
    await subscribe(list, address);
    const { link } = await mailTo(address);
    const shown = await browser().open(link);
    const declined = await browser().submit(shown, 'Nein, danke');
    expect(textOf(declined.html)).toContain('Sie sind nicht angemeldet');
    expect(statusOf(sender, list, address)).toBe('unsubscribed');
    expect(lastWord(sender, list)).toMatchObject({ action: 'withdraw', way: 'declined' });
    const late = await browser().submit(shown, 'Ja, bestätigen');
    expect(textOf(late.html)).toContain('Sie sind nicht angemeldet');
    expect(statusOf(sender, list, address)).toBe('unsubscribed');
  });

  test('with two steps only the button confirms', async () => {
    const sender = await newSender();
    const list = await newList(sender, { two_steps: true });
    const address = newAddress();
    await subscribe(list, address);
    const { link } = await mailTo(address);
    const shown = await browser().open(link);
    expect(statusOf(sender, list, address)).toBe('pending');
    await browser().submit(shown, 'Ja, bestätigen');
    expect(statusOf(sender, list, address)).toBe('active');
    expect(lastWord(sender, list)).toMatchObject({ action: 'confirm', way: 'button' });
    const evidence = await app.request(
      'GET',
      `${sender.base}/consent/evidence?address=${address}&format=html`,
      undefined,
      sender.token,
      { 'Accept-Language': 'de' },
    );
    expect(evidence.text).toContain('den Knopf auf seiner Seite');
  });

  test('what is plainly a machine confirms nothing, and gets the button', async () => {
    const sender = await newSender();
    const list = await newList(sender);
    const address = newAddress();
    await subscribe(list, address);
    const { link } = await mailTo(address);
    await browser().open(link, 'HEAD');
    await browser({ 'Sec-Purpose': 'prefetch;prerender' }).open(link);
    await browser({ 'User-Agent': 'Microsoft Office SafeLinks Protection' }).open(link);
    const shown = await browser({ 'User-Agent': 'Barracuda Sentinel (EE)' }).open(link);
    expect(statusOf(sender, list, address)).toBe('pending');
    await browser().submit(shown, 'Ja, bestätigen');
    expect(statusOf(sender, list, address)).toBe('active');
  });

  test('the practice cannot read the link that confirms, as long as it does', async () => {
    const sender = await newSender();
    const list = await newList(sender);
    const address = newAddress();
    const added = await app.request(
      'POST',
      `${sender.base}/lists/${list.id}/subscribers`,
      { address },
      sender.token,
    );
    expect(added.status, added.text).toBe(201);
    const { mail, link } = await mailTo(address);
    const token = new URL(link).searchParams.get('token') ?? '';
    await until('the mail is in the ledger', () =>
      entriesOf(sender, list).some(({ action }) => action === 'mail'),
    );
    const [message] = app.sql<{ id: string }>(sender.practice.id, 'SELECT id FROM messages');
    const read = async (path: string): Promise<string> => {
      const answer = await app.request('GET', sender.base + path, undefined, sender.token);
      expect(answer.status, answer.text).toBe(200);
      return answer.text;
    };
    const pages = [
      `/messages/${message?.id}`,
      `/people/export?address=${address}`,
      `/people/export?address=${address}&format=html`,
    ];
    for (const path of pages) {
      const text = await read(path);
      expect(text, path).toContain('/api/public/confirm?token=…');
      expect(text, path).not.toContain(token.slice(0, 30));
    }
    const source = await simpleParser(await read(`/messages/${message?.id}/source`));
    expect(source.text).toBe(mail.text?.replace(token, '…'));
    expect(source.html).toContain('confirm?token=…"');
    const mailsIn = async (): Promise<number> => {
      const { documents } = JSON.parse(await read(`/consent/evidence?address=${address}`));
      return Object.values<{ kind: string }>(documents).filter(({ kind }) => kind === 'mail').length;
    };
    expect(await mailsIn()).toBe(0);
    ahead += 7 * DAY;
    expect(await mailsIn()).toBe(1);
  });

  test('a link that evidence shows, because it was answered, confirms no later request', async () => {
    const sender = await newSender();
    const list = await newList(sender);
    const address = newAddress();
    await subscribe(list, address);
    const { link } = await mailTo(address);
    const confirmed = await browser().open(link);
    await browser().submit(confirmed, 'Wieder abmelden');
    ahead += DAY;
    await subscribe(list, address);
    const second = await mailTo(address, 2);
    expect((await browser().open(link)).status).toBe(404);
    expect(statusOf(sender, list, address)).toBe('pending');
    expect((await browser().open(second.link)).status).toBe(200);
    expect(statusOf(sender, list, address)).toBe('active');
  });

  test('after a restore, when numbers are given again, a link confirms no one else', async () => {
    const config = { service: { public_origin: 'https://mail.example.com' } };
    let other = await startApp({ receiver, config });
    const { home } = other;
    try {
      const sender = await other.createSender({ name: 'Praxis am Markt' });
      await other.completeLegal(sender.practice.id);
      const { body: list } = await other.request<ListBody>(
        'POST',
        `${sender.base}/lists`,
        { name: 'Praxisbrief', wording: 'Ich möchte ihn.' },
        sender.token,
      );
      const [former, later] = [newAddress(), newAddress()];
      await other.stop();
      await cp(path.join(home, 'data'), path.join(home, 'backup'), { recursive: true });
      other = await startApp({ receiver, config, home });
      await subscribe(list, former, visitorAt(other.origin));
      const { link } = await mailTo(former);
      await other.stop();
      await rm(path.join(home, 'data'), { recursive: true });
      await rename(path.join(home, 'backup'), path.join(home, 'data'));
      other = await startApp({ receiver, config, home });
      await subscribe(list, later, visitorAt(other.origin));
      const own = await mailTo(later);
      expect((await visitorAt(other.origin).open(link)).status).toBe(404);
      const { body } = await other.request<{ data: { status: string }[] }>(
        'GET',
        `${sender.base}/lists/${list.id}/subscribers`,
        undefined,
        sender.token,
      );
      expect(body.data.map(({ status }) => status)).toEqual(['pending']);
      expect((await visitorAt(other.origin).open(own.link)).status).toBe(200);
    } finally {
      await other.remove();
    }
  });

  test('to unsubscribe by the confirmation mail declines that request, and ends nothing else', async () => {
    const sender = await newSender();
    const [own, other] = [await newList(sender), await newList(sender)];
    const address = newAddress();
    const paper = { address, status: 'active', consent: { evidence: 'Formular vom 3. November' } };
    await app.request('POST', `${sender.base}/lists/${own.id}/subscribers`, paper, sender.token);
    await subscribe(other, address);
    const [, link = ''] =
      /^List-Unsubscribe: <(https:[^>]+)>/m.exec(
        (await mailTo(address)) && String(mailsTo(address)[0]?.content).replace(/\r\n[ \t]+/g, ' '),
      ) ?? [];
    const shown = await browser().open(link);
    expect(textOf(shown.html)).toContain('Für andere E-Mails ändert sich nichts.');
    const declined = await browser().submit(shown, 'Anmeldung ablehnen');
    expect(textOf(declined.html)).toContain('Sie haben die Anmeldung abgelehnt');
    await until('the request is declined', () => statusOf(sender, other, address) === 'unsubscribed');
    expect(statusOf(sender, own, address)).toBe('active');
    expect(lastWord(sender, other)).toMatchObject({ action: 'withdraw', way: 'declined' });
    expect(app.sql(sender.practice.id, 'SELECT * FROM suppressions')).toEqual([]);
    expect(textOf((await browser().open(link)).html)).toContain('Sie haben die Anmeldung abgelehnt');
    ahead += DAY;
    await subscribe(other, address);
    await browser().open((await mailTo(address, 2)).link);
    expect(statusOf(sender, other, address)).toBe('active');
    const all = await browser().submit(
      await browser().open(link),
      'Alle E-Mails dieses Absenders abbestellen',
    );
    expect(textOf(all.html)).toContain('Sie sind abgemeldet');
    await until('all lists have ended', () => statusOf(sender, own, address) === 'unsubscribed');
  });

  test('of who declines and never consented, hashes are kept after two weeks', async () => {
    const sender = await newSender();
    const list = await newList(sender, { two_steps: true });
    const [address, member] = [newAddress(), newAddress()];
    for (const one of [address, member]) await subscribe(list, one);
    await browser().submit(await browser().open((await mailTo(address)).link), 'Nein, danke');
    const confirmed = await browser().submit(
      await browser().open((await mailTo(member)).link),
      'Ja, bestätigen',
    );
    await browser().submit(confirmed, 'Wieder abmelden');
    await until(
      'the mails are in the ledger',
      () => entriesOf(sender, list).filter(({ action }) => action === 'mail').length === 2,
    );
    ahead += 15 * DAY;
    await app.runJob('remove what is old');
    expect(statusOf(sender, list, address)).toBeNull();
    expect(statusOf(sender, list, member)).toBe('unsubscribed');
    const kept = entriesOf(sender, list).flatMap(({ openings }) => openings.address?.value ?? []);
    expect(new Set(kept)).toEqual(new Set([member]));
  });

  test('a confirmation mail that did not leave in time is waited for no longer', async () => {
    const sender = await newSender();
    const list = await newList(sender);
    const waiting = () => app.sql<object>(sender.practice.id, 'SELECT * FROM confirmation_mails').length;
    const queued = () => app.sql<object>(sender.practice.id, 'SELECT * FROM queue').length;
    receiver.setBehaviour({ dot: '451 4.3.0 Later' });
    await subscribe(list, newAddress());
    await until(
      'it was tried',
      () =>
        app.sql<object>(sender.practice.id, 'SELECT * FROM queue WHERE attempts = 1 AND claimed = 0')
          .length === 1,
    );
    // The file has it before the relay is done with it, which then looks at what is due.
    await until('the relay is done with it', async () => (await health(app)).queue.in_flight === 0);
    ahead += 7 * DAY;
    await app.runJob('remove what is old');
    // It is still to leave, and its link would confirm then.
    expect(waiting()).toBe(1);
    // The relay looks at what is due.
    await app.send(sender);
    await until('it is given up', () => queued() === 1);
    receiver.setBehaviour({});
    await app.runJob('remove what is old');
    expect(waiting()).toBe(0);
  });

  test('after seven days the link is one of the many that lead nowhere', async () => {
    const sender = await newSender();
    const list = await newList(sender);
    const [late, intime] = [newAddress(), newAddress()];
    await subscribe(list, late);
    await subscribe(list, intime);
    const [lateMail, timelyMail] = [await mailTo(late), await mailTo(intime)];
    ahead += 7 * DAY - HOUR;
    expect((await browser().open(timelyMail.link)).status).toBe(200);
    ahead += HOUR;
    const expired = await browser().open(lateMail.link);
    const unknown = await browser().open('/api/public/confirm?token=1AAAA');
    expect([expired.status, unknown.status]).toEqual([404, 404]);
    expect(expired.html).toBe(unknown.html);
    expect([statusOf(sender, list, late), statusOf(sender, list, intime)]).toEqual(['pending', 'active']);
    // Who has confirmed may look at it as long as they like.
    expect((await browser().open(timelyMail.link)).status).toBe(200);
  });

  test('joining and declining are events of the confirmation mail', async () => {
    const sender = await newSender();
    const list = await newList(sender);
    const address = newAddress();
    await subscribe(list, address);
    const confirmed = await browser().open((await mailTo(address)).link);
    await browser().submit(confirmed, 'Wieder abmelden');
    const events = app.sql<{ data_json: string }>(
      sender.practice.id,
      "SELECT data_json FROM events WHERE type = 'message.subscription' ORDER BY seq",
    );
    expect(events.map(({ data_json }) => JSON.parse(data_json).list)).toEqual([
      { id: list.id, status: 'active' },
      { id: list.id, status: 'unsubscribed' },
    ]);
    expect(app.sql(sender.practice.id, 'SELECT status FROM recipients')).not.toContainEqual({
      status: 'unsubscribed',
    });
  });

  test('who had unsubscribed from marketing and confirms gets it again', async () => {
    const sender = await newSender();
    const list = await newList(sender);
    const address = newAddress();
    const scope = { address, scope: 'route', route_id: 'broadcast' };
    await app.request('POST', `${sender.base}/suppression`, scope, sender.token);
    const forRoute = "SELECT count(*) AS n FROM suppressions WHERE scope = 'route'";
    app.sql(sender.practice.id, "UPDATE suppressions SET reason = 'unsubscribe'");
    expect(app.sql(sender.practice.id, forRoute)).toEqual([{ n: 1 }]);
    await subscribe(list, address);
    await browser().open((await mailTo(address)).link);
    expect(statusOf(sender, list, address)).toBe('active');
    expect(app.sql(sender.practice.id, forRoute)).toEqual([{ n: 0 }]);
  });
});

describe('strangers', () => {
  test('an address gets one mail a day for a list, and who is on it none', async () => {
    const sender = await newSender();
    const list = await newList(sender);
    const address = newAddress();
    for (const _ of [1, 2, 3]) await subscribe(list, address);
    ahead += DAY + MINUTE;
    await subscribe(list, address);
    const { link } = await mailTo(address, 2);
    await browser().open(link);
    ahead += DAY + MINUTE;
    await subscribe(list, address);
    const last = newAddress();
    await subscribe(list, last);
    await mailTo(last);
    expect(mailsTo(address)).toHaveLength(2);
    expect(statusOf(sender, list, address)).toBe('active');
    expect(entriesOf(sender, list).filter(({ action }) => action === 'request')).toHaveLength(3);
  });

  test('learn nothing: known, unknown and suppressed are answered alike, byte for byte, also while mails wait', async () => {
    const sender = await newSender();
    const list = await newList(sender);
    const [active, suppressed] = [newAddress(), newAddress()];
    await subscribe(list, active);
    await browser().open((await mailTo(active)).link);
    await app.request(
      'POST',
      `${sender.base}/suppression`,
      { address: suppressed, scope: 'team' },
      sender.token,
    );
    const pending = newAddress();
    const addresses = [newAddress(), active, suppressed, pending, pending];
    const pages = [];
    for (const address of addresses) pages.push(await subscribe(list, address));
    pages.push(
      await browser().submit(await browser().open(list.form_url), 'Anmelden', {
        email: newAddress(),
        website: 'https://spam.example',
      }),
    );
    const seen = pages.map(({ status, html }) => `${status} ${html}`);
    expect(new Set(seen).size).toBe(1);
    const token = new URL(list.form_url).searchParams.get('l');
    const answers = [];
    for (const email of [newAddress(), active, suppressed])
      answers.push(await app.request('POST', '/api/public/subscribe', { list: token, email }));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).toEqual(
      new Set(['202 {"status":"pending"}']),
    );
    await app.request('POST', `${sender.base}/pause`, { reason: 'Urlaub' }, sender.token);
    const waiting = [];
    for (const address of [newAddress(), active, suppressed, pending])
      waiting.push(await subscribe(list, address));
    expect(new Set(waiting.map(({ status, html }) => `${status} ${html}`)).size).toBe(1);
    expect(mailsTo(suppressed)).toHaveLength(0);
  });

  test('programs that fill in every field are answered, and nothing is done', async () => {
    const sender = await newSender();
    const list = await newList(sender);
    const form = await browser().open(list.form_url);
    const answer = await browser().submit(form, 'Anmelden', { email: newAddress(), website: 'x' });
    expect(answer.status).toBe(200);
    expect(app.rowCounts(sender.practice.id)).toMatchObject({ subscribers: 0, messages: 0 });
    expect(entriesOf(sender, list)).toHaveLength(0);
  });

  test('cannot flood a mailbox through many lists and plus-parts, nor close it for others', async () => {
    const senders = [await newSender(), await newSender()];
    const lists = await Promise.all(senders.flatMap((sender) => [1, 2, 3, 4].map(() => newList(sender))));
    const [first] = lists;
    if (!first) throw new Error('no lists');
    const mailed = (): number =>
      receiver.messages.filter(({ recipients }) => recipients.some(({ address }) => /^victim/.test(address)))
        .length;
    const pages = [];
    // Requests without a mail count for nothing.
    for (const _ of [1, 2, 3, 4, 5]) pages.push(await subscribe(first, 'victim+0@flood.example'));
    for (const [index, list] of lists.entries())
      pages.push(await subscribe(list, `victim+${index}@flood.example`));
    await until('half of the mails of a day', () => mailed() === 3);
    const other = browser({ 'X-Forwarded-For': '198.51.100.9' });
    for (const [index, list] of lists.entries())
      pages.push(await subscribe(list, `victim+${index}@flood.example`, other));
    await until('the mails of a day', () => mailed() === 5);
    expect(new Set(pages.map(({ status }) => status))).toEqual(new Set([200]));
    // What was not mailed was not asked.
    const asked = senders.map(({ practice }) => app.rowCounts(practice.id).subscribers ?? 0);
    expect(asked.reduce((sum, one) => sum + one)).toBe(5);
  });

  test('have a fifth of what a domain may ask of a list, and programs that fill in all fields nothing', async () => {
    const sender = await newSender();
    const list = await newList(sender);
    await app.reconfigure({ limits: { subscribe_rate: { per_domain: { per_hour: 10 } } } });
    const by = async (client: number, name: string, website = ''): Promise<number> => {
      const visitor = browser({ 'X-Forwarded-For': `198.51.100.${client}` });
      const email = `${name}@domain.example`;
      return (await visitor.submit(await visitor.open(list.form_url), 'Anmelden', { email, website })).status;
    };
    for (const name of ['a', 'b', 'c', 'd']) expect(await by(1, name, 'x')).toBe(200);
    const others = [];
    for (const client of [1, 2, 3, 4, 5, 6])
      for (const name of ['a', 'b', 'c']) others.push(await by(client, `${name}${client}`));
    expect(others).toEqual([1, 2, 3, 4, 5].flatMap(() => [200, 200, 429]).concat([429, 429, 429]));
    await app.reconfigure({});
  });

  test('change neither the name nor the values of one who is known', async () => {
    const sender = await newSender();
    const list = await newList(sender);
    const address = newAddress();
    const known = { address, name: 'Lena Lang', data: { patient: 'nein' } };
    await app.request('POST', `${sender.base}/lists/${list.id}/subscribers`, known, sender.token);
    const values = () =>
      app.sql<{ asked_at: number }>(sender.practice.id, 'SELECT name, data_json, asked_at FROM subscribers');
    const first = values()[0]?.asked_at;
    ahead += DAY + MINUTE;
    const token = new URL(list.form_url).searchParams.get('l');
    const asked = { list: token, email: address, name: 'Gewinn', data: { patient: 'ja', vip: 'ja' } };
    expect((await app.request('POST', '/api/public/subscribe', asked)).status).toBe(202);
    const [row] = values();
    expect(row).toMatchObject({ name: 'Lena Lang', data_json: '{"patient":"nein"}' });
    expect(row?.asked_at).toBeGreaterThan(Number(first));
    const unknown = { ...asked, email: newAddress(), data: { ort: 'Köln' } };
    await app.request('POST', '/api/public/subscribe', unknown);
    expect(values()[1]).toMatchObject({ name: 'Gewinn', data_json: '{"ort":"Köln"}' });
  });

  test('find no list by a token that is wrong', async () => {
    const urls = ['/api/public/subscribe?l=1AAAA', '/api/public/subscribe'];
    const pages = await Promise.all(urls.map((url) => browser().open(url)));
    expect(new Set(pages.map(({ status, html }) => `${status} ${html}`)).size).toBe(1);
    expect(pages[0]?.status).toBe(404);
  });
});

describe('forms', () => {
  test('an address that cannot be is shown again with what is wrong', async () => {
    const sender = await newSender();
    const list = await newList(sender);
    const page = await subscribe(list, 'erika@@example');
    expect(page.status).toBe(400);
    expect(page.html).toContain('role="alert"');
    expect(page.html).toMatch(
      /<input id="sendwerk-email-\d+"[^>]*value="erika@@example" aria-invalid="true"/,
    );
    expect(page.html).toMatch(/name="name"[^>]*value="Erika Muster"/);
    const json = await app.request('POST', '/api/public/subscribe', {
      list: new URL(list.form_url).searchParams.get('l'),
      email: 'erika@@example',
    });
    expect(json).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', fields: [{ path: 'body.email' }] },
    });
  });

  test('work from another site, whose address is in the ledger', async () => {
    const sender = await newSender();
    const list = await newList(sender);
    const answer = await app.request<{ url: string; html: string }>(
      'GET',
      `${sender.base}/lists/${list.id}/form`,
      undefined,
      sender.token,
    );
    expect(answer.body.url).toBe(list.form_url);
    expect(answer.body.html).not.toMatch(/<script|class=|style=/);
    const { body: second } = await app.request<{ html: string }>(
      'GET',
      `${sender.base}/lists/${(await newList(sender)).id}/form`,
      undefined,
      sender.token,
    );
    const ids = [...`${answer.body.html}${second.html}`.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(6);
    expect(answer.body.html).toContain('action="https://mail.example.com/api/public/subscribe"');
    const site = browser({ Origin: 'https://praxis.example', Referer: 'https://praxis.example/brief?id=7' });
    const shown = { status: 200, headers: new Headers(), html: answer.body.html };
    const address = newAddress();
    expect((await site.submit(shown, 'Anmelden', { email: address })).status).toBe(200);
    const [request] = entriesOf(sender, list);
    expect(request?.openings.form_address?.value).toBe('https://praxis.example/brief');
    const [form] = app.sql<{ kind: string }>(
      sender.practice.id,
      'SELECT kind FROM consent_documents WHERE hash = ?',
      Buffer.from(request?.form ?? '', 'hex'),
    );
    expect(form).toEqual({ kind: 'form' });
    // An old form on a site still works: the request has the wording that it shows, the confirmation that of the mail.
    for (const wording of ['Anders.', 'Wieder anders.'])
      await app.request('PATCH', `${sender.base}/lists/${list.id}`, { wording }, sender.token);
    const late = newAddress();
    await site.submit(shown, 'Anmelden', { email: late });
    const last = () => lastWord(sender, list);
    expect(last()).toMatchObject({ form: null, wording: request?.wording, wording_version: 1 });
    const { mail, link } = await mailTo(late);
    expect(mail.text).toContain('Wieder anders.');
    await app.request('PATCH', `${sender.base}/lists/${list.id}`, { wording: 'Neu.' }, sender.token);
    await browser().open(link);
    const text = createHash('sha256').update('Wieder anders.').digest('hex');
    expect(last()).toMatchObject({ action: 'confirm', wording: text, wording_version: 3 });
    const forged = shown.html.replace('value="site.1"', 'value="site.77"');
    await site.submit({ ...shown, html: forged }, 'Anmelden', { email: newAddress() });
    expect(last()).toMatchObject({
      action: 'request',
      wording: null,
      wording_version: null,
      details: { shown_wording_version: 77 },
    });
  });
});

describe('preferences', () => {
  const joined = async (lists: number) => {
    const sender = await newSender();
    const address = newAddress();
    const names = Array.from({ length: lists }, (_, index) => `Liste ${index + 1}`);
    const all = [];
    for (const name of names) {
      const list = await newList(sender, { name });
      await subscribe(list, address);
      await browser().open((await mailTo(address, all.length + 1)).link);
      all.push(list);
    }
    const { mail } = await mailTo(address);
    const header = mail.headers.get('list') as { unsubscribe?: { url?: string } } | undefined;
    const unsubscribe = header?.unsubscribe?.url ?? '';
    return { sender, address, lists: all, page: unsubscribe.replace('/unsub?', '/preferences?') };
  };

  test('show all lists of the sender; a person leaves one, then all', async () => {
    const { sender, address, lists, page } = await joined(3);
    const shown = await browser().open(page);
    expect(textOf(shown.html)).toMatch(/Liste 1.*Liste 2.*Liste 3/);
    const [first] = lists;
    const left = await browser().submit(shown, 'Ausgewählte abbestellen', { [first?.id ?? '']: 'leave' });
    expect(textOf(left.html)).toContain('Abgemeldet: Liste 1');
    expect(lists.map((list) => statusOf(sender, list, address))).toEqual([
      'unsubscribed',
      'active',
      'active',
    ]);
    const none = await browser().submit(left, 'Ausgewählte abbestellen');
    expect(none.status).toBe(400);
    expect(none.html).toContain('role="alert"');
    const all = await browser().submit(left, 'Alle Listen abbestellen');
    expect(textOf(all.html)).toContain('ist auf keiner Liste');
    expect(lists.map((list) => statusOf(sender, list, address))).toEqual(Array(3).fill('unsubscribed'));
    expect(lastWord(sender, lists[2] as ListBody)).toMatchObject({
      action: 'withdraw',
      way: 'preferences',
    });
    expect(linkIn(all.html, 'Gar keine E-Mails mehr von Praxis am Markt')).toContain('/api/public/unsub?t=');
    expect(app.rowCounts(sender.practice.id)).toMatchObject({ suppressions: 0 });
  });

  test('the page to unsubscribe from a campaign leads to it', async () => {
    const { sender, page } = await joined(1);
    const unsubscribe = page.replace('/preferences?', '/unsub?');
    expect((await browser().open(unsubscribe)).html).not.toContain('/preferences');
    app.sql(sender.practice.id, "UPDATE messages SET source = 'campaign'");
    const shown = await browser().open(unsubscribe);
    expect(linkIn(shown.html, 'Nur einzelne Listen abbestellen')).toBe(
      new URL(page).pathname + new URL(page).search,
    );
  });

  test('GET and HEAD change nothing, and a wrong link leads nowhere', async () => {
    const { sender, address, lists, page } = await joined(1);
    await browser().open(page);
    await browser().open(`${page}&do=all`);
    await browser().open(page, 'HEAD');
    expect(statusOf(sender, lists[0] as ListBody, address)).toBe('active');
    expect((await browser().open('/api/public/preferences?t=1AAAA')).status).toBe(404);
  });
});
