import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createOriginProbe, type OriginProbe } from '#src/insight/public-origin.ts';
import { MINUTE } from '#src/kernel/time.ts';
import { freePort } from '#test/support/process.ts';
import { createTestClock } from '#test/support/storage.ts';

const HEALTH = JSON.stringify({ status: 'ok', version: '1.2.3' });

/** A web server, and the probe of it. */
const scene = async (
  handle: (request: IncomingMessage, response: ServerResponse) => void,
  patienceMs?: number,
) => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    handle(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const clock = createTestClock();
  const probe: OriginProbe = createOriginProbe(origin, clock, patienceMs);
  onTestFinished(() => probe.stop());
  return { probe, clock, asked, server };
};
const answering = (status: number, body: string, headers = {}) =>
  scene((_, response) => response.writeHead(status, headers).end(body));

describe('the public origin', () => {
  test('is reachable where the service answers', async () => {
    const { probe, clock, asked } = await answering(200, HEALTH);
    expect(await probe.check()).toEqual({ reachable: true, checkedAt: clock.now(), error: null });
    expect(asked).toEqual(['GET /healthz']);
  });

  test('is reachable also while the service reports a failure', async () => {
    const { probe } = await answering(503, HEALTH);
    expect(await probe.check()).toMatchObject({ reachable: true });
  });

  const others: readonly (readonly [name: string, number, string, object, string])[] = [
    ['a page of someone else', 200, '<html>hello</html>', {}, 'something else answers there (200)'],
    ['other JSON', 200, '{"ok":true}', {}, 'something else answers there (200)'],
    ['null', 200, 'null', {}, 'something else answers there (200)'],
    ['nothing', 204, '', {}, 'something else answers there (204)'],
    ['a gateway without us', 502, 'Bad gateway', {}, 'something else answers there (502)'],
    ['a redirect', 301, HEALTH, { Location: 'http://127.0.0.1:1/' }, 'it redirects elsewhere (301)'],
    [
      'an answer that is too long',
      200,
      JSON.stringify({ status: 'ok', version: 'x'.repeat(70_000) }),
      {},
      'something else answers there (200)',
    ],
  ];
  test.each(others)('is not reachable where there is %s', async (_, status, body, headers, error) => {
    const { probe } = await answering(status, body, headers);
    expect(await probe.check()).toMatchObject({ reachable: false, error });
  });

  test('is not reachable if no server listens or the name does not exist', async () => {
    const refused = createOriginProbe(`http://127.0.0.1:${await freePort()}`, createTestClock());
    expect(await refused.check()).toMatchObject({ reachable: false, error: 'the connection was refused' });
  });

  test('an answer without end is cut off', async () => {
    let sent = 0;
    const { probe } = await scene((_, response) => {
      const more = () => {
        if (response.destroyed) return;
        sent += 1;
        response.write('x'.repeat(16_384), () => setImmediate(more));
      };
      more();
    });
    expect(await probe.check()).toMatchObject({ reachable: false });
    expect(sent).toBeLessThan(1_000);
  });
});

test('a result is used for five minutes', async () => {
  const { probe, clock, asked } = await answering(200, HEALTH);
  const start = clock.now();
  await probe.check();
  clock.set(start + 5 * MINUTE - 1);
  expect((await probe.check()).checkedAt).toBe(start);
  expect(asked).toHaveLength(1);
  clock.set(start + 5 * MINUTE);
  expect((await probe.check()).checkedAt).toBe(start + 5 * MINUTE);
  clock.set(start);
  expect((await probe.check()).checkedAt).toBe(start);
  expect(asked).toHaveLength(3);
});

test('concurrent checks share one request', async () => {
  const arrived = Promise.withResolvers<ServerResponse>();
  const { probe, asked } = await scene((_, response) => arrived.resolve(response));
  const answers = [probe.check(), probe.check(), probe.check()];
  (await arrived.promise).end(HEALTH);
  for (const answer of answers) expect((await answer).reachable).toBe(true);
  expect(asked).toHaveLength(1);
});

test('a silent server is given up after the timeout', async () => {
  const { probe } = await scene(() => undefined, 50);
  expect(await probe.check()).toMatchObject({ reachable: false, error: 'there was no answer in time' });
});

test('stopping ends the request in flight, and no further one is made', async () => {
  const arrived = Promise.withResolvers<void>();
  const { probe, asked, clock } = await scene(() => arrived.resolve());
  const answer = probe.check();
  await arrived.promise;
  probe.stop();
  expect(await answer).toMatchObject({ reachable: false, error: 'the service is shutting down' });
  clock.set(clock.now() + 10 * MINUTE);
  expect(await probe.check()).toMatchObject({ reachable: false });
  expect(asked).toHaveLength(1);
});
