// Answers that are made while they are read: their source ends with the client, and with it what it holds.

import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { eventsDescription } from '#src/followers/webhooks/described.ts';
import type { Caller } from '#src/kernel/access.ts';
import { anonymous } from '#src/kernel/access.ts';
import { noSuchToken } from '#src/kernel/credentials.ts';
import { AppError } from '#src/kernel/errors.ts';
import { defineRoute, type RequestContext } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import { openSse } from '#test/support/sse.ts';
import { dial, readAll, startServer, TENANT } from './fixture.ts';

const CHUNK = `${'x'.repeat(64 * 1024)}\n`;

interface Source extends AsyncIterable<string> {
  readonly returned: Promise<void>;
  pulled(): number;
}

/** Chunks without end, or none at all: then it never answers, however long it is asked. */
const source = (chunk: string | null): Source => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let pulled = 0;
  return {
    returned: promise,
    pulled: () => pulled,
    [Symbol.asyncIterator]: () => ({
      next: () => {
        pulled += 1;
        return chunk === null ? new Promise(() => {}) : Promise.resolve({ done: false, value: chunk });
      },
      return: async () => {
        resolve();
        return { done: true, value: undefined };
      },
    }),
  };
};

const routeOf = (body: (context: RequestContext) => AsyncIterable<string>) =>
  defineRoute({
    id: 'getPracticesStream',
    method: 'get',
    tag: 'Test',
    summary: 'A stream',
    access: 'messages.send',
    stability: 'stable',
    path: '/api/practices/{id}/stream',
    params: z.object({ id: z.string() }),
    responses: { 200: { description: 'A stream.', body: z.object({}), otherwise: 'text/event-stream' } },
    handle: (_, context) => ({ status: 200, contentType: 'text/event-stream', body: body(context) }),
  });

const PATH = `/api/practices/${TENANT}/stream`;
const SENDER = { Authorization: 'Bearer sender' };
const ASK = `GET ${PATH} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sender\r\n\r\n`;

describe('the source of a stream', () => {
  test('is ended at once when the client leaves, though there is nothing to send', async () => {
    const silent = source(null);
    const server = await startServer({ routes: [routeOf(() => silent)] });
    const socket = await dial(server.port);
    socket.write(ASK);
    await expect.poll(silent.pulled).toBe(1);
    socket.destroy();
    await silent.returned;
    await expect.poll(() => server.log.find(({ msg }) => msg === 'request')).toMatchObject({ aborted: true });
  });

  test('is ended at once also where the client was sending a body that is not read', async () => {
    const silent = source(null);
    const server = await startServer({ routes: [routeOf(() => silent)] });
    const socket = await dial(server.port);
    socket.write(ASK.replace('\r\n\r\n', `\r\nContent-Length: ${2 * CHUNK.length}\r\n\r\n${CHUNK}`));
    await expect.poll(silent.pulled).toBe(1);
    socket.destroy();
    await silent.returned;
  });

  test('is ended when the client left before the answer began', async () => {
    const silent = source(null);
    const entered = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const route = routeOf(() => silent);
    const late = defineRoute({
      ...route,
      handle: async (input, context) => {
        entered.resolve();
        await gate.promise;
        return route.handle(input as never, context);
      },
    });
    const server = await startServer({ routes: [late] });
    const socket = await dial(server.port);
    socket.write(ASK);
    await entered.promise;
    socket.destroy();
    await expect.poll(() => server.log.some(({ msg }) => msg === 'request')).toBe(true);
    gate.resolve();
    await silent.returned;
    expect(silent.pulled()).toBe(0);
  });

  test('is never asked for the answer to HEAD, and ended', async () => {
    const endless = source(CHUNK);
    const server = await startServer({ routes: [routeOf(() => endless)] });
    const head = await openSse(server.url + PATH, SENDER, 'HEAD');
    expect([head.status, head.headers['content-type'], await head.ended]).toEqual([
      200,
      'text/event-stream',
      true,
    ]);
    await endless.returned;
    expect(endless.pulled()).toBe(0);
  });

  test('is asked no further than the client reads, and ended when it reads nothing for too long', async () => {
    const endless = source(CHUNK);
    const server = await startServer({ routes: [routeOf(() => endless)], unreadMs: 500 });
    const socket = await dial(server.port);
    socket.pause();
    socket.write(ASK);
    await endless.returned;
    // What the system holds for a connection is some MiB.
    expect(endless.pulled() * CHUNK.length).toBeLessThan(64 * 1024 * 1024);
    await expect.poll(() => server.log.find(({ msg }) => msg === 'request')).toMatchObject({ aborted: true });
  });

  test('whose client reads slowly goes on', async () => {
    const endless = source(CHUNK);
    const server = await startServer({ routes: [routeOf(() => endless)], unreadMs: 4_000 });
    const live = await openSse(server.url + PATH, SENDER);
    let ended = false;
    void endless.returned.then(() => {
      ended = true;
    });
    const before = endless.pulled();
    for (let turn = 0; turn < 8; turn += 1) {
      live.pause();
      // So often that it is longer than what a client has that reads nothing; each far shorter, for a busy machine.
      await new Promise((resolve) => setTimeout(resolve, 550));
      live.resume();
      const length = live.text().length;
      await expect.poll(() => live.text().length).toBeGreaterThan(length);
    }
    expect([ended, endless.pulled() > before]).toEqual([false, true]);
    live.close();
    await endless.returned;
  });

  test('that fails breaks the connection, so that the answer is not taken for whole', async () => {
    const received = Promise.withResolvers<void>();
    const failing = async function* () {
      yield 'retry: 1\n\n';
      await received.promise;
      throw new AppError('unauthorized', say`No more.`);
    };
    const server = await startServer({ routes: [routeOf(failing)] });
    const live = await openSse(server.url + PATH, SENDER);
    received.resolve();
    expect([await live.ended, live.text()]).toEqual([false, 'retry: 1\n\n']);
    await expect
      .poll(() => server.log.find(({ msg }) => msg === 'request'))
      .toMatchObject({ status: 200, code: 'unauthorized', bytes_out: 10 });
  });
});

