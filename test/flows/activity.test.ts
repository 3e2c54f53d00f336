// What goes on in a practice, as those see it who look: pages of its log, and the stream of it. Over real sockets, by what
// really happens to mail.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { usualLimits } from '#src/followers/activity/live.ts';
import type { Activity } from '#src/followers/activity/present.ts';
import { SECOND } from '#src/kernel/time.ts';
import { type List, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { join, type Person, unlimitedSignIn } from '#test/support/people.ts';
import { openSse, type SseEvent } from '#test/support/sse.ts';

interface Page extends List<Activity> {
  readonly last_event_id: string;
}

const BEAT_MS = 200;

let app: TestApp;
let sender: Sender;
beforeAll(async () => {
  app = await startApp({
    streamBeatMs: BEAT_MS,
    config: {
      ...unlimitedSignIn,
      limits: { ...unlimitedSignIn.limits, api_rate: { per_second: 10_000, burst: 100_000 } },
    },
  });
  sender = await app.createSender();
});
afterAll(() => app?.remove());

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
const page = async ({ base, token }: Pick<Sender, 'base' | 'token'>, query = '') => {
  const answer = await app.request<Page>('GET', `${base}/events${query}`, undefined, token);
  expect(answer.status).toBe(200);
  return answer.body;
};
const stream = ({ base, token }: Pick<Sender, 'base' | 'token'>, query = '', headers = {}) =>
  openSse(`${app.origin}${base}/events${query}`, { ...bearer(token), ...headers });
const itemOf = ({ data }: SseEvent): Activity => JSON.parse(data);
/** Of a practice, in the order of its log, by the files themselves. */
const log = ({ practice }: Sender) =>
  app.sql<{ id: string; type: string }>(practice.id, 'SELECT id, type FROM events ORDER BY seq');

describe('a page', () => {
  test('holds the newest first, in the form of a delivery, and the end of the log', async () => {
    const id = await app.send(sender, { metadata: { patient: '17' }, tags: ['recall'] });
    await app.untilStatus(sender, id, 'processed');
    const { data, next_cursor, last_event_id } = await page(sender, `?message_id=${id}`);
    expect(next_cursor).toBeNull();
    expect(last_event_id).not.toBe('');
    expect(data.map(({ event }) => event)).toEqual(['message.sent', 'message.created']);
    expect(data[1]).toMatchObject({
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      data: { message_id: id, status: 'queued', metadata: { patient: '17' }, tags: ['recall'] },
    });
    expect(data[0]?.data).toMatchObject({ event_id: data[0]?.id, recipient: 'erika@example.org' });
  });

  test('after page it holds the whole log once', async () => {
    const ids = await Promise.all(Array.from({ length: 12 }, () => app.send(sender)));
    const found: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const { data, next_cursor }: Page = await page(sender, `?limit=5${cursor && `&cursor=${cursor}`}`);
      found.push(...data.map(({ id }) => id));
      cursor = next_cursor;
    }
    expect(found.length).toBeGreaterThanOrEqual(12);
    expect(found.toReversed()).toEqual(
      log(sender)
        .map(({ id }) => id)
        .slice(0, found.length),
    );
    // The tests that follow expect no events of these.
    for (const id of ids) await app.untilStatus(sender, id, 'processed');
  });

  test.each([
    ['of one name', '?event=message.created', ['message.created']],
    [
      'of several',
      '?event=message.created&event=suppression.added',
      ['message.created', 'suppression.added'],
    ],
    ['from a time to come', '?from=2999-01-01T00:00:00Z', []],
    ['before a time long ago', '?to=2001-01-01T00:00:00Z', []],
  ])('%s holds those only', async (_, query, names) => {
    await app.untilStatus(sender, await app.send(sender), 'processed');
    await app.request(
      'POST',
      `${sender.base}/suppression`,
      { address: `${crypto.randomUUID()}@example.org` },
      sender.token,
    );
    const { data } = await page(sender, query);
    expect(new Set(data.map(({ event }) => event))).toEqual(new Set(names));
  });

  test('shows repeated events, too, and says so', async () => {
    const id = await app.send(sender);
    await app.untilStatus(sender, id, 'processed');
    app.sql(
      sender.practice.id,
      `INSERT INTO events (id, message_seq, recipient_id, type, at, data_json)
       SELECT ?, message_seq, recipient_id, type, at, '{"repeated":true}' FROM events WHERE type = 'message.sent' ORDER BY seq DESC LIMIT 1`,
      crypto.randomUUID(),
    );
    const { data } = await page(sender, `?message_id=${id}`);
    expect(data.map(({ event, data: { repeated } }) => [event, repeated])).toEqual([
      ['message.sent', true],
      ['message.sent', undefined],
      ['message.created', undefined],
    ]);
  });

  test.each([
    ['?event=message.unknown', 'query.event'],
    ['?cursor=nonsense', 'query.cursor'],
    ['?last_event_id=cDE', 'query.last_event_id'],
    ['?from=yesterday', 'query.from'],
    ['?recipient=erika', 'query.recipient'],
  ])('%s is refused', async (query, path) => {
    const answer = await app.request('GET', `${sender.base}/events${query}`, undefined, sender.token);
    expect([answer.status, answer.body]).toMatchObject([400, { code: 'invalid_request' }]);
    expect(JSON.stringify(answer.body.fields)).toContain(path);
  });

  test('of a message that is not there is refused, as one of another practice is', async () => {
    const other = await app.createSender();
    const theirs = await app.send(other);
    for (const id of [theirs, crypto.randomUUID()])
      for (const accept of ['application/json', 'text/event-stream']) {
        const answer = await app.request(
          'GET',
          `${sender.base}/events?message_id=${id}`,
          undefined,
          sender.token,
          {
            Accept: accept,
          },
        );
        expect([answer.status, answer.body.code]).toEqual([404, 'not_found']);
      }
  });
});

