// The starter templates as a practice uses them, by the door each is meant for; values of a campaign for all its people; and a
// campaign that would reach no one, or has reached no one: it is refused with the reason, and never called sent.
import { simpleParser } from 'mailparser';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Preset } from '#src/intake/templates/presets/build.ts';
import { presets } from '#src/intake/templates/presets/de.ts';
import { type Refusal, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { makeOwner } from '#test/support/people.ts';
import { until } from '#test/support/process.ts';
import { createSmtpReceiver, type SmtpReceiver } from '#test/support/smtp-receiver.ts';
import { inPractice, type Seed, seedList } from '#test/support/subscribers.ts';

interface Campaign {
  readonly id: string;
  readonly status: string;
  readonly reason: string | null;
  readonly counts: Readonly<Record<string, number>>;
  readonly [field: string]: unknown;
}

/** Added to the time of the daemon. */
let skipped = 0;
let receiver: SmtpReceiver;
let app: TestApp;
let sender: Sender;
beforeAll(async () => {
  receiver = await createSmtpReceiver();
  app = await startApp({
    runsTwice: true,
    receiver,
    clock: { now: () => Date.now() + skipped },
    config: { service: { public_origin: 'https://mail.example.com' } },
  });
  sender = await app.createSender({ plan: 'gruppe', name: 'Praxis am Markt' });
  await app.completeLegal(sender.practice.id);
  await app.request('POST', `${sender.base}/presets/seed`, undefined, sender.token);
});
afterAll(async () => {
  await app?.remove();
  await receiver?.stop();
});

const ask = <Body = Campaign>(method: string, path: string, body?: object) =>
  app.request<Body>(method, `${sender.base}${path}`, body, sender.token);
let lists = 0;
const listOf = (people: readonly Seed[]): string => {
  lists += 1;
  return seedList(app.home, sender.practice.id, people, { name: `Liste ${lists}` }).id;
};
const campaignOf = async (fields: object): Promise<string> => {
  const { status, body, text } = await ask('POST', '/campaigns', fields);
  if (status !== 201) throw new Error(`no campaign: ${status} ${text}`);
  return body.id;
};
const untilEnd = async (id: string): Promise<Campaign> => {
  let found = (await ask('GET', `/campaigns/${id}`)).body;
  await until('it has ended', async () => {
    found = (await ask('GET', `/campaigns/${id}`)).body;
    return ['sent', 'failed'].includes(found.status) && found.counts.queued === 0;
  });
  return found;
};
/** The first one whose subject begins so: owners are also told of their joining, and of campaigns that ended right before. */
const mailTo = async (address: string, begin = '') => {
  const found = async () => {
    const own = receiver.messages.filter(({ recipients }) => recipients[0]?.address === address);
    const mails = await Promise.all(own.map(({ content }) => simpleParser(content)));
    return mails.find(({ subject = '' }) => subject.startsWith(begin));
  };
  await until(`there is a mail to ${address}`, async () => (await found()) !== undefined);
  return (await found()) ?? fail();
};
const fail = (): never => {
  throw new Error('the mail is gone');
};

/** What only the one who sends can know. */
const appointment = { name: 'Frau Müller', datum: '14. Dezember 2026', uhrzeit: '9:30' };
const phone = { 'practice.phone': '040 123456' };
const given: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  terminbestaetigung: { ...appointment, ...phone },
  terminerinnerung: { ...appointment, ...phone },
  terminverschiebung: { ...appointment, ...phone, alter_termin: '10. Dezember 2026' },
  terminabsage: { ...appointment, ...phone },
  recall: { name: 'Frau Müller', ...phone },
  'unterlagen-abholbereit': { name: 'Frau Müller', oeffnungszeiten: 'Montag bis Freitag von 8 bis 12 Uhr' },
  'nachricht-liegt-bereit': { name: 'Frau Müller', link: 'https://praxis.example/nachrichten', ...phone },
  'newsletter-anmeldung': { bestaetigungslink: 'https://praxis.example/ja' },
  rechnung: {
    ...{ name: 'Frau Müller', rechnungsnummer: '2026-114', datum: '14. Dezember 2026', betrag: '84,50 €' },
    ...{ zahlbar_bis: '4. Januar 2027', ...phone },
  },
  zufriedenheit: { name: 'Frau Müller', link: 'https://praxis.example/fragen', ...phone },
  mitgliederversammlung: { ...appointment, ort: 'Vereinsheim', antraege_bis: '1. Dezember 2026' },
  willkommen: { name: 'Frau Müller', oeffnungszeiten: 'Montag bis Freitag von 8 bis 12 Uhr', ...phone },
};
const letter = {
  betreff: 'Neues aus unserer Praxis',
  text: 'ab Januar haben wir auch am Donnerstagnachmittag geöffnet.',
  link_text: 'Unsere Sprechzeiten',
  link: 'https://praxis.example/zeiten',
};

