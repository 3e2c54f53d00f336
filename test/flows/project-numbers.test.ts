// Who is limited to a project reads the numbers of its mail, also where that shares a route with the mail of others; whatever
// the others do changes none of these answers.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { letter, startApp, type TestApp } from '#test/support/app.ts';
import { asking } from '#test/support/asking.ts';
import { join, unlimitedSignIn } from '#test/support/people.ts';
import { until } from '#test/support/process.ts';
import { bounceOf, bring } from '#test/support/reports.ts';
import { createTestClock } from '#test/support/storage.ts';

let app: TestApp;
let practiceId: string;
let base: string;
let mine: string;
let otherToken: string;
/** By what the credential is. */
let credentials: Readonly<Record<string, string>>;
const { call } = asking(() => ({ app, token: app.adminToken }));

const reports = [
  '',
  '/overview',
  '/rates',
  '/rates?route=outgoing',
  '/deliverability',
  '/channel-mix',
  '/placement',
  '/cutover',
  '/onboarding',
  '/retention',
  '/messages/search',
  '/messages/search/counts',
  '/messages/search/export',
  '/events',
  '/projects',
  '/routes',
] as const;

/** The answers without the moments at which something was looked at. */
const answersTo = async (token: string): Promise<Record<string, string>> => {
  const answers: Record<string, string> = {};
  for (const path of reports) {
    const { status, text } = await app.request('GET', base + path, undefined, token);
    answers[path] = `${status} ${text.replace(/"(checked_at|last_event_id)":"[^"]*"/g, '')}`;
  }
  const scored = await app.request('POST', `${base}/send/score`, { ...letter, project_id: mine }, token);
  answers.score = `${scored.status} ${scored.text}`;
  return answers;
};

const send = async (token: string, to: string, fields: object = {}): Promise<void> => {
  const answer = await app.request('POST', `${base}/send`, { ...letter, to, ...fields }, token);
  expect(answer.status, answer.text).toBe(202);
  await until('it was tried', () => app.sql(practiceId, 'SELECT 1 FROM queue').length === 0);
};

const bounce = async (address: string): Promise<void> => {
  const [row] = app.sql<{ return_path: string }>(
    practiceId,
    'SELECT return_path FROM captures WHERE recipient = ?',
    address,
  );
  expect(await bring(app.inboundPort, row?.return_path ?? '', bounceOf(address))).toMatch(/^250 /);
};

beforeAll(async () => {
  // The clock does not move, so that two looks are on one day.
  app = await startApp({
    clock: createTestClock(Date.now()),
    config: { ...unlimitedSignIn, smtp: { inbound: { listen: '127.0.0.1:0' } } },
  });
  const sender = await app.createSender({ plan: 'gruppe' });
  await app.completeLegal(sender.practice.id);
  practiceId = sender.practice.id;
  base = sender.base;
  const project = async (name: string) => (await call('POST', `${base}/projects`, { name })).body.id;
  mine = await project('Mine');
  const other = await project('Other');
  const tokenOf = (project_id: string) => app.createToken(practiceId, { scope: 'project', project_id });
  const limits = { role_id: 'viewer', all_projects: false, project_ids: [mine] };
  const scoring = { ...limits, role_id: 'admin' };
  credentials = {
    'a project token': await tokenOf(mine),
    'a viewer of the project': (await join(app, practiceId, 'viewer@example.org', limits)).token,
    'an admin of the project': (await join(app, practiceId, 'admin@example.org', scoring)).token,
  };
  otherToken = await tokenOf(other);
  await send(credentials['a project token'] ?? '', 'erika@example.net');
});
afterAll(() => app?.remove());

describe('who is limited to a project', () => {
  let before: Record<string, Record<string, string>>;
  const ofAll = async () =>
    Object.fromEntries(
      await Promise.all(
        Object.entries(credentials).map(async ([name, token]) => [name, await answersTo(token)]),
      ),
    );

  test('reads the numbers of its mail, on shared routes too, and none of the whole practice', async () => {
    for (const token of Object.values(credentials)) {
      const read = async (path: string) => (await call('GET', base + path, undefined, token)).body;
      const { routes, per_day } = (await read('/rates')) as never as {
        routes: { route: { slug: string }; sent: number; guardrail: unknown }[];
        per_day: { sent: number }[];
      };
      const outgoing = routes.find(({ route }) => route.slug === 'outgoing');
      expect(outgoing).toMatchObject({ accepted: 1, sent: 1, bounce_rate: 0, guardrail: null });
      expect(per_day).toMatchObject([{ accepted: 1, sent: 1 }]);
      const overview = await read('/overview');
      expect(overview).toMatchObject({ plan: { used: null, share: null } });
      expect(JSON.stringify(overview)).toContain('"sent":1,');
    }
    before = await ofAll();
  });

  test('learns nothing of the mail of another project', async () => {
    await send(otherToken, 'a@example.net');
    await send(otherToken, 'b@example.net');
    await send(otherToken, 'c@example.net', { route: 'broadcast', message_kind: 'newsletter' });
    expect(await ofAll()).toEqual(before);
  });

  test('learns that the practice is paused, without the numbers for it', async () => {
    for (let count = 0; count < 18; count += 1) await send(otherToken, `r${count}@example.net`);
    await bounce('a@example.net');
    await bounce('b@example.net');
    const [{ paused_at, pause_reason } = { paused_at: null, pause_reason: '' }] = app.sql<{
      paused_at: number | null;
      pause_reason: string;
    }>(practiceId, 'SELECT paused_at, pause_reason FROM practice');
    expect(paused_at).not.toBeNull();
    expect(pause_reason).toMatch(/\d of \d/);
    for (const [name, token] of Object.entries(credentials)) {
      const texts = Object.values(await answersTo(token));
      const refused = await app.request('POST', `${base}/send`, letter, token);
      const listed = await app.request('GET', '/api/practices', undefined, token);
      expect([...texts, refused.text, listed.text].join('\n'), name).not.toMatch(/\d of \d/);
      if (name !== 'a viewer of the project')
        expect(refused.body).toMatchObject({
          code: 'tenant_paused',
          reason: expect.stringMatching(/bounces/),
        });
    }
  });
});
