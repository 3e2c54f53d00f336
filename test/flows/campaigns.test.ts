// Campaigns as a practice makes them: what is taken and refused, who would get one, a test and a rating of it, and, once it is
// sent, its numbers, recipients and links.
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type List, type Refusal, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { join, makeOwner } from '#test/support/people.ts';
import { until } from '#test/support/process.ts';
import { createSmtpReceiver, type SmtpReceiver } from '#test/support/smtp-receiver.ts';
import { type Seed, seedList } from '#test/support/subscribers.ts';

interface Campaign {
  readonly id: string;
  readonly status: string;
  readonly counts: Readonly<Record<string, number>>;
  readonly rates: Readonly<Record<string, number | null>>;
  readonly left_out: Readonly<Record<string, number>>;
  readonly [field: string]: unknown;
}
interface Recipient {
  readonly address: string | null;
  readonly message_id: string | null;
  readonly reason: string | null;
}

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0';
const NO_SUCH_ID = '0198c5b2-6c9e-7d21-9f6f-3a1d5b0e7c44';

/** Added to the time of the daemon. */
let skipped = 0;
let receiver: SmtpReceiver;
let app: TestApp;
let sender: Sender;
beforeAll(async () => {
  receiver = await createSmtpReceiver({
    rcpt: ({ address }) => (address.startsWith('unknown') ? '550 5.1.1 User unknown' : '250 2.1.5 Ok'),
  });
  app = await startApp({
    runsTwice: true,
    receiver,
    clock: { now: () => Date.now() + skipped },
    config: { service: { public_origin: 'https://mail.example.com' } },
  });
  sender = await newSender();
});
afterAll(async () => {
  await app?.remove();
  await receiver?.stop();
});

const newSender = async (): Promise<Sender> => {
  const made = await app.createSender({ plan: 'gruppe' });
  await app.completeLegal(made.practice.id);
  return made;
};
let names = 0;
const listOf = (
  people: readonly Seed[],
  fields: Parameters<typeof seedList>[3] = {},
  of = sender,
): string => {
  names += 1;
  return seedList(app.home, of.practice.id, people, { name: `Liste ${names}`, ...fields }).id;
};
const letter = { subject: 'Herbst für {{name}}', text: 'Guten Tag {{name}}, wir impfen wieder.' };
const ask = <Body = Campaign>(method: string, path: string, body?: object, of = sender, token = of.token) =>
  app.request<Body>(method, `${of.base}/campaigns${path}`, body, token);
const create = async (listId: string, fields: object = {}, of = sender): Promise<Campaign> => {
  const { status, body, text } = await ask('POST', '', { list_id: listId, ...letter, ...fields }, of);
  if (status !== 201) throw new Error(`no campaign: ${status} ${text}`);
  return body;
};

