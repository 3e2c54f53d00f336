// Choices of people for campaigns: counted while they are written, saved, and taken by campaigns.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Refusal, type Sender, startApp, type TestApp } from '#test/support/app.ts';

let app: TestApp;
let sender: Sender;
let now = Date.parse('2026-03-01T12:00:00Z');
const lists: string[] = [];

const ask = <B = Record<string, unknown>>(method: string, path: string, body?: unknown) =>
  app.request<B>(method, sender.base + path, body, sender.token);
const made = async (path: string, body: object): Promise<string> => {
  const answer = await ask<{ id: string }>('POST', path, body);
  if (answer.status >= 300) throw new Error(answer.text);
  return answer.body.id;
};
const join = (list: number, name: string, fields: object = {}): Promise<string> =>
  made(`/lists/${lists[list]}/subscribers`, {
    address: `${name}@example.org`,
    status: 'active',
    consent: { evidence: 'at the desk' },
    ...fields,
  });

beforeAll(async () => {
  app = await startApp({ clock: { now: () => now } });
  sender = await app.createSender({ plan: 'gruppe' });
  await app.completeLegal(sender.practice.id);
  for (const name of ['Eins', 'Zwei'])
    lists.push(await made('/lists', { name, channel: 'newsletter', language: 'de' }));
  await join(0, 'anna', { data: { ort: 'Hamburg' } });
  await join(0, 'ben', { data: { ort: 'Berlin' } });
  now = Date.parse('2026-06-01T12:00:00Z');
  await join(0, 'cara', { data: { ort: 'hamburg' } });
  await join(1, 'anna', { data: { ort: 'Kiel' } });
  const dora = await join(1, 'dora', { data: { ort: 'Hamburg' } });
  await ask('PATCH', `/lists/${lists[1]}/subscribers/${dora}`, { status: 'unsubscribed' });
});
afterAll(() => app?.remove());

const count = async (list_ids: readonly string[], filter: readonly object[]) => {
  const answer = await ask('POST', '/segments/count', { list_ids, filter });
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body;
};
const hamburg = { field: 'ort', op: 'is', value: 'Hamburg' };

describe('a choice of people', () => {
  test('is counted, each person once', async () => {
    expect(await count(lists, [])).toEqual({ people: 4, matching: 4, active: 3, untracked: 3 });
    expect(await count(lists, [hamburg])).toEqual({ people: 4, matching: 3, active: 2, untracked: 3 });
    expect(await count(lists.slice(0, 1), [hamburg])).toEqual({
      people: 3,
      matching: 2,
      active: 2,
      untracked: 3,
    });
  });

  test('is of those who are subscribed since before or after a day', async () => {
    const before = { op: 'subscribed_before', value: '2026-04-01' };
    const after = { op: 'subscribed_after', value: '01.04.2026' };
    expect(await count(lists.slice(0, 1), [before])).toMatchObject({ active: 2 });
    expect(await count(lists.slice(0, 1), [after, hamburg])).toMatchObject({ active: 1 });
    // One subscription must fit as a whole: Anna is in Hamburg on the older one alone.
    expect(await count(lists, [after, hamburg])).toMatchObject({ active: 1 });
  });

  test('is refused where it names no such list, or no day', async () => {
    const unknown = { list_ids: ['018f0000-0000-7000-8000-000000000001'], filter: [] };
    expect((await ask('POST', '/segments/count', unknown)).status).toBe(404);
    const noDay = { list_ids: lists, filter: [{ op: 'subscribed_after', value: 'soon' }] };
    expect(await ask<Refusal>('POST', '/segments', { name: 'x', ...noDay })).toMatchObject({ status: 400 });
  });
});

describe('a saved one', () => {
  test('is taken by a campaign, which goes to those people and stays as it is', async () => {
    const choice = { name: 'Hamburg', list_ids: lists, filter: [hamburg] };
    const id = await made('/segments', choice);
    expect((await ask('POST', '/segments', { ...choice, name: 'hamburg' })).status, 'the name').toBe(409);
    const content = { subject: 'Neues', text: 'Es gibt Neues.' };
    const campaign = await made('/campaigns', { segment_id: id, ...content });
    const both = { segment_id: id, list_ids: lists, ...content };
    expect((await ask('POST', '/campaigns', both)).status, 'two choices').toBe(400);

    await ask('PATCH', `/segments/${id}`, { filter: [] });
    expect((await ask('GET', `/campaigns/${campaign}`)).body).toMatchObject({
      list_ids: lists,
      filter: [hamburg],
    });
    const audience = await ask<{ will_receive: number }>('GET', `/campaigns/${campaign}/audience`);
    expect(audience.body.will_receive).toBe(2);
    expect((await ask('PATCH', `/campaigns/${campaign}`, { segment_id: id })).body).toMatchObject({
      filter: [],
    });

    expect((await ask('GET', `/campaigns/${campaign}`)).body).toMatchObject({ segment_id: id });
    await ask('PATCH', `/campaigns/${campaign}`, { schedule_at: '2026-07-01T10:00' });
    const refused = await ask<Refusal>('DELETE', `/segments/${id}`);
    expect(refused).toMatchObject({ status: 409, body: { error: expect.stringContaining('Neues') } });
    await ask('PATCH', `/campaigns/${campaign}`, { filter: [hamburg] });
    expect((await ask('GET', `/campaigns/${campaign}`)).body).toMatchObject({ segment_id: null });
    expect((await ask('DELETE', `/segments/${id}`)).status).toBe(204);
    expect((await ask('GET', `/segments/${id}`)).status).toBe(404);
    expect((await ask('GET', `/campaigns/${campaign}`)).status).toBe(200);
  });
});
