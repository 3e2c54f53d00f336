// The case `webhooks`: events delivered to three receivers by the daemon, beside a bare loop that POSTs the same body over as
// many connections in the same run; and what a receiver waits for beside ten that never answer.
import { execFile } from 'node:child_process';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { eventTypes } from '#src/events/catalogue.ts';
import { type CaseOptions, median, spread, table } from '#test/bench/harness.ts';
import type { PostLoop, PostLoopReport } from '#test/bench/post-loop.ts';
import type { Sender } from '#test/support/app.ts';
import { type Daemon, startDaemon } from '#test/support/daemon.ts';
import { createHook, outboundTo } from '#test/support/hooks.ts';
import { type HttpsReceiver, startHttpsReceiver } from '#test/support/https-receiver.ts';
import { cpuSeconds } from '#test/support/process.ts';
import { EVENTS_EACH, writeEvents } from '#test/support/written-events.ts';

const LOOP = fileURLToPath(new URL('./post-loop.ts', import.meta.url));
const LOOP_TIMEOUT_MS = 300_000;
const RECEIVERS = 3;
/** What a webhook has at most. */
const CONNECTIONS = 4;
const HANGING = 10;
/** Events whose way to a receiver is timed. */
const TIMED = 200;

interface Figures {
  readonly perSecond: number;
  /** µs of the sender's CPU for each request. */
  readonly micros: number;
}

const openSender = async (daemon: Daemon): Promise<Sender> => {
  const practice = await daemon.createPractice();
  const token = await daemon.createToken(practice.id);
  return { practice: practice as Sender['practice'], token, base: `/api/practices/${practice.id}` };
};

let suppressed = 0;
/** An event, and the commit that tells the daemon of those written by others. */
const suppress = async (daemon: Daemon, { base, token }: Sender): Promise<void> => {
  suppressed += 1;
  const body = { address: `${suppressed}@example.org` };
  const { status } = await daemon.request('POST', `${base}/suppression`, body, token);
  if (status !== 201) throw new Error(`not suppressed: ${status}`);
};

const startReceivers = async (started: AsyncDisposableStack, plain: boolean): Promise<HttpsReceiver[]> => {
  const receivers: HttpsReceiver[] = [];
  while (receivers.length < RECEIVERS) {
    const receiver = await startHttpsReceiver({ plain, keep: false });
    started.defer(() => receiver.stop());
    receivers.push(receiver);
  }
  return receivers;
};

/** All events of so many messages and one more, to each receiver. */
const deliver = async (
  daemon: Daemon,
  sender: Sender,
  receivers: readonly HttpsReceiver[],
  messages: number,
): Promise<Figures> => {
  writeEvents(daemon.dataDir, sender.practice.id, messages);
  const events = messages * EVENTS_EACH + 1;
  const goals = receivers.map((receiver) => receiver.count + events);
  const cpu = cpuSeconds(daemon.pid);
  const start = performance.now();
  await suppress(daemon, sender);
  await Promise.all(receivers.map((receiver, index) => receiver.received(goals[index] ?? 0)));
  const seconds = (performance.now() - start) / 1_000;
  const requests = events * receivers.length;
  return {
    perSecond: requests / seconds,
    micros: ((cpuSeconds(daemon.pid) - cpu) / requests) * 1e6,
  };
};

const loop = async (
  receivers: readonly HttpsReceiver[],
  body: string,
  requests: number,
): Promise<Figures> => {
  const urls = receivers.map((receiver) => receiver.url());
  const given: PostLoop = { urls, requests, connections: CONNECTIONS, body, ca: receivers[0]?.ca ?? '' };
  const options = { timeout: LOOP_TIMEOUT_MS };
  const { stdout } = await promisify(execFile)(execPath, [LOOP, JSON.stringify(given)], options);
  const report: PostLoopReport = JSON.parse(stdout);
  const all = requests * urls.length;
  return { perSecond: all / report.seconds, micros: (report.cpuSeconds / all) * 1e6 };
};

/** The body of a delivery as it comes. */
const sampleBody = async (daemon: Daemon): Promise<string> => {
  const receiver = await startHttpsReceiver();
  try {
    const sender = await openSender(daemon);
    await createHook(daemon, sender, receiver.url(), ['message.clicked']);
    writeEvents(daemon.dataDir, sender.practice.id, 1);
    await suppress(daemon, sender);
    return (await receiver.next()).body.toString();
  } finally {
    await receiver.stop();
  }
};

