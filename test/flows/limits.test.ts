// The bounds of the HTTP server: size of a body, rate of requests, and shutting down. What is turned away is not stored.
import { afterEach, describe, expect, test } from 'vitest';
import {
  type AppOptions,
  letter,
  type Refusal,
  type Sender,
  startApp,
  type TestApp,
} from '#test/support/app.ts';
import { createSmtpReceiver, OK } from '#test/support/smtp-receiver.ts';

const KIB = 1_024;

const endings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

const start = async (options: AppOptions): Promise<{ app: TestApp; sender: Sender }> => {
  const app = await startApp(options);
  endings.push(() => app.remove());
  return { app, sender: await app.createSender() };
};

const messages = ({ practice }: Sender, app: TestApp) => app.rowCounts(practice.id).messages;

describe('a body above the limit', () => {
  const limit = 64 * KIB;
  const body = (bytes: number) => {
    const frame = JSON.stringify({ ...letter, text: '' }).length;
    return Buffer.from(JSON.stringify({ ...letter, text: 'x'.repeat(bytes - frame) }));
  };
  /** Sent in chunks: its length is not told before. */
  const chunked = (bytes: Buffer): ReadableStream =>
    new ReadableStream({
      start(controller) {
        for (let at = 0; at < bytes.length; at += KIB) controller.enqueue(bytes.subarray(at, at + KIB));
        controller.close();
      },
    });

  test('is refused, whether its length is told or not; one at the limit is taken', async () => {
    const { app, sender } = await start({ config: { limits: { body_bytes: limit } } });
    const post = (content: Buffer | ReadableStream) =>
      app.request<Refusal>('POST', `${sender.base}/send`, content, sender.token);
    for (const content of [body(limit + 1), chunked(body(limit + 1))]) {
      const { status, body } = await post(content);
      expect({ status, code: body.code, limit: body.limit_bytes }).toEqual({
        status: 413,
        code: 'body_too_large',
        limit,
      });
    }
    expect(messages(sender, app)).toBe(0);
    for (const content of [body(limit), chunked(body(limit))]) expect((await post(content)).status).toBe(202);
  });

  test('of 1 MiB is refused by routes that take records', async () => {
    const { app, sender } = await start({});
    const fields = { name: 'x'.repeat(1_024 * KIB) };
    const { status, body } = await app.request('POST', `${sender.base}/projects`, fields, sender.token);
    expect({ status, limit: body.limit_bytes }).toEqual({ status: 413, limit: 1_024 * KIB });
  });
});

describe('too many requests', () => {
  const config = { limits: { api_rate: { per_second: 1, burst: 3 } } };

  test('of one credential are refused and store nothing; another credential has its own', async () => {
    const { app, sender } = await start({ config });
    const post = () => app.request<Refusal>('POST', `${sender.base}/send`, letter, sender.token);
    const answers = await Promise.all(Array.from({ length: 12 }, post));
    const refused = answers.filter(({ status }) => status !== 202);
    expect(refused.length).toBeGreaterThan(0);
    expect(messages(sender, app)).toBe(answers.length - refused.length);
    for (const { status, body, headers } of refused) {
      expect({ status, code: body.code }).toEqual({ status: 429, code: 'rate_limited' });
      expect(headers.get('retry-after')).toBe(String(body.retry_after));
      expect(body.retry_after).toBeGreaterThanOrEqual(1);
      expect(headers.get('ratelimit-limit')).toBe('3');
      expect(headers.get('ratelimit-remaining')).toBe('0');
      expect(Number(headers.get('ratelimit-reset'))).toBeGreaterThanOrEqual(1);
    }
    const other = await app.request('GET', sender.base, undefined, app.adminToken);
    expect(other.status).toBe(200);
  });

  test('without a credential are refused by address, those with one are not', async () => {
    const { app, sender } = await start({ config });
    const ask = () => app.request<Refusal>('GET', sender.base, undefined, `svc_team_${'0'.repeat(43)}`);
    const answers = await Promise.all(Array.from({ length: 12 }, ask));
    const codes = answers.map(({ body }) => body.code);
    expect(codes).toContain('unauthorized');
    expect(codes).toContain('rate_limited');
    expect((await app.request('GET', sender.base, undefined, sender.token)).status).toBe(200);
    expect((await app.request('GET', '/healthz')).status).toBe(200);
  });
});

test('while it shuts down it sends what is under way, refuses the rest, and forgets nothing', async () => {
  const dot = Promise.withResolvers<string>();
  const receiver = await createSmtpReceiver({ dot: () => dot.promise });
  endings.push(() => receiver.stop());
  const first = await startApp({ receiver });
  endings.push(() => first.stop());
  const sender = await first.createSender();
  const id = await first.send(sender);
  await receiver.waitForCommand(/ \.$/);

  const stopped = first.stop();
  const refused = await first.request<Refusal>('POST', `${sender.base}/send`, letter, sender.token);
  expect(refused.status).toBe(503);
  expect(refused.body).toMatchObject({ code: 'unavailable', retry_after: 5 });
  expect(refused.headers.get('retry-after')).toBe('5');
  expect(refused.headers.get('connection')).toBe('close');
  const health = await first.request('GET', '/healthz');
  expect([health.status, health.body.status]).toEqual([503, 'draining']);
  expect(messages(sender, first)).toBe(1);
  dot.resolve(OK);
  await stopped;

  const second = await startApp({ receiver, home: first.home });
  endings.push(() => second.remove());
  expect(await second.message(sender, id)).toMatchObject({ status: 'processed' });
  expect(receiver.messages).toHaveLength(1);
});