describe('the starter templates', () => {
  test.each(presets.filter(({ kind }) => kind !== 'newsletter'))(
    '$name is sent as it is, and knows the practice by itself',
    async ({ name, document }: Preset) => {
      const to = `${name}@example.net`;
      const { status, text } = await ask('POST', '/send', { to, template: name, data: given[name] });
      expect(status, text).toBe(202);
      const { text: read = '' } = await mailTo(to);
      expect(read).toContain('Freundliche Grüße\nPraxis am Markt');
      if (JSON.stringify(document).includes('practice.address'))
        expect(read).toContain('Am Markt 1, 20095 Hamburg');
      expect(read).not.toContain('{{');
    },
  );

  test('the newsletter is a campaign to a confirmed subscriber', async () => {
    const list_id = listOf([{ address: 'leserin@example.net' }]);
    const id = await campaignOf({ list_id, template: 'newsletter', values: letter });
    const { status, text } = await ask('POST', `/campaigns/${id}/send`);
    expect(status, text).toBe(200);
    expect(await untilEnd(id)).toMatchObject({ status: 'sent', counts: { handed_over: 1, sent: 1 } });
    const mail = await mailTo('leserin@example.net');
    expect(mail.subject).toBe('Neues aus unserer Praxis');
    expect(mail.text).toContain(letter.text);
    expect(mail.text).toContain('Freundliche Grüße\nPraxis am Markt');
    expect(`${mail.text}${mail.html}`).not.toContain('{{');
  });

  test('one that needs what the practice has not told says where to tell it', async () => {
    const { datum, uhrzeit, name } = appointment;
    const body = { to: 'x@example.net', template: 'terminbestaetigung', data: { datum, uhrzeit, name } };
    const { status, body: refusal } = await ask<Refusal>('POST', '/send', body);
    expect({ status, fields: refusal.fields }).toEqual({
      status: 400,
      fields: [{ path: 'body.data.practice.phone', message: expect.stringContaining('legal block') }],
    });
  });
});

