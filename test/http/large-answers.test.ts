// Answers that are not read: many of them must not fill the memory that all practices share.
// @module-tag slow
import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineRoute } from '#src/kernel/route.ts';
import { dial, OTHER_TENANT, startServer, TENANT } from './fixture.ts';

const MIB = 1024 * 1024;

const shape = {
  method: 'get',
  tag: 'Test',
  summary: 'Much text',
  access: 'messages.send',
  stability: 'stable',
  params: z.object({ id: z.string() }),
  responses: { 200: { description: 'Much text.', body: 'text/plain' } },
} as const;

const large = defineRoute({
  id: 'postPracticesLarge',
  ...shape,
  path: '/api/practices/{id}/large',
  handle: () => ({ status: 200, contentType: 'text/plain', body: 'x'.repeat(24 * MIB) }),
});

const ask = (tenant: string, token: string): string =>
  `GET /api/practices/${tenant}/large HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`;

test('one practice holds its share of them, and gets the next once it has read or left', async () => {
  const server = await startServer({ routes: [large], heldAnswerBytes: 100 * MIB });
  const status = async (tenant: string, token: string) => {
    const headers = { Authorization: `Bearer ${token}`, 'Accept-Encoding': 'identity' };
    const answer = await fetch(`${server.url}/api/practices/${tenant}/large`, { headers });
    return {
      status: answer.status,
      bytes: (await answer.text()).length,
      retry: answer.headers.get('retry-after'),
    };
  };
  const unread = await dial(server.port);
  unread.write(ask(TENANT, 'sender'));
  await expect.poll(() => status(TENANT, 'sender')).toMatchObject({ status: 503, retry: '5' });
  expect(await status(OTHER_TENANT, 'other')).toMatchObject({ status: 200 });
  unread.destroy();
  await expect.poll(() => status(TENANT, 'sender')).toMatchObject({ status: 200, bytes: 24 * MIB });
  // What was read to its end gives its room back, too.
  await expect.poll(() => status(TENANT, 'sender')).toMatchObject({ status: 200 });
});

test('who leaves before the answer is made leaves nothing held', async () => {
  const entered = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  const slow = defineRoute({
    id: 'postPracticesSlow',
    ...shape,
    path: '/api/practices/{id}/slow',
    handle: async () => {
      entered.resolve();
      await gate.promise;
      setImmediate(left.resolve);
      return { status: 200, contentType: 'text/plain', body: 'x'.repeat(24 * MIB) };
    },
  });
  const server = await startServer({ routes: [slow, large], heldAnswerBytes: 100 * MIB });
  const gone = await dial(server.port);
  gone.write(ask(TENANT, 'sender').replace('/large', '/slow'));
  await entered.promise;
  gone.resetAndDestroy();
  // The server has seen it go once it has answered somebody who came later.
  await fetch(`${server.url}/healthz`);
  await fetch(`${server.url}/healthz`);
  gate.resolve();
  await left.promise;
  const answer = await fetch(`${server.url}/api/practices/${TENANT}/large`, {
    headers: { Authorization: 'Bearer sender' },
  });
  expect((await answer.text()).length).toBe(24 * MIB);
});