describe('the stream', () => {
  test('begins now, sends what happens as it does, and is kept by no proxy', async () => {
    const live = await stream(sender);
    expect([live.status, live.headers['content-type'], live.headers['x-accel-buffering']]).toEqual([
      200,
      'text/event-stream',
      'no',
    ]);
    expect(live.headers['cache-control']).toBe('no-store');
    await expect.poll(() => live.text()).toMatch(/^retry: \d+\n\nid: \S+\n\n/);
    const id = await app.send(sender);
    const events = await live.until((so) => so.some(({ event }) => event === 'message.sent'));
    expect(events.map(({ event }) => event)).toEqual(['message.created', 'message.sent']);
    for (const event of events) {
      expect(event.event).toBe(itemOf(event).event);
      expect(itemOf(event).data.message_id).toBe(id);
    }
    const { data, last_event_id } = await page(sender, '?limit=2');
    expect(events.map(itemOf).toReversed()).toEqual(data);
    expect(live.lastEventId()).toBe(last_event_id);
  });

  test("is opened by a browser's session, and goes on where it was", async () => {
    const { cookie } = await join(app, sender.practice.id, 'browser@example.org', { role_id: 'viewer' });
    const open = (headers = {}) =>
      openSse(`${app.origin}${sender.base}/events`, { Cookie: cookie, Origin: app.origin, ...headers });
    const live = await open();
    expect(live.status).toBe(200);
    await expect.poll(() => live.lastEventId()).not.toBe('');
    const place = live.lastEventId();
    live.close();
    const id = await app.send(sender);
    const again = await open({ 'Last-Event-ID': place });
    const [event] = await again.until((events) => events.length > 0);
    expect(event && itemOf(event).data.message_id).toBe(id);
    again.close();
    await app.untilStatus(sender, id, 'processed');
  });

  test('goes on where a page ended, by header or query; the header wins', async () => {
    const { last_event_id } = await page(sender, '?limit=1');
    const first = await app.send(sender);
    const at = (await page(sender, `?message_id=${first}&event=message.created`)).data[0]?.id;
    for (const [query, headers] of [
      [`?last_event_id=${last_event_id}`, {}],
      ['', { 'Last-Event-ID': last_event_id }],
      ['?last_event_id=cDA', { 'Last-Event-ID': last_event_id }],
    ] as const) {
      const live = await stream(sender, query, headers);
      const [event] = await live.until((so) => so.length > 0);
      expect(event && itemOf(event).id).toBe(at);
      live.close();
    }
  });

  test('sends only what was asked for', async () => {
    const id = await app.send(sender, { scheduled_at: new Date(Date.now() + 3_600_000).toISOString() });
    const named = await stream(sender, '?event=suppression.added&event=suppression.removed');
    const ofOne = await stream(sender, `?message_id=${id}`);
    await app.send(sender);
    const address = `${crypto.randomUUID()}@example.org`;
    await app.request('POST', `${sender.base}/suppression`, { address }, sender.token);
    const [event] = await named.until((so) => so.length > 0);
    expect(event && itemOf(event)).toMatchObject({ event: 'suppression.added', data: { address } });
    const { status } = await app.request(
      'POST',
      `${sender.base}/messages/${id}/cancel`,
      undefined,
      sender.token,
    );
    expect(status).toBe(200);
    const [cancelled] = await ofOne.until((so) => so.length > 0);
    expect(cancelled && itemOf(cancelled)).toMatchObject({
      event: 'message.failed',
      data: { message_id: id },
    });
    expect([named.events, ofOne.events].map(({ length }) => length)).toEqual([1, 1]);
  });

  test.each([
    ['a place that is none', '', { 'Last-Event-ID': 'nonsense' }, 'header.Last-Event-ID'],
    ['one in the query', '?last_event_id=nonsense', {}, 'query.last_event_id'],
    ['a time', '?from=2026-01-01T00:00:00Z', {}, 'query.from'],
    ['a cursor', '?cursor=cDE', {}, 'query.cursor'],
  ])('is refused %s', async (_, query, headers, path) => {
    const refused = await stream(sender, query, headers);
    await refused.ended;
    expect([refused.status, JSON.parse(refused.text()).code]).toEqual([400, 'invalid_request']);
    expect(refused.text()).toContain(path);
  });

  test('answers HEAD with its head alone, as often as asked', async () => {
    for (let count = 0; count < 30; count += 1) {
      const head = await openSse(`${app.origin}${sender.base}/events`, bearer(sender.token), 'HEAD');
      expect([head.status, head.headers['content-type']]).toEqual([200, 'text/event-stream']);
      expect([await head.ended, head.text()]).toEqual([true, '']);
    }
  });

  test('is given twenty times to a practice, and again when one has left; others have their own', async () => {
    const mine = await app.createSender();
    const open = await Promise.all(Array.from({ length: 20 }, () => stream(mine)));
    expect(open.map(({ status }) => status)).toEqual(open.map(() => 200));
    const refused = await stream(mine);
    await refused.ended;
    expect([refused.status, JSON.parse(refused.text())]).toMatchObject([
      429,
      { code: 'rate_limited', hint: expect.stringContaining('20'), retry_after: 30 },
    ]);
    expect(refused.headers['retry-after']).toBe('30');
    const other = await stream(await app.createSender());
    expect(other.status).toBe(200);
    open[7]?.close();
    await expect
      .poll(async () => {
        const again = await stream(mine);
        if (again.status !== 200) again.close();
        return again.status;
      })
      .toBe(200);
    for (const { close } of open) close();
  });

  test('a thousand that come and go take no place from the next', async () => {
    const mine = await app.createSender();
    // The service learns a moment later that those before have left.
    for (let round = 0; round < 50; round += 1)
      await expect
        .poll(async () => {
          const all = await Promise.all(Array.from({ length: 20 }, () => stream(mine)));
          for (const { close } of all) close();
          return all.every(({ status }) => status === 200);
        })
        .toBe(true);
  });

  test('of one practice sends nothing of another', async () => {
    const [one, two] = [await app.createSender(), await app.createSender()];
    const [first, second] = [await stream(one), await stream(two)];
    const ids = [await app.send(one), await app.send(two)];
    for (const live of [first, second]) await live.until((so) => so.length >= 2);
    const told = [first, second].map(
      ({ events }) => new Set(events.map((event) => itemOf(event).data.message_id)),
    );
    expect(told).toEqual(ids.map((id) => new Set([id])));
    const foreign = await stream({ base: two.base, token: one.token });
    await foreign.ended;
    expect(foreign.status).toBe(404);
  });
});

