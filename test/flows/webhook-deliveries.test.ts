// The deliveries of a webhook over HTTP: the log of them, tests, replays, and what signs them after a rotation.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DAY, HOUR } from '#src/kernel/time.ts';
import {
  type AppAnswer,
  letter,
  type Refusal,
  type Sender,
  startApp,
  type TestApp,
} from '#test/support/app.ts';
import { asking, ISO, refused, UUID } from '#test/support/asking.ts';
import {
  type HttpsReceiver,
  type ReceivedRequest,
  type Script,
  startHttpsReceiver,
} from '#test/support/https-receiver.ts';
import { until } from '#test/support/process.ts';
import { createTestClock, type TestClock } from '#test/support/storage.ts';
import { isValidForLibrary } from './webhook-scene.ts';

interface Delivery {
  readonly id: string;
  readonly event: string;
  readonly event_id: string | null;
  readonly message_id: string | null;
  readonly attempts: number;
  readonly status: string;
  readonly response_status: number | null;
  readonly response_excerpt: string | null;
  readonly error: string | null;
  readonly next_attempt_at: string | null;
  readonly body?: string | null;
}

let clock: TestClock;
let app: TestApp;
let receiver: HttpsReceiver;
let sender: Sender;
/** `/api/practices/<id>/webhooks/<id>`. */
let hook: string;
let secret: string;
const { call, list, pages } = asking(() => ({ app, token: sender.token }));

beforeAll(async () => {
  clock = createTestClock(Date.now());
  receiver = await startHttpsReceiver({ plain: true });
  app = await startApp({
    clock,
    config: {
      security: { outbound_allow: ['127.0.0.0/8'], outbound_allow_http: true },
      // So long that no second attempt is made that nobody asks for.
      webhooks: { retry: ['1h'], jitter: 0 },
    },
  });
});
afterAll(async () => {
  await app?.remove();
  await receiver?.stop();
});

/** Says the request's number, by which it is known whether its outcome has been stored. */
const answering =
  (status: number): Script =>
  ({ number }) => ({ status, body: String(number) });

let made = 0;
/** Where this test's webhook is: deliveries of others may come due. */
let path: string;
const ownRequests = (): readonly ReceivedRequest[] =>
  receiver.requests.filter((request) => request.path === path);
const textOf = ({ body }: ReceivedRequest): string => body.toString();

beforeEach(async () => {
  receiver.setAnswer(answering(200));
  made += 1;
  path = `/in/${made}`;
  sender = await app.createSender();
  const fields = { name: 'Praxissoftware', url: receiver.url(path), events: ['suppression.added'] };
  const { body } = await call<{ id: string; secret: string }>('POST', `${sender.base}/webhooks`, fields);
  hook = `${sender.base}/webhooks/${body.id}`;
  secret = body.secret;
});

/** One event, and so one delivery. */
const suppress = async (name: string): Promise<void> => {
  const { status } = await call('POST', `${sender.base}/suppression`, { address: `${name}@example.org` });
  expect(status).toBe(201);
};
const deliveries = (query = ''): Promise<readonly Delivery[]> => list<Delivery>(`${hook}/deliveries${query}`);
const delivery = async (id: string): Promise<Delivery> =>
  (await call<Delivery>('GET', `${hook}/deliveries/${id}`)).body;
/** Newest first, once all of them have had so many attempts, and what came of those stands there. */
const attempted = async (count: number, attempts = 1): Promise<readonly Delivery[]> => {
  let found: readonly Delivery[] = [];
  await until(`${count} deliveries with ${attempts} attempts each`, async () => {
    found = await deliveries();
    const isStored = ({ id, response_excerpt }: Delivery) => {
      const own = ownRequests().filter(({ headers }) => headers['webhook-id'] === id);
      return own.length === attempts && response_excerpt === String(own.at(-1)?.number);
    };
    return found.length === count && found.every(isStored);
  });
  return found;
};
const runTest = (): Promise<AppAnswer<Delivery & Refusal>> => call('POST', `${hook}/test`);
const replay = (id: string): Promise<AppAnswer<Delivery & Refusal>> =>
  call('POST', `${hook}/deliveries/${id}/replay`);
const replayAll = (since: string): Promise<AppAnswer<Refusal>> => call('POST', `${hook}/replay`, { since });