describe('a campaign', () => {
  test('is a draft with its content, changed, copied and removed', async () => {
    const listId = listOf([{ address: 'erika@example.net', name: 'Erika' }]);
    const made = await create(listId, { text: 'Guten Tag {{name}} aus {{ort}}' });
    expect(made).toMatchObject({
      name: 'Herbst für {{name}}',
      list_id: listId,
      list_ids: [listId],
      message_kind: 'newsletter',
      route: { slug: 'broadcast' },
      status: 'draft',
      rates: { open_rate: null, bounce_rate: null },
      progress: 0,
      unknown_fields: ['ort'],
    });
    const filter = [{ field: 'ort', op: 'is', value: 'Bonn' }];
    const { body: changed } = await ask('PATCH', `/${made.id}`, {
      name: 'Herbst',
      filter,
      max_per_hour: 100,
    });
    expect(changed).toEqual({
      ...made,
      name: 'Herbst',
      filter,
      max_per_hour: 100,
      updated_at: expect.any(String),
    });
    const { body: copy } = await ask('POST', `/${made.id}/duplicate`, {});
    expect(copy).toMatchObject({ name: 'Herbst (2)', status: 'draft', filter, text: made.text });
    const { body: page } = await ask<List<Campaign>>('GET', '?limit=1');
    expect(page.data).toMatchObject([{ id: copy.id, subject: letter.subject }]);
    expect(page.data[0]).not.toHaveProperty('text');
    const rest = `?cursor=${page.next_cursor}`;
    expect((await ask<List<Campaign>>('GET', rest)).body.data).toMatchObject([{ id: made.id }]);
    expect((await ask('DELETE', `/${copy.id}`)).status).toBe(204);
    expect((await ask('GET', `/${copy.id}`)).status).toBe(404);
  });

  test('keeps the content of a template as it is now', async () => {
    const template = { name: 'herbst', subject: 'Eins', text: 'Guten Tag {{name}}', track_opens: false };
    await app.request('POST', `${sender.base}/templates`, template, sender.token);
    const made = await create(listOf([]), { template: 'herbst', subject: undefined, text: undefined });
    expect(made).toMatchObject({
      subject: 'Eins',
      template: { name: 'herbst', version: 1 },
      settings: { track_opens: false },
    });
    await app.request('PATCH', `${sender.base}/templates/herbst`, { subject: 'Zwei' }, sender.token);
    expect((await ask('GET', `/${made.id}`)).body).toMatchObject({ subject: 'Eins' });
    const { body } = await ask('PATCH', `/${made.id}`, { template: 'herbst' });
    expect(body).toMatchObject({ subject: 'Zwei', template: { version: 2 } });
    expect((await ask('PATCH', `/${made.id}`, { subject: 'Drei' })).body).toMatchObject({ template: null });
  });

  test('is scheduled in local time, and a draft again', async () => {
    const schedule = { schedule_at: '2027-07-01T08:00:00', time_zone: 'europe/berlin' };
    skipped = Date.parse('2027-01-01') - Date.now();
    try {
      const made = await create(listOf([{ address: 'erika@example.net', name: 'Erika' }]), schedule);
      expect(made).toMatchObject({
        status: 'scheduled',
        schedule_at: '2027-07-01T06:00:00.000Z',
        time_zone: 'Europe/Berlin',
      });
      expect((await ask('DELETE', `/${made.id}`)).status).toBe(409);
      const { body } = await ask('PATCH', `/${made.id}`, { schedule_at: null });
      expect(body).toMatchObject({ status: 'draft', schedule_at: null, time_zone: null });
    } finally {
      skipped = 0;
    }
  });

  test('is refused where it cannot be', async () => {
    const lists = {
      newsletter: listOf([]),
      other: listOf([], { channel: 'other' }),
      recall: listOf([], { channel: 'recall' }),
      archived: listOf([], { archived_at: 1 }),
    };
    expect(await create(lists.other)).toMatchObject({ message_kind: 'custom' });
    const { newsletter } = lists;
    const rows: readonly [says: string, fields: object, code: string, status: number][] = [
      ['no list', { list_id: undefined }, 'invalid_request', 400],
      ['both ways to name lists', { list_ids: [newsletter] }, 'invalid_request', 400],
      ['an unknown list', { list_id: NO_SUCH_ID }, 'not_found', 404],
      ['an archived list', { list_id: lists.archived }, 'conflict', 409],
      ['a list for reminders', { list_id: lists.recall }, 'kind_not_allowed_on_route', 422],
      ['a kind that is no marketing', { message_kind: 'termin' }, 'kind_not_allowed_on_route', 422],
      ['a transactional route', { route: 'outgoing' }, 'kind_not_allowed_on_route', 422],
      ['the kind of another channel', { message_kind: 'custom' }, 'consent_required', 422],
      [
        'lists of two channels',
        { list_id: undefined, list_ids: [newsletter, lists.other] },
        'consent_required',
        422,
      ],
      ['an unknown route', { route: 'nowhere' }, 'not_found', 404],
      ['an unknown project', { project_id: NO_SUCH_ID }, 'not_found', 404],
      ['no subject', { subject: undefined }, 'invalid_request', 400],
      ['no text', { text: undefined }, 'invalid_request', 400],
      ['content beside a template', { template: 'herbst' }, 'invalid_request', 400],
      ['an unknown template', { template: 'x', subject: undefined, text: undefined }, 'not_found', 404],
      ['a placeholder that is none', { text: '{{#if x}}' }, 'invalid_request', 400],
      ['a From that is no address', { from: 'Praxis' }, 'invalid_request', 400],
      ['a time that has passed', { schedule_at: '2020-01-01T00:00:00Z' }, 'invalid_request', 400],
      ['a zone without a time', { time_zone: 'Europe/Berlin' }, 'invalid_request', 400],
    ];
    const before = app.rowCounts(sender.practice.id).campaigns;
    for (const [says, fields, code, status] of rows) {
      const body = { list_id: newsletter, ...letter, ...fields };
      const answer = await ask<Refusal>('POST', '', body);
      expect({ says, code: answer.body.code, status: answer.status }).toEqual({ says, code, status });
    }
    expect(app.rowCounts(sender.practice.id).campaigns).toBe(before);
  });

  test('is for those who may see the whole practice', async () => {
    const { id } = await create(listOf([]));
    const { data } = (
      await app.request<List<{ id: string }>>('GET', `${sender.base}/projects`, undefined, sender.token)
    ).body;
    const fields = { scope: 'project', project_id: data[0]?.id };
    const limited = await app.createToken(sender.practice.id, fields);
    for (const path of ['', `/${id}`, `/${id}/audience`, `/${id}/recipients`, `/${id}/links`])
      expect((await ask('GET', path, undefined, sender, limited)).status, path).toBe(403);
  });

  test('shows its recipients to who may see mail, and is scheduled by who may send', async () => {
    // People are invited by mails that this one captures.
    const kept = await startApp();
    onTestFinished(() => kept.remove());
    const { practice, base, token } = await kept.createSender({ plan: 'gruppe' });
    const list_id = seedList(kept.home, practice.id, []).id;
    const role = { name: 'Kampagnen', permissions: ['campaigns.send'] };
    const { body: made } = await kept.request<{ id: string }>('POST', `${base}/roles`, role, kept.adminToken);
    const { token: theirs } = await join(kept, practice.id, 'werbung@praxis.example', { role_id: made.id });
    const path = `${base}/campaigns`;
    const { id } = (await kept.request<Campaign>('POST', path, { list_id, ...letter }, token)).body;
    const ofTheirs = async (method: string, rest: string, body?: object) =>
      (await kept.request<Refusal>(method, `${path}/${id}${rest}`, body, theirs)).body;
    expect(await ofTheirs('GET', '')).toMatchObject({ status: 'draft' });
    for (const rest of ['/recipients', '/recipients/export'])
      expect(await ofTheirs('GET', rest)).toMatchObject({ code: 'forbidden', permission: 'messages.view' });
    const test = { to: ['werbung@praxis.example'] };
    expect(await ofTheirs('POST', '/test', test)).toMatchObject({ permission: 'messages.send' });
    const scheduled = { schedule_at: new Date(Date.now() + 3_600_000).toISOString() };
    expect(await ofTheirs('PATCH', '', scheduled)).toMatchObject({ permission: 'messages.send' });
  });
});

