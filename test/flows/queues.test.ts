// What waits, for which practice and why, and what the operator can do about an upstream: by a smarthost that refuses, and a clock that is
// still, so that an upstream that is set aside stays so until it is reset.
import { expect, onTestFinished, test } from 'vitest';
import type { z } from 'zod';
import { DAY, HOUR, MINUTE } from '#src/kernel/time.ts';
import type { practiceQueueSchema } from '#src/relay/queues.ts';
import type { upstreamStateSchema } from '#src/relay/upstream-routes.ts';
import { upstreamBreakerPolicy } from '#src/relay/upstreams.ts';
import { type List, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { refused } from '#test/support/asking.ts';
import { until } from '#test/support/process.ts';
import { type Behaviour, close, createSmtpReceiver } from '#test/support/smtp-receiver.ts';
import { createTestClock } from '#test/support/storage.ts';

type PracticeQueue = z.infer<typeof practiceQueueSchema>;

interface Queues {
  readonly in_flight: number;
  readonly waiting_practices: number;
  readonly queued_practices: number;
  readonly upstreams: readonly (z.infer<typeof upstreamStateSchema> & {
    readonly oldest_since: string | null;
  })[];
  readonly practices: readonly {
    readonly id: string;
    readonly name: string;
    readonly queue: PracticeQueue;
  }[];
}

/** As many as make it set aside, and one to wake it for each step of its back-off. */
const MESSAGES = upstreamBreakerPolicy.threshold + upstreamBreakerPolicy.backoff.length;

const NOW = Date.UTC(2026, 10, 23, 9);

const start = async (behaviour: Behaviour = {}) => {
  const receiver = await createSmtpReceiver(behaviour);
  onTestFinished(receiver.stop);
  const clock = createTestClock(NOW);
  const app = await startApp({ receiver, clock });
  onTestFinished(() => app.remove());
  const sender = await app.createSender({ plan: 'praxis', name: 'Praxis Müller' });
  const operator = <Body = Queues>(method: string, path: string) =>
    app.request<Body>(method, `/api/admin/${path}`, undefined, app.adminToken);
  const queues = async (): Promise<Queues> => (await operator('GET', 'queues')).body;
  const idle = () => until('nothing is in flight', async () => (await queues()).in_flight === 0);
  return { app, clock, receiver, sender, operator, queues, idle };
};

const queueOf = async (app: TestApp, { base, token }: Sender): Promise<PracticeQueue> =>
  (await app.request<PracticeQueue>('GET', `${base}/queue`, undefined, token)).body;

test('an upstream that is set aside: who waits and since when, a look at it, and its reset', async () => {
  const refusal = '421 4.3.2 Shutting down';
  const { app, clock, receiver, sender, operator, queues, idle } = await start({ greeting: close(refusal) });
  const other = await app.createSender({ plan: 'praxis', name: 'Praxis am Ring' });
  await app.createSender({ name: 'Praxis ohne Post' });

  const relay = async () => (await queues()).upstreams[0];
  for (let sent = 0; sent < upstreamBreakerPolicy.threshold; sent += 1) await app.send(sender);
  await until('it is set aside', async () => (await relay())?.state === 'open');
  await idle();
  // A message is tried once more at once, so how often each was is a matter of chance.
  let failed = (await relay())?.outcomes.failed ?? 0;
  // A probe for each step, so that the next one is half a minute away.
  for (const _ of upstreamBreakerPolicy.backoff) {
    clock.set(clock.now() + MINUTE);
    await app.send(sender);
    failed += 1;
    await until('the probe has failed', async () => (await relay())?.outcomes.failed === failed);
    await idle();
  }
  await app.send(other, { to: 'later@example.org' });

  const before = await queues();
  expect(before).toMatchObject({
    waiting_practices: 2,
    queued_practices: 2,
    upstreams: [
      {
        name: 'relay',
        kind: 'smtp',
        address: `127.0.0.1:${receiver.port}`,
        for: null,
        state: 'open',
        set_aside_since: new Date(NOW).toISOString(),
        last_failure: { reply: expect.stringContaining(refusal) },
        outcomes: { accepted: 0, deferred: 0, bounced: 0 },
        outcomes_last_hour: { accepted: 0, deferred: 0, bounced: 0, failed },
        waiting_practices: 2,
        oldest_since: new Date(NOW).toISOString(),
      },
    ],
  });
  const waiting = before.practices.map(({ name, queue }) => `${name}: ${queue.waiting}`);
  expect(waiting.toSorted()).toEqual([`Praxis Müller: ${MESSAGES}`, 'Praxis am Ring: 1']);
  expect(await queueOf(app, sender)).toMatchObject({
    waiting: MESSAGES,
    oldest_since: new Date(NOW).toISOString(),
    lanes: [{ stream: 'transactional', reason: 'upstream', upstream_since: new Date(NOW).toISOString() }],
  });

  type Probe = Readonly<Record<string, unknown>>;
  const { body: unwell } = await operator<Probe>('POST', 'upstreams/relay/probe');
  expect(unwell).toMatchObject({ ok: false, failed_at: 'greeting', error: refusal, tls: null });
  receiver.setBehaviour({});
  const { body: seen } = await operator<Probe>('POST', 'upstreams/relay/probe');
  expect(seen).toMatchObject({ ok: true, failed_at: null, error: null });
  expect(seen.transcript).toEqual(expect.arrayContaining([expect.stringMatching(/^C: EHLO /), 'C: QUIT']));
  // A look changes nothing.
  expect((await queues()).upstreams[0]).toMatchObject({ state: 'open' });
  expect(receiver.messages).toHaveLength(0);

  const { body: working } = await operator<Probe>('POST', 'upstreams/relay/reset');
  expect(working).toMatchObject({ state: 'closed', set_aside_since: null, retry_at: null });
  await until('what it was not given yet goes at once', async () =>
    receiver.messages.some(({ recipients }) => recipients[0]?.address === 'later@example.org'),
  );
  // A claim that came too late for it keeps its time.
  clock.set(NOW + DAY);
  await operator('POST', 'upstreams/relay/reset');
  await receiver.waitFor(MESSAGES + 1);
  // What the relay has taken is in the queue until that is stored.
  for (const one of [sender, other])
    await until('nothing waits', async () => (await queueOf(app, one)).lanes.length === 0);
  const [after] = (await queues()).upstreams;
  expect(after?.outcomes.failed).toBe(failed);
  expect(after?.outcomes_last_hour.failed).toBe(0);
  expect(after?.oldest_since).toBeNull();

  const { body: audit } = await operator<List<{ action: string; target: object }>>('GET', 'audit');
  const actions = audit.data.filter(({ action }) => action.startsWith('upstream.'));
  const expected = ['upstream.reset', 'upstream.reset', 'upstream.probe', 'upstream.probe'];
  expect(actions.map(({ action }) => action)).toEqual(expected);
  expect(actions[0]?.target).toMatchObject({ type: 'upstream', id: 'relay' });
});

test('an unknown upstream is refused, and the hint names those there are', async () => {
  const { operator } = await start();
  for (const action of ['probe', 'reset']) {
    const answer = await operator<{ code: string; hint: string }>('POST', `upstreams/other/${action}`);
    expect([answer.status, answer.body.code, answer.body.hint]).toEqual([
      404,
      'not_found',
      'The configuration has: relay.',
    ]);
  }
});

test('a capture upstream has nothing to connect to, and is well', async () => {
  const app = await startApp();
  onTestFinished(() => app.remove());
  const ask = (action: string) =>
    app.request('POST', `/api/admin/upstreams/capture/${action}`, undefined, app.adminToken);
  expect((await ask('probe')).body).toMatchObject({ ok: true, transcript: [], tls: null });
  expect((await ask('reset')).body).toMatchObject({ kind: 'capture', address: null, state: 'closed' });
});

test('a practice sees why its mail waits: held, paused, refused for a time; and each only its own', async () => {
  const { app, clock, sender, queues, idle } = await start({ rcpt: '450 4.2.0 Later' });
  const reason = async () => (await queueOf(app, sender)).lanes.map((lane) => lane.reason);
  expect(await queueOf(app, sender)).toEqual({ waiting: 0, oldest_since: null, lanes: [] });

  const heldUntil = new Date(NOW + HOUR).toISOString();
  await app.send(sender, { scheduled_at: heldUntil });
  expect(await queueOf(app, sender)).toMatchObject({
    waiting: 1,
    oldest_since: null,
    lanes: [{ scheduled: 1, next_attempt_at: heldUntil, reason: 'scheduled' }],
  });

  await app.send(sender);
  const isRefused = async () => (await queueOf(app, sender)).lanes[0]?.retrying === 1;
  await until('it is refused for a time', isRefused);
  await idle();
  expect(await queueOf(app, sender)).toMatchObject({
    waiting: 2,
    oldest_since: new Date(NOW).toISOString(),
    lanes: [{ scheduled: 1, retrying: 1, reason: 'retry', upstream_since: null }],
  });

  const { upstreams } = await queues();
  expect(upstreams[0]?.oldest_since, 'that is the doing of its receiver, not of the upstream').toBeNull();
  // Of one that is held it is the time until which it was.
  clock.set(NOW + 2 * DAY);
  await app.request('POST', `${sender.base}/pause`, { reason: 'Umzug' }, app.adminToken);
  expect(await reason()).toEqual(['paused']);
  expect((await queues()).upstreams[0]?.oldest_since, 'that is not for want of the upstream').toBeNull();

  const { body: project } = await app.request<{ id: string }>(
    'POST',
    `${sender.base}/projects`,
    { name: 'Recall' },
    app.adminToken,
  );
  const token = await app.createToken(sender.practice.id, { scope: 'project', project_id: project.id });
  expect((await queueOf(app, { ...sender, token })).waiting).toBe(0);
  const stranger = await app.createSender();
  await refused('not_found', app.request('GET', `${sender.base}/queue`, undefined, stranger.token));
});