describe('a test', () => {
  test('is delivered at once, and the answer says what became of it', async () => {
    receiver.setAnswer({ status: 202, body: 'danke' });
    const { status, body } = await runTest();
    expect(status).toBe(200);
    expect(body).toEqual({
      id: UUID,
      event: 'webhook.test',
      event_id: null,
      message_id: null,
      attempts: 1,
      status: 'delivered',
      response_status: 202,
      response_excerpt: 'danke',
      error: null,
      next_attempt_at: null,
      created_at: ISO,
      updated_at: ISO,
    });
    const [request] = ownRequests();
    expect(request?.headers).toMatchObject({ 'x-service-event': 'webhook.test', 'webhook-id': body.id });
    expect(await delivery(body.id)).toEqual({ ...body, body: request && textOf(request) });
    expect(await deliveries()).toEqual([body]);
  });

  test.each([
    ['an error', { status: 500, body: 'kaputt' }, { response_status: 500, response_excerpt: 'kaputt' }],
    ['a redirect', { status: 302, headers: { location: '/x' } }, { response_status: 302 }],
    ['a connection that is closed', 'close', { response_status: null, response_excerpt: null }],
  ] as const)('that meets %s has failed, and is not tried again', async (_, answer, expected) => {
    receiver.setAnswer(answer);
    const { status, body } = await runTest();
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'failed', attempts: 1, next_attempt_at: null, ...expected });
    expect(body.error).not.toBeNull();
    // Its failure is nobody's but its own.
    expect((await call('GET', hook)).body).toMatchObject({ status: 'active', failing_since: null });
  });

  test('goes to a webhook that is disabled too', async () => {
    await call('PATCH', hook, { status: 'disabled' });
    expect((await runTest()).body.status).toBe('delivered');
  });

  test('is not replayed', async () => {
    const { body } = await runTest();
    await refused('conflict', replay(body.id));
    receiver.setAnswer(answering(503));
    await runTest();
    expect((await replayAll('2020-01-01T00:00:00Z')).body).toEqual({ replayed: 0, more: false });
  });

  test('is asked for a dozen times a minute at most, by all of a practice', async () => {
    for (let count = 0; count < 12; count += 1) expect((await runTest()).status).toBe(200);
    await refused('rate_limited', runTest());
    clock.set(clock.now() + HOUR);
    expect((await runTest()).status).toBe(200);
  });
});

test('a webhook gets what happens from its creation on', async () => {
  const late = await app.createSender();
  const path = `${late.base}/webhooks`;
  const ask = (method: string, target: string, body?: unknown) => call(method, target, body, late.token);
  await ask('POST', `${late.base}/suppression`, { address: 'vorher@example.org' });
  const fields = { name: 'Später', url: receiver.url('/spaet'), events: ['suppression.added'] };
  const { body } = await ask('POST', path, fields);
  await ask('POST', `${late.base}/suppression`, { address: 'nachher@example.org' });
  const told = () => receiver.requests.filter((request) => request.path === '/spaet').map(textOf);
  await until('it is told', () => told().some((text) => text.includes('nachher@')));
  expect(told()).toHaveLength(1);
  expect(await list(`${path}/${body.id}/deliveries`, late.token)).toHaveLength(1);
});

test('of a webhook it is shown how its deliveries went, and what waits', async () => {
  const health = async () => (await call<Readonly<Record<string, unknown>>>('GET', `${hook}/health`)).body;
  const nothing = {
    deliveries: 0,
    delivered: 0,
    failed: 0,
    success_rate: null,
    last_success_at: null,
    waiting: 0,
  };
  expect(await health()).toMatchObject(nothing);
  await suppress('a');
  await attempted(1);
  receiver.setAnswer(answering(503));
  await suppress('b');
  await attempted(2);
  expect(await health()).toMatchObject({
    deliveries: 2,
    delivered: 1,
    success_rate: 1,
    last_success_at: ISO,
    last_failure_at: ISO,
    last_error: expect.stringContaining('503'),
    waiting: 1,
    oldest_waiting_since: ISO,
  });
});

