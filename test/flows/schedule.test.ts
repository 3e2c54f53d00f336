// Messages for later: sent at their time and not before, also after a restart; cancelled, and given another time, while
// nobody has begun to send them.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE, toIso } from '#src/kernel/time.ts';
import { type List, letter, type Refusal, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { ISO, UNKNOWN_ID, UUID } from '#test/support/asking.ts';
import { createSmtpReceiver, type SmtpReceiver } from '#test/support/smtp-receiver.ts';
import { createTestClock, type TestClock } from '#test/support/storage.ts';

const NOON = Date.UTC(2026, 10, 21, 12);
const DOMAIN = 'praxis-mueller.example';

let receiver: SmtpReceiver;
let clock: TestClock;
let app: TestApp;
let sender: Sender;
beforeEach(async () => {
  receiver = await createSmtpReceiver();
  clock = createTestClock(NOON);
  app = await startApp({ runsTwice: true, receiver, clock });
  sender = await app.createSender({ plan: 'praxis' });
});
afterEach(async () => {
  await app?.remove();
  await receiver?.stop();
});

const call = <Body = Refusal & { id: string; status: string; scheduled_at?: string }>(
  method: string,
  path: string,
  body?: unknown,
  token = sender.token,
) => app.request<Body>(method, sender.base + path, body, token);
const cancel = (id: string, token?: string) => call('POST', `/messages/${id}/cancel`, undefined, token);
const move = (id: string, at: number | string, token?: string) =>
  call('PATCH', `/messages/${id}`, { scheduled_at: typeof at === 'number' ? toIso(at) : at }, token);

const sendAt = (at: number, fields: object = {}) => app.send(sender, { ...fields, scheduled_at: toIso(at) });

const arrivals = (id: string): number =>
  receiver.messages.filter(({ content }) => content.includes(`<${id}@`)).length;

/** Resolves once the dispatcher has looked what is due at this time: it has sent what was. */
const look = async (): Promise<void> => {
  await app.untilStatus(sender, await app.send(sender, { subject: 'Blick' }), 'processed');
};

const restart = async (): Promise<void> => {
  await app.stop();
  app = await startApp({ home: app.home, receiver, clock });
};

/** All that is counted of the practice's mails. */
const counted = () =>
  ['monthly_usage', 'daily_volume', 'counters', 'channel_counters'].map((table) =>
    app
      .sql<Record<string, unknown>>(sender.practice.id, `SELECT * FROM ${table}`)
      .filter((row) => (row.accepted ?? row.mails) !== 0)
      .map(({ sent: _, ...row }) => row),
  );

const decisionOf = async (id: string, gate: string) =>
  (await app.message(sender, id)).decisions.find((decision) => decision.gate === gate);

describe('a message for later', () => {
  const due = NOON + 3 * HOUR;

  test('is pending until its time, and sent then, not before', async () => {
    const answer = await call('POST', '/send', { ...letter, scheduled_at: '2026-11-21T16:00:00+01:00' });
    expect(answer).toMatchObject({
      status: 202,
      body: { id: UUID, status: 'pending', scheduled_at: toIso(due) },
    });
    const { id } = answer.body;
    expect(await app.message(sender, id)).toMatchObject({
      status: 'pending',
      scheduled_at: toIso(due),
      recipients: [{ status: 'pending', attempts: 0, next_attempt_at: toIso(due) }],
    });
    const timeline = await call<{ data: unknown[] }>('GET', `/messages/${id}/timeline`);
    expect(timeline.body.data).toEqual([
      { at: ISO, status: 'pending', recipient: null, detail: null, inbound_id: null },
    ]);

    clock.set(due - 1);
    await look();
    expect(await app.message(sender, id)).toMatchObject({ status: 'pending', recipients: [{ attempts: 0 }] });
    clock.set(due);
    await look();
    await app.untilStatus(sender, id, 'processed');
    expect(arrivals(id)).toBe(1);
  });

  test('is sent at its time also after a restart, and not before', async () => {
    const id = await sendAt(due);
    await restart();
    clock.set(due - 1);
    await look();
    expect(arrivals(id)).toBe(0);
    await app.stop();
    clock.set(due + DAY);
    await restart();
    await app.untilStatus(sender, id, 'processed');
    expect(arrivals(id)).toBe(1);
  });

  describe('of a time that has passed', () => {
    /** Each way to name a time; the refusal of the one message that it is about. */
    const ways: Readonly<Record<string, (scheduled_at: string) => Promise<Partial<Refusal>>>> = {
      'a send': async (scheduled_at) => (await call('POST', '/send', { ...letter, scheduled_at })).body,
      'a send on the flat path': async (scheduled_at) =>
        (await app.request<Refusal>('POST', '/api/emails', { ...letter, scheduled_at }, sender.token)).body,
      'an item of a batch': async (scheduled_at) =>
        (await call<Refusal[]>('POST', '/send/batch', [{ ...letter, scheduled_at }, letter])).body[0] ?? {},
      'a bulk': async (scheduled_at) => {
        const template = { subject: 'Ihr Termin', text: 'Am Montag.' };
        const fields = { message_kind: 'transactional', route: 'outgoing', scheduled_at };
        const recipients = [{ email: letter.to }];
        const { body } = await call<Refusal & { results?: Refusal[] }>('POST', '/send/bulk', {
          ...{ template, recipients },
          ...fields,
        });
        return body.results?.[0] ?? body;
      },
      'another time': async (scheduled_at) => (await move(await sendAt(due), scheduled_at)).body,
    };

    test.each(Object.keys(ways))('%s is sent at once up to 5 minutes after it', async (way) => {
      const answer = await ways[way]?.(toIso(NOON - 5 * MINUTE));
      expect(answer).toMatchObject({ id: UUID, status: 'queued' });
      await app.untilStatus(sender, String(answer?.id), 'processed');
    });

    test.each(Object.keys(ways))('%s is refused after that, with field and time', async (way) => {
      const time = toIso(NOON - 5 * MINUTE - 1);
      const path = way === 'an item of a batch' ? 'body[0].scheduled_at' : 'body.scheduled_at';
      expect(await ways[way]?.(time)).toMatchObject({
        code: 'invalid_request',
        error: expect.stringContaining('scheduled_at'),
        fields: [{ path, message: expect.stringContaining(time) }],
      });
      const score = await call<{ would_refuse: string }>('POST', '/send/score', {
        ...letter,
        scheduled_at: time,
      });
      expect(score.body.would_refuse).toBe('invalid_request');
    });
  });

  test('may be 30 days ahead, and not a millisecond more', async () => {
    expect((await call('POST', '/send', { ...letter, scheduled_at: toIso(NOON + 30 * DAY) })).status).toBe(
      202,
    );
    const { status, body } = await call('POST', '/send', {
      ...letter,
      scheduled_at: toIso(NOON + 30 * DAY + 1),
    });
    expect([status, body.code]).toEqual([400, 'invalid_request']);
  });

  test('counts at once towards the plan, and towards the volume of its day', async () => {
    await sendAt(NOON + 2 * DAY, { cc: 'copy@example.org', bcc: 'success@simulator.mail.example.com' });
    const [usage, volume] = counted();
    expect(usage).toMatchObject([{ month: '2026-11', accepted: 2 }]);
    expect(volume).toEqual([{ day: Math.floor(NOON / DAY) + 2, stream: 'transactional', mails: 2 }]);
  });
});

describe('cancelled', () => {
  const due = NOON + DAY;

  test('it fails for all its recipients, is never sent, and counts nowhere', async () => {
    await app.send(sender);
    const before = counted();
    const id = await sendAt(due, { cc: 'copy@example.org', bcc: 'ooto@simulator.mail.example.com' });
    expect(counted()).not.toEqual(before);
    clock.set(NOON + HOUR);
    expect(await cancel(id)).toMatchObject({ status: 200, body: { id, message_id: id, status: 'failed' } });
    expect(counted()).toEqual(before);

    const message = await app.message(sender, id);
    expect(message.status).toBe('failed');
    for (const recipient of message.recipients)
      expect(recipient).toMatchObject({
        status: 'failed',
        next_attempt_at: null,
        diagnostic: 'cancelled before it was due',
        updated_at: toIso(NOON + HOUR),
      });
    const { body } = await call<List<{ type: string; recipient: string; diagnostic: string }>>(
      'GET',
      `/messages/${id}/events`,
    );
    expect(
      body.data.slice(1).map(({ type, recipient, diagnostic }) => [type, recipient, diagnostic]),
    ).toEqual(
      message.recipients.map(({ address }) => ['message.failed', address, 'cancelled before it was due']),
    );
    clock.set(due + HOUR);
    await look();
    await restart();
    await look();
    expect(arrivals(id)).toBe(0);
  });

  test('in another month than it was accepted, it counts no more in the month in which it did', async () => {
    clock.set(Date.UTC(2026, 10, 30, 23, 59));
    const id = await sendAt(Date.UTC(2026, 11, 2));
    clock.set(Date.UTC(2026, 11, 1, 0, 1));
    expect((await cancel(id)).status).toBe(200);
    expect(counted().flat()).toEqual([]);
  });

  test('the audit records it, without content and recipients', async () => {
    const id = await sendAt(due, { to: 'geheim@example.org' });
    await cancel(id);
    const { body } = await call<List<object>>('GET', '/audit', undefined, app.adminToken);
    const [entry] = body.data.filter((one) => JSON.stringify(one).includes('message.cancel'));
    expect(entry).toMatchObject({
      action: 'message.cancel',
      target: { type: 'message', id },
      before: { status: 'pending', scheduled_at: toIso(due) },
      after: { status: 'failed', scheduled_at: toIso(due) },
    });
    expect(JSON.stringify(entry)).not.toContain('geheim@');
  });

  test('suppressed recipients stay suppressed', async () => {
    await call('POST', '/suppression', { address: 'gone@example.org' });
    const id = await sendAt(due, { cc: 'gone@example.org' });
    await cancel(id);
    expect(await app.message(sender, id)).toMatchObject({
      status: 'failed',
      recipients: [{ status: 'failed' }, { status: 'suppressed', diagnostic: null }],
    });
    expect(counted().flat()).toEqual([]);
  });

  test('a repeated send under its key still answers as the first did', async () => {
    const body = { ...letter, scheduled_at: toIso(due), idempotency_key: 'k' };
    const first = await call('POST', '/send', body);
    await cancel(first.body.id);
    const again = await call('POST', '/send', body);
    expect([again.status, again.text]).toEqual([202, first.text]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });

  test('a paused practice may cancel what waits', async () => {
    const id = await sendAt(due);
    app.sql(sender.practice.id, "UPDATE practice SET paused_at = 1, pause_by = 'member', pause_reason = 'x'");
    clock.set(due + HOUR);
    expect((await cancel(id)).status).toBe(200);
  });
});

describe('given another time', () => {
  const due = NOON + 2 * DAY;

  test.each([
    ['later', NOON + 3 * DAY],
    ['earlier', NOON + HOUR],
  ])('%s, it is sent then and not before', async (_, at) => {
    const id = await sendAt(due);
    expect(await move(id, at)).toMatchObject({
      status: 200,
      body: { id, message_id: id, status: 'pending', scheduled_at: toIso(at) },
    });
    expect(await app.message(sender, id)).toMatchObject({
      status: 'pending',
      scheduled_at: toIso(at),
      recipients: [{ next_attempt_at: toIso(at) }],
    });
    expect(await decisionOf(id, 'schedule')).toMatchObject({ facts: { scheduled_at: toIso(at) } });
    clock.set(at - 1);
    await look();
    expect(arrivals(id)).toBe(0);
    clock.set(at);
    await look();
    await app.untilStatus(sender, id, 'processed');
    expect(arrivals(id)).toBe(1);
  });

  test('earlier, it is sent then also after a restart', async () => {
    const id = await sendAt(due);
    await move(id, NOON + HOUR);
    await app.stop();
    clock.set(NOON + HOUR);
    await restart();
    await app.untilStatus(sender, id, 'processed');
  });

  test('that has just passed, it is sent at once', async () => {
    const id = await sendAt(due);
    expect((await move(id, NOON - 1)).body).toEqual({ id, message_id: id, status: 'queued' });
    await app.untilStatus(sender, id, 'processed');
    expect(arrivals(id)).toBe(1);
  });

  test('the event of its creation does not change with its time', async () => {
    const id = await sendAt(NOON + DAY);
    const created = async () =>
      (await call<{ data: unknown[] }>('GET', `/events?event=message.created&message_id=${id}`)).body.data;
    const before = await created();
    expect(before).toEqual([
      expect.objectContaining({ data: expect.objectContaining({ status: 'pending' }) }),
    ]);
    await move(id, NOON);
    await app.untilStatus(sender, id, 'processed');
    expect(await created()).toEqual(before);
  });

  test('it counts on its new day, and no more on the old one', async () => {
    const id = await sendAt(due, { cc: 'copy@example.org' });
    await move(id, NOON + 5 * DAY);
    const [usage, volume, routes] = counted();
    expect(volume).toEqual([{ day: Math.floor(NOON / DAY) + 5, stream: 'transactional', mails: 2 }]);
    expect(usage).toMatchObject([{ accepted: 2 }]);
    expect(routes).toMatchObject([{ accepted: 2 }]);
    expect((await cancel(id)).status).toBe(200);
    expect(counted().flat()).toEqual([]);
  });

  test('it may be 30 days from now, wherever it was before', async () => {
    const id = await sendAt(due);
    clock.set(NOON + DAY);
    expect((await move(id, NOON + 31 * DAY)).status).toBe(200);
    const refused = await move(id, NOON + 31 * DAY + 1);
    expect([refused.status, refused.body.fields]).toEqual([
      400,
      [{ path: 'body.scheduled_at', message: 'must be at most 30 days ahead' }],
    ]);
    expect(await app.message(sender, id)).toMatchObject({ scheduled_at: toIso(NOON + 31 * DAY) });
  });

  test.each([
    {},
    { scheduled_at: null },
    { scheduled_at: '2026-12-01' },
    { scheduled_at: toIso(due), subject: 'x' },
  ])('%j is no other time', async (body) => {
    const id = await sendAt(due);
    expect((await call('PATCH', `/messages/${id}`, body)).body.code).toBe('invalid_request');
  });

  test('the audit records it', async () => {
    const id = await sendAt(due);
    await move(id, NOON + HOUR);
    const { body } = await call<List<object>>('GET', '/audit', undefined, app.adminToken);
    expect(body.data).toContainEqual(
      expect.objectContaining({
        action: 'message.reschedule',
        before: { status: 'pending', scheduled_at: toIso(due) },
        after: { status: 'pending', scheduled_at: toIso(NOON + HOUR) },
      }),
    );
  });

  describe('the warm-up of the domain holds for its new day:', () => {
    const today = Math.floor(NOON / DAY);
    const fill = (stream: string, day: number, mails: number) =>
      app.sql(sender.practice.id, 'INSERT INTO daily_volume VALUES (?, ?, ?)', day, stream, mails);
    beforeEach(async () => {
      await app.completeLegal(sender.practice.id);
      app.sql(
        sender.practice.id,
        'UPDATE practice SET custom_domain = ?, custom_verified_at = 1, warmup_started_at = ?',
        DOMAIN,
        NOON,
      );
    });

    test('marketing does not move to a day before the third', async () => {
      const id = await sendAt(NOON + 2 * DAY, { route: 'broadcast' });
      expect((await move(id, NOON + DAY)).body).toMatchObject({ code: 'warmup_not_ready', day: 2 });
      expect(await app.message(sender, id)).toMatchObject({ scheduled_at: toIso(NOON + 2 * DAY) });
    });

    test('marketing does not move to a day that is full, and does not count against itself', async () => {
      fill('marketing', today + 3, 700);
      fill('marketing', today + 2, 399);
      const id = await sendAt(NOON + 2 * DAY, { route: 'broadcast' });
      const before = counted();
      expect((await move(id, NOON + 3 * DAY)).body).toMatchObject({ code: 'warmup_cap_reached', cap: 700 });
      expect(counted()).toEqual(before);
      expect((await move(id, NOON + 2 * DAY + HOUR)).status).toBe(200);
      expect(counted()).toEqual(before);
    });

    test('other mail moves to a full day, and leaves on the next with room', async () => {
      const id = await sendAt(NOON + 5 * DAY);
      fill('transactional', today + 1, 500);
      expect((await move(id, NOON + DAY)).body).toMatchObject({
        status: 'pending',
        scheduled_at: toIso(NOON + DAY),
      });
      const midnight = (today + 2) * DAY;
      const { recipients } = await app.message(sender, id);
      const nextAttempt = Date.parse(recipients[0]?.next_attempt_at ?? '');
      expect(Math.floor(nextAttempt / DAY)).toBe(today + 2);
      expect(nextAttempt).toBeGreaterThanOrEqual(midnight);
      expect(await decisionOf(id, 'warmup_volume')).toMatchObject({ verdict: 'held' });
    });
  });
});

describe('is refused, and changes nothing, where the message', () => {
  const refusals: readonly [name: string, prepare: () => Promise<string>, code: string][] = [
    ['is unknown', async () => UNKNOWN_ID, 'not_found'],
    [
      'has been sent',
      async () => {
        const id = await app.send(sender);
        await app.untilStatus(sender, id, 'processed');
        return id;
      },
      'conflict',
    ],
    [
      'has been cancelled',
      async () => {
        const id = await sendAt(NOON + DAY);
        await cancel(id);
        return id;
      },
      'conflict',
    ],
    [
      'is being sent',
      async () => {
        const id = await sendAt(NOON + DAY, { cc: 'copy@example.org' });
        const [row] = app.sql<{ id: number }>(
          sender.practice.id,
          'SELECT max(recipient_id) AS id FROM queue',
        );
        app.sql(sender.practice.id, 'UPDATE queue SET claimed = 1 WHERE recipient_id = ?', row?.id);
        return id;
      },
      'conflict',
    ],
    [
      'has been tried by a process that died',
      async () => {
        const id = await sendAt(NOON + DAY);
        app.sql(sender.practice.id, 'UPDATE queue SET attempts = 1');
        return id;
      },
      'conflict',
    ],
    [
      'is queued for now in a practice that is paused',
      async () => {
        const id = await sendAt(NOON + DAY);
        app.sql(
          sender.practice.id,
          "UPDATE practice SET paused_at = 1, pause_by = 'member', pause_reason = 'x'",
        );
        await move(id, NOON);
        return id;
      },
      'conflict',
    ],
  ];
  test.each(refusals)('%s', async (_, prepare, code) => {
    const id = await prepare();
    const before = [counted(), app.rowCounts(sender.practice.id)];
    for (const answer of [await cancel(id), await move(id, NOON + HOUR)]) expect(answer.body.code).toBe(code);
    expect([counted(), app.rowCounts(sender.practice.id)]).toEqual(before);
  });

  test('belongs to a project that is none of the caller’s', async () => {
    const id = await sendAt(NOON + DAY);
    const made = await call('POST', '/projects', { name: 'Labor' });
    const scope = { scope: 'project', project_id: made.body.id };
    const token = await app.createToken(sender.practice.id, scope);
    for (const answer of [await cancel(id, token), await move(id, NOON + HOUR, token)])
      expect([answer.status, answer.body.error]).toEqual([404, 'There is no such message.']);
    const own = await app.send({ ...sender, token }, { scheduled_at: toIso(NOON + DAY) });
    expect((await move(own, NOON + HOUR, token)).status).toBe(200);
    expect((await cancel(own, token)).status).toBe(200);
  });
});

describe('at the moment it is due', () => {
  const due = NOON + MINUTE;
  const MESSAGES = 40;

  test('either it is cancelled and no one gets it, or it is sent once and the answer says so', async () => {
    const ids = await Promise.all(Array.from({ length: MESSAGES }, () => sendAt(due)));
    clock.set(due);
    const [answers] = await Promise.all([
      Promise.all(ids.map(async (id) => ({ id, status: (await cancel(id)).status }))),
      look(),
    ]);
    await look();
    for (const { id, status } of answers) {
      expect([200, 409]).toContain(status);
      await app.untilStatus(sender, id, status === 200 ? 'failed' : 'processed');
      expect(arrivals(id)).toBe(status === 200 ? 0 : 1);
    }
  });

  test('either it is given another time, or it is sent: never both', async () => {
    const ids = await Promise.all(Array.from({ length: MESSAGES }, () => sendAt(due)));
    clock.set(due);
    const [answers] = await Promise.all([
      Promise.all(ids.map(async (id) => ({ id, status: (await move(id, NOON + DAY)).status }))),
      look(),
    ]);
    await look();
    for (const { id, status } of answers) {
      expect([200, 409]).toContain(status);
      await app.untilStatus(sender, id, status === 200 ? 'pending' : 'processed');
      expect(arrivals(id)).toBe(status === 200 ? 0 : 1);
    }
    clock.set(NOON + DAY);
    await look();
    for (const { id } of answers) {
      await app.untilStatus(sender, id, 'processed');
      expect(arrivals(id)).toBe(1);
    }
  });
});
