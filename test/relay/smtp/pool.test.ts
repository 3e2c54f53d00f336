import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import { createLog } from '#src/kernel/log.ts';
import type { SmtpOptions } from '#src/relay/smtp/options.ts';
import { createTokenBucket } from '#src/relay/smtp/pool.ts';
import { createSmtpUpstream } from '#src/relay/smtp/upstream.ts';
import type { Transcript, Upstream } from '#src/relay/upstream.ts';
import {
  type Behaviour,
  close,
  createSmtpReceiver,
  OK,
  SILENCE,
  type SmtpReceiver,
} from '#test/support/smtp-receiver.ts';

const run = promisify(execFile);
const origin = { tenantId: 't', messageId: 'm' };
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of closing.splice(0).reverse()) await stop();
});

const receive = async (behaviour: Behaviour = {}): Promise<SmtpReceiver> => {
  const receiver = await createSmtpReceiver(behaviour);
  closing.push(receiver.stop);
  return receiver;
};
const relayTo = (receiver: SmtpReceiver, options: Partial<SmtpOptions>): Upstream => {
  const upstream = createSmtpUpstream(
    {
      name: 'relay',
      host: receiver.host,
      port: receiver.port,
      tls: 'none',
      pool: 1,
      ehloName: 'client.test',
      deliveredOn: 'accept',
      ...options,
    },
    createLog('silent'),
  );
  closing.push(upstream.stop);
  return upstream;
};
const body = Buffer.from('Subject: x\r\n\r\nx\r\n');
const send = (upstream: Upstream, name: number) =>
  upstream.transmit(
    {
      returnPath: 'b@client.test',
      recipient: `${name}@b.test`,
      envelopeId: '',
    },
    body,
    origin,
  );
const results = async (transcripts: readonly Promise<Transcript>[]) =>
  (await Promise.all(transcripts)).map(({ result }) => result);
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** Holds every final dot until opened. */
const holdDots = () => {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { behaviour: { dot: () => opened.then(() => OK) }, open };
};

test('opens a connection for each message that waits, up to the limit', async () => {
  const held = holdDots();
  const receiver = await receive(held.behaviour);
  const upstream = relayTo(receiver, { pool: 3 });
  const transcripts = times(3, (name) => send(upstream, name));
  await Promise.all(
    [1, 2, 3].map((connection) => receiver.waitForCommand(new RegExp(`^${connection} \\.$`))),
  );
  expect(upstream.describe()).toMatchObject({ connections: 3, busy: 3, waiting: 0 });
  held.open();
  expect(await results(transcripts)).toEqual(Array(3).fill('accepted'));
  // Enough calls that each connection has a next message ready.
  expect(upstream.concurrency).toBeGreaterThanOrEqual(6);
});

test('a message keeps to the connection that is being opened for it, though another could take it behind its own', async () => {
  const held = holdDots();
  let greet = (): void => {};
  const greeted = new Promise<void>((resolve) => {
    greet = resolve;
  });
  const receiver = await receive({
    ...held.behaviour,
    greeting: ({ connection }) =>
      (connection === 1 ? Promise.resolve() : greeted).then(() => '220 receiver.test'),
  });
  const upstream = relayTo(receiver, { pool: 2 });
  const transcripts = times(2, (name) => send(upstream, name));
  await receiver.waitForCommand(/^1 \.$/);
  greet();
  await receiver.waitForCommand(/^2 \.$/);
  held.open();
  expect(await results(transcripts)).toEqual(['accepted', 'accepted']);
});

test('one after the other, messages keep to one connection', async () => {
  const receiver = await receive();
  const upstream = relayTo(receiver, { pool: 5 });
  for (let name = 0; name < 5; name += 1) await send(upstream, name);
  expect(receiver.connections.total).toBe(1);
});

test('a connection carries 1,000 messages, then says QUIT', async () => {
  const receiver = await receive();
  const upstream = relayTo(receiver, { pool: 1 });
  expect(new Set(await results(times(1_001, (name) => send(upstream, name))))).toEqual(new Set(['accepted']));
  expect(receiver.messages.filter(({ connection }) => connection === 1)).toHaveLength(1_000);
  expect(receiver.messages.at(-1)?.connection).toBe(2);
  expect(receiver.commands).toContain('1 QUIT');
});

test('an idle connection is closed with QUIT', async () => {
  const receiver = await receive();
  const upstream = relayTo(receiver, { timeouts: { idle: 20 } });
  await send(upstream, 1);
  await receiver.waitForCommand(/QUIT/);
  await receiver.waitForNoConnection();
  expect(await results([send(upstream, 2)])).toEqual(['accepted']);
});

test('a server that takes fewer connections than the pool has fails no message', async () => {
  const receiver = await receive({
    greeting: () =>
      receiver.connections.open > 2 ? close('421 4.7.0 Too many connections') : '220 receiver.test',
  });
  const upstream = relayTo(receiver, { pool: 5 });
  expect(new Set(await results(times(50, (name) => send(upstream, name))))).toEqual(new Set(['accepted']));
});

