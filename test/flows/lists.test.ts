// Lists and their subscribers as a practice keeps them over HTTP: what a list needs, who is asked by mail and how often, what
// the practice asserts itself, who cannot be brought back, and how subscribers are found, exported and forgotten.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import type { ConsentFacts, Openings } from '#src/audience/consent/entry.ts';
import type { listSchema } from '#src/audience/lists/schema.ts';
import type { subscriberDetails } from '#src/audience/subscribers/schema.ts';
import { DAY } from '#src/kernel/time.ts';
import { type List, type Refusal, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { until } from '#test/support/process.ts';

type ListRecord = z.infer<typeof listSchema>;
type Subscriber = z.infer<typeof subscriberDetails>;

let app: TestApp;
let sender: Sender;
beforeAll(async () => {
  app = await startApp({ runsTwice: true });
  sender = await app.createSender({ plan: 'praxis' });
});
afterAll(() => app?.remove());

const ask = <Body = Subscriber & Refusal>(method: string, path: string, body?: unknown) =>
  app.request<Body>(method, sender.base + path, body, sender.token);

let made = 0;
const makeList = async (fields: object = {}): Promise<ListRecord & { path: string }> => {
  made += 1;
  const { status, body, text } = await ask<ListRecord>('POST', '/lists', {
    name: `Liste ${made}`,
    ...fields,
  });
  if (status !== 201) throw new Error(text);
  return { ...body, path: `/lists/${body.id}` };
};
const EVIDENCE = 'Aufnahmebogen von Erika, Ordner 12';
const asserted = { status: 'active', consent: { evidence: EVIDENCE } };
const add = async (list: { path: string }, address: string, fields: object = asserted) => {
  const { status, body, text } = await ask('POST', `${list.path}/subscribers`, { address, ...fields });
  if (status > 201) throw new Error(text);
  return { ...body, status_code: status, path: `${list.path}/subscribers/${body.id}` };
};
const found = async (list: { path: string }, query = '') => {
  const { body } = await ask<List<Subscriber>>('GET', `${list.path}/subscribers?${query}`);
  return body.data.map(({ address }) => address);
};

interface Entry extends ConsentFacts {
  readonly openings: Openings;
}
const ledgerOf = (list: { id: string }): Entry[] =>
  app
    .sql<{ facts_json: string; openings_json: string }>(
      sender.practice.id,
      'SELECT facts_json, openings_json FROM consent_entries ORDER BY seq',
    )
    .map((row) => ({ ...JSON.parse(row.facts_json), openings: JSON.parse(row.openings_json) }) as Entry)
    .filter(({ list_id }) => list_id === list.id);
/** Confirmation mails leave, and get their entries, at a time of their own. */
const declared = (list: { id: string }): Entry[] => ledgerOf(list).filter(({ action }) => action !== 'mail');
const sentMails = (list: { id: string }): Entry[] => ledgerOf(list).filter(({ action }) => action === 'mail');
const mailsTo = (address: string): number =>
  app.sql(sender.practice.id, 'SELECT 1 FROM recipients WHERE address = ?', address).length;
/** As if all confirmation mails had left so long ago. */
const passDays = async (days: number): Promise<void> => {
  await until(
    'all have left',
    () => app.sql(sender.practice.id, 'SELECT 1 FROM confirmation_mails').length === 0,
  );
  app.sql(sender.practice.id, 'UPDATE subscribers SET asked_at = asked_at - ?', days * DAY);
};

describe('a list', () => {
  test('needs a name alone: its wording names practice and list, and is the first in the ledger', async () => {
    const list = await makeList({ name: 'Praxisbrief' });
    expect(list).toMatchObject({
      channel: 'newsletter',
      language: 'de',
      wording_version: 1,
      is_public: true,
      two_steps: false,
      counts: { pending: 0, active: 0, unsubscribed: 0, bounced: 0, complained: 0 },
      archived_at: null,
    });
    expect(list.wording).toContain('Praxis am Markt');
    expect(list.wording).toContain('Praxisbrief');
    expect(list.wording).toContain('widerrufen');
    expect(list.form_url).toContain('/api/public/subscribe?l=');
    expect(ledgerOf(list)).toMatchObject([{ action: 'wording', wording_version: 1 }]);
    const followed = "SELECT 1 FROM event_followers WHERE follower = 'audience' AND tenant_id = ?";
    expect(app.sql(null, followed, sender.practice.id)).toHaveLength(1);
    const english = await makeList({ name: 'Letter', language: 'en', channel: 'recall' });
    expect(english.wording).toContain('reminders of appointments');
  });

  test('that is the first one has nothing to read of what happened before it', async () => {
    const early = await app.createSender();
    await app.send(early);
    const last = () =>
      app.sql<{ seq: number }>(early.practice.id, 'SELECT max(seq) AS seq FROM events')[0]?.seq;
    await until('it has left', () => app.sql(early.practice.id, 'SELECT 1 FROM queue').length === 0);
    const before = last();
    await app.request('POST', `${early.base}/lists`, { name: 'Praxisbrief' }, early.token);
    const cursor = app.sql(early.practice.id, "SELECT seq FROM event_cursors WHERE follower = 'audience'");
    expect(cursor).toEqual([{ seq: before }]);
    expect(before).toBeGreaterThan(0);
  });

  test('keeps each wording under its version, and a change of anything else makes none', async () => {
    const list = await makeList();
    const changed = await ask<ListRecord>('PATCH', list.path, {
      wording: ' Ja,\r\nich will. ',
      two_steps: true,
    });
    expect(changed.body).toMatchObject({ wording: 'Ja,\nich will.', wording_version: 2, two_steps: true });
    await ask('PATCH', list.path, { wording: 'Ja,\nich will.', description: 'Vierteljährlich' });
    expect(ledgerOf(list).map(({ wording_version }) => wording_version)).toEqual([1, 2]);
    const closed = await ask<ListRecord>('PATCH', list.path, { is_public: false });
    expect(closed.body).toMatchObject({ wording_version: 2, form_url: null });
  });

  test('has its name alone, and its channel for good once there are subscribers', async () => {
    const list = await makeList({ name: 'Impfungen' });
    expect((await ask('POST', '/lists', { name: 'impfungen' })).body.code).toBe('conflict');
    expect((await ask('PATCH', list.path, { name: 'IMPFUNGEN', channel: 'recall' })).status).toBe(200);
    await add(list, 'a@example.org');
    expect((await ask('PATCH', list.path, { channel: 'other' })).body.code).toBe('conflict');
    expect((await ask('PATCH', list.path, { channel: 'recall' })).status).toBe(200);
  });

  test('that is archived can be read and left, takes no one, and frees its name', async () => {
    const list = await makeList({ name: 'Sommer' });
    const subscriber = await add(list, 'a@example.org');
    expect((await ask('DELETE', list.path)).status).toBe(204);
    expect((await ask('DELETE', list.path)).status).toBe(404);
    const names = async (query: string) =>
      (await ask<List<ListRecord>>('GET', `/lists${query}`)).body.data.map(({ name }) => name);
    expect(await names('')).not.toContain('Sommer');
    expect(await names('?archived=true')).toEqual(['Sommer']);
    expect((await ask<ListRecord>('GET', list.path)).body).toMatchObject({
      form_url: null,
      counts: { active: 1 },
    });
    const refused = [
      await ask('PATCH', list.path, { two_steps: true }),
      await ask('POST', `${list.path}/subscribers`, { address: 'b@example.org' }),
      await ask('POST', `${subscriber.path}/confirmation`),
    ];
    expect(refused.map(({ body }) => body.code)).toEqual(['conflict', 'conflict', 'conflict']);
    expect((await ask('PATCH', subscriber.path, { status: 'unsubscribed' })).body.status).toBe(
      'unsubscribed',
    );
    await makeList({ name: 'Sommer' });
  });
});

describe('who is asked', () => {
  test('is pending and gets one mail a day, whoever asks how often, and three in all', async () => {
    const list = await makeList();
    const address = 'pending@example.org';
    const first = await add(list, address, { name: 'Erika', data: { anrede: 'Frau', alter: 41 } });
    expect(first).toMatchObject({
      status_code: 201,
      status: 'pending',
      list_id: list.id,
      name: 'Erika',
      data: { anrede: 'Frau', alter: '41' },
      confirmed_at: null,
    });
    expect(await add(list, address, {})).toMatchObject({ status_code: 200, id: first.id });
    const early = await ask('POST', `${first.path}/confirmation`);
    expect([early.status, early.body.code]).toEqual([429, 'rate_limited']);
    expect(Number(early.body.retry_after)).toBeGreaterThan(86_000);
    expect(mailsTo(address)).toBe(1);
    await passDays(1);
    expect((await ask('POST', `${first.path}/confirmation`)).status).toBe(202);
    expect(mailsTo(address)).toBe(2);
    await passDays(1);
    expect((await ask('POST', `${first.path}/confirmation`)).status).toBe(202);
    await passDays(1);
    expect((await ask('POST', `${first.path}/confirmation`)).body.code).toBe('conflict');
    expect((await ask('DELETE', first.path)).status).toBe(204);
    expect((await ask('POST', `${list.path}/subscribers`, { address })).body.code).toBe('conflict');
    expect(mailsTo(address)).toBe(3);
    expect(declared(list).map(({ action }) => action)).toEqual([
      'wording',
      'request',
      'request',
      'request',
      'withdraw',
    ]);
    await until('a mail with the wording is captured', async () => {
      const { body } = await ask<List<{ id: string }>>('GET', '/captures');
      const mails = await Promise.all(body.data.map(({ id }) => ask('GET', `/captures/${id}`)));
      return mails.some(({ text }) => text.includes(address));
    });
  });

  test('is not asked where the address is suppressed, and the answer says so', async () => {
    const list = await makeList();
    await ask('POST', '/suppression', { address: 'never@example.org' });
    const { status, body } = await ask('POST', `${list.path}/subscribers`, { address: 'never@example.org' });
    expect([status, body.code]).toEqual([409, 'conflict']);
    expect(body.error).toContain('suppressed');
    expect(await found(list)).toEqual([]);
  });

  test('and never confirms is removed after two weeks, and the ledger keeps no personal value', async () => {
    const list = await makeList();
    const other = await makeList();
    await add(list, 'silent@example.org', {});
    await add(list, 'known@example.org', {});
    await add(other, 'known@example.org');
    await until('both mails have left', () => sentMails(list).length === 2);
    await passDays(13);
    await app.runJob('remove what is old');
    expect(await found(list)).toHaveLength(2);
    await passDays(2);
    await app.runJob('remove what is old');
    expect(await found(list)).toEqual([]);
    expect(await found(other)).toEqual(['known@example.org']);
    const left = declared(list).map(({ action, way, openings }) => [action, way, openings.address?.value]);
    expect(left).toEqual([
      ['wording', 'api', undefined],
      ['request', 'api', undefined],
      ['request', 'api', 'known@example.org'],
      ['withdraw', 'expired', undefined],
      ['withdraw', 'expired', 'known@example.org'],
    ]);
    const kept = sentMails(list).map(({ openings }) => Object.keys(openings).length);
    expect(kept.filter((count) => count === 0)).toHaveLength(1);
    expect((await ask<ListRecord>('GET', list.path)).body.counts.pending).toBe(0);
  });
});

describe('who is added as active', () => {
  test('has what the practice asserts as evidence, in the ledger and nowhere else', async () => {
    const list = await makeList();
    const consent = { basis: 'existing_customer', evidence: EVIDENCE, given_at: '2026-05-04T12:00:00+02:00' };
    const row = await add(list, 'Erika Muster <erika@example.org>', { status: 'active', consent });
    expect(row).toMatchObject({ status_code: 201, status: 'active', address: 'erika@example.org' });
    expect(row.name).toBe('Erika Muster');
    const entry = ledgerOf(list).at(-1);
    expect(entry).toMatchObject({
      action: 'import',
      way: 'api',
      legal_basis: 'existing_customer',
      details: { by: 'team_token', given_at: '2026-05-04T10:00:00.000Z' },
      openings: { evidence: { value: EVIDENCE }, address: { value: 'erika@example.org' } },
    });
    expect(mailsTo('erika@example.org')).toBe(0);
    expect(await add(list, 'ERIKA@example.org')).toMatchObject({ status_code: 200, id: row.id });
    const audit = await ask('GET', '/audit?action=subscriber');
    expect(audit.text).toContain('e…@example.org');
    expect(audit.text).not.toMatch(/erika|Muster|Aufnahmebogen/i);
  });

  test.each([
    ['nothing is asserted', { status: 'active' }],
    ['something is asserted of who is asked', { consent: { evidence: EVIDENCE } }],
    [
      'consent is given in the future',
      { status: 'active', consent: { evidence: 'x', given_at: '2999-01-01T00:00:00Z' } },
    ],
    ['a value has the name of another', { ...asserted, data: { email: 'x' } }],
    ['a name is none for placeholders', { ...asserted, data: { 'Größe cm': '1' } }],
    [
      'there are too many values',
      { ...asserted, data: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`f${n}`, ''])) },
    ],
    ['a value is too long', { ...asserted, data: { f: 'x'.repeat(1_001) } }],
  ])('not where %s', async (_, fields) => {
    const list = await makeList();
    const { status, body } = await ask('POST', `${list.path}/subscribers`, {
      address: 'a@example.org',
      ...fields,
    });
    expect([status, body.code]).toEqual([400, 'invalid_request']);
  });

  test('not who has left: neither asserted nor asked, and not after their row is gone', async () => {
    const list = await makeList();
    const row = await add(list, 'gone@example.org');
    expect((await ask('PATCH', row.path, { status: 'unsubscribed' })).body.status).toBe('unsubscribed');
    const again = async (fields: object) =>
      (await ask('POST', `${list.path}/subscribers`, { address: 'gone@example.org', ...fields })).body.code;
    expect(await again(asserted)).toBe('conflict');
    expect(await again({})).toBe('conflict');
    expect((await ask('POST', `${row.path}/confirmation`)).body.code).toBe('conflict');
    expect((await ask('DELETE', row.path)).status).toBe(204);
    expect((await ask('DELETE', row.path)).status).toBe(404);
    expect(await again(asserted)).toBe('conflict');
    expect(await again({})).toBe('conflict');
    expect(declared(list).map(({ action, way }) => `${action} ${way}`)).toEqual([
      'wording api',
      'import api',
      'withdraw api',
    ]);
    expect(mailsTo('gone@example.org')).toBe(0);
  });
});

