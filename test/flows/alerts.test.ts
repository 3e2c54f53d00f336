// Chat alerts in the whole daemon: made over HTTP, fired by real operations, read where a chat tool gets them.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { AlertEvent } from '#src/events/catalogue.ts';
import { defaultEvents, isAlertEvent } from '#src/followers/alerts/rules.ts';
import { HOUR, MINUTE } from '#src/kernel/time.ts';
import { type List, letter, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { startDaemon } from '#test/support/daemon.ts';
import { outboundTo } from '#test/support/hooks.ts';
import {
  type HttpsReceiver,
  type ReceivedRequest,
  startHttpsReceiver,
} from '#test/support/https-receiver.ts';
import { mailsTo, makeOwner } from '#test/support/people.ts';
import { type PlayedRspamd, startPlayedRspamd } from '#test/support/played-rspamd.ts';
import { until } from '#test/support/process.ts';
import { createSmtpReceiver, type SmtpReceiver } from '#test/support/smtp-receiver.ts';
import { createTestClock } from '#test/support/storage.ts';
import { BLOCKED_WORD, type Stage, scenes } from './webhook-event-scenes.ts';

interface Alert {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly language: string;
  readonly status: string;
  readonly disabled_reason: string | null;
  readonly last_sent_at: string | null;
  readonly last_error: string | null;
}

const clock = createTestClock(Date.now());
let relay: SmtpReceiver;
let receiver: HttpsReceiver;
let rspamd: PlayedRspamd;
let app: TestApp;
const QUICK = { alerts: { gather: '1s' }, webhooks: { retry: ['1s'], jitter: 0 } };
beforeAll(async () => {
  relay = await createSmtpReceiver();
  receiver = await startHttpsReceiver();
  rspamd = await startPlayedRspamd();
  rspamd.reject(BLOCKED_WORD);
  app = await startApp({
    runsTwice: true,
    receiver: relay,
    clock,
    config: {
      ...QUICK,
      service: { public_origin: 'https://mail.example.com' },
      smtp: { inbound: { listen: '127.0.0.1:0' } },
      scanners: { rspamd: { url: rspamd.url } },
      security: outboundTo(receiver),
      queue: {
        retry: ['1s'],
        then_every: '1s',
        jitter: 0,
        give_up: { transactional: '30m', marketing: '30m' },
      },
    },
  });
});
afterAll(async () => {
  await app?.remove();
  await receiver?.stop();
  await rspamd?.stop();
  await relay?.stop();
});
beforeEach(() => relay.setBehaviour({}));

const ask = <Body = Alert>(who: Sender, method: string, path: string, body?: unknown, headers = {}) =>
  app.request<Body & { code?: string; error?: string; hint?: string }>(
    method,
    `${who.base}/alerts${path}`,
    body,
    who.token,
    headers,
  );

let places = 0;
/** Where nobody else posts to. */
const newPlace = (): string => {
  places += 1;
  return `/hooks/place-${places}`;
};

const alertTo = async (who: Sender, place: string, fields: object = {}): Promise<Alert> => {
  const body = { name: 'Empfang', kind: 'slack', url: receiver.url(place), language: 'de', ...fields };
  const answer = await ask(who, 'POST', '', body);
  if (answer.status !== 201) throw new Error(`no alert: ${answer.status} ${answer.text}`);
  return answer.body;
};

const postsTo = (place: string): readonly ReceivedRequest[] =>
  receiver.requests.filter(({ path }) => path === place);

/** The post to that place of that number, from 1, once it has come. */
const postTo = async (place: string, number = 1): Promise<ReceivedRequest> => {
  await until(`post number ${number} to ${place}`, () => {
    // The daemon's clock goes on.
    clock.set(clock.now() + 100);
    return postsTo(place).length >= number;
  });
  return postsTo(place)[number - 1] as ReceivedRequest;
};

const saidInSlack = ({ body }: ReceivedRequest): string[] =>
  JSON.parse(body.toString()).blocks.flatMap((block: { text?: { text: string } }) => block.text?.text ?? []);
const saidInTeams = ({ body }: ReceivedRequest): string[] =>
  JSON.parse(body.toString()).attachments[0].content.body.flatMap(
    ({ inlines }: { inlines: { text: string }[] }) => inlines.map(({ text }) => text),
  );

const SAID: ReadonlySet<string> = new Set(['text', 'title']);
/** What a chat tool shows a message by: each field's place with its value, but for what is said. */
const formOf = ({ body }: ReceivedRequest): Set<string> => {
  const found = new Set<string>();
  const collect = (value: unknown, place: string, name: string): void => {
    if (typeof value !== 'object' || value === null) found.add(SAID.has(name) ? place : `${place}=${value}`);
    else
      for (const [key, inner] of Object.entries(value))
        collect(inner, Array.isArray(value) ? `${place}[]` : `${place}.${key}`, key);
  };
  collect(JSON.parse(body.toString()), '', '');
  return found;
};

const words: Readonly<Partial<Record<AlertEvent, readonly [german: string, english: string]>>> = {
  'message.hard_bounced': ['1 abgewiesene E-Mail', '1 hard bounce'],
  'message.soft_bounced': ['1 vorerst abgewiesene E-Mail', '1 soft bounce'],
  'message.spam_complaint': ['1 als Spam gemeldete E-Mail', '1 spam complaint'],
  'message.failed': ['1 fehlgeschlagene E-Mail', '1 failed email'],
  'message.content_blocked': [
    '1 wegen ihres Inhalts blockierte E-Mail',
    '1 email refused because of its content',
  ],
};

describe('what happens is reported', () => {
  const told = scenes.filter(({ event }) => isAlertEvent(event) && defaultEvents.includes(event));

  test('each default event has its scene', () => {
    expect(new Set(told.map(({ event }) => event))).toEqual(new Set(defaultEvents));
  });

  test.each(told)(
    '$event by $by, in both forms and languages, and nobody is named',
    async ({ event, act }) => {
      const stage: Stage = { app, relay, clock, sender: await app.createSender() };
      const [german, english] = words[event as AlertEvent] ?? [];
      const [slack, teams, other] = [newPlace(), newPlace(), newPlace()];
      await alertTo(stage.sender, slack, { events: [event] });
      await alertTo(stage.sender, teams, { events: [event], kind: 'teams', language: 'en' });
      await alertTo(stage.sender, other, { events: ['suppression.removed'] });
      const { message_id } = await act(stage);
      const posts = [await postTo(slack), await postTo(teams)] as const;
      expect(saidInSlack(posts[0])[0]).toBe(`Praxis am Markt: ${german}`);
      expect(saidInTeams(posts[1]).slice(0, 2)).toEqual([`Praxis am Markt: ${english}`, english]);
      for (const { method, headers, body } of posts) {
        expect([method, headers['content-type']]).toEqual(['POST', 'application/json']);
        for (const secret of ['erika', letter.subject, 'Montag', 'grüße', 'Jürgen', String(message_id)])
          expect(body.toString()).not.toContain(secret);
      }
      expect([postsTo(slack).length, postsTo(teams).length, postsTo(other).length]).toEqual([1, 1, 0]);
    },
  );

  test('many bounces are one message with a number', async () => {
    const sender = await app.createSender();
    const place = newPlace();
    const { id } = await alertTo(sender, place);
    relay.setBehaviour({ rcpt: '550 5.1.1 User unknown' });
    const to = Array.from({ length: 15 }, (_, n) => `person${n}@example.org`);
    await app.send(sender, { to });
    await until('all are gathered', () => {
      const rows = app.sql<{ count: number }>(sender.practice.id, 'SELECT count FROM alert_counts');
      return rows[0]?.count === 15;
    });
    const said = saidInSlack(await postTo(place));
    expect(said[0]).toBe('Praxis am Markt: 15 abgewiesene E-Mails');
    expect(said[1]?.split('\n')).toEqual([
      '15 abgewiesene E-Mails',
      '• p…@example.org (5.1.1, unknown_address)',
    ]);
    await until(
      'it is written down',
      async () => (await ask(sender, 'GET', `/${id}`)).body.last_sent_at !== null,
    );
    expect(postsTo(place)).toHaveLength(1);
  });

  test('a failing chat tool gets one message later, and keeps no other waiting', async () => {
    const sender = await app.createSender();
    const [bad, good] = [newPlace(), newPlace()];
    const { id } = await alertTo(sender, bad);
    await alertTo(sender, good);
    const both = 'Praxis am Markt: 2 abgewiesene E-Mails';
    // Attempts at the first bounce alone fail, however many there are.
    receiver.setAnswer((post) => ({
      status: post.path === bad && saidInSlack(post)[0] !== both ? 500 : 200,
    }));
    relay.setBehaviour({ rcpt: '550 5.1.1 User unknown' });
    await app.send(sender);
    expect(saidInSlack(await postTo(good))[0]).toBe('Praxis am Markt: 1 abgewiesene E-Mail');
    await postTo(bad, 1);
    await until(
      'the failure shows',
      async () => (await ask(sender, 'GET', `/${id}`)).body.last_error !== null,
    );
    await app.send(sender, { to: 'ben@example.org' });
    await until('it is well again', async () => {
      clock.set(clock.now() + 100);
      return (await ask(sender, 'GET', `/${id}`)).body.last_error === null;
    });
    expect(saidInSlack(postsTo(bad).at(-1) as ReceivedRequest)[0]).toBe(both);
    receiver.setAnswer({ status: 200 });
  });
});

describe('the API', () => {
  test('makes one that reports the default events, and shows its address by its beginning alone', async () => {
    const sender = await app.createSender();
    const url = receiver.url('/services/T0/B0/Geheimnis');
    const made = await ask(
      sender,
      'POST',
      '',
      { name: 'Empfang', kind: 'teams', url },
      { 'Accept-Language': 'en' },
    );
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      name: 'Empfang',
      kind: 'teams',
      url: `${receiver.origin}/services/…`,
      events: defaultEvents,
      language: 'en',
      status: 'active',
      disabled_reason: null,
      last_sent_at: null,
      last_error: null,
    });
    const list = await ask<List<Alert>>(sender, 'GET', '');
    expect(list.body).toEqual({ data: [made.body], next_cursor: null });
    expect((await ask(sender, 'GET', `/${made.body.id}`)).body).toEqual(made.body);
    const [row] = app.sql<{ sealed_url: Buffer }>(sender.practice.id, 'SELECT sealed_url FROM alerts');
    expect(row?.sealed_url.includes('Geheimnis')).toBe(false);
    const audit = await app.request('GET', `${sender.base}/audit`, undefined, sender.token);
    expect(audit.text).toContain('alert.create');
    expect(audit.text).not.toContain('Geheimnis');
  });

  test('keeps a change of what is not shown of the address in the audit', async () => {
    const sender = await app.createSender();
    const { id } = await alertTo(sender, '/hooks/a/old');
    expect((await ask(sender, 'PATCH', `/${id}`, { url: receiver.url('/hooks/a/new') })).status).toBe(200);
    const audit = await app.request<List<{ action: string }>>(
      'GET',
      `${sender.base}/audit?action=alert.update`,
      undefined,
      sender.token,
    );
    expect(audit.body.data).toHaveLength(1);
  });

  test.each<[string, object, string]>([
    ['an unknown event', { events: ['message.hard_bounce'] }, 'did you mean `message.hard_bounced`?'],
    [
      'what people do with a mail',
      { events: ['message.opened'] },
      'alerts do not report what people do with a mail',
    ],
    ['an event twice', { events: ['message.failed', 'message.failed'] }, 'each event once'],
    ['no event', { events: [] }, 'at least 1 item'],
    ['an unknown tool', { kind: 'irc' }, '`slack` or `teams`'],
    ['a name of several lines', { name: 'a\nb' }, 'one line'],
    ['an internal address', { url: 'https://10.0.0.1/hooks/a' }, 'body.url'],
    ['something that is no address', { url: 'chat' }, 'body.url'],
  ])('refuses %s', async (_, fields, words) => {
    const sender = await app.createSender();
    const body = { name: 'Empfang', kind: 'slack', url: receiver.url('/hooks/a'), ...fields };
    const answer = await ask(sender, 'POST', '', body);
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
    expect(answer.text).toContain(words);
    expect((await ask<List<Alert>>(sender, 'GET', '')).body.data).toEqual([]);
  });

  test('is not moved into the internal network', async () => {
    const sender = await app.createSender();
    const { id, url } = await alertTo(sender, '/hooks/a');
    const answer = await ask(sender, 'PATCH', `/${id}`, { url: 'https://10.0.0.1/hooks/a' });
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
    expect(answer.text).toContain('body.url');
    expect((await ask(sender, 'GET', `/${id}`)).body.url).toBe(url);
  });

  test('has room for twenty', async () => {
    const sender = await app.createSender();
    for (let n = 0; n < 20; n += 1) await alertTo(sender, '/hooks/a');
    const answer = await ask(sender, 'POST', '', { name: 'x', kind: 'slack', url: receiver.url('/hooks/a') });
    expect([answer.status, answer.body.code]).toEqual([409, 'conflict']);
  });

  test('deletes one for good', async () => {
    const sender = await app.createSender();
    const { id } = await alertTo(sender, '/hooks/a');
    expect((await ask(sender, 'DELETE', `/${id}`)).status).toBe(204);
    for (const [method, path, body] of [
      ['GET', ''],
      ['PATCH', '', { name: 'x' }],
      ['DELETE', ''],
      ['POST', '/test'],
    ] as const)
      expect((await ask(sender, method, `/${id}${path}`, body)).status).toBe(404);
  });

  test('lets other events count from now on, and reports what had happened', async () => {
    const sender = await app.createSender();
    const place = newPlace();
    const { id } = await alertTo(sender, place, { events: ['message.hard_bounced'] });
    relay.setBehaviour({ rcpt: '550 5.1.1 User unknown' });
    await app.send(sender);
    await until(
      'it has bounced',
      () => app.sql(sender.practice.id, 'SELECT 1 FROM suppressions').length === 1,
    );
    const events = ['suppression.added', 'suppression.removed'];
    expect((await ask(sender, 'PATCH', `/${id}`, { events })).body.events).toEqual(events);
    const [{ id: suppression } = { id: '' }] = app.sql<{ id: string }>(
      sender.practice.id,
      'SELECT id FROM suppressions',
    );
    await app.request('DELETE', `${sender.base}/suppression/${suppression}`, undefined, sender.token);
    await until('both are gathered', () => {
      const rows = app.sql<{ event: string }>(
        sender.practice.id,
        'SELECT event FROM alert_counts ORDER BY event',
      );
      const gathered = rows.map(({ event }) => event).join();
      return postsTo(place).length > 0 || gathered === 'message.hard_bounced,suppression.removed';
    });
    const said = saidInSlack(await postTo(place));
    expect(said.map((line) => line.split('\n')[0])).toEqual([
      'Praxis am Markt: 2 Ereignisse',
      '1 abgewiesene E-Mail',
      '1 entsperrte Adresse',
    ]);
  });
});

