// Receivers that fail in every way there is, all at once in front of one daemon: what the deliveries of each come to, that
// nobody else waits for them, and that they cost no memory.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HOUR, MINUTE } from '#src/kernel/time.ts';
import type { Sender } from '#test/support/app.ts';
import { createCertificate, createExpiredCertificate } from '#test/support/certificate.ts';
import { type Daemon, startDaemon } from '#test/support/daemon.ts';
import { type DnsZone, startDnsZone } from '#test/support/dns-zone.ts';
import {
  createHook,
  type Delivery,
  deliveriesOf,
  type Hook,
  outboundTo,
  requestTo,
} from '#test/support/hooks.ts';
import {
  type HttpsReceiver,
  type HttpsReceiverOptions,
  type Raw,
  type Script,
  startHttpsReceiver,
} from '#test/support/https-receiver.ts';
import { peakMemory, until } from '#test/support/process.ts';

/** Of which the hostile ones are told once; the others of the messages too. */
const FIRST = 'suppression.added';
const MESSAGES = 3;
const RETRY_MS = HOUR;
/** All exchanges together end within that: the slowest take the whole of `webhooks.timeout`. */
const PATIENCE_MS = 180_000;
const EXCERPT_BYTES = 1_024;
const GIB = 1_024 ** 3;
/** For the work of all deliveries; a body of 1 GiB and one without an end would be more. */
const MEMORY_BYTES = 96 * 1_024 ** 2;
const INTERNAL = '127.0.0.2';
const INTERNAL_PORT = 8_443;
const REBINDING = 'rebinding.hooks-of-others.net';
const LOCATION = '/elsewhere';

const slowly = function* (head: string, rest: string): Generator<string> {
  yield head;
  for (;;) yield* rest;
};

interface Row {
  readonly name: string;
  readonly options?: () => HttpsReceiverOptions;
  /** What it answers, each time. */
  readonly answer?: Script;
  readonly prepare?: (receiver: HttpsReceiver) => unknown;
  /** Its exchanges last as long as the daemon lets them. */
  readonly lingers?: true;
  readonly delivery: Partial<Record<keyof Delivery, unknown>>;
  /** ms after the creation at the earliest; null: never again. */
  readonly again?: number | null;
  readonly webhook?: Readonly<Record<string, unknown>>;
}

const answered = (response_status: number, error: RegExp | null, response_excerpt: unknown = '') => ({
  response_status,
  response_excerpt,
  error: error === null ? null : expect.stringMatching(error),
});
const failed = (error: RegExp) => ({
  status: 'pending',
  response_status: null,
  response_excerpt: null,
  error: expect.stringMatching(error),
});
const delivered = { status: 'delivered', error: null, next_attempt_at: null };

const certificates = {
  expired: createExpiredCertificate(['127.0.0.1']),
  selfSigned: createCertificate(['127.0.0.1']),
  otherName: createCertificate(['other.example']),
};