describe('a client that comes back to its position', () => {
  test('has the whole log once and in order, however often the connection breaks while five write', async () => {
    const busy = await app.createSender({ plan: 'gruppe' });
    const { last_event_id } = await page(busy);
    const before = log(busy).length;
    let writing = true;
    const writers = Promise.all(
      Array.from({ length: 5 }, async () => {
        for (let count = 0; count < 60; count += 1) await app.send(busy);
      }),
    ).finally(() => {
      writing = false;
    });
    const got: string[] = [];
    let place = last_event_id;
    let reconnects = 0;
    while (writing || reconnects < 20) {
      const live = await stream(busy, '', { 'Last-Event-ID': place });
      const wanted = 1 + ((reconnects * 7) % 40);
      const isOver = await Promise.race([
        live.until((so) => so.length >= wanted).then(() => false),
        writers.then(() => true),
      ]);
      got.push(...live.events.map((event) => itemOf(event).id));
      place = live.lastEventId() || place;
      live.close();
      reconnects += 1;
      if (isOver && reconnects >= 20) break;
    }
    await writers;
    await expect.poll(async () => (await page(busy, '?event=message.sent&limit=200')).data.length).toBe(200);
    await expect.poll(() => log(busy).filter(({ type }) => type === 'message.sent').length).toBe(300);
    const last = await stream(busy, '', { 'Last-Event-ID': place });
    const all = log(busy)
      .slice(before)
      .map(({ id }) => id);
    const rest = await last.until((so) => got.length + so.length >= all.length);
    expect(reconnects).toBeGreaterThanOrEqual(20);
    expect([...got, ...rest.map((event) => itemOf(event).id)]).toEqual(all);
  });

  test('learns where events are gone, and of a log that was replaced', async () => {
    const old = await app.createSender();
    const { last_event_id } = await page(old);
    const id = await app.send(old);
    await app.untilStatus(old, id, 'processed');
    app.sql(old.practice.id, "DELETE FROM events WHERE type = 'message.created'");
    const late = await stream(old, '', { 'Last-Event-ID': last_event_id });
    const events = await late.until((so) => so.length >= 2);
    expect(events.map(({ event, data }) => [event, JSON.parse(data).reason])).toEqual([
      ['gap', 'removed'],
      ['message.sent', undefined],
    ]);
    // Of a place that this log never had.
    const ahead = await stream(old, '', { 'Last-Event-ID': Buffer.from('p999999').toString('base64url') });
    await ahead.until((so) => so.length === 1);
    const next = await app.send(old);
    const told = await ahead.until((so) => so.length >= 2);
    expect(told[0]).toMatchObject({ event: 'gap', data: '{"reason":"restored"}' });
    expect(told[1] && itemOf(told[1])).toMatchObject({
      event: 'message.created',
      data: { message_id: next },
    });
  });
});