describe('a handler that asks again who the caller is', () => {
  const sender: Caller = {
    ...anonymous,
    kind: 'team_token',
    credentialId: 'one',
    tenantId: TENANT,
    permissions: new Set(['messages.send']),
  };
  const stages: readonly (readonly [name: string, now: Caller | null, said: string])[] = [
    ['has them as they are now', { ...sender, projects: new Set(['p1']) }, 'p1'],
    ['is refused for a credential that lives no more', null, 'unauthorized'],
    ['is refused for a right that is gone', { ...sender, permissions: new Set() }, 'forbidden'],
    [
      'is refused for a practice that is no longer theirs',
      { ...sender, tenantId: null, kind: 'member' },
      'not_found',
    ],
  ];
  test.each(stages)('%s', async (_, now, said) => {
    let present: Caller | null = sender;
    const route = routeOf(async function* ({ readmit }) {
      yield 'first ';
      present = now;
      yield await readmit().then(
        ({ projects }) => [...(projects ?? [])].join(),
        (error: AppError) => error.code,
      );
    });
    const asked: boolean[] = [];
    const authenticate = ({ isOnceMore }: { readonly isOnceMore: boolean }) => {
      asked.push(isOnceMore);
      if (present === null) throw noSuchToken();
      return present;
    };
    const server = await startServer({ routes: [route], authenticate });
    const socket = await dial(server.port);
    socket.write(ASK.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
    expect(await readAll(socket)).toContain(said);
    // Else an unused session would live for as long as its stream.
    expect(asked).toEqual([false, true]);
  });
});

test('both descriptions of the API show its two forms', async () => {
  const { openApiDocument } = await import('#src/http/openapi.ts');
  const { pageAsMarkdown } = await import('#src/http/reference/markdown.ts');
  const { referenceOf } = await import('#src/http/reference/pages.ts');
  const info = { name: 'Test', version: '1', origin: 'https://mail.example.com', events: eventsDescription };
  const routes = [routeOf(() => source(null))];
  const { paths } = openApiDocument(routes, info) as {
    paths: Record<string, { get: { responses: object } }>;
  };
  expect(paths['/api/practices/{id}/stream']?.get.responses).toMatchObject({
    200: { content: { 'application/json': { schema: expect.anything() }, 'text/event-stream': {} } },
  });
  const reference = referenceOf(routes, info);
  const shown = reference.links.map(({ name }) => reference.page(name)).filter((page) => page !== undefined);
  const text = shown.map((page) => pageAsMarkdown(page, reference)).join('\n');
  expect(text).toContain('or `text/event-stream`, by Accept');
});
