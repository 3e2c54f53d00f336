// What another host gets of a request for a tenant that has moved there.
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { TenantMoved } from '#src/kernel/moved.ts';
import { defineRoute } from '#src/kernel/route.ts';
import { startServer } from './fixture.ts';

test.each([
  { what: 'a session of this host', authorization: 'Bearer svc_sess_abc', passes: false },
  { what: 'a token of the tenant', authorization: 'Bearer svc_team_abc', passes: true },
])('$what at a route for anyone: passed on is $passes', async ({ authorization, passes }) => {
  const seen: IncomingHttpHeaders[] = [];
  const other = createServer((request, response) => {
    seen.push(request.headers);
    response.writeHead(204).end();
  });
  onTestFinished(() => {
    other.close();
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  const moved = defineRoute({
    id: 'getMoved',
    method: 'get',
    path: '/u/moved',
    tag: 'Test',
    summary: 'Of a tenant that has moved',
    access: 'public',
    stability: 'stable',
    responses: { 200: { description: 'never', body: z.unknown() } },
    handle: () => {
      throw new TenantMoved({ origin, host: '127.0.0.1', mail: { host: '127.0.0.1', port: 25 } });
    },
  });
  const server = await startServer({ routes: [moved] });
  const answer = await fetch(`${server.url}/u/moved`, { headers: { Authorization: authorization } });
  expect(answer.status).toBe(204);
  expect(seen.map((headers) => headers.authorization)).toEqual([passes ? authorization : undefined]);
});