describe('before it is sent', () => {
  test('people are counted once, and those left out by their reason', async () => {
    const of = await newSender();
    const bonn = (name: string): Seed => ({ address: `${name}@example.net`, name, data: { ort: 'Bonn' } });
    const first = listOf(
      [
        bonn('anna'),
        bonn('ben'),
        bonn('cara'),
        bonn('dora'),
        { ...bonn('emil'), data: { ort: 'Köln' } },
        { address: 'nameless@example.net', data: { ort: 'Bonn' } },
      ],
      {},
      of,
    );
    const second = listOf([bonn('anna'), bonn('frieda')], {}, of);
    const set = (name: string, status: string): unknown =>
      app.sql(of.practice.id, 'UPDATE subscribers SET status = ? WHERE name = ?', status, name);
    set('ben', 'unsubscribed');
    set('cara', 'pending');
    const dora = { address: 'dora@example.net' };
    await app.request('POST', `${of.base}/suppression`, dora, of.token);
    const filter = [{ field: 'ort', op: 'is', value: 'bonn' }];
    const fields = { list_id: undefined, list_ids: [first, second], filter };
    const { id } = await create(first, fields, of);
    expect((await ask('GET', `/${id}/audience`, undefined, of)).body).toEqual({
      people: 7,
      matching: 6,
      will_receive: 2,
      suppressed: 1,
      without_consent: 2,
      missing_values: 1,
      placeholders: [{ name: 'name', people: 1 }],
      left_out: { unsubscribed: 1, pending: 1, suppressed: 1, missing_value: 1 },
    });
  });

  test('a test goes to members with the values given and those of no subscriber, and to no stranger', async () => {
    await makeOwner(app, sender.practice.id, 'owner@praxis.example');
    const { id } = await create(listOf([{ address: 'erika@example.net', name: 'Erika Muster' }]));
    const stranger = { to: ['owner@praxis.example', 'erika@example.net'] };
    const refused = await ask<Refusal>('POST', `/${id}/test`, stranger);
    expect(refused.body).toMatchObject({ code: 'invalid_recipient', recipients: ['erika@example.net'] });
    const { status, body } = await ask<{ messages: { address: string; message: { id: string } }[] }>(
      'POST',
      `/${id}/test`,
      { to: ['Owner <OWNER@praxis.example>'], data: { name: 'Frau Probe' } },
    );
    expect(status).toBe(202);
    const message = await app.message(sender, body.messages[0]?.message.id ?? '');
    expect(message).toMatchObject({
      subject: '[Test] Herbst für Frau Probe',
      message_kind: 'newsletter',
      campaign_id: null,
    });
    const plain = await ask<{ messages: { message: { id: string } }[] }>('POST', `/${id}/test`, {
      to: ['owner@praxis.example'],
    });
    const placeholder = await app.message(sender, plain.body.messages[0]?.message.id ?? '');
    expect(placeholder).toMatchObject({ subject: '[Test] Herbst für [name]' });
    expect((await ask('GET', `/${id}`)).body).toMatchObject({ status: 'draft', counts: { sent: 0 } });
    const long = { to: ['owner@praxis.example'], data: { name: 'x'.repeat(10_000) } };
    await ask('PATCH', `/${id}`, { text: '{{name}}'.repeat(300) });
    expect((await ask<Refusal>('POST', `/${id}/test`, long)).body).toMatchObject({
      code: 'invalid_request',
      fields: [{ path: 'body.data' }],
    });
    expect(receiver.messages.some(({ content }) => content.includes('erika@example.net'))).toBe(false);
  });

  test('it is rated as the message of the first person', async () => {
    const of = await app.createSender({ plan: 'gruppe' });
    const { id } = await create(listOf([{ address: 'erika@example.net', name: 'Erika' }], {}, of), {}, of);
    const ratingOf = async (campaignId: string) =>
      (await ask<object>('POST', `/${campaignId}/score`, undefined, of)).body;
    expect(await ratingOf(id)).toMatchObject({
      would_refuse: 'impressum_incomplete',
      broadcast: { eligible: false, missing: ['impressum_incomplete'] },
      impressum: { complete: false },
    });
    await app.completeLegal(of.practice.id);
    expect(await ratingOf(id)).toMatchObject({ would_refuse: null, broadcast: { eligible: true } });
    const { id: empty } = await create(listOf([], {}, of), {}, of);
    expect(await ratingOf(empty)).toMatchObject({ would_refuse: 'consent_required' });
  });
});

