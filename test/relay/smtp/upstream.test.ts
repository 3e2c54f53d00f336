import { afterEach, describe, expect, test } from 'vitest';
import { createLog } from '#src/kernel/log.ts';
import type { SmtpOptions, SmtpTimeouts } from '#src/relay/smtp/options.ts';
import { createSmtpUpstream } from '#src/relay/smtp/upstream.ts';
import type { Transcript, Upstream } from '#src/relay/upstream.ts';
import {
  type Behaviour,
  close,
  createSmtpReceiver,
  DEFAULT_EXTENSIONS,
  OK,
  reset,
  type Script,
  SILENCE,
  type SmtpReceiver,
} from '#test/support/smtp-receiver.ts';

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
const relayTo = (receiver: { port: number }, options: Partial<SmtpOptions> = {}): Upstream => {
  const upstream = createSmtpUpstream(
    {
      name: 'relay',
      host: '127.0.0.1',
      port: receiver.port,
      tls: 'none',
      pool: 1,
      ehloName: 'client.test',
      deliveredOn: 'dsn',
      ...options,
    },
    createLog('silent'),
  );
  closing.push(upstream.stop);
  return upstream;
};
const withoutPipelining = DEFAULT_EXTENSIONS.filter((extension) => extension !== 'PIPELINING');
const envelope = (name: number | string = 'a') => ({
  returnPath: 'b@bounce.client.test',
  recipient: `${name}@b.test`,
  envelopeId: `id-${name}`,
});
const message = (name: number | string = 'a') => Buffer.from(`Subject: ${name}\r\n\r\n.${name}\r\n..\r\n`);
const send = (upstream: Upstream, name: number | string = 'a') =>
  upstream.transmit(envelope(name), message(name), origin);

/** `refused rcpt 550`, `broken dot`, `accepted 250`. */
const summary = (transcript: Transcript): string => {
  if (transcript.result === 'accepted') return `accepted ${transcript.reply.code}`;
  if (transcript.result === 'refused') return `refused ${transcript.phase} ${transcript.reply.code}`;
  return `broken ${transcript.phase}`;
};
/** A gate that opens on demand: for replies to be held. */
const gate = () => {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
};
const settled = async (transcripts: readonly Promise<Transcript>[]) =>
  (await Promise.all(transcripts)).map(summary);

test('brings a message with its envelope, byte for byte', async () => {
  const receiver = await receive();
  const transcript = await send(relayTo(receiver));
  expect(transcript).toEqual({
    result: 'accepted',
    reply: { code: 250, enhanced: '2.0.0', text: 'Ok: queued as 1' },
    dsnRequested: true,
  });
  expect(receiver.messages).toMatchObject([
    {
      mailFrom: 'b@bounce.client.test',
      mailParameters: [`SIZE=${message().length}`, 'RET=HDRS', 'ENVID=id-a'],
      recipients: [
        { address: 'a@b.test', parameters: ['NOTIFY=SUCCESS,DELAY,FAILURE', 'ORCPT=rfc822;a@b.test'] },
      ],
      content: message(),
    },
  ]);
});

