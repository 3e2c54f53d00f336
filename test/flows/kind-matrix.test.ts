// Which kind of message may go over which route: every kind, and none, over the two built-in routes, over a practice's
// own routes of both types, and over its default, by real requests. What each belongs to is written down here once more,
// from the specification.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { kindNames } from '#src/messages/kinds.ts';
import {
  letter,
  type Message,
  type Refusal,
  type Sender,
  startApp,
  type TestApp,
} from '#test/support/app.ts';
import { checkCells } from '#test/support/cells.ts';

const MARKETING: Readonly<Record<string, string>> = { newsletter: 'newsletter', custom: 'other' };
const TRANSACTIONAL: Readonly<Record<string, string>> = {
  termin: 'termin',
  recall: 'recall',
  transactional: 'transactional',
  doi: 'newsletter',
  quality: 'transactional',
  test: 'transactional',
};
const routes = [
  { route: 'outgoing', type: 'transactional' },
  { route: 'broadcast', type: 'marketing' },
  { route: 'befunde', type: 'transactional' },
  { route: 'aktionen', type: 'marketing' },
  { route: undefined, type: 'transactional' },
] as const;

let app: TestApp;
let sender: Sender;
beforeAll(async () => {
  app = await startApp();
  sender = await app.createSender({ plan: 'praxis' });
  await app.completeLegal(sender.practice.id);
  for (const [name, type] of [
    ['Befunde', 'transactional'],
    ['Aktionen', 'marketing'],
  ]) {
    const made = await app.request('POST', `${sender.base}/routes`, { name, type }, sender.token);
    expect(made.status).toBe(201);
  }
});
afterAll(() => app?.remove());

const kinds = [...Object.keys(TRANSACTIONAL), ...Object.keys(MARKETING), undefined];

test('every kind there is stands in the matrix', () => {
  expect([...Object.keys(TRANSACTIONAL), ...Object.keys(MARKETING)].toSorted()).toEqual(kindNames.toSorted());
});

test.each(routes)('messages of every kind over the route $route', ({ route, type }) =>
  checkCells(kinds, String, async (kind) => {
    const wanted = kind === undefined ? type : kind in MARKETING ? 'marketing' : 'transactional';
    const body = { ...letter, message_kind: kind, route };
    const before = app.rowCounts(sender.practice.id).messages;
    const answer = await app.request<Refusal & { id: string }>(
      'POST',
      `${sender.base}/send`,
      body,
      sender.token,
    );
    if (wanted !== type) {
      expect({ status: answer.status, code: answer.body.code }).toEqual({
        status: 422,
        code: 'kind_not_allowed_on_route',
      });
      expect(answer.body.hint).toContain(`Use a ${wanted} route`);
      expect(app.rowCounts(sender.practice.id).messages).toBe(before);
      return;
    }
    expect(answer.status).toBe(202);
    const fallback = type === 'marketing' ? 'newsletter' : 'transactional';
    const shown: Message = await app.message(sender, answer.body.id);
    expect({
      kind: shown.message_kind,
      channel: shown.channel,
      route: shown.route.slug,
      decision: shown.decisions.find(({ gate }) => gate === 'kind_and_route'),
    }).toEqual({
      kind: kind ?? fallback,
      channel: { ...TRANSACTIONAL, ...MARKETING }[kind ?? fallback],
      route: route ?? 'outgoing',
      decision: {
        gate: 'kind_and_route',
        verdict: 'passed',
        facts: {
          message_kind: kind ?? fallback,
          route: route ?? 'outgoing',
          stream: type,
          channel: shown.channel,
        },
      },
    });
  }),
);

test('a route is named by its id as by its slug, in any case', async () => {
  const { body } = await app.request<{ data: readonly { id: string; slug: string }[] }>(
    'GET',
    `${sender.base}/routes`,
    undefined,
    sender.token,
  );
  const broadcast = body.data.find(({ slug }) => slug === 'broadcast');
  for (const route of [broadcast?.id, broadcast?.id.toUpperCase(), 'Broadcast']) {
    const id = await app.send(sender, { route });
    expect((await app.message(sender, id)).route).toEqual({ id: broadcast?.id, slug: 'broadcast' });
  }
});