describe('once it is sent', () => {
  const link = 'https://praxis.example/impfen';
  const html = `<p>Guten Tag {{name}}, <a href="${link}">mehr</a></p>`;
  let of: Sender;
  let id: string;
  const recipients = async (query = ''): Promise<readonly Recipient[]> =>
    (await ask<List<Recipient>>('GET', `/${id}/recipients${query}`, undefined, of)).body.data;
  const now = async (): Promise<Campaign> => (await ask('GET', `/${id}`, undefined, of)).body;

  beforeAll(async () => {
    of = await newSender();
    const people = ['anna', 'ben', 'cara', 'unknown'].map((name) => ({
      address: `${name}@example.net`,
      name,
    }));
    const listId = listOf([...people, { address: 'nameless@example.net' }], {}, of);
    id = (await create(listId, { html }, of)).id;
    const started = await ask('POST', `/${id}/send`, undefined, of);
    if (started.status !== 200) throw new Error(`not sent: ${started.text}`);
    await until('it is sent and counted', async () => {
      const { status, counts } = await now();
      return status === 'sent' && (counts.sent ?? 0) === 3 && (counts.refused ?? 0) === 1;
    });
    const anna = receiver.messages.find((one) => one.recipients.some(({ address }) => /^anna/.test(address)));
    const body = (anna?.content ?? '').toString().replace(/=\r\n/g, '').replaceAll('=3D', '=');
    const [click = ''] = /https:\/\/mail\.example\.com\/t\/c\/[\w./-]+/.exec(body) ?? [];
    skipped = 60_000;
    const target = app.origin + new URL(click).pathname;
    const followed = await fetch(target, { redirect: 'manual', headers: { 'User-Agent': FIREFOX } });
    expect(followed.headers.get('location')).toBe(link);
    await until('the click is counted', async () => (await now()).counts.clicked === 1);
  });

  test('its numbers and rates are those of people, by one denominator', async () => {
    expect(await now()).toMatchObject({
      status: 'sent',
      progress: 1,
      left_out: { missing_value: 1 },
      counts: { handed_over: 4, queued: 0, sent: 3, refused: 1, hard_bounced: 1, opened: 1, clicked: 1 },
      rates: { bounce_rate: 1 / 4, click_rate: 1 / 3, open_rate: 1 / 3, complaint_rate: 0 },
    });
    expect((await ask('GET', `/${id}/audience`, undefined, of)).body).toMatchObject({
      people: 5,
      will_receive: 4,
      missing_values: 1,
    });
  });

  test('its recipients are found by what happened to them, page by page', async () => {
    const addresses = async (state: string) =>
      (await recipients(`?state=${state}`)).map((one) => one.address);
    expect(await addresses('clicked')).toEqual(['anna@example.net']);
    expect(await addresses('bounced')).toEqual(['unknown@example.net']);
    expect((await addresses('sent')).toSorted()).toEqual(
      ['anna', 'ben', 'cara'].map((one) => `${one}@example.net`),
    );
    expect(await recipients('?state=left_out')).toMatchObject([
      { address: 'nameless@example.net', reason: 'missing_value', message_id: null },
    ]);
    const seen: (string | null)[] = [];
    let path: string | null = `/${id}/recipients?limit=1`;
    while (path !== null) {
      const page: List<Recipient> = (await ask<List<Recipient>>('GET', path, undefined, of)).body;
      seen.push(...page.data.map(({ address }) => address));
      path = page.next_cursor && `/${id}/recipients?limit=1&cursor=${page.next_cursor}`;
    }
    expect(seen.toSorted()).toEqual((await recipients()).map(({ address }) => address).toSorted());
    expect(seen.length).toBe(4);
  });

  test('its recipients are a file, and its links have their clicks', async () => {
    const file = await ask<string>('GET', `/${id}/recipients/export?state=bounced`, undefined, of);
    expect(file.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const [head = '', line = '', ...more] = file.text.split('\r\n');
    expect(head.startsWith('address,status,reason,')).toBe(true);
    expect(line.startsWith('unknown@example.net,hard_bounced,,550,5.1.1,')).toBe(true);
    expect(more).toEqual(['']);
    expect((await ask('GET', `/${id}/links`, undefined, of)).body).toEqual({
      data: [{ url: link, clicks: 1, recipients: 1 }],
    });
  });

  test('its messages name it and are found by it', async () => {
    const search = (campaign: string) =>
      app.request<List<{ campaign_id: string; source: string }>>(
        'GET',
        `${of.base}/messages/search?campaign_id=${campaign}`,
        undefined,
        of.token,
      );
    await app.send(of);
    const { body } = await search(id);
    expect(body.data.map(({ campaign_id, source }) => [campaign_id, source])).toEqual(
      Array(4).fill([id, 'campaign']),
    );
    expect((await search(NO_SUCH_ID)).status).toBe(404);
  });

  test('it cannot be changed or deleted, only copied', async () => {
    expect((await ask('PATCH', `/${id}`, { name: 'x' }, of)).status).toBe(409);
    expect((await ask('DELETE', `/${id}`, undefined, of)).status).toBe(409);
    expect((await ask('POST', `/${id}/duplicate`, { name: 'Winter' }, of)).body).toMatchObject({
      name: 'Winter',
      status: 'draft',
      counts: { handed_over: 0 },
    });
  });
});