const misbehaviours: readonly (readonly [name: string, behaviour: Behaviour, verdict: string])[] = [
  ['greets with 554', { greeting: '554 5.7.1 Not you' }, 'refused greeting 554'],
  ['greets with 421 and closes', { greeting: close('421 4.3.2 Busy') }, 'refused greeting 421'],
  ['closes instead of greeting', { greeting: close() }, 'broken greeting'],
  ['is no SMTP server', { greeting: 'SSH-2.0-OpenSSH_9.2' }, 'broken greeting'],
  ['refuses EHLO and HELO', { ehlo: '550 No', helo: '550 No' }, 'refused ehlo 550'],
  ['answers EHLO with 421', { ehlo: close('421 Later') }, 'refused ehlo 421'],
  ['closes at EHLO', { ehlo: close() }, 'broken ehlo'],
  ['refuses MAIL', { mail: '550 5.7.1 No' }, 'refused mail 550'],
  ['defers MAIL', { mail: '451 4.3.0 Later' }, 'refused mail 451'],
  ['answers MAIL with 421', { mail: close('421 4.3.2 Later') }, 'refused mail 421'],
  ['closes at MAIL', { mail: close() }, 'broken mail'],
  ['answers MAIL with nonsense', { mail: 'what?' }, 'broken mail'],
  ['answers MAIL with 354', { mail: '354 Go on' }, 'broken mail'],
  ['refuses RCPT', { rcpt: '550-5.1.1 User\r\n550 5.1.1 unknown' }, 'refused rcpt 550'],
  ['defers RCPT', { rcpt: '450 4.2.0 Greylisted' }, 'refused rcpt 450'],
  ['answers RCPT with 421', { rcpt: close('421 4.7.0 Bye') }, 'refused rcpt 421'],
  ['closes at RCPT', { rcpt: close() }, 'broken rcpt'],
  ['refuses RCPT, then closes', { rcpt: '550 5.1.1 No', data: close() }, 'refused rcpt 550'],
  ['refuses DATA', { data: '554 5.5.1 No' }, 'refused data 554'],
  ['answers DATA with 421', { data: close('421 4.3.2 Later') }, 'refused data 421'],
  ['answers DATA with 250', { data: OK }, 'broken data'],
  ['closes at DATA', { data: close() }, 'broken data'],
  ['refuses the message', { dot: '554 5.7.1 Spam' }, 'refused dot 554'],
  ['defers the message', { dot: '451 4.7.1 Later' }, 'refused dot 451'],
  ['answers the dot with 421', { dot: close('421 4.3.2 Later') }, 'refused dot 421'],
  ['closes after the dot', { dot: close() }, 'broken dot'],
  ['resets after the dot', { dot: reset() }, 'broken dot'],
  ['says MAIL no, RCPT yes, DATA 354', { mail: '550 No', rcpt: OK, data: '354 Go' }, 'refused mail 550'],
];

describe.each([
  ['with PIPELINING', DEFAULT_EXTENSIONS],
  ['without PIPELINING', withoutPipelining],
])('%s, a server that', (_name, extensions) => {
  test.each(misbehaviours)('%s', async (_misbehaviour, behaviour, verdict) => {
    const receiver = await receive({ extensions, ...behaviour });
    const upstream = relayTo(receiver);
    expect(summary(await send(upstream))).toBe(verdict);
    if (!extensions.includes('PIPELINING')) expect(receiver.earlyCommands).toBe(0);
    // And it is none the worse for it.
    receiver.setBehaviour({ extensions });
    expect(await settled([send(upstream, 1), send(upstream, 2)])).toEqual(['accepted 250', 'accepted 250']);
    expect(receiver.messages.map(({ content }) => content)).toEqual([message(1), message(2)]);
  });

  test('says each reply byte by byte', async () => {
    const receiver = await receive({ extensions, byteByByte: true });
    const upstream = relayTo(receiver);
    expect(await settled([1, 2, 3].map((name) => send(upstream, name)))).toEqual(
      Array(3).fill('accepted 250'),
    );
  });

  test('refuses every other recipient loses none of the others', async () => {
    const odd: Script = ({ address }) => (/[13579]@/.test(address) ? '550 5.1.1 Odd' : '250 2.1.5 Ok');
    const receiver = await receive({ extensions, rcpt: odd });
    const upstream = relayTo(receiver);
    const verdicts = await settled(Array.from({ length: 20 }, (_, name) => send(upstream, name)));
    expect(verdicts).toEqual(
      Array.from({ length: 20 }, (_, name) => (name % 2 ? 'refused rcpt 550' : 'accepted 250')),
    );
    expect(receiver.messages.map(({ recipients }) => recipients[0]?.address)).toEqual(
      Array.from({ length: 10 }, (_, name) => `${2 * name}@b.test`),
    );
    expect(receiver.connections.total).toBe(1);
    expect(receiver.earlyCommands > 0).toBe(extensions.includes('PIPELINING'));
  });

  test('takes EHLO for unknown is spoken to with HELO', async () => {
    const receiver = await receive({ ehlo: '502 5.5.2 What?' });
    expect(await send(relayTo(receiver))).toMatchObject({ result: 'accepted', dsnRequested: false });
    expect(receiver.messages[0]?.mailParameters).toEqual([]);
  });
});

test('no server listens', async () => {
  const receiver = await receive();
  await receiver.stop();
  expect(await send(relayTo(receiver))).toEqual({
    result: 'broken',
    phase: 'connect',
    error: expect.stringContaining('ECONNREFUSED'),
  });
});