/** ms from the request that causes an event to its arrival, in their order of size. */
const waits = async (daemon: Daemon, sender: Sender, receiver: HttpsReceiver): Promise<number[]> => {
  const all: number[] = [];
  while (all.length < TIMED) {
    const start = performance.now();
    const arrived = receiver.received(receiver.count + 1);
    await Promise.all([suppress(daemon, sender), arrived]);
    all.push(performance.now() - start);
  }
  return all.toSorted((a, b) => a - b);
};

const benchThroughput = async (daemon: Daemon, { runs, messages, print }: CaseOptions): Promise<void> => {
  const body = await sampleBody(daemon);
  const rows: string[][] = [];
  for (const plain of [true, false]) {
    await using started = new AsyncDisposableStack();
    const receivers = await startReceivers(started, plain);
    const sender = await openSender(daemon);
    for (const receiver of receivers) await createHook(daemon, sender, receiver.url(), eventTypes);
    const each = Math.ceil(messages / EVENTS_EACH);
    await deliver(daemon, sender, receivers, each);
    const ours: Figures[] = [];
    const bare: Figures[] = [];
    for (let run = 0; run < runs; run += 1) {
      const turns = [
        async () => ours.push(await deliver(daemon, sender, receivers, each)),
        async () => bare.push(await loop(receivers, body, each * EVENTS_EACH)),
      ];
      for (const turn of run % 2 === 0 ? turns : turns.toReversed()) await turn();
    }
    const of = (figures: readonly Figures[], name: keyof Figures) => median(figures.map((one) => one[name]));
    const way = plain ? 'http' : 'https';
    for (const [name, figures] of [
      [`bare loop, ${way}`, bare],
      [`Sendwerk, ${way}`, ours],
    ] as const)
      rows.push([
        name,
        spread(figures.map(({ perSecond }) => perSecond)),
        (of(figures, 'perSecond') / of(bare, 'perSecond')).toFixed(2),
        of(figures, 'micros').toFixed(0),
        (of(figures, 'micros') / of(bare, 'micros')).toFixed(2),
      ]);
  }
  print(table(['', 'deliveries/s', 'x', 'CPU µs', 'x'], rows));
  print(
    'Medians (least–greatest). CPU: of the sending process, for each delivery. x: ratio to the bare loop.',
  );
};

const benchIsolation = async (daemon: Daemon, { print }: CaseOptions): Promise<void> => {
  await using started = new AsyncDisposableStack();
  const [receiver, hanging] = await Promise.all([
    startHttpsReceiver({ keep: false }),
    startHttpsReceiver({ keep: false, answer: 'hang' }),
  ]);
  for (const one of [receiver, hanging]) started.defer(() => one.stop());
  const sender = await openSender(daemon);
  await createHook(daemon, sender, receiver.url(), eventTypes);
  await waits(daemon, sender, receiver);
  const alone = await waits(daemon, sender, receiver);
  for (let index = 0; index < HANGING; index += 1)
    await createHook(daemon, sender, hanging.url(`/${index}`), eventTypes);
  const beside = await waits(daemon, sender, receiver);
  if (hanging.count < HANGING) throw new Error(`${hanging.count} of ${HANGING} hanging receivers were asked`);
  const p99 = (all: readonly number[]) => all[Math.ceil(all.length * 0.99) - 1] ?? Number.NaN;
  const rows = [
    ['alone', alone],
    [`beside ${HANGING} that never answer`, beside],
  ] as const;
  print(
    table(
      ['arrives after, ms', 'median', 'x', 'p99', 'x'],
      rows.map(([name, all]) => [
        name,
        median(all).toFixed(1),
        (median(all) / median(alone)).toFixed(2),
        p99(all).toFixed(1),
        (p99(all) / p99(alone)).toFixed(2),
      ]),
    ),
  );
};

/** Prints two tables. `messages`: events, each to three receivers. */
export async function benchWebhooks(options: CaseOptions): Promise<void> {
  await using started = new AsyncDisposableStack();
  const authority = await startHttpsReceiver({ keep: false });
  started.defer(() => authority.stop());
  const daemon = await startDaemon({ config: { security: outboundTo(authority) } });
  started.defer(daemon.remove);
  await benchThroughput(daemon, options);
  await benchIsolation(daemon, options);
}
