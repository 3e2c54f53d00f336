// Rates per route and day, and how near the guardrail each route is: by real mail over days of a clock that the test sets.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import type { ratesSchema } from '#src/insight/rates-schema.ts';
import { DAY, HOUR } from '#src/kernel/time.ts';
import { type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { until } from '#test/support/process.ts';
import { createSmtpReceiver, type SmtpReceiver } from '#test/support/smtp-receiver.ts';
import { createTestClock } from '#test/support/storage.ts';

type Rates = z.infer<typeof ratesSchema>;

const TODAY = Date.UTC(2026, 10, 28, 12);
const clock = createTestClock(TODAY);

let receiver: SmtpReceiver;
let app: TestApp;
let sender: Sender;
/** Of a project with a route of its own. */
let limited: Sender;

const send = async (to: readonly string[], fields: object = {}): Promise<void> => {
  await app.send(sender, { to, ...fields });
  await until('all are sent', () => app.sql(sender.practice.id, 'SELECT 1 FROM queue').length === 0);
};
const rates = async (query = '', of = sender): Promise<Rates> => {
  const { status, body, text } = await app.request<Rates>(
    'GET',
    `${of.base}/rates${query}`,
    undefined,
    of.token,
  );
  if (status !== 200) throw new Error(text);
  return body;
};
const routeOf = ({ routes }: Rates, wanted: string) => routes.find(({ route }) => route.slug === wanted);
const post = (path: string, body?: object) =>
  app.request<{ id: string }>('POST', `${sender.base}/${path}`, body, app.adminToken);

beforeAll(async () => {
  receiver = await createSmtpReceiver({
    rcpt: ({ address }) => {
      if (address.startsWith('unknown')) return '550 5.1.1 User unknown';
      return address.startsWith('full') ? '552 5.2.2 Mailbox full' : '250 2.1.5 Ok';
    },
  });
  app = await startApp({ receiver, upstream: { delivered_on: 'accept' }, clock });
  sender = await app.createSender({ plan: 'gruppe' });
  await app.completeLegal(sender.practice.id);
  const { body: project } = await post('projects', { name: 'Recall' });
  await post('routes', { name: 'Own', type: 'transactional', project_id: project.id });
  const { body: other } = await post('projects', { name: 'Other' });
  await post('routes', { name: 'Foreign', type: 'marketing', project_id: other.id });
  const token = await app.createToken(sender.practice.id, { scope: 'project', project_id: project.id });
  limited = { ...sender, token };
  clock.set(TODAY - 35 * DAY);
  await send(['old@example.net']);
  clock.set(TODAY - 29 * DAY);
  await send(['a@example.net', 'unknown@example.net']);
  clock.set(TODAY);
  await send(['a@example.net', 'b@example.net', 'full@example.net']);
  await send(['news@example.net'], { route: 'broadcast' });
});
afterAll(async () => {
  await app?.remove();
  await receiver?.stop();
});

test('tell what became of mails per route, with their shares', async () => {
  const all = await rates();
  expect(all).toMatchObject({ days: 30, from: '2026-10-30', to: '2026-11-28' });
  expect(routeOf(all, 'outgoing')).toMatchObject({
    ...{ accepted: 5, sent: 3, refused: 2, delivered: 3, hard_bounced: 1, soft_bounced: 1 },
    ...{ complaints: 0, unsubscribes: 0, opens: 0, clicks: 0 },
    ...{ bounce_rate: 0.2, complaint_rate: 0, open_rate: 0, click_rate: 0 },
  });
  const nothing = { bounce_rate: null, complaint_rate: null, open_rate: null, click_rate: null };
  expect(routeOf(all, 'own')).toMatchObject({ accepted: 0, sent: 0, ...nothing });
});

test('have one denominator: bounces of what was tried, complaints of what did not bounce', async () => {
  const { guardrail, ...counts } = routeOf(await rates(), 'outgoing') ?? {};
  // Tried: 5, of which one bounced for good and one softly.
  expect(counts).toMatchObject({
    sent: 3,
    refused: 2,
    delivered: 3,
    bounce_rate: 1 / 5,
    complaint_rate: 0 / 3,
  });
  expect(guardrail).toMatchObject({ messages: 5, deliveries: 3 });
});

test('tell day by day what the routes had together', async () => {
  const { per_day } = await rates();
  expect(per_day).toMatchObject([
    { day: '2026-10-30', accepted: 2, sent: 1, refused: 1, hard_bounced: 1 },
    { day: '2026-11-28', accepted: 4, sent: 3, refused: 1, soft_bounced: 1 },
  ]);
});

test.each([
  [1, 3],
  [30, 5],
  [36, 6],
])('of %i days are of %i mails accepted on the default route', async (days, accepted) => {
  expect(routeOf(await rates(`?days=${days}`), 'outgoing')?.accepted).toBe(accepted);
});

test.each(['0', '91', 'x'])('of %s days are none', async (days) => {
  const answer = await app.request('GET', `${sender.base}/rates?days=${days}`, undefined, sender.token);
  expect(answer.status).toBe(400);
});

describe('one route', () => {
  test('is asked for by slug or id', async () => {
    const bySlug = await rates('?route=broadcast');
    expect(bySlug.routes.map(({ route }) => route.slug)).toEqual(['broadcast']);
    expect(bySlug.per_day).toMatchObject([{ day: '2026-11-28', sent: 1 }]);
    expect(await rates(`?route=${bySlug.routes[0]?.route.id}`)).toEqual(bySlug);
  });

  test('that is another project’s is none, like one that does not exist', async () => {
    const slugs = (await rates('', limited)).routes.map(({ route }) => route.slug);
    expect(slugs.toSorted()).toEqual(['broadcast', 'outgoing', 'own']);
    for (const route of ['foreign', 'no-such-route']) {
      const path = `${limited.base}/rates?route=${route}`;
      expect((await app.request('GET', path, undefined, limited.token)).status).toBe(404);
    }
    expect((await rates('?route=foreign')).routes).toHaveLength(1);
  });
});

describe('the guardrail', () => {
  const guardrail = async (slug: string) => routeOf(await rates('?days=1'), slug)?.guardrail;

  test('is told with its limits and how near they are, whatever days are asked for', async () => {
    expect(await guardrail('outgoing')).toEqual({
      window_from: '2026-10-30T00:00:00.000Z',
      ...{ min_messages: 20, bounce_limit: 0.05, complaint_limit: 0.001 },
      ...{ messages: 5, deliveries: 3, hard_bounced: 1, complaints: 0 },
      ...{ bounce_rate: 0.2, complaint_rate: 0, hard_bounces_left: 0, complaints_left: 1 },
      state: 'watch',
    });
    expect(await guardrail('broadcast')).toMatchObject({ state: 'ok', hard_bounces_left: 1 });
  });

  test('says which route has paused the practice, and begins anew with the resumption', async () => {
    await send(Array.from({ length: 15 }, (_, index) => `r${index}@example.net`));
    expect(await guardrail('outgoing')).toMatchObject({ state: 'paused', messages: 20, bounce_rate: 0.05 });
    expect(await guardrail('broadcast')).toMatchObject({ state: 'ok', messages: 1 });
    clock.set(TODAY + HOUR);
    await post('resume');
    expect(await guardrail('outgoing')).toMatchObject({
      window_from: '2026-11-28T13:00:00.000Z',
      ...{ state: 'ok', messages: 0, deliveries: 0, hard_bounced: 0, bounce_rate: null },
    });
    expect(await guardrail('broadcast')).toMatchObject({ messages: 0 });
    expect(routeOf(await rates(), 'outgoing')).toMatchObject({ sent: 18, hard_bounced: 1 });
  });
});