describe('a caller that is limited to projects', () => {
  let practice: Sender;
  let member: Person;
  let mine: string;
  let other: string;
  beforeAll(async () => {
    practice = await app.createSender();
    const project = async (name: string) =>
      (await app.request<{ id: string }>('POST', `${practice.base}/projects`, { name }, app.adminToken)).body
        .id;
    [mine, other] = [await project('Mine'), await project('Other')];
    for (const [name, project_id] of [
      ['Of mine', mine],
      ['Of other', other],
    ])
      await app.request(
        'POST',
        `${practice.base}/routes`,
        { type: 'transactional', name, project_id },
        app.adminToken,
      );
    member = await join(app, practice.practice.id, 'anna@example.org', {
      role_id: 'member',
      all_projects: false,
      project_ids: [mine],
    });
  });

  test('sees what concerns theirs and nothing else, live as in pages', async () => {
    const as = { base: practice.base, token: member.token };
    const live = await stream(as);
    const [a, b] = [
      await app.send(practice, { project_id: mine }),
      await app.send(practice, { project_id: other }),
    ];
    const suppress = (place: object) =>
      app.request(
        'POST',
        `${practice.base}/suppression`,
        { address: 'x@example.org', ...place },
        practice.token,
      );
    const made = [
      await suppress({}),
      await suppress({ project_id: other }),
      await suppress({ route_id: 'of-other' }),
      await suppress({ route_id: 'outgoing' }),
      await suppress({ project_id: mine }),
      await suppress({ route_id: 'of-mine' }),
    ];
    expect(made.map(({ status }) => status)).toEqual(made.map(() => 201));
    await app.untilStatus(practice, a, 'processed');
    await app.untilStatus(practice, b, 'processed');
    const seen = (item: Activity) => [item.event, item.data.message_id ?? item.data.suppression_id];
    const expected = [
      ['message.created', a],
      ['message.sent', a],
      ...made.slice(4).map(({ body }) => ['suppression.added', body.id]),
    ].toSorted();
    const events = await live.until((so) => so.length >= expected.length);
    expect(events.map((event) => seen(itemOf(event))).toSorted()).toEqual(expected);
    expect((await page(as)).data.map(seen).toSorted()).toEqual(expected);
    expect((await page(practice)).data.length).toBeGreaterThanOrEqual(expected.length + 6);
    const foreign = await app.request(
      'GET',
      `${practice.base}/events?message_id=${b}`,
      undefined,
      member.token,
    );
    expect(foreign.status).toBe(404);
  });
});

