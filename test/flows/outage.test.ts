// What an upstream can do wrong while messages come in: be away, refuse all work, say nothing. None of it costs a
// message anything but time.
// @module-tag soak
import { describe, expect, test } from 'vitest';
import {
  arrivals,
  at,
  createGate,
  endWithin,
  type HealthBody,
  health,
  missing,
  numbered,
  openPractice,
  PATIENCE_MS,
  relayAt,
  repeated,
  type Service,
  sendTo,
  startKeepingSink,
  type Tally,
  type Target,
  untilIdle,
  untilTestEnds,
} from '#test/flows/fixture.ts';
import { startApp, type TestApp } from '#test/support/app.ts';
import { type ConfigFile, startDaemon } from '#test/support/daemon.ts';
import { until } from '#test/support/process.ts';
import {
  type Behaviour,
  close,
  createSmtpReceiver,
  SILENCE,
  type SmtpReceiver,
} from '#test/support/smtp-receiver.ts';
import { soak } from '#test/support/soak.ts';

const MESSAGES = soak(10, 50);
const CLIENTS = 10;
/** How often a message sees the breaker open before the upstream comes back: after 0, 1 and, in full, 3 seconds. */
const OPENINGS = soak(2, 3);

/** Of a daemon that drains for a second and finds somebody who keeps it waiting; what it must not wait for are minutes. */
const ENDED_MS = 60_000;

interface MessageBody {
  readonly recipients: readonly { readonly status: string; readonly attempts: number }[];
}

async function start(started: AsyncDisposableStack, config: ConfigFile): Promise<Target<TestApp>> {
  const app = await startApp({ config });
  started.defer(app.remove);
  return openPractice(app);
}

async function receiverOf(started: AsyncDisposableStack, behaviour: Behaviour): Promise<SmtpReceiver> {
  const receiver = await createSmtpReceiver(behaviour);
  started.defer(receiver.stop);
  return receiver;
}

/** Status and attempts of each accepted message: `queued 0`, each once. */
async function standings(
  { daemon, practiceId, token }: Target<Service>,
  { accepted }: Tally,
): Promise<Set<string>> {
  const found = new Set<string>();
  for (const id of accepted.values()) {
    const path = `/api/practices/${practiceId}/messages/${id}`;
    const { body } = await daemon.request<MessageBody>('GET', path, undefined, token);
    for (const { status, attempts } of body.recipients) found.add(`${status} ${attempts}`);
  }
  return found;
}

const upstreamOf = (body: HealthBody, name = 'relay') =>
  body.upstreams.find((upstream) => upstream.name === name);

async function untilSetAside(daemon: Service, openings = 1): Promise<void> {
  const retryTimes = new Set<string>();
  const openedSoOften = async () => {
    const retryAt = upstreamOf(await health(daemon))?.retry_at;
    if (typeof retryAt === 'string') retryTimes.add(retryAt);
    return retryTimes.size >= openings;
  };
  await until(`the upstream was set aside ${openings} times`, openedSoOften, PATIENCE_MS);
}

const recipientsOf = ({ messages }: SmtpReceiver): string[] =>
  messages.flatMap(({ recipients }) => recipients.map(({ address }) => address)).sort();