describe('a test', () => {
  test('arrives at once, also while the alert is disabled', async () => {
    const sender = await app.createSender();
    const place = newPlace();
    const { id } = await alertTo(sender, place);
    await ask(sender, 'PATCH', `/${id}`, { status: 'disabled' });
    const answer = await ask(sender, 'POST', `/${id}/test`);
    expect([answer.status, answer.body]).toEqual([
      200,
      { delivered: true, response_status: 200, error: null },
    ]);
    expect(saidInSlack(postsTo(place)[0] as ReceivedRequest).slice(0, 2)).toEqual([
      'Praxis am Markt',
      'Dies ist ein Test: Die Meldung im Chat „Empfang“ kommt hier an.',
    ]);
    expect((await ask(sender, 'GET', `/${id}`)).body).toMatchObject({
      status: 'disabled',
      disabled_reason: 'manual',
      last_sent_at: null,
    });
  });

  test.each(['slack', 'teams'] as const)('has the form of what is reported: %s', async (kind) => {
    const sender = await app.createSender();
    const place = newPlace();
    const { id } = await alertTo(sender, place, { kind, events: ['message.hard_bounced'] });
    await ask(sender, 'POST', `/${id}/test`);
    relay.setBehaviour({ rcpt: '550 5.1.1 User unknown' });
    await app.send(sender);
    const [tried, reported] = [await postTo(place), await postTo(place, 2)];
    const form = formOf(reported);
    expect([...formOf(tried)].filter((part) => !form.has(part))).toEqual([]);
    expect(tried.headers['content-type']).toBe(reported.headers['content-type']);
  });

  test.each([
    [
      { status: 403, body: 'action_prohibited' },
      { response_status: 403, error: 'answered 403: action_prohibited' },
    ],
    [
      { status: 302, headers: { Location: '/elsewhere' } },
      { response_status: 302, error: 'answered 302; redirects are not followed' },
    ],
    ['reset' as const, { response_status: null, error: expect.any(String) }],
  ])('tells what became of it: %j', async (reply, told) => {
    const sender = await app.createSender();
    const { id } = await alertTo(sender, newPlace());
    receiver.setAnswer(reply);
    const answer = await ask(sender, 'POST', `/${id}/test`);
    receiver.setAnswer({ status: 200 });
    expect([answer.status, answer.body]).toEqual([200, { delivered: false, ...told }]);
    expect((await ask(sender, 'GET', `/${id}`)).body).toMatchObject({ status: 'active', last_error: null });
  });

  test('may be asked for twelve times a minute', async () => {
    const sender = await app.createSender();
    const { id } = await alertTo(sender, newPlace());
    const statuses: number[] = [];
    for (let n = 0; n < 13; n += 1) statuses.push((await ask(sender, 'POST', `/${id}/test`)).status);
    expect(statuses.slice(0, 12)).toEqual(Array.from({ length: 12 }, () => 200));
    expect(statuses[12]).toBe(429);
    clock.set(clock.now() + MINUTE);
  });
});