describe('a caller that loses its access', () => {
  test('is noticed as soon as the reference promises', () => {
    expect(usualLimits.beatMs).toBeLessThanOrEqual(15 * SECOND);
  });

  test('is cut off at the next beat, and the others are not', async () => {
    const practice = await app.createSender({ plan: 'praxis' });
    const { base } = practice;
    const revoked = await app.createToken(practice.practice.id, { name: 'revoked' });
    const joined = (email: string) =>
      join(app, practice.practice.id, email, { role_id: 'viewer', all_projects: true });
    const [removed, demoted, gone] = [
      await joined('removed@example.org'),
      await joined('demoted@example.org'),
      await joined('gone@example.org'),
    ];
    const streams = await Promise.all(
      [revoked, removed.token, demoted.token, gone.token].map((token) => stream({ base, token })),
    );
    const kept = await stream(practice);
    expect([...streams, kept].map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const { data: tokens } = (
      await app.request<List<{ id: string; name: string }>>(
        'GET',
        `${base}/api-tokens`,
        undefined,
        app.adminToken,
      )
    ).body;
    const tokenId = tokens.find(({ name }) => name === 'revoked')?.id;
    const { data: members } = (
      await app.request<List<{ id: string; email: string }>>(
        'GET',
        `${base}/members`,
        undefined,
        app.adminToken,
      )
    ).body;
    const memberId = (email: string) => members.find((member) => member.email === email)?.id;
    const role = await app.request<{ id: string }>(
      'POST',
      `${base}/roles`,
      { name: 'Nichts', permissions: ['stats.view'] },
      app.adminToken,
    );
    const changes = [
      await app.request('DELETE', `${base}/api-tokens/${tokenId}`, undefined, app.adminToken),
      await app.request(
        'DELETE',
        `${base}/members/${memberId('removed@example.org')}`,
        undefined,
        app.adminToken,
      ),
      await app.request(
        'PATCH',
        `${base}/members/${memberId('demoted@example.org')}`,
        { role_id: role.body.id },
        app.adminToken,
      ),
      await app.request('POST', '/api/auth/logout', undefined, gone.token),
    ];
    expect(changes.map(({ status }) => Math.trunc(status / 100))).toEqual([2, 2, 2, 2]);
    expect(await Promise.all(streams.map(({ ended }) => ended))).toEqual([false, false, false, false]);
    // They have been asked, too.
    const beats = kept.comments.length;
    await expect.poll(() => kept.comments.length).toBeGreaterThan(beats + 1);
    const id = await app.send(practice);
    await kept.until((so) => so.some((event) => itemOf(event).data.message_id === id));
    for (const { events } of streams) expect(events).toEqual([]);
  });
});

test('a restart ends the streams as a whole, and the next daemon goes on after their place', async () => {
  const first = await startApp();
  let second: TestApp | undefined;
  try {
    const own = await first.createSender();
    const open = (origin: string, headers = {}) =>
      openSse(`${origin}${own.base}/events`, { ...bearer(own.token), ...headers });
    const live = await open(first.origin);
    const id = await first.send(own);
    await live.until((so) => so.length === 2);
    await first.stop();
    expect(await live.ended).toBe(true);
    second = await startApp({ home: first.home });
    const missed = await second.send(own);
    const again = await open(second.origin, { 'Last-Event-ID': live.lastEventId() });
    const events = await again.until((so) => so.length >= 2);
    expect(new Set(events.map((event) => itemOf(event).data.message_id))).toEqual(new Set([missed]));
    expect(missed).not.toBe(id);
  } finally {
    await second?.stop();
    await first.remove();
  }
});