describe('the log of deliveries', () => {
  test('shows each with its event, newest first, page by page', async () => {
    for (const name of ['a', 'b', 'c']) await suppress(name);
    const found = await attempted(3);
    // They are sent at the same time, and arrive in any order.
    const bodies = new Map(ownRequests().map((request) => [request.headers['webhook-id'], textOf(request)]));
    expect(found.map(({ id }) => /\w+@example\.org/.exec(bodies.get(id) ?? '')?.[0])).toEqual([
      'c@example.org',
      'b@example.org',
      'a@example.org',
    ]);
    for (const one of found)
      expect(one).toMatchObject({
        id: UUID,
        event: 'suppression.added',
        event_id: UUID,
        message_id: null,
        status: 'delivered',
        response_status: 200,
      });
    const read = await pages<Delivery>(`${hook}/deliveries`, 2);
    expect(read.map((page) => page.map(({ id }) => id))).toEqual([
      found.slice(0, 2).map(({ id }) => id),
      found.slice(2).map(({ id }) => id),
    ]);
  });

  test('names the message that an event is about', async () => {
    await call('PATCH', hook, { events: ['message.created'] });
    const id = await app.send(sender, letter);
    const [found] = await attempted(1);
    expect(found).toMatchObject({ event: 'message.created', message_id: id });
  });

  test('shows the body as it was sent, byte by byte', async () => {
    await suppress('käthe');
    const [found] = await attempted(1);
    const [request] = ownRequests();
    expect((await delivery(found?.id ?? '')).body).toBe(request && textOf(request));
    expect(found).not.toHaveProperty('body');
  });

  test('is filtered by status and event', async () => {
    await suppress('a');
    await attempted(1);
    receiver.setAnswer(answering(503));
    await suppress('b');
    await attempted(2);
    await runTest();
    const told = async (query: string) =>
      (await deliveries(query)).map(({ event, status }) => [event, status]);
    expect(await told('?status=delivered')).toEqual([['suppression.added', 'delivered']]);
    expect(await told('?status=pending')).toEqual([['suppression.added', 'pending']]);
    expect(await told('?status=failed')).toEqual([['webhook.test', 'failed']]);
    expect(await told('?event=webhook.test')).toEqual([['webhook.test', 'failed']]);
    expect(await told('?event=suppression.added&status=failed')).toEqual([]);
    expect(await told('?event=message.sent')).toEqual([]);
    for (const query of ['?status=lost', '?event=message.open', '?cursor=abc', '?limit=0'])
      await refused('invalid_request', call('GET', `${hook}/deliveries${query}`));
  });

  test('finds few among very many, some thousands at a time', async () => {
    await suppress('a');
    await attempted(1);
    const [oldest] = await deliveries();
    app.sql(
      sender.practice.id,
      `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 9000)
       INSERT INTO webhook_deliveries (id, webhook, event, order_key, status, created_at, updated_at)
       SELECT 'id' || n, (SELECT number FROM webhooks), 'message.sent', n, 'delivered', 1, 1 FROM numbers`,
    );
    expect(await deliveries('?event=suppression.added')).toEqual([oldest]);
  });

  test('of one webhook is not found under another', async () => {
    await suppress('a');
    const [found] = await attempted(1);
    const fields = { name: 'Zweiter', url: receiver.url('/zwei'), events: ['message.sent'] };
    const { body } = await call('POST', `${sender.base}/webhooks`, fields);
    const other = `${sender.base}/webhooks/${body.id}/deliveries`;
    expect(await list(other)).toEqual([]);
    await refused('not_found', call('GET', `${other}/${found?.id}`));
    await refused('not_found', call('POST', `${other}/${found?.id}/replay`));
  });
});

describe('a replay', () => {
  test('of what was delivered sends the same again, under the same id', async () => {
    await suppress('a');
    const [first] = await attempted(1);
    const { status, body } = await replay(first?.id ?? '');
    expect([status, body.status, body.id]).toEqual([202, 'pending', first?.id]);
    const [again] = await attempted(1, 2);
    expect(again).toMatchObject({ id: first?.id, status: 'delivered', attempts: 2 });
    const [one, other] = ownRequests();
    expect(other?.body).toEqual(one?.body);
    expect(other?.headers['webhook-id']).toBe(one?.headers['webhook-id']);
  });

  test('of what is pending is due at once', async () => {
    receiver.setAnswer(answering(503));
    await suppress('a');
    const [pending] = await attempted(1);
    expect(pending).toMatchObject({
      status: 'pending',
      error: 'answered 503',
      next_attempt_at: new Date(clock.now() + HOUR).toISOString(),
    });
    receiver.setAnswer(answering(200));
    expect((await replay(pending?.id ?? '')).status).toBe(202);
    expect((await attempted(1, 2))[0]).toMatchObject({ status: 'delivered', next_attempt_at: null });
  });

  test('starts the schedule again', async () => {
    receiver.setAnswer(answering(503));
    await suppress('a');
    const [pending] = await attempted(1);
    await replay(pending?.id ?? '');
    const [failed] = await attempted(1, 2);
    expect(failed).toMatchObject({ status: 'failed', next_attempt_at: null });
    await replay(pending?.id ?? '');
    const [again] = await attempted(1, 3);
    expect(again).toMatchObject({
      status: 'pending',
      next_attempt_at: new Date(clock.now() + HOUR).toISOString(),
    });
  });

  test('is refused while the webhook is disabled', async () => {
    await suppress('a');
    const [one] = await attempted(1);
    await call('PATCH', hook, { status: 'disabled' });
    const { body } = await replay(one?.id ?? '');
    expect([body.code, body.hint]).toEqual(['conflict', expect.stringContaining('Enable it first')]);
    await refused('conflict', replayAll('2020-01-01T00:00:00Z'));
    expect((await delivery(one?.id ?? '')).status).toBe('delivered');
  });

  test('is refused where the event is kept no more, and the body cannot be shown', async () => {
    await suppress('a');
    const [one] = await attempted(1);
    app.sql(sender.practice.id, 'DELETE FROM events');
    await refused('conflict', replay(one?.id ?? ''));
    expect(await delivery(one?.id ?? '')).toMatchObject({ event_id: null, body: null, status: 'delivered' });
  });
});