test('one whose chat is gone is disabled, its owner notified once, and enabled again it works', async () => {
  const own = createTestClock(Date.now());
  const here = await startApp({
    clock: own,
    config: { ...QUICK, security: outboundTo(receiver) },
  });
  try {
    const sender = await here.createSender();
    await makeOwner(here, sender.practice.id, 'owner@example.org');
    const place = newPlace();
    const body = { name: 'Empfang', kind: 'slack', url: receiver.url(place) };
    const made = await here.request<Alert>('POST', `${sender.base}/alerts`, body, sender.token);
    const path = `${sender.base}/alerts/${made.body.id}`;
    const cancelOne = async () => {
      const scheduled_at = new Date(own.now() + HOUR).toISOString();
      const id = await here.send(sender, { to: 'success@simulator.mail.example.com', scheduled_at });
      const cancelled = `${sender.base}/messages/${id}/cancel`;
      expect((await here.request('POST', cancelled, undefined, sender.token)).status).toBeLessThan(300);
      own.set(own.now() + 2_000);
    };
    receiver.setAnswer(({ path: asked }) => ({ status: asked === place ? 410 : 200 }));
    await cancelOne();
    const get = async () => (await here.request<Alert>('GET', path, undefined, sender.token)).body;
    await until('it is disabled', async () => (await get()).status === 'disabled');
    expect(await get()).toMatchObject({ disabled_reason: 'gone', last_error: 'answered 410' });
    const mails = async () =>
      (await mailsTo(here, 'owner@example.org')).filter(({ subject }) => subject.includes('Empfang'));
    await until('the owner is told', async () => (await mails()).length === 1);
    expect((await mails())[0]?.subject).toBe(
      `Die Meldung im Chat „Empfang“ von „${sender.practice.name}“ ist abgeschaltet`,
    );
    const entries = await here.request(
      'GET',
      `${sender.base}/audit?action=alert.disable`,
      undefined,
      sender.token,
    );
    expect(entries.body.data).toHaveLength(1);
    // As if a crash had come before that was noted: the night tells it again, and the mail goes out once.
    here.sql(sender.practice.id, 'UPDATE alerts SET disabled_told = 0');
    await here.runJob('remove what is old');
    const untold = () => here.sql(sender.practice.id, 'SELECT 1 FROM alerts WHERE disabled_told = 0');
    await until('it is noted', () => untold().length === 0);
    await until('nothing waits to be told', () => here.sql(null, 'SELECT 1 FROM notices').length === 0);
    receiver.setAnswer({ status: 200 });
    expect((await here.request('PATCH', path, { status: 'active' }, sender.token)).status).toBe(200);
    const before = postsTo(place).length;
    await cancelOne();
    await until('it tells again', () => postsTo(place).length === before + 1);
    expect(await mails()).toHaveLength(1);
  } finally {
    await here.remove();
  }
});

