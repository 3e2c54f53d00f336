import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { anonymous, type Caller } from '#src/kernel/access.ts';
import { createByteBudget } from '#src/kernel/byte-budget.ts';
import { defineRoute } from '#src/kernel/route.ts';
import { until } from '#test/support/process.ts';
import { dial, OTHER_TENANT, readAll, sender, startServer, TENANT } from './fixture.ts';

const MIB = 1024 * 1024;
const LIMIT = 8 * MIB;

const head = (framing: string, path = `/api/practices/${TENANT}/echo`): string =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sender\r\nContent-Type: application/json\r\n${framing}\r\n\r\n`;

const bodyOf = (answer: string): unknown => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')));

const asChunk = (bytes: number): string => `${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`;

/** A body of 91 bytes in two parts: 80 to begin with. */
const BEGUN = `{"to":"a","subject":"b","anything":"${'x'.repeat(44)}`;
const ENDED = '123456789"}';

/** A whole body of that size. */
const post = (url: string, credential: Record<string, string>, bytes: number, tenant = TENANT) => {
  const body = JSON.stringify({ to: 'a', subject: 'c', anything: 'x' }).padEnd(bytes);
  const headers = { ...credential, 'Content-Type': 'application/json' };
  return fetch(`${url}/api/practices/${tenant}/echo`, { method: 'POST', headers, body });
};

describe('bodies off the connection', () => {
  test('a body in many small pieces is put together', async () => {
    const server = await startServer();
    const socket = await dial(server.port);
    socket.setNoDelay(true);
    const answered = readAll(socket, '"subject":"ü"');
    const body = Buffer.from('{"to":"a","subject":"ü"}');
    socket.write(head(`Content-Length: ${body.length}`));
    for (const byte of body) await new Promise((resolve) => socket.write(Buffer.of(byte), resolve));
    expect(await answered).toMatch(/^HTTP\/1.1 200 /);
  });

  test('a chunked body is put together, and the connection used again', async () => {
    const server = await startServer();
    const socket = await dial(server.port);
    const once = `${head('Transfer-Encoding: chunked')}8\r\n{"to":"a\r\n10\r\n","subject":"b"}\r\n0\r\n\r\n`;
    const answered = readAll(socket);
    socket.write(once + once.replace('Host: x', 'Host: x\r\nConnection: close'));
    expect((await answered).match(/HTTP\/1.1 200 /g)).toHaveLength(2);
  });

  test('a body in thousands of chunks of one byte is put together in order', async () => {
    const server = await startServer();
    const socket = await dial(server.port);
    const answered = readAll(socket, '\r\n\r\n{');
    const body = JSON.stringify({
      to: 'a',
      subject: 'b',
      anything: Array.from({ length: 1000 }, (_, index) => index),
    });
    socket.write(
      `${head('Transfer-Encoding: chunked')}${[...body].map((byte) => `1\r\n${byte}\r\n`).join('')}0\r\n\r\n`,
    );
    expect(await answered).toMatch(/^HTTP\/1.1 200 [\s\S]*\[0,1,2,3,/);
  });

  test('a body that stops arriving is given up after half a minute', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    let clientGone = false;
    const server = await startServer();
    const socket = await dial(server.port);
    const answered = readAll(socket).finally(() => {
      clientGone = true;
    });
    socket.write(`${head('Content-Length: 1000\r\nExpect: 100-continue')}{"to":`);
    await new Promise((resolve) => socket.once('data', resolve));
    while (!clientGone) {
      vi.advanceTimersByTime(31_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    const answer = await answered;
    expect(answer).toContain('HTTP/1.1 400 ');
    expect(answer).toContain('nothing arrived for 30 s');
  });

  // In real time, a hundred times as fast: the clock of the test revives timers that node leaves cleared.
  test('so is a large one of untold length, once there is room for it', async () => {
    const inRealTime = setTimeout;
    vi.stubGlobal('setTimeout', (work: () => void, delayMs: number) => inRealTime(work, delayMs / 100));
    onTestFinished(() => void vi.unstubAllGlobals());
    const server = await startServer();
    const socket = await dial(server.port);
    const answered = readAll(socket);
    socket.write(head('Transfer-Encoding: chunked') + asChunk(300_000));
    expect(await answered).toContain('nothing arrived for 30 s');
  });

  test('a declared length over the limit is answered before a byte of it is sent', async () => {
    const server = await startServer();
    const socket = await dial(server.port);
    const answered = readAll(socket, '"limit_bytes"');
    socket.write(head(`Content-Length: ${LIMIT + 1}`));
    const answer = await answered;
    expect(answer).toMatch(/^HTTP\/1.1 413 /);
    expect(answer).toContain('Connection: close');
    expect(bodyOf(answer)).toMatchObject({ code: 'body_too_large', limit_bytes: LIMIT });
  });

  test('a client that sends all before it listens still gets its 413', async () => {
    const server = await startServer();
    const socket = await dial(server.port);
    socket.pause();
    socket.write(head(`Content-Length: ${3 * LIMIT}`));
    await new Promise((resolve) => socket.write('x'.repeat(3 * LIMIT), resolve));
    expect(bodyOf(await readAll(socket))).toMatchObject({ code: 'body_too_large' });
  });

  test('chunks are cut off at the limit and the answer can be read', async () => {
    const server = await startServer();
    const socket = await dial(server.port);
    socket.pause();
    socket.write(head('Transfer-Encoding: chunked'));
    for (let sent = 0; sent <= LIMIT; sent += MIB)
      await new Promise((resolve) => socket.write(asChunk(MIB), resolve));
    const answer = await readAll(socket, '"limit_bytes"');
    expect(answer).toMatch(/^HTTP\/1.1 413 /);
    expect(answer).toContain('Connection: close');
  });

  test('fetch reads the 413 of a large upload', async () => {
    const server = await startServer();
    const headers = { Authorization: 'Bearer sender', 'Content-Type': 'application/json' };
    const url = `${server.url}/api/practices/${TENANT}/echo`;
    const response = await fetch(url, { method: 'POST', headers, body: 'x'.repeat(2 * LIMIT) });
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ limit_bytes: LIMIT });
  });

  test('a body of exactly the limit is taken', async () => {
    const server = await startServer();
    const frame = JSON.stringify({ to: 'a', subject: 'b', anything: '' });
    const body = JSON.stringify({ to: 'a', subject: 'b', anything: 'x'.repeat(LIMIT - frame.length) });
    const headers = { Authorization: 'Bearer sender', 'Content-Type': 'application/json' };
    const url = `${server.url}/api/practices/${TENANT}/echo`;
    const response = await fetch(url, { method: 'POST', headers, body });
    expect(body).toHaveLength(LIMIT);
    expect(response.status).toBe(200);
  });

  test('who waits for 100 Continue is invited, or refused without having sent the body', async () => {
    const server = await startServer();
    const invited = await dial(server.port);
    const continued = readAll(invited, '100 Continue');
    invited.write(head('Content-Length: 24\r\nExpect: 100-continue'));
    await continued;
    const answered = readAll(invited, '200 OK');
    invited.write('{"to":"a","subject":"b"}');
    expect(await answered).toContain('200 OK');

    const refused = await dial(server.port);
    refused.write(head(`Content-Length: ${LIMIT + 1}\r\nExpect: 100-continue`));
    const answer = await readAll(refused);
    expect(answer).toMatch(/^HTTP\/1.1 413 /);
  });

  test('a client that leaves in the midst of its body is logged as aborted and does no harm', async () => {
    const server = await startServer();
    const socket = await dial(server.port);
    socket.write(`${head('Content-Length: 1000')}{"to":`);
    await new Promise((resolve) => setImmediate(resolve));
    socket.destroy();
    await expect
      .poll(() => server.log.filter(({ msg }) => msg === 'request'))
      .toMatchObject([{ aborted: true, status: null }]);
    expect((await fetch(`${server.url}/api/meta`)).status).toBe(200);
  });

  test('a refused small body is read off and the connection used again', async () => {
    const server = await startServer();
    const socket = await dial(server.port);
    const refused = head('Content-Length: 10').replace('Bearer sender', 'Bearer wrong');
    socket.write(`${refused}0123456789GET /api/meta HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    const answers = await readAll(socket);
    expect(answers).toMatch(/^HTTP\/1.1 401 [\s\S]*HTTP\/1.1 200 /);
  });

  test('a refused large body closes the connection after the answer', async () => {
    const server = await startServer();
    const socket = await dial(server.port);
    socket.write(
      head('Content-Length: 1000000').replace('Bearer sender', 'Bearer wrong') + 'x'.repeat(1_000_000),
    );
    expect(await readAll(socket)).toMatch(/^HTTP\/1.1 401 [\s\S]*Connection: close/);
  });

  test('a route without a body does not look at one', async () => {
    const server = await startServer();
    const url = `${server.url}/api/public/bodiless`;
    const response = await fetch(url, { method: 'POST', body: 'List-Unsubscribe=One-Click' });
    expect(await response.json()).toEqual({ done: true });
  });

  test('bodies beyond what all requests may hold are put off, and taken when others are done', async () => {
    const server = await startServer({ bodies: createByteBudget(250) });
    const other = head('Content-Length: 91', `/api/practices/${OTHER_TENANT}/echo`);
    const first = await dial(server.port);
    first.write(head('Content-Length: 91') + BEGUN);
    const second = await dial(server.port);
    second.write(other.replace('Bearer sender', 'Bearer other') + BEGUN);
    const send = () => post(server.url, { 'X-Admin-Token': 'root' }, 95);
    await expect.poll(async () => (await send()).status).toBe(503);
    const refused = await send();
    expect(refused.headers.get('retry-after')).toBe('2');
    expect(await refused.json()).toMatchObject({ code: 'unavailable' });
    const answered = readAll(first, '200 OK');
    first.write(ENDED);
    expect(await answered).toMatch(/^HTTP\/1.1 200 /);
    await expect.poll(async () => (await send()).status).toBe(200);
  });

  test.each(['declared', 'not declared'])(
    'large bodies wait for each other, their length %s',
    async (length) => {
      const server = await startServer({ bodies: createByteBudget(30 * MIB) });
      const body = Buffer.from(JSON.stringify({ to: 'a', subject: 'c', anything: 'x' }).padEnd(4 * MIB));
      const headers = { Authorization: 'Bearer sender', 'Content-Type': 'application/json' };
      const send = () =>
        fetch(`${server.url}/api/practices/${TENANT}/echo`, {
          method: 'POST',
          headers,
          ...(length === 'declared'
            ? { body }
            : { body: new Blob([body]).stream(), duplex: 'half' as const }),
        });
      const answers = await Promise.all(Array.from({ length: 8 }, send));
      expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
    },
  );

  test('a large one that drips gives way to one that waits for its room', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    // One of them is the practice's share.
    const server = await startServer({ bodies: createByteBudget(10 * MIB) });
    const length = 4 * MIB;
    const slow = await dial(server.port);
    const given = readAll(slow, 'came too slowly');
    slow.write(`${head(`Content-Length: ${length}`)}{"to":`);
    // It comes first: there is no room for a small one beside it.
    await expect
      .poll(async () => (await post(server.url, { Authorization: 'Bearer sender' }, 250_000)).status)
      .toBe(503);
    const answered = post(server.url, { Authorization: 'Bearer sender' }, length);
    const isOver = answered.then(() => true);
    while (!(await Promise.race([isOver, new Promise((resolve) => setImmediate(resolve, false))])))
      vi.advanceTimersByTime(5_000);
    expect((await answered).status).toBe(200);
    const answer = await given;
    expect(answer).toMatch(/HTTP\/1\.1 503 [\s\S]*came too slowly/);
    expect(answer).toMatch(/\r\nRetry-After: 2\r\n/i);
  });

  test('who leaves while waiting takes no room', async () => {
    const server = await startServer({ bodies: createByteBudget(20.5 * MIB) });
    const length = 4 * MIB;
    const target = head(`Content-Length: ${length}`, `/api/practices/${TENANT}/echo`);
    const first = await dial(server.port);
    first.write(target);
    const second = await dial(server.port);
    second.write(target);
    // Both have their room: not even a small body fits beside them.
    await expect
      .poll(async () => (await post(server.url, { Authorization: 'Bearer sender' }, 250_000)).status)
      .toBe(503);
    const third = await dial(server.port);
    const answered = readAll(third, '200 OK');
    third.write(target);
    third.write(JSON.stringify({ to: 'a', subject: 'c', anything: 'x' }).padEnd(length));
    second.destroy();
    first.destroy();
    expect(await answered).toMatch(/^HTTP\/1.1 200 /);
  });

  test('one practice cannot hold more than its share, by whichever connection, while others get in', async () => {
    const server = await startServer({ bodies: createByteBudget(250) });
    const first = await dial(server.port);
    first.write(head('Content-Length: 91') + BEGUN);
    const own = { Authorization: 'Bearer sender' };
    await expect.poll(async () => (await post(server.url, own, 40)).status).toBe(503);
    expect((await post(server.url, { Authorization: 'Bearer other' }, 95, OTHER_TENANT)).status).toBe(200);
    expect((await post(server.url, { 'X-Admin-Token': 'root' }, 95)).status).toBe(200);
    expect((await post(server.url, own, 40)).status).toBe(503);
    first.destroy();
    await expect.poll(async () => (await post(server.url, own, 95)).status).toBe(200);
  });

  test('room is given back to whose it was, also where the body names the practice of a member', async () => {
    const member: Caller = { ...anonymous, kind: 'member', credentialId: 'a session' };
    const flat = defineRoute({
      id: 'postFlat',
      method: 'post',
      audit: { none: 'for the tests' },
      path: '/api/flat',
      tag: 'Test',
      summary: 'For the tests.',
      stability: 'stable',
      access: 'messages.send',
      body: z.object({ practice_id: z.uuid(), text: z.string() }),
      responses: { 204: { description: 'done' } },
      handle: () => ({ status: 204 }),
    });
    // Less than three of them would be the share.
    const bodies = createByteBudget(500);
    const server = await startServer({
      bodies,
      routes: [flat],
      authenticate: () => member,
      enterTenant: async () => sender,
    });
    const headers = { Authorization: 'Bearer x', 'Content-Type': 'application/json' };
    const body = JSON.stringify({ practice_id: TENANT, text: 'x' });
    for (let time = 0; time < 4; time++) {
      const { status } = await fetch(`${server.url}/api/flat`, { method: 'POST', headers, body });
      expect(status).toBe(204);
      await until('the connection is done with the answer', () => {
        const isGivenBack = bodies.take(TENANT, 200);
        if (isGivenBack) bodies.release(TENANT, 200);
        return isGivenBack;
      });
    }
  });

  test('who has left before their body was looked at leaves no room taken', async () => {
    const entered = Promise.withResolvers<void>();
    const known = Promise.withResolvers<void>();
    const bodies = createByteBudget(250);
    const server = await startServer({
      bodies,
      authenticate: async () => {
        entered.resolve();
        await known.promise;
        return sender;
      },
    });
    const socket = await dial(server.port);
    socket.write(`${head('Content-Length: 91')}${BEGUN}${ENDED}`);
    await entered.promise;
    socket.destroy();
    await until('it has left', () => server.log.some(({ aborted }) => aborted === true));
    known.resolve();
    await pause(20);
    await until('nothing is held', () => bodies.take(TENANT, 100));
  });

  test('strangers hold each their own share: one at one address does not shut out the others', async () => {
    const server = await startServer({ bodies: createByteBudget(250), trustProxy: 1 });
    const from = (address: string) => {
      const headers = { 'Content-Type': 'application/json', 'X-Forwarded-For': address };
      const body = JSON.stringify({ text: 'x'.repeat(70) });
      return fetch(`${server.url}/api/public/small`, { method: 'POST', headers, body });
    };
    const greedy = await dial(server.port);
    greedy.write(head('X-Forwarded-For: 192.0.2.1\r\nContent-Length: 91', '/api/public/small') + BEGUN);
    await expect.poll(async () => (await from('192.0.2.1')).status).toBe(503);
    expect((await from('192.0.2.2')).status).toBe(200);
    expect((await from('192.0.2.1')).status).toBe(503);
  });

  test('what anyone may call takes small bodies only', async () => {
    const server = await startServer();
    const headers = { 'Content-Type': 'application/json' };
    const post = (bytes: number) =>
      fetch(`${server.url}/api/public/small`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ text: '' }).padEnd(bytes),
      });
    expect((await post(16 * 1024)).status).toBe(200);
    expect(await (await post(16 * 1024 + 1)).json()).toMatchObject({ limit_bytes: 16 * 1024 });
  });
});

describe('the credential of a request with a body', () => {
  const authentications = async (...packets: readonly string[]): Promise<(readonly [boolean])[]> => {
    const asked: [boolean][] = [];
    const server = await startServer({
      authenticate: ({ isOnceMore }) => {
        asked.push([isOnceMore]);
        return sender;
      },
    });
    const socket = await dial(server.port);
    const answered = readAll(socket, '"subject":"b"');
    for (const packet of packets) {
      socket.write(packet);
      await until('it was looked at', () => asked.length > 0);
    }
    expect(await answered).toMatch(/^HTTP\/1.1 200 /);
    return asked;
  };
  const body = '{"to":"a","subject":"b"}';
  const start = head(`Content-Length: ${body.length}`);

  test('is looked at once where all of it came at once', async () => {
    expect(await authentications(start + body)).toEqual([[false]]);
  });

  test('is looked at again where the body came later', async () => {
    expect(await authentications(start, body)).toEqual([[false], [true]]);
    expect(await authentications(start + body.slice(0, 5), body.slice(5))).toEqual([[false], [true]]);
  });
});

describe('a budget', () => {
  test('takes all or nothing', () => {
    const budget = createByteBudget(10);
    expect(budget.take('a', 4)).toBe(true);
    expect(budget.take('b', 4)).toBe(true);
    expect(budget.take('c', 3)).toBe(false);
    expect(budget.take('c', 2)).toBe(true);
    budget.release('b', 4);
    expect(budget.take('c', 3)).toBe(false);
    expect(budget.take('c', 2)).toBe(true);
  });

  test('gives one owner its share and no more, and the share again once it is given back', () => {
    const budget = createByteBudget(100);
    expect(budget.take('a', 41)).toBe(false);
    expect(budget.take('a', 30)).toBe(true);
    expect(budget.take('a', 11)).toBe(false);
    expect(budget.take('a', 10)).toBe(true);
    expect(budget.take('a', 1)).toBe(false);
    expect(budget.take('b', 40)).toBe(true);
    budget.release('a', 10);
    expect(budget.take('a', 11)).toBe(false);
    expect(budget.take('a', 10)).toBe(true);
    budget.release('a', 40);
    expect(budget.take('a', 40)).toBe(true);
  });
});