describe('values for all its people', () => {
  const content = {
    subject: 'Neues für {{name}}',
    text: '{{name}}: {{ort}} {{practice.name}}',
    html: '<p>{{ort}}</p>',
  };

  test("give way to a person's own, unless that is empty, and are kept once for all messages", async () => {
    const list_id = listOf([
      { address: 'eigen@example.net', name: 'Anna', data: { ort: 'Bonn' } },
      { address: 'leer@example.net', name: 'Ben', data: { ort: ' ' } },
      { address: 'ohne@example.net', data: {} },
    ]);
    const id = await campaignOf({ list_id, ...content, values: { name: 'Sie', ort: 'Hamburg & Umland' } });
    expect((await ask('GET', `/campaigns/${id}`)).body).toMatchObject({
      values: { name: 'Sie', ort: 'Hamburg & Umland' },
      unknown_fields: [],
    });
    expect((await ask('POST', `/campaigns/${id}/send`)).status).toBe(200);
    expect(await untilEnd(id)).toMatchObject({ status: 'sent', counts: { handed_over: 3 } });
    const [own, empty, none] = await Promise.all(
      ['eigen', 'leer', 'ohne'].map((name) => mailTo(`${name}@example.net`)),
    );
    expect(own?.text).toContain('Anna: Bonn Praxis am Markt');
    expect(empty?.text).toContain('Ben: Hamburg & Umland Praxis am Markt');
    expect(none?.text).toContain('Sie: Hamburg & Umland Praxis am Markt');
    expect(empty?.html).toContain('<p>Hamburg &amp; Umland</p>');
    const stored = inPractice(app.home, sender.practice.id, (db) =>
      db
        .prepare<[], { data_json: string; of_all: string }>(
          `SELECT body.data_json, shared.data_json AS of_all FROM message_bodies AS body
             JOIN shared_contents AS shared ON shared.id = shared_id ORDER BY message_seq DESC LIMIT 3`,
        )
        .all(),
    );
    expect(stored.map(({ data_json }) => JSON.parse(data_json)).map(({ ort }) => ort ?? null)).toEqual(
      expect.arrayContaining(['Bonn', null, null]),
    );
    expect(JSON.parse(stored[0]?.of_all ?? '')).toEqual({
      name: 'Sie',
      ort: 'Hamburg & Umland',
      'practice.name': 'Praxis am Markt',
    });
  });

  test('are in its test mail and its rating, are copied, and can be taken away', async () => {
    const owner = 'owner@praxis.example';
    await makeOwner(app, sender.practice.id, owner);
    const list_id = listOf([{ address: 'probe@example.net', name: 'Anna' }]);
    const id = await campaignOf({ list_id, ...content, values: { ort: 'Hamburg' } });
    expect((await ask('POST', `/campaigns/${id}/test`, { to: [owner] })).status).toBe(202);
    expect((await mailTo(owner, '[Test] ')).text).toContain('[name]: Hamburg Praxis am Markt');
    const copy = (await ask('POST', `/campaigns/${id}/duplicate`, {})).body;
    expect(copy.values).toEqual({ ort: 'Hamburg' });
    const changed = (await ask('PATCH', `/campaigns/${id}`, { values: {} })).body;
    expect(changed).toMatchObject({ values: {}, unknown_fields: ['ort'], text: content.text });
  });
});