test('a host without an address', async () => {
  const upstream = relayTo({ port: 25 }, { host: 'nowhere.invalid', timeouts: { connect: 3_000 } });
  expect(summary(await send(upstream))).toBe('broken connect');
});

describe('silence ends by the timeout of its own phase', () => {
  // The replies before it must come in time on a busy machine too, so all wait side by side.
  const SILENT_MS = 2_000;
  const phases: readonly (readonly [phase: keyof Behaviour, timeout: keyof SmtpTimeouts])[] = [
    ['greeting', 'connect'],
    ['ehlo', 'command'],
    ['mail', 'command'],
    ['rcpt', 'command'],
    ['data', 'data'],
    ['dot', 'dot'],
  ];
  test('of each', async () => {
    const verdicts = phases.map(async ([phase, timeout]) => {
      const receiver = await receive({ [phase]: SILENCE });
      return summary(await send(relayTo(receiver, { timeouts: { [timeout]: SILENT_MS } })));
    });
    expect(await Promise.all(verdicts)).toEqual(phases.map(([phase]) => `broken ${phase}`));
  });

  test('a peer that stops reading in the middle of a message', async () => {
    const receiver = await receive();
    const upstream = relayTo(receiver, { timeouts: { block: 50 } });
    const transcript = upstream.transmit(envelope(), Buffer.alloc(24 * 1024 * 1024, 'x'), origin);
    await receiver.waitForCommand(/DATA/);
    receiver.stopReading();
    expect(summary(await transcript)).toBe('broken data');
  });
});

test('DATA answered with 354 although the recipient was refused: an empty message, RSET, and on', async () => {
  const receiver = await receive({
    rcpt: '550 5.1.1 No',
    data: '354 Go ahead',
    dot: '554 5.5.1 No recipients',
  });
  const upstream = relayTo(receiver);
  expect(summary(await send(upstream))).toBe('refused rcpt 550');
  receiver.setBehaviour({});
  expect(summary(await send(upstream, 'b'))).toBe('accepted 250');
  expect(receiver.commands.map((line) => line.split(' ')[1])).toEqual([
    'EHLO',
    'MAIL',
    'RCPT',
    'DATA',
    '.',
    'RSET',
    'MAIL',
    'RCPT',
    'DATA',
    '.',
  ]);
});

test('the envelope of the next message rides along behind the final dot', async () => {
  const held = gate();
  const receiver = await receive({ dot: () => held.opened.then(() => OK) });
  const upstream = relayTo(receiver);
  const first = send(upstream, 1);
  await receiver.waitForCommand(/1 \.$/);
  const second = send(upstream, 2);
  const third = send(upstream, 3);
  held.open();
  expect(await settled([first, second, third])).toEqual(Array(3).fill('accepted 250'));
  expect(receiver.messages.map(({ content }) => content)).toEqual([1, 2, 3].map(message));
  expect(receiver.connections.total).toBe(1);
});

describe('a connection that breaks with two messages in the pipeline', () => {
  test.each([
    ['closed', close(), ['broken dot', 'broken mail']],
    ['421', close('421 4.3.2 Shutting down'), ['refused dot 421', 'broken mail']],
  ])('%s', async (_name, script, verdicts) => {
    const held = gate();
    const receiver = await receive({ dot: () => held.opened.then(() => script) });
    const upstream = relayTo(receiver);
    const first = send(upstream, 1);
    await receiver.waitForCommand(/1 \.$/);
    const second = send(upstream, 2);
    held.open();
    expect(await settled([first, second])).toEqual(verdicts);
    expect(receiver.messages).toHaveLength(0);
  });
});