const rows: readonly Row[] = [
  {
    name: 'answers 500',
    answer: { status: 500, body: 'kaputt: größer als gedacht' },
    delivery: { status: 'pending', ...answered(500, /500/, 'kaputt: größer als gedacht') },
  },
  {
    name: 'answers 404 with a long page',
    answer: { status: 404, body: 'ö'.repeat(200_000) },
    delivery: { status: 'pending', ...answered(404, /404/, 'ö'.repeat(EXCERPT_BYTES / 2)) },
  },
  {
    name: 'redirects',
    answer: { status: 307, headers: { Location: LOCATION } },
    delivery: { status: 'pending', ...answered(307, /redirect/i) },
  },
  {
    name: 'asks for two hours of peace',
    answer: { status: 429, headers: { 'Retry-After': '7200' } },
    delivery: { status: 'pending', ...answered(429, /429/) },
    again: 2 * HOUR,
  },
  {
    name: 'says that it is gone',
    answer: { status: 410 },
    delivery: { status: 'failed' },
    again: null,
    webhook: { status: 'disabled', disabled_reason: 'gone' },
  },
  {
    name: 'never answers',
    answer: 'hang',
    lingers: true,
    delivery: failed(/no answer within the time/),
  },
  {
    name: 'never shakes hands',
    prepare: (receiver) => receiver.setConnect('hang'),
    lingers: true,
    delivery: failed(/no answer within the time/),
  },
  {
    name: 'sends its headers byte by byte',
    answer: () => ({ raw: slowly('HTTP/1.1 200 OK\r\nX-Slow: ', 'x'), everyMs: 50 }) satisfies Raw,
    lingers: true,
    delivery: failed(/no answer within the time/),
  },
  {
    name: 'sends its body byte by byte',
    answer: () =>
      ({ raw: slowly('HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n', 'ok'), everyMs: 50 }) satisfies Raw,
    delivery: { ...delivered, ...answered(200, null, expect.stringMatching(/^(ok)+o?$/)) },
    again: null,
  },
  {
    name: 'sends headers without end',
    answer: () => ({ raw: slowly('HTTP/1.1 200 OK\r\n', `X-Field: ${'x'.repeat(8_000)}\r\n`) }) satisfies Raw,
    delivery: failed(/headers of the answer are too long/),
  },
  {
    name: 'sends interim answers without end',
    answer: () => ({ raw: slowly('', 'HTTP/1.1 102 Processing\r\n\r\n') }) satisfies Raw,
    delivery: failed(/./),
  },
  {
    name: 'answers with 1 GiB',
    answer: { body: GIB },
    delivery: { ...delivered, ...answered(200, null, 'x'.repeat(EXCERPT_BYTES)) },
    again: null,
  },
  {
    name: 'answers 500 with a body without end',
    answer: { status: 500, body: Number.POSITIVE_INFINITY },
    delivery: { status: 'pending', ...answered(500, /500/, 'x'.repeat(EXCERPT_BYTES)) },
  },
  {
    name: 'resets at the connection',
    prepare: (receiver) => receiver.setConnect('reset'),
    delivery: failed(/closed without an answer/),
  },
  { name: 'resets after the request', answer: 'reset', delivery: failed(/closed without an answer/) },
  { name: 'closes without an answer', answer: 'close', delivery: failed(/closed without an answer/) },
  {
    name: 'speaks no HTTP',
    answer: { raw: ['SSH-2.0-OpenSSH_9.9\r\n'] },
    delivery: failed(/not HTTP/),
  },
  {
    name: 'has a certificate that has expired',
    options: () => ({ certificate: certificates.expired }),
    delivery: failed(/certificate has expired/),
  },
  {
    name: 'has a certificate that nobody vouches for',
    options: () => ({ certificate: certificates.selfSigned }),
    delivery: failed(/certificate is self-signed/),
  },
  {
    name: 'has a certificate for another name',
    options: () => ({ certificate: certificates.otherName }),
    delivery: failed(/certificate is for another host name/),
  },
  {
    name: 'listens no more',
    prepare: (receiver) => receiver.stop(),
    delivery: failed(/connection was refused/),
  },
];

interface Scene {
  readonly receiver: HttpsReceiver;
  readonly hook: Hook;
}

const started = new AsyncDisposableStack();
const scenes = new Map<Row, Scene>();
let zone: DnsZone;
let daemon: Daemon;
let healthy: HttpsReceiver;
let busy: Sender;
let quiet: Sender;
let beside: Hook;
let elsewhere: Hook;
let rebinding: Hook;
let reachedInside = 0;
let memoryBefore = 0;

const openSender = async (): Promise<Sender> => {
  const practice = await daemon.createPractice();
  const token = await daemon.createToken(practice.id);
  return { practice: practice as Sender['practice'], token, base: `/api/practices/${practice.id}` };
};

const send = async (sender: Sender): Promise<void> => {
  const letter = { to: 'erika@example.org', subject: 'Ihr Termin', text: 'Am Montag.' };
  const { status } = await daemon.request('POST', `${sender.base}/send`, letter, sender.token);
  expect(status).toBe(202);
};

const suppress = async (sender: Sender): Promise<void> => {
  const body = { address: 'nobody@example.org' };
  const { status } = await daemon.request('POST', `${sender.base}/suppression`, body, sender.token);
  expect(status).toBe(201);
};

const startRow = async (row: Row): Promise<void> => {
  const receiver = await startHttpsReceiver({ ...row.options?.(), answer: row.answer ?? {} });
  started.defer(() => receiver.stop());
  const hook = await createHook(daemon, busy, receiver.url(), [FIRST]);
  await row.prepare?.(receiver);
  scenes.set(row, { receiver, hook });
};