describe('subscribers', () => {
  test('are found by status, by words of address and name as they are typed, and by address', async () => {
    const list = await makeList();
    await add(list, 'otto@example.org', { ...asserted, name: 'Otto Öztürk' });
    await add(list, 'clara_x@example.org', { ...asserted, name: 'Clara [GmbH]' });
    await add(list, 'erika@example.org', {});
    expect(await found(list)).toEqual(['erika@example.org', 'clara_x@example.org', 'otto@example.org']);
    expect(await found(list, 'status=pending')).toEqual(['erika@example.org']);
    expect(await found(list, `q=${encodeURIComponent('öZTÜ')}`)).toEqual(['otto@example.org']);
    expect(await found(list, 'q=OTTO@')).toEqual(['otto@example.org']);
    expect(await found(list, 'q=oeztuerk otto@example.org')).toEqual(['otto@example.org']);
    expect(await found(list, 'q=otto clara')).toEqual([]);
    expect(await found(list, `q=${encodeURIComponent('[gmbh]')}`)).toEqual(['clara_x@example.org']);
    expect(await found(list, `q=${encodeURIComponent('a*a')}`)).toEqual([]);
    expect(await found(list, 'status=pending&q=otto')).toEqual([]);
    expect(await found(list, 'address=Otto@Example.org')).toEqual(['otto@example.org']);
    const first = await ask<List<Subscriber>>('GET', `${list.path}/subscribers?limit=2`);
    expect(first.body.data).toHaveLength(2);
    expect(await found(list, `limit=2&cursor=${first.body.next_cursor}`)).toEqual(['otto@example.org']);
  });

  test('change name and values, and are shown with the other lists of the same person', async () => {
    const [list, other] = [await makeList(), await makeList({ name: 'Zweite' })];
    const row = await add(list, 'twice@example.org', { ...asserted, data: { ort: 'Porto' } });
    const second = await add(other, 'twice@example.org', {});
    const patched = await ask('PATCH', row.path, { name: 'Zoë', data: { plz: '10115' } });
    expect(patched.body).toMatchObject({ name: 'Zoë', data: { plz: '10115' }, status: 'active' });
    expect((await ask('GET', row.path)).body.other_lists).toEqual([
      { list_id: other.id, list_name: 'Zweite', subscriber_id: second.id, status: 'pending' },
    ]);
    expect((await ask('GET', `${other.path}/subscribers/${row.id}`)).status).toBe(404);
    expect((await ask('PATCH', row.path, { status: 'active' })).status).toBe(400);
  });

  test('are exported with their evidence and values, and nothing that a spreadsheet would run', async () => {
    const list = await makeList();
    await add(list, 'a@example.org', {
      ...asserted,
      name: '=cmd|1',
      data: { ort: 'Köln, "Süd"', status: '+1' },
    });
    await add(list, 'b@example.org', { data: { plz: '1' } });
    const { text, headers } = await ask('GET', `${list.path}/subscribers/export`);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const [head, first = '', second = '', end] = text.split('\r\n');
    expect(head).toBe(
      'address,name,status,created_at,confirmed_at,consent_id,consent_action,consent_at,list,legal_basis,wording_version,ort,data.status,plz',
    );
    expect(first).toMatch(
      /^a@example\.org,'=cmd\|1,active,.*Z,.*Z,[0-9a-f-]{36},import,.*Z,[^,]+,consent,,"Köln, ""Süd""",'\+1,$/,
    );
    expect(second).toMatch(/^b@example\.org,,pending,.*Z,,[0-9a-f-]{36},request,.*Z,[^,]+,consent,1,,,1$/);
    expect(end).toBe('');
  });
});