test('when no connection can be had, all that waits hears of it', async () => {
  const receiver = await receive({ greeting: close('421 4.3.2 Down') });
  const upstream = relayTo(receiver, { pool: 2 });
  const transcripts = await Promise.all(times(10, (name) => send(upstream, name)));
  for (const transcript of transcripts) {
    expect(transcript).toMatchObject({ result: 'refused', phase: 'greeting', reply: { code: 421 } });
  }
  expect(receiver.connections.total).toBeLessThanOrEqual(2);
  expect(upstream.describe()).toMatchObject({ last_failure: { phase: 'greeting' } });
});

test('rate: what is above it waits', async () => {
  const receiver = await receive();
  const upstream = relayTo(receiver, { pool: 4, rate: 100 });
  const began = performance.now();
  expect(new Set(await results(times(40, (name) => send(upstream, name))))).toEqual(new Set(['accepted']));
  // Ten at once, the other thirty 10 ms apart.
  expect(performance.now() - began).toBeGreaterThanOrEqual(290);
});

describe('stop', () => {
  test('lets the transactions in flight end, refuses the others, sends QUIT', async () => {
    const held = holdDots();
    const receiver = await receive(held.behaviour);
    const upstream = relayTo(receiver, { pool: 1 });
    const transcripts = times(4, (name) => send(upstream, name));
    await receiver.waitForCommand(/1 \.$/);
    await receiver.waitForCommand(/MAIL/);
    const stopped = upstream.stop();
    held.open();
    await stopped;
    // The first was at its final dot, the second rode behind it.
    expect(await results(transcripts)).toEqual(['accepted', 'accepted', 'broken', 'broken']);
    expect(receiver.messages).toHaveLength(2);
    expect(receiver.commands.at(-1)).toBe('1 QUIT');
    await receiver.waitForNoConnection();
    expect(await send(upstream, 9)).toMatchObject({ result: 'broken', phase: 'connect' });
  });

  test('is bounded', async () => {
    const receiver = await receive({ dot: SILENCE });
    const upstream = relayTo(receiver, { timeouts: { stop: 20 } });
    const transcript = send(upstream, 1);
    await receiver.waitForCommand(/1 \.$/);
    await upstream.stop();
    expect(await transcript).toMatchObject({ result: 'broken', phase: 'dot' });
    await receiver.waitForNoConnection();
  });

  test('ends a connection that is still being opened', async () => {
    const receiver = await receive({ greeting: SILENCE });
    const upstream = relayTo(receiver, {});
    const transcript = send(upstream, 1);
    await upstream.stop();
    expect(await transcript).toMatchObject({ result: 'broken', phase: 'connect' });
    await receiver.waitForNoConnection();
  });

  test('a server that does not answer QUIT is left', async () => {
    const receiver = await receive({ quit: SILENCE });
    const upstream = relayTo(receiver, { timeouts: { quit: 20 } });
    await send(upstream, 1);
    await upstream.stop();
    await receiver.waitForNoConnection();
  });

  test.each([
    ['nothing was waiting', 1_000, 'accepted accepted accepted'],
    ['messages were waiting for their turn', 0.01, 'accepted broken broken'],
  ])(
    'leaves no timer and no socket behind: the process ends by itself when %s',
    async (_name, rate, verdicts) => {
      const receiver = await receive();
      const script = `
      import { createLog } from '#src/kernel/log.ts';
      import { createSmtpUpstream } from '#src/relay/smtp/upstream.ts';
      const upstream = createSmtpUpstream({ name: 'relay', host: '127.0.0.1', port: ${receiver.port}, tls: 'none',
        pool: 3, rate: ${rate}, ehloName: 'client.test', deliveredOn: 'accept' }, createLog('silent'));
      const envelope = { returnPath: 'b@client.test', recipient: 'a@b.test', envelopeId: '' };
      const origin = { tenantId: 't', messageId: 'm' };
      const transcripts = [1, 2, 3].map(() => upstream.transmit(envelope, Buffer.from('a: b\\r\\n'), origin));
      await (${rate} < 1 ? transcripts[0] : Promise.all(transcripts));
      await upstream.stop();
      console.log((await Promise.all(transcripts)).map(({ result }) => result).join(' '));`;
      const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], {
        timeout: 60_000,
      });
      expect(stdout.trim()).toBe(verdicts);
      await receiver.waitForNoConnection();
    },
  );
});

test('a rate of ten a second lets ten through, one at a time', () => {
  const bucket = createTokenBucket(10);
  const passed: number[] = [];
  for (let now = 0; now <= 1_000; now += 10) if (bucket.take(now)) passed.push(now);
  expect(passed).toEqual([0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1_000]);
});

test('under a rate, a pause saves up a tenth of a second and not more', () => {
  const bucket = createTokenBucket(100);
  const burst = Array.from({ length: 20 }, () => bucket.take(60_000)).filter((taken) => taken);
  expect(burst).toHaveLength(10);
});

test('a rate says how long to wait', () => {
  const bucket = createTokenBucket(4);
  expect(bucket.wait(0)).toBe(0);
  bucket.take(0);
  expect(bucket.wait(0)).toBe(250);
  expect(bucket.wait(100)).toBe(150);
});