describe('a connection that worked before and is gone', () => {
  test.each([
    ['dropped while idle', (receiver: SmtpReceiver) => receiver.dropAll('end')],
    ['reset while idle', (receiver: SmtpReceiver) => receiver.dropAll('reset')],
  ])('%s is replaced without failing a message', async (_name, drop) => {
    const receiver = await receive();
    const upstream = relayTo(receiver);
    await send(upstream, 1);
    drop(receiver);
    expect(summary(await send(upstream, 2))).toBe('accepted 250');
    expect(receiver.connections.total).toBe(2);
  });

  test.each([
    ['421', close('421 4.4.2 Too many messages in this connection')],
    ['a close', close()],
  ])('%s at the second MAIL sends it over another one', async (_name, goodbye) => {
    const receiver = await receive({ mail: ({ brought }) => (brought > 0 ? goodbye : OK) });
    const upstream = relayTo(receiver);
    const verdicts = await settled([1, 2, 3, 4].map((name) => send(upstream, name)));
    expect(verdicts).toEqual(Array(4).fill('accepted 250'));
    expect(receiver.messages).toHaveLength(4);
  });

  test('but only once', async () => {
    const receiver = await receive();
    const upstream = relayTo(receiver);
    await send(upstream, 1);
    receiver.setBehaviour({ mail: close('421 4.3.2 Shutting down') });
    expect(summary(await send(upstream, 2))).toBe('refused mail 421');
  });
});

test('a message above the offered SIZE is refused without being sent', async () => {
  const receiver = await receive({ extensions: ['PIPELINING', 'SIZE 20'] });
  const upstream = relayTo(receiver);
  expect(await send(upstream)).toMatchObject({
    result: 'refused',
    phase: 'mail',
    reply: { code: 552, enhanced: '5.3.4' },
  });
  expect(receiver.commands).toHaveLength(1);
});

test.each([
  ['not offered', { extensions: ['PIPELINING'] }, 'dsn', false],
  ['offered, not wanted', {}, 'accept', false],
  ['offered and wanted', {}, 'dsn', true],
] as const)('success notices: %s', async (_name, behaviour, deliveredOn, requested) => {
  const receiver = await receive(behaviour);
  const upstream = relayTo(receiver, { deliveredOn });
  expect(await send(upstream)).toMatchObject({ dsnRequested: requested });
  expect(receiver.messages[0]?.recipients[0]?.parameters.length).toBe(requested ? 2 : 0);
});

describe('large messages leave block by block', () => {
  const large = Buffer.from(`Subject: large\r\n\r\n${'.23456789\r\n'.repeat(100_000)}`);

  test('and arrive byte for byte, with the next one behind them', async () => {
    const receiver = await receive();
    const upstream = relayTo(receiver);
    expect(await settled([upstream.transmit(envelope(), large, origin), send(upstream, 2)])).toEqual(
      Array(2).fill('accepted 250'),
    );
    expect(receiver.messages[0]?.content.equals(large)).toBe(true);
    expect(receiver.messages[1]?.content).toEqual(message(2));
  });

  test('a peer that breaks off in the middle breaks before the dot', async () => {
    const receiver = await receive({ data: '354 Go ahead', extensions: ['PIPELINING'] });
    const upstream = relayTo(receiver);
    const transcript = upstream.transmit(envelope(), Buffer.concat(Array(20).fill(large)), origin);
    await receiver.waitForCommand(/DATA/);
    receiver.dropAll('reset');
    expect(summary(await transcript)).toBe('broken data');
  });
});

test('a message without a line end at its end gets one', async () => {
  const receiver = await receive();
  await relayTo(receiver).transmit(envelope(), Buffer.from('Subject: x\r\n\r\nend'), origin);
  expect(receiver.messages[0]?.content.toString()).toBe('Subject: x\r\n\r\nend\r\n');
});

test('2,000 messages over 4 connections arrive byte for byte, exactly once', async () => {
  const receiver = await receive();
  const upstream = relayTo(receiver, { pool: 4 });
  const bodyOf = (name: number) =>
    Buffer.from(`Subject: ${name}\r\n\r\n.${name}\r\n${'..\r\n'.repeat(name % 7)}${'x'.repeat(name)}\r\n`);
  const names = Array.from({ length: 2_000 }, (_, name) => name);
  const verdicts = await settled(
    names.map((name) => upstream.transmit(envelope(name), bodyOf(name), origin)),
  );
  expect(new Set(verdicts)).toEqual(new Set(['accepted 250']));
  const received = new Map(
    receiver.messages.map(({ content, recipients }) => [recipients[0]?.address, content]),
  );
  expect(receiver.messages).toHaveLength(2_000);
  for (const name of names) expect(received.get(`${name}@b.test`)?.equals(bodyOf(name))).toBe(true);
  expect(receiver.connections.total).toBe(4);
  expect(upstream.describe()).toMatchObject({ sent: 2_000, connections: 4, busy: 0, waiting: 0 });
});
