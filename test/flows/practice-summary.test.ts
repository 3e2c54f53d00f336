// Many practices at a glance: whose, what of them, found by name; and what the operator's list is filtered by.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import type { summarySchema } from '#src/insight/summary.ts';
import { type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { asking, refused } from '#test/support/asking.ts';
import { join, type Person, unlimitedSignIn } from '#test/support/people.ts';

type Summary = Exclude<z.infer<typeof summarySchema>, { unavailable: true }>;

const PATH = '/api/practices/summary';

let app: TestApp;
let first: Sender;
let second: Sender;
/** Owner of the first, limited to a project in the second. */
let agency: Person;
const { call, list, pages } = asking(() => ({ app, token: app.adminToken }));
const summaries = (query = '', token = app.adminToken) => list<Summary>(PATH + query, token);
const names = async (query: string, token?: string) =>
  (await summaries(query, token)).map(({ name }) => name);

beforeAll(async () => {
  app = await startApp({ config: unlimitedSignIn });
  first = await app.createSender({ name: 'Praxis Dr. Müller', plan: 'supporter' });
  second = await app.createSender({ name: 'Zahnärzte am Ring', domain: 'zahn.example' });
  await app.createSender({ name: 'Ohne Agentur', plan: 'praxis' });
  const { body: project } = await call<{ id: string }>('POST', `${second.base}/projects`, { name: 'Recall' });
  await join(app, first.practice.id, 'agentur@example.org', { role_id: 'owner' });
  agency = await join(app, second.practice.id, 'agentur@example.org', {
    role_id: 'viewer',
    all_projects: false,
    project_ids: [project.id],
  });
  const { body: safe } = await call('POST', `${first.base}/safe-mode`, { enabled: false });
  expect(safe).toMatchObject({ safe_mode: false });
  for (const sender of [first, first]) await app.untilStatus(sender, await app.send(sender), 'processed');
});
afterAll(() => app?.remove());

describe('a summary', () => {
  test('has of each practice what the role of the caller there may see', async () => {
    const found = await summaries('', agency.token);
    expect(found).toMatchObject([
      {
        id: first.practice.id,
        name: 'Praxis Dr. Müller',
        status: 'active',
        pause: null,
        plan: { plan: 'supporter', monthly_cap: 1_000, used: 2, share: 0.002 },
        dns: { state: 'ok', since: null },
        rates: { messages: 2, bounce_rate: 0, bounce_limit: 0.05, complaint_limit: 0.001, state: 'ok' },
        last_accepted_at: expect.stringMatching(/Z$/),
        waiting: 0,
      },
      {
        name: 'Zahnärzte am Ring',
        plan: { plan: 'test', used: null, share: null },
        dns: { domain: 'zahn.example', state: 'pending' },
        rates: null,
        last_accepted_at: null,
        waiting: 0,
      },
    ]);
    expect(found).toHaveLength(2);
  });

  test('shows a token its own practice alone, and a stranger nothing', async () => {
    expect(await names('', second.token)).toEqual(['Zahnärzte am Ring']);
    await refused('unauthorized', call('GET', PATH, undefined, 'svc_team_x'));
  });

  test('shows a role without numbers and mail the name alone', async () => {
    const third = await app.createSender({ plan: 'praxis' });
    const { body: role } = await call<{ id: string }>('POST', `${third.base}/roles`, {
      name: 'Listen',
      permissions: ['lists.manage'],
    });
    const person = await join(app, third.practice.id, 'listen@example.org', { role_id: role.id });
    expect(await summaries('', person.token)).toMatchObject([
      { name: 'Praxis am Markt', plan: null, dns: null, rates: null, last_accepted_at: null, waiting: null },
    ]);
  });

  test('of all is for the operator, page by page', async () => {
    const [all, read] = [await summaries(), await pages<Summary>(PATH, 2)];
    expect(all.length).toBeGreaterThan(2);
    expect(read.flat()).toEqual(all);
  });

  test.each([
    ['mueller', ['Praxis Dr. Müller']],
    ['MÜLLER praxis', ['Praxis Dr. Müller']],
    ['zahn.example', ['Zahnärzte am Ring']],
    ['ring müller', []],
    ['привет', []],
  ])('is found by the words %j', async (words, expected) => {
    expect(await names(`?q=${encodeURIComponent(words)}`)).toEqual(expected);
  });

  test('of a practice of others is not found by its name', async () => {
    expect(await names('?q=agentur')).toEqual(['Ohne Agentur']);
    expect(await names('?q=agentur', agency.token)).toEqual([]);
  });
});

test('the operator finds those that wait for approval, and anyone by name', async () => {
  const found = async (query: string) =>
    (await list<{ name: string }>(`/api/admin/practices?${query}`)).map(({ name }) => name);
  await call('POST', `${second.base}/safe-mode`, { enabled: true });
  expect(await found('approval=waiting')).toEqual(['Zahnärzte am Ring']);
  await call('POST', `${second.base}/approval`, { approved: true });
  expect(await found('approval=waiting')).toEqual([]);
  expect(await found('approval=given')).toEqual(['Zahnärzte am Ring']);
  expect(await found('q=mueller')).toEqual(['Praxis Dr. Müller']);
});