beforeAll(async () => {
  zone = await startDnsZone();
  started.defer(() => zone.stop());
  healthy = await startHttpsReceiver();
  started.defer(() => healthy.stop());
  const inside = createServer((socket) => {
    reachedInside += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => inside.listen(INTERNAL_PORT, INTERNAL, resolve));
  started.defer(() => void inside.close());
  const directory = await mkdtemp(path.join(tmpdir(), 'authorities-'));
  started.defer(() => rm(directory, { recursive: true }));
  const outbound_ca_file = path.join(directory, 'ca.pem');
  const { expired, otherName } = certificates;
  await writeFile(outbound_ca_file, healthy.ca + expired.certificate + otherName.certificate);
  daemon = await startDaemon({
    config: {
      dns: { resolvers: [zone.address] },
      security: { ...outboundTo(healthy), outbound_allow: ['127.0.0.1/32'], outbound_ca_file },
      // So long that others get what is theirs before the slow ones are given up.
      webhooks: { retry: [`${RETRY_MS / MINUTE}m`], jitter: 0, timeout: '20s' },
    },
  });
  started.defer(() => daemon.remove());
  busy = await openSender();
  quiet = await openSender();
  beside = await createHook(daemon, busy, healthy.url('/beside'), [FIRST, 'message.created', 'message.sent']);
  elsewhere = await createHook(daemon, quiet, healthy.url('/elsewhere'), [
    FIRST,
    'message.created',
    'message.sent',
  ]);
  for (const row of rows) await startRow(row);
  zone.set(REBINDING, 'A', '93.184.215.14');
  rebinding = await createHook(daemon, busy, `https://${REBINDING}:${INTERNAL_PORT}/`, [FIRST]);
  zone.set(REBINDING, 'A', INTERNAL);

  memoryBefore = peakMemory(daemon.pid);
  await suppress(busy);
});
afterAll(() => started.disposeAsync());

const lingering = (): Scene[] =>
  [...scenes].filter(([row]) => row.lingers === true).map(([, scene]) => scene);

const isOver = ({ status, error }: Delivery): boolean => status !== 'pending' || error !== null;

/** Once each delivery to it has been tried. */
const settled = async (hook: Hook): Promise<readonly Delivery[]> => {
  let found: readonly Delivery[] = [];
  const areOver = async () => {
    found = await deliveriesOf(daemon, hook);
    return found.length === 1 && found.every(isOver);
  };
  await until(`all deliveries of ${hook.id} have been tried`, areOver, PATIENCE_MS);
  return found;
};

test('others get what is theirs, here and in other practices, while slow receivers keep requests waiting', {
  timeout: PATIENCE_MS,
}, async () => {
  for (const { receiver } of lingering())
    await until('it is connected to', () => receiver.connections.total > 0, PATIENCE_MS);
  await suppress(quiet);
  for (const sender of [busy, quiet]) for (let index = 0; index < MESSAGES; index += 1) await send(sender);
  for (const hook of [beside, elsewhere]) await requestTo(healthy, hook, 2 * MESSAGES);

  for (const { hook } of lingering())
    for (const one of await deliveriesOf(daemon, hook))
      expect(one).toMatchObject({ status: 'pending', error: null, response_status: null });
  for (const hook of [beside, elsewhere]) {
    const areOver = async () => (await deliveriesOf(daemon, hook)).every(isOver);
    await until('the last answer is written down', areOver);
    const found = await deliveriesOf(daemon, hook);
    expect(found).toHaveLength(1 + 2 * MESSAGES);
    expect(found.every(({ status, attempts }) => status === 'delivered' && attempts === 1)).toBe(true);
  }
});

describe('a receiver that', () => {
  test.each(rows)('$name', { timeout: PATIENCE_MS }, async (row) => {
    const { hook, receiver } = scenes.get(row) as Scene;
    const found = await settled(hook);
    const { again = RETRY_MS } = row;
    for (const one of found) {
      expect(one).toMatchObject({ event: FIRST, attempts: 1, ...row.delivery });
      const next = one.next_attempt_at === null ? null : Date.parse(one.next_attempt_at);
      if (again === null) expect(next).toBeNull();
      else expect(next).toBeGreaterThanOrEqual(Date.parse(one.created_at) + again);
    }
    const { body } = await daemon.request('GET', hook.base, undefined, busy.token);
    expect(body).toMatchObject({ status: 'active', ...row.webhook });
    // Nothing is followed, and nothing tried again before its time.
    expect(receiver.count).toBeLessThanOrEqual(1);
    expect(receiver.requests.filter(({ path }) => path === LOCATION)).toEqual([]);
    await receiver.noConnection();
  });

  test('is a name that leads into the network now: nothing is connected to', async () => {
    for (const one of await settled(rebinding))
      expect(one).toMatchObject({ attempts: 1, ...failed(/internal/i) });
    expect(reachedInside).toBe(0);
    expect(zone.asked).toContain(REBINDING);
  });
});

test(
  'all that costs the daemon no memory to speak of',
  async () => {
    for (const { hook } of scenes.values()) await settled(hook);
    expect(peakMemory(daemon.pid) - memoryBefore).toBeLessThan(MEMORY_BYTES);
  },
  PATIENCE_MS,
);