test('a kill while a message is in flight loses nothing: it comes again, with what came since', async () => {
  const place = newPlace();
  const config = { ...QUICK, security: outboundTo(receiver) };
  const daemon = await startDaemon({ config });
  let again: typeof daemon | undefined;
  try {
    const { id } = await daemon.createPractice({ name: 'Praxis am Ring' });
    const token = await daemon.createToken(id);
    const body = { name: 'Empfang', kind: 'slack', url: receiver.url(place), events: ['suppression.added'] };
    const made = await daemon.request<Alert>('POST', `/api/practices/${id}/alerts`, body, token);
    expect(made.status).toBe(201);
    receiver.setAnswer(({ path }) => (path === place ? 'hang' : { status: 200 }));
    const suppress = async (name: string) => {
      const address = { address: `${name}@example.org` };
      const answer = await daemon.request('POST', `/api/practices/${id}/suppression`, address, token);
      expect(answer.status).toBe(201);
    };
    await suppress('anna');
    await until('it is under way', () => postsTo(place).length === 1);
    await suppress('ben');
    await suppress('carla');
    await daemon.kill();
    receiver.setAnswer({ status: 200 });
    again = await startDaemon({ config, dataDir: daemon.dataDir });
    await until('it is told', () => postsTo(place).length === 2);
    expect(postsTo(place).map((post) => saidInSlack(post)[0])).toEqual([
      'Praxis am Ring: 1 neu gesperrte Adresse',
      'Praxis am Ring: 3 neu gesperrte Adressen',
    ]);
  } finally {
    await (again ?? daemon).remove();
  }
});