describe('a campaign that would reach no one', () => {
  const refusal = async (fields: object, verb = 'send', body?: object): Promise<Refusal> => {
    const id = await campaignOf({ subject: 'Neues', text: 'Guten Tag', ...fields });
    const answer = await ask<Refusal>('POST', `/campaigns/${id}/${verb}`, body);
    expect(answer.status, answer.text).toBe(422);
    expect((await ask('GET', `/campaigns/${id}`)).body.status).toBe('draft');
    return answer.body;
  };
  const two = [{ address: 'a@example.net', data: { ort: 'Bonn' } }, { address: 'b@example.net' }];

  test('is refused with the placeholders that lack values, and for how many people', async () => {
    const list_id = listOf(two);
    const body = await refusal({ list_id, template: 'newsletter', subject: undefined, text: undefined });
    expect(body).toMatchObject({
      code: 'no_recipients',
      error:
        'The campaign would reach no one: of 2 people on its lists, without a value for placeholders (betreff, text, link_text, link): 2.',
      hint: expect.stringContaining('`values`'),
      people: 2,
      left_out: { missing_value: 2 },
      placeholders: ['betreff', 'text', 'link_text', 'link'].map((name) => ({ name, people: 2 })),
    });
  });

  test('is refused when it is scheduled, too, by every way to schedule it', async () => {
    const schedule = { schedule_at: new Date(Date.now() + 3_600_000).toISOString() };
    const list_id = listOf([]);
    expect(await refusal({ list_id }, 'schedule', schedule)).toMatchObject({
      code: 'no_recipients',
      people: 0,
    });
    const born = await ask<Refusal>('POST', '/campaigns', { list_id, subject: 'A', text: 'B', ...schedule });
    expect(born.body).toMatchObject({
      code: 'no_recipients',
      error: expect.stringContaining('no one on its lists'),
    });
    const id = await campaignOf({ list_id, subject: 'A', text: 'B' });
    expect((await ask<Refusal>('PATCH', `/campaigns/${id}`, schedule)).body.code).toBe('no_recipients');
  });

  test('is refused with each reason in the order of how many people it concerns', async () => {
    const list_id = listOf([1, 2, 3, 4].map((n) => ({ address: `weg${n}@example.net`, name: `Weg ${n}` })));
    const set = (status: string, ...names: string[]): unknown =>
      app.sql(
        sender.practice.id,
        `UPDATE subscribers SET status = ? WHERE name IN (${names.map(() => '?')})`,
        status,
        ...names,
      );
    set('pending', 'Weg 1', 'Weg 2');
    set('unsubscribed', 'Weg 3');
    await ask('POST', '/suppression', { address: 'weg4@example.net' });
    const body = await refusal({ list_id });
    expect(body.error).toMatch(/of 4 people on its lists, not confirmed yet: 2; /);
    expect(body).toMatchObject({
      hint: expect.stringContaining('confirmation mail'),
      left_out: { pending: 2, unsubscribed: 1, suppressed: 1 },
      placeholders: [],
    });
    const filter = [{ field: 'ort', op: 'is', value: 'Paris' }];
    const filtered = await refusal({ list_id: listOf(two), filter });
    expect(filtered.error).toContain('its filter fits none of the 2 people');
  });

  test('is sent where one of many would get it, and the audience says what the others lack', async () => {
    const many = Array.from({ length: 1_100 }, (_, index) => ({ address: `ohne${index}@example.net` }));
    const list_id = listOf([...many, { address: 'mit@example.net', data: { ort: 'Bonn' } }]);
    const id = await campaignOf({
      list_id,
      subject: 'Neues',
      text: 'Guten Tag nach {{ort}} {{land}}',
      values: { land: 'DE' },
    });
    expect((await ask('GET', `/campaigns/${id}/audience`)).body).toMatchObject({
      will_receive: 1,
      missing_values: 1_100,
      placeholders: [{ name: 'ort', people: 1_100 }],
    });
    expect((await ask('POST', `/campaigns/${id}/send`)).status).toBe(200);
    expect(await untilEnd(id)).toMatchObject({ status: 'sent', counts: { handed_over: 1 } });
  });
});

test('a campaign whose people have all left by its time has failed, and its owners are told why', async () => {
  const owner = 'inhaberin@praxis.example';
  await makeOwner(app, sender.practice.id, owner);
  const list_id = listOf([{ address: 'bald-weg@example.net' }]);
  const id = await campaignOf({ list_id, name: 'Herbst', subject: 'Neues', text: 'Guten Tag' });
  const at = new Date(Date.now() + 3_600_000).toISOString();
  expect((await ask('POST', `/campaigns/${id}/schedule`, { schedule_at: at })).status).toBe(200);
  await ask('POST', '/suppression', { address: 'bald-weg@example.net' });
  skipped = 3_601_000;
  onTestFinished(() => {
    skipped = 0;
  });
  // Any commit of the practice is a look.
  await app.send(sender);
  expect(await untilEnd(id)).toMatchObject({
    status: 'failed',
    reason: 'no_recipients',
    counts: { handed_over: 0 },
    left_out: { suppressed: 1 },
  });
  const mail = await mailTo(owner, 'Rundschreiben „Herbst“');
  expect(mail.subject).toBe('Rundschreiben „Herbst“ ist fehlgeschlagen');
  expect(mail.text).toContain('niemand');
  expect(mail.text).toContain('Ausgelassen, gesperrte Adresse: 1');
});