describe('one upstream', { timeout: 2 * PATIENCE_MS }, () => {
  test('is away while messages come in: they wait unharmed and each goes out once when it is back', {
    tags: 'debian/postfix',
  }, async () => {
    const started = untilTestEnds();
    const sink = await startKeepingSink(started);
    const gate = await createGate(started, sink.port);
    const target = await start(started, { upstreams: [relayAt(gate.port)] });
    const { daemon } = target;

    const tally = await sendTo(target, numbered('away', MESSAGES), CLIENTS);
    expect(tally.accepted.size).toBe(MESSAGES);
    await untilSetAside(daemon, OPENINGS);
    const during = await health(daemon);
    expect(during.status).toBe('degraded');
    expect(upstreamOf(during)).toMatchObject({ state: expect.stringMatching(/^(half_)?open$/) });
    expect(during.queue.waiting_tenants + during.queue.in_flight).toBeGreaterThan(0);
    // A probe under way has taken its attempt and gives it back.
    const unharmed = async () =>
      [...(await standings(target, tally))].every((found) => /^(queued|delivery_delayed) 0$/.test(found));
    await until('no message has lost an attempt', unharmed);

    await gate.open();
    await sink.received(MESSAGES, PATIENCE_MS);
    await untilIdle(daemon);
    const came = await arrivals(sink);
    expect(missing(tally, came)).toEqual([]);
    expect([...repeated(came)]).toEqual([]);
    expect(await standings(target, tally)).toEqual(new Set(['processed 1']));
    expect(await health(daemon)).toMatchObject({
      status: 'ok',
      upstreams: [{ state: 'closed', retry_at: null }],
    });
    await daemon.stop();
    expect(await sink.count()).toBe(MESSAGES);
  });

  const closing = close('421 4.3.2 Shutting down');
  test.each<{ phase: string; behaviour: Behaviour }>([
    ...soak(
      [],
      [
        { phase: 'the connection', behaviour: { greeting: closing } },
        { phase: 'EHLO', behaviour: { ehlo: closing, helo: closing } },
        { phase: 'RCPT', behaviour: { rcpt: closing } },
      ],
    ),
    { phase: 'MAIL', behaviour: { mail: closing } },
    { phase: 'the final dot', behaviour: { dot: closing } },
  ])('answers $phase with 421 for a while: each message goes out once afterwards', async ({ behaviour }) => {
    const started = untilTestEnds();
    const receiver = await receiverOf(started, behaviour);
    const target = await start(started, { upstreams: [relayAt(receiver.port)] });

    const tally = await sendTo(target, numbered('later', MESSAGES), CLIENTS);
    expect(tally.accepted.size).toBe(MESSAGES);
    await untilSetAside(target.daemon);
    receiver.setBehaviour({});
    await untilIdle(target.daemon);
    expect(recipientsOf(receiver)).toEqual([...tally.accepted.keys()].sort());
    expect(await standings(target, tally)).toEqual(new Set(['processed 1']));
  });

  test.each<{ what: string; behaviour: Behaviour; standing: RegExp }>([
    // Being cut off by the end was not the message's fault, so that its one attempt is the one that succeeds ...
    ...soak(
      [],
      [
        { what: 'never greets', behaviour: { greeting: SILENCE }, standing: /^processed 1$/ },
        { what: 'never answers MAIL', behaviour: { mail: SILENCE }, standing: /^processed 1$/ },
      ],
    ),
    // ... except where nobody knows whether the upstream has it.
    { what: 'never answers the final dot', behaviour: { dot: SILENCE }, standing: /^processed [12]$/ },
  ])('$what: the daemon ends all the same, and the next one sends', async ({ behaviour, standing }) => {
    const started = untilTestEnds();
    const receiver = await receiverOf(started, behaviour);
    const config = {
      upstreams: [relayAt(receiver.port)],
      shutdown: { drain: '1s' },
      queue: { retry: ['1s'], then_every: '1s', jitter: 0 },
    };
    const first = await startDaemon({ config });
    started.defer(first.remove);
    const target = await openPractice(first);

    const tally = await sendTo(target, numbered('silent', MESSAGES), CLIENTS);
    await until('something is under way', async () => {
      const { queue } = await health(target.daemon);
      return receiver.connections.open > 0 && queue.in_flight > 0;
    });
    await endWithin(ENDED_MS, target.daemon);

    receiver.setBehaviour({});
    const daemon = await startDaemon({ config, dataDir: target.daemon.dataDir });
    started.defer(daemon.remove);
    await untilIdle(daemon);
    expect(recipientsOf(receiver)).toEqual([...tally.accepted.keys()].sort());
    for (const found of await standings(at(daemon, target), tally)) expect(found).toMatch(standing);
  });
});

describe('two upstreams', { timeout: 2 * PATIENCE_MS }, () => {
  test('the second takes over while the first is away, and the first when it is back', {
    tags: 'debian/postfix',
  }, async () => {
    const started = untilTestEnds();
    const [first, second] = [await startKeepingSink(started), await startKeepingSink(started)];
    const gate = await createGate(started, first.port);
    const target = await start(started, {
      upstreams: [relayAt(gate.port, { name: 'first' }), relayAt(second.port, { name: 'second' })],
    });
    const { daemon } = target;

    const tally = await sendTo(target, numbered('second', MESSAGES), CLIENTS);
    await untilIdle(daemon);
    expect(missing(tally, await arrivals(second))).toEqual([]);
    expect(await health(daemon)).toMatchObject({ status: 'degraded', upstreams: [{}, { state: 'closed' }] });
    expect(upstreamOf(await health(daemon), 'first')?.state).not.toBe('closed');

    await gate.open();
    // Only mail finds out whether it is back.
    let sent = 0;
    await until(
      'the first is back',
      async () => {
        await sendTo(target, [`probe-${sent++}@example.org`], 1, tally);
        await untilIdle(daemon);
        return (await health(daemon)).status === 'ok';
      },
      PATIENCE_MS,
    );
    const before = await second.count();
    await sendTo(target, numbered('first', MESSAGES), CLIENTS, tally);
    await untilIdle(daemon);
    expect(await second.count()).toBe(before);
    const came = [...(await arrivals(first)), ...(await arrivals(second))];
    expect(came.length).toBe(tally.accepted.size);
    expect(missing(tally, came)).toEqual([]);
    expect([...repeated(came)]).toEqual([]);
  });
});