describe('a replay of all that failed', () => {
  const failAll = async (names: readonly string[]): Promise<void> => {
    receiver.setAnswer(answering(503));
    for (const name of names) await suppress(name);
    await attempted(names.length);
    for (const { id } of await deliveries()) await replay(id);
    await attempted(names.length, 2);
    for (const { status } of await deliveries()) expect(status).toBe('failed');
    receiver.setAnswer(answering(200));
  };

  test('brings each of them once, and a second one finds nothing', async () => {
    const names = ['a', 'b', 'c', 'd'];
    await failAll(names);
    const before = ownRequests().length;
    const answer = await replayAll(new Date(clock.now()).toISOString());
    expect([answer.status, answer.body]).toEqual([202, { replayed: 4, more: false }]);
    for (const { status } of await attempted(4, 3)) expect(status).toBe('delivered');
    const bodies = ownRequests()
      .slice(before)
      .map((request) => JSON.parse(textOf(request)));
    expect(bodies.map(({ data }) => data.address).toSorted()).toEqual(
      names.map((name) => `${name}@example.org`),
    );
    expect((await replayAll('2020-01-01T00:00:00Z')).body).toEqual({ replayed: 0, more: false });
  });

  test('takes those alone that failed at that time or later', async () => {
    await failAll(['a']);
    const early = new Date(clock.now()).toISOString();
    clock.set(clock.now() + HOUR);
    const late = new Date(clock.now()).toISOString();
    expect((await replayAll(late)).body).toEqual({ replayed: 0, more: false });
    expect((await replayAll(early.replace('Z', '+00:00'))).body).toEqual({ replayed: 1, more: false });
  });

  test('of a period takes none that failed at its end or later', async () => {
    await failAll(['a']);
    const since = new Date(clock.now()).toISOString();
    clock.set(clock.now() + HOUR);
    const later = new Date(clock.now()).toISOString();
    const replayUntil = async (until: string) =>
      (await call('POST', `${hook}/replay`, { since, until })).body;
    expect(await replayUntil(since)).toEqual({ replayed: 0, more: false });
    expect(await replayUntil(later)).toEqual({ replayed: 1, more: false });
  });

  test.each([[undefined], [{}], [{ since: 'gestern' }], [{ since: 0 }], [{ since: '2026-01-01' }]])(
    'needs a time: not %j',
    async (body) => {
      await refused('invalid_request', call('POST', `${hook}/replay`, body));
    },
  );
});

describe('a rotation', () => {
  const rotate = async (body?: object): Promise<string> => {
    const answer = await call<{ secret: string }>('POST', `${hook}/rotate`, body);
    expect(answer.status).toBe(200);
    return answer.body.secret;
  };
  const signedBy = async (...secrets: readonly string[]): Promise<readonly boolean[]> => {
    await runTest();
    const request = ownRequests().at(-1);
    if (!request) throw new Error('no request');
    return secrets.map((one) => isValidForLibrary(one, request, clock.now()));
  };

  test('lets both secrets sign for a day', async () => {
    expect(await signedBy(secret)).toEqual([true]);
    const next = await rotate();
    expect(next).not.toBe(secret);
    const { body } = await call('GET', hook);
    expect(body.previous_secret_until).toBe(new Date(clock.now() + DAY).toISOString());
    expect(await signedBy(secret, next)).toEqual([true, true]);
    clock.set(clock.now() + DAY - 1);
    expect(await signedBy(secret, next)).toEqual([true, true]);
    clock.set(clock.now() + 1);
    expect(await signedBy(secret, next)).toEqual([false, true]);
    expect((await call('GET', hook)).body.previous_secret_until).toBeNull();
  });

  test('a second one lets the first secret go', async () => {
    const second = await rotate();
    const third = await rotate({});
    expect(await signedBy(secret, second, third)).toEqual([false, true, true]);
  });

  test('that revokes leaves the new secret alone to sign from then on', async () => {
    const second = await rotate();
    const third = await rotate({ revoke_previous: true });
    expect(await signedBy(secret, second, third)).toEqual([false, false, true]);
    expect((await call('GET', hook)).body.previous_secret_until).toBeNull();
  });

  test('takes no other word', async () => {
    await refused('invalid_request', call('POST', `${hook}/rotate`, { revoke_previous: 'ja' }));
    await refused('invalid_request', call('POST', `${hook}/rotate`, { revoke: true }));
  });
});
