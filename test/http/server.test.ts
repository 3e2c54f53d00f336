import { describe, expect, test } from 'vitest';
import {
  allRoutes,
  dial,
  gate,
  LIMITS,
  OTHER_TENANT,
  readAll,
  startServer,
  TENANT,
  testRoutes,
  UNKNOWN_TENANT,
} from './fixture.ts';

const sender = { Authorization: 'Bearer sender' };
const json = { 'Content-Type': 'application/json' };
const echo = `/api/practices/${TENANT}/echo`;
const good = JSON.stringify({ to: 'a@example.com', subject: 'Hello' });

interface Case {
  name: string;
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
  status: number;
  code?: string;
  answers?: Record<string, unknown>;
  sends?: Record<string, string>;
}

const cases: Case[] = [
  {
    name: 'a valid POST is answered by its handler',
    method: 'POST',
    path: echo,
    headers: { ...sender, ...json },
    body: good,
    status: 200,
  },
  {
    name: 'a public route needs no credential',
    path: '/api/meta',
    status: 200,
    sends: { 'cache-control': 'no-store' },
  },
  {
    name: 'a public route ignores a wrong credential',
    path: '/api/meta',
    headers: { Authorization: 'Bearer wrong' },
    status: 200,
  },
  {
    name: 'what is not of the API may be cached as its route says',
    path: '/healthz',
    status: 200,
    sends: { 'x-content-type-options': 'nosniff' },
  },
  {
    name: 'a missing credential is refused',
    path: `/api/practices/${TENANT}`,
    status: 401,
    code: 'unauthorized',
    sends: { 'www-authenticate': 'Bearer' },
  },
  {
    name: 'an unknown token is refused',
    path: `/api/practices/${TENANT}`,
    headers: { Authorization: 'Bearer nobody' },
    status: 401,
    code: 'unauthorized',
  },
  {
    name: 'another scheme is refused',
    path: `/api/practices/${TENANT}`,
    headers: { Authorization: 'Basic c2VuZGVyOg==' },
    status: 401,
    code: 'unauthorized',
  },
  {
    name: 'the scheme is written in any case',
    path: `/api/practices/${TENANT}`,
    headers: { Authorization: 'bearer sender' },
    status: 200,
  },
  {
    name: 'the admin token enters every tenant',
    path: `/api/practices/${OTHER_TENANT}`,
    headers: { 'X-Admin-Token': 'root' },
    status: 200,
  },
  {
    name: 'a good bearer counts beside a wrong admin token',
    path: `/api/practices/${TENANT}`,
    headers: { ...sender, 'X-Admin-Token': 'x' },
    status: 200,
  },
  {
    name: 'a good admin token counts beside a wrong bearer',
    path: `/api/practices/${TENANT}`,
    headers: { Authorization: 'Bearer x', 'X-Admin-Token': 'root' },
    status: 200,
  },
  {
    name: 'a tenant id in capitals is the same tenant',
    path: `/api/practices/${TENANT.toUpperCase()}`,
    headers: sender,
    status: 200,
    answers: { id: TENANT },
  },
  {
    name: 'the operator learns that a tenant is unknown',
    path: `/api/practices/${UNKNOWN_TENANT}`,
    headers: { 'X-Admin-Token': 'root' },
    status: 404,
    code: 'not_found',
  },
  {
    name: 'what is no UUID is no tenant',
    path: '/api/practices/x',
    headers: { 'X-Admin-Token': 'root' },
    status: 404,
    code: 'not_found',
  },
  {
    name: 'a missing permission is named',
    method: 'POST',
    path: echo,
    headers: { Authorization: 'Bearer viewer', ...json },
    body: good,
    status: 403,
    code: 'forbidden',
    answers: { permission: 'messages.send' },
  },
  {
    name: 'an operator route names the operator, which is no permission',
    method: 'DELETE',
    path: `/api/practices/${TENANT}`,
    headers: sender,
    status: 403,
    code: 'forbidden',
    answers: { error: 'This is for operators of the service.' },
  },
  {
    name: 'another tenant is unknown before a permission is missing',
    method: 'DELETE',
    path: `/api/practices/${OTHER_TENANT}`,
    headers: sender,
    status: 404,
    code: 'not_found',
  },
  {
    name: 'a deletion is answered without a body',
    method: 'DELETE',
    path: `/api/practices/${TENANT}`,
    headers: { 'X-Admin-Token': 'root' },
    status: 204,
  },
  { name: 'an unknown path is not found', path: '/api/nothing', status: 404, code: 'not_found' },
  { name: 'a slash at the end is the same path', path: '/api/meta/', status: 200 },
  {
    name: 'a path with nothing at it names the nearest',
    path: '/api/metta',
    status: 404,
    code: 'not_found',
    answers: { hint: 'Perhaps GET /api/meta is meant.' },
  },
  { name: 'a broken percent code is no path', path: '/api/public/fails/%zz', status: 404, code: 'not_found' },
  {
    name: 'another method names the allowed ones',
    method: 'PUT',
    path: '/api/meta',
    status: 404,
    code: 'not_found',
    answers: { hint: 'It takes GET, HEAD.' },
    sends: { allow: 'GET, HEAD' },
  },
  {
    name: 'HEAD is answered as GET without the body',
    method: 'HEAD',
    path: '/api/meta',
    status: 200,
    sends: { 'content-length': '7' },
  },
  {
    name: 'a defect says nothing of the inside',
    path: '/api/public/fails/badly',
    status: 500,
    code: 'internal_error',
    answers: { error: 'The request failed by a defect of the service.' },
  },
  {
    name: 'a header that cannot be sent is a defect',
    path: '/api/public/fails/header',
    status: 500,
    code: 'internal_error',
  },
  {
    name: 'an undeclared answer is a defect where answers are checked',
    path: '/api/public/fails/undeclared',
    status: 500,
    code: 'internal_error',
  },
  {
    name: 'an undeclared error is a defect where answers are checked',
    path: '/api/public/fails/gone',
    status: 500,
    code: 'internal_error',
  },
  {
    name: 'a thrown error is answered by its code',
    path: '/api/public/fails/conflict',
    status: 409,
    code: 'conflict',
  },
  {
    name: 'retry_after is a header too',
    path: '/api/public/fails/busy',
    status: 503,
    code: 'unavailable',
    sends: { 'retry-after': '7' },
  },
  {
    name: 'a route overrides a header of the server',
    path: '/api/public/csv',
    status: 200,
    sends: { 'cache-control': 'max-age=60', 'content-type': 'text/csv' },
  },
  {
    name: 'a query is validated',
    method: 'POST',
    path: `${echo}?limit=900`,
    headers: { ...sender, ...json },
    body: good,
    status: 400,
    code: 'invalid_request',
    answers: { fields: [{ path: 'query.limit', message: 'must be at most 200' }] },
  },
  {
    name: 'a body of another type is refused',
    method: 'POST',
    path: echo,
    headers: { ...sender, 'Content-Type': 'text/plain' },
    body: good,
    status: 415,
    code: 'unsupported_media_type',
  },
  {
    name: 'another charset is refused',
    method: 'POST',
    path: echo,
    headers: { ...sender, 'Content-Type': 'application/json; charset=latin1' },
    body: good,
    status: 415,
    code: 'unsupported_media_type',
  },
  {
    name: 'UTF-8 may be named',
    method: 'POST',
    path: echo,
    headers: { ...sender, 'Content-Type': 'Application/JSON; charset="UTF-8"' },
    body: good,
    status: 200,
  },
  {
    name: 'a compressed body is refused',
    method: 'POST',
    path: echo,
    headers: { ...sender, ...json, 'Content-Encoding': 'gzip' },
    body: good,
    status: 415,
    code: 'unsupported_media_type',
  },
  {
    name: 'a missing body is named',
    method: 'POST',
    path: echo,
    headers: sender,
    status: 400,
    code: 'invalid_request',
    answers: { fields: [{ path: 'body', message: 'is required' }] },
  },
  {
    name: 'broken JSON is named, not quoted',
    method: 'POST',
    path: echo,
    headers: { ...sender, ...json },
    body: '{"to": secret}',
    status: 400,
    code: 'invalid_json',
    answers: { error: "The body is not JSON: Unexpected token 's'." },
  },
  {
    name: 'malformed UTF-8 is said so',
    method: 'POST',
    path: echo,
    headers: { ...sender, ...json },
    body: new Uint8Array([0x22, 0xff, 0x22]),
    status: 400,
    code: 'invalid_json',
    answers: { error: 'The body is not well-formed UTF-8.' },
  },
  {
    name: 'half a surrogate pair is placed',
    method: 'POST',
    path: echo,
    headers: { ...sender, ...json },
    body: '{"to":["a","\\ud800"],"subject":"x"}',
    status: 400,
    code: 'invalid_request',
  },
  {
    name: 'a whole surrogate pair is a character',
    method: 'POST',
    path: echo,
    headers: { ...sender, ...json },
    body: '{"to":"\\ud83d\\ude00","subject":"x"}',
    status: 200,
  },
  {
    name: 'deep nesting is refused',
    method: 'POST',
    path: echo,
    headers: { ...sender, ...json },
    body: `{"anything":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
    status: 400,
    code: 'invalid_request',
  },
  {
    name: 'a misspelt field gets a suggestion',
    method: 'POST',
    path: echo,
    headers: { ...sender, ...json },
    body: '{"to":"a","sujbect":"x","subject":"y"}',
    status: 400,
    code: 'invalid_request',
    answers: {
      fields: [{ path: 'body.sujbect', message: 'unknown field `sujbect`; did you mean `subject`?' }],
    },
  },
  {
    name: '__proto__ is an unknown field',
    method: 'POST',
    path: echo,
    headers: { ...sender, ...json },
    body: '{"to":"a","subject":"y","__proto__":{"polluted":1}}',
    status: 400,
    code: 'invalid_request',
    answers: { fields: [{ path: 'body.__proto__', message: 'unknown field `__proto__`' }] },
  },
  {
    name: 'a default body limit holds where a route sets none',
    method: 'POST',
    path: `/api/practices/${TENANT}/usual`,
    headers: { ...sender, ...json },
    body: JSON.stringify({ text: 'x'.repeat(1024 * 1024) }),
    status: 413,
    code: 'body_too_large',
    answers: { limit_bytes: 1024 * 1024 },
  },
];

describe('requests and their answers', () => {
  test.each(cases)(
    '$name',
    async ({ method = 'GET', path, headers = {}, body, status, code, answers = {}, sends = {} }) => {
      const server = await startServer();
      const response = await fetch(server.url + path, {
        method,
        headers,
        ...(body === undefined ? {} : { body }),
      });
      const answer = await response.text();
      expect(response.status).toBe(status);
      expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
      if (path.startsWith('/api/')) expect(response.headers.get('ratelimit-limit')).toBe('1000');
      expect(response.headers.get('x-powered-by')).toBeNull();
      expect(response.headers.get('etag')).toBeNull();
      for (const [name, value] of Object.entries(sends)) expect(response.headers.get(name)).toBe(value);
      if (method === 'HEAD' || status === 204) expect(answer).toBe('');
      if (code !== undefined)
        expect(JSON.parse(answer)).toMatchObject({
          code,
          error: expect.any(String),
          hint: expect.any(String),
        });
      if (Object.keys(answers).length > 0) expect(JSON.parse(answer)).toMatchObject(answers);
      expect(answer).not.toContain('secret');
    },
  );

  test('another tenant, an unknown one and a malformed id are answered alike', async () => {
    const server = await startServer();
    const forms = await Promise.all(
      [OTHER_TENANT, UNKNOWN_TENANT, 'x'].map(async (id) => {
        const response = await fetch(`${server.url}/api/practices/${id}`, { headers: sender });
        const headers = Object.fromEntries(response.headers);
        for (const changing of ['x-request-id', 'date', 'ratelimit-remaining', 'ratelimit-reset'])
          delete headers[changing];
        return { status: response.status, headers, body: await response.text() };
      }),
    );
    expect(forms[0]?.status).toBe(404);
    expect(forms[1]).toEqual(forms[0]);
    expect(forms[2]).toEqual(forms[0]);
  });

  test('keys of prototypes stay data', async () => {
    const server = await startServer();
    const body =
      '{"to":"a","subject":"b","metadata":{"__proto__":"x","constructor":"y"},"anything":{"__proto__":{"polluted":1}}}';
    const response = await fetch(server.url + echo, {
      method: 'POST',
      headers: { ...sender, ...json },
      body,
    });
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('"constructor":"y"');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test('a repeated credential or header is none', async () => {
    const server = await startServer();
    const socket = await dial(server.port);
    socket.write(
      `GET /api/practices/${TENANT} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sender\r\nAuthorization: Bearer viewer\r\n\r\n` +
        'GET /api/public/address HTTP/1.1\r\nHost: x\r\nX-Twice: a\r\nX-Twice: b\r\nConnection: close\r\n\r\n',
    );
    const answers = await readAll(socket);
    expect(answers).toMatch(/^HTTP\/1.1 401 /);
    expect(answers).toContain('"twice":null');
  });

  test.each<[string, false | number | readonly string[], string]>([
    ['is not believed where no proxy is trusted', false, '127.0.0.1'],
    ['is believed in its last entry behind one proxy', 1, '192.0.2.7'],
    ['is believed in the entry before trusted networks', ['127.0.0.0/8', '192.0.2.0/24'], '198.51.100.1'],
    ['is not believed from outside the trusted networks', ['192.0.2.0/24'], '127.0.0.1'],
  ])('X-Forwarded-For %s', async (_, trustProxy, expected) => {
    const server = await startServer({ trustProxy });
    const response = await fetch(`${server.url}/api/public/address`, {
      headers: { 'X-Forwarded-For': '198.51.100.1, 192.0.2.7' },
    });
    expect(await response.json()).toMatchObject({ clientAddress: expected });
  });

  test.each<[string, string]>([
    ['8.8.8.8:1000', '8.8.8.8'],
    ['"8.8.8.8:1001"', '8.8.8.8'],
    ['::ffff:8.8.8.8', '8.8.8.8'],
    ['[::FFFF:808:808]:443', '8.8.8.8'],
    ['[2001:DB8:0:0::1]:1000', '2001:db8::1'],
    ['2001:db8::1', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['unknown', '127.0.0.1'],
    ['_hidden', '127.0.0.1'],
    ['', '127.0.0.1'],
    ['8.8.8', '127.0.0.1'],
    ['8.8.8.8:1000:2', '127.0.0.1'],
    ['[2001:db8::1', '127.0.0.1'],
    ['any text, 1.2.3.4', '1.2.3.4'],
    ['1.2.3.4, any text', '127.0.0.1'],
  ])('X-Forwarded-For %j of a proxy is the client %s', async (value, expected) => {
    const server = await startServer({ trustProxy: 1 });
    const response = await fetch(`${server.url}/api/public/address`, {
      headers: { 'X-Forwarded-For': value },
    });
    expect(await response.json()).toMatchObject({ clientAddress: expected });
  });

  test('a proxy that appends ports is believed in networks, too', async () => {
    const server = await startServer({ trustProxy: ['127.0.0.0/8', '192.0.2.0/24'] });
    const headers = { 'X-Forwarded-For': '198.51.100.1:5000, 192.0.2.7:443' };
    const response = await fetch(`${server.url}/api/public/address`, { headers });
    expect(await response.json()).toMatchObject({ clientAddress: '198.51.100.1' });
  });

  test('RFC 7239’s Forwarded is not read', async () => {
    const server = await startServer({ trustProxy: 1 });
    const response = await fetch(`${server.url}/api/public/address`, {
      headers: { Forwarded: 'for=8.8.8.8' },
    });
    expect(await response.json()).toMatchObject({ clientAddress: '127.0.0.1' });
  });

  describe('a connection whose head does not come in time', () => {
    const soon = { times: { headersTimeout: 30, connectionsCheckingInterval: 10 } };

    test('is closed without a byte where none has come', async () => {
      const server = await startServer(soon);
      const socket = await dial(server.port);
      expect(await readAll(socket)).toBe('');
    });

    test('gets 408 where some have come', async () => {
      // So long that they are read by then on a busy machine too.
      const server = await startServer({ times: { ...soon.times, headersTimeout: 1_000 } });
      const socket = await dial(server.port);
      socket.write('GET /api/public/address HTTP/1.1\r\nHost: x\r\n');
      const answer = await readAll(socket);
      expect(answer).toMatch(/^HTTP\/1.1 408 Request Timeout\r\n/);
      expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toMatchObject({ code: 'invalid_request' });
    });
  });

  test('a stream is sent as it comes', async () => {
    const server = await startServer();
    expect(await (await fetch(`${server.url}/api/public/csv`)).text()).toBe('a,b\r\n1,2\r\n');
  });

  test('what is not HTTP is answered in the form of errors', async () => {
    const server = await startServer();
    const socket = await dial(server.port);
    socket.write('HELO there\r\n\r\n');
    const answer = await readAll(socket);
    expect(answer).toMatch(/^HTTP\/1.1 400 .*\r\nX-Request-Id: /);
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toMatchObject({ code: 'invalid_request' });
  });

  test.each(['a://b?c', 'http://b?c', 'http://x?c', '?c', 'http://[', '//a@[#x'])(
    'the target %s, which has no path, harms nothing',
    async (target) => {
      const server = await startServer();
      const socket = await dial(server.port);
      socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      expect(await readAll(socket)).toMatch(/^HTTP\/1.1 40[04] .*\r\nX-Request-Id: /);
    },
  );

  test.each([
    ['two Host fields', 'GET /healthz HTTP/1.1\r\nHost: a.example\r\nhost: b.example\r\n'],
    ['the same Host twice', 'GET /healthz HTTP/1.1\r\nHost: x\r\nHost: x\r\n'],
    ['no Host', 'GET /healthz HTTP/1.1\r\n'],
    ['no version (HTTP/0.9)', 'GET /healthz\r\n'],
    ['an address of another host', 'GET http://b.example/healthz HTTP/1.1\r\nHost: a.example\r\n'],
    ['an address of another port', 'GET http://x:81/healthz HTTP/1.1\r\nHost: x\r\n'],
    ['an address of another scheme', 'GET ftp://x/healthz HTTP/1.1\r\nHost: x\r\n'],
    ['an address without Host', 'GET http://x/healthz HTTP/1.0\r\n'],
  ])('a request with %s is answered 400, and the connection closed', async (_, head) => {
    const server = await startServer();
    const socket = await dial(server.port);
    socket.write(`${head}\r\n`);
    expect(await readAll(socket)).toMatch(/^HTTP\/1.1 400 [\s\S]*Connection: close/);
  });

  test.each([
    ['an address of its host', 'GET http://X:80/healthz HTTP/1.1\r\nHost: x\r\n'],
    ['a path in HTTP/1.0 without Host', 'GET /healthz HTTP/1.0\r\n'],
  ])('a request with %s is answered', async (_, head) => {
    const server = await startServer();
    const socket = await dial(server.port);
    socket.write(`${head}Connection: close\r\n\r\n`);
    expect(await readAll(socket)).toMatch(/^HTTP\/1.1 200 /);
  });

  test('the refusal of a head comes after the answers to the requests before it', async () => {
    const server = await startServer();
    const socket = await dial(server.port);
    const get = 'GET /healthz HTTP/1.1\r\nHost: x\r\n';
    socket.write(`${get}\r\n${get}Host: y\r\n\r\n`);
    expect((await readAll(socket)).match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
  });

  test.each([
    ['two lengths', 'Content-Length: 5\r\nContent-Length: 6\r\n'],
    ['a length beside chunks', 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n'],
    ['a head too large', `X-Large: ${'x'.repeat(20_000)}\r\n`],
  ])('%s is refused and the connection closed', async (_, headers) => {
    const server = await startServer();
    const socket = await dial(server.port);
    socket.write(`POST /api/public/small HTTP/1.1\r\nHost: x\r\n${headers}\r\n`);
    expect(await readAll(socket)).toMatch(/^HTTP\/1.1 400 [\s\S]*Connection: close/);
  });
});

describe('rate limit', () => {
  const limits = () => ({ ...LIMITS, requests: { perSecond: 2, burst: 3 }, body_bytes: 1024 });

  test('a credential is refused beyond its burst and allowed again later', async () => {
    const server = await startServer({ limits });
    const ask = (bearer: string) =>
      fetch(`${server.url}/api/practices/${TENANT}`, { headers: { Authorization: `Bearer ${bearer}` } });
    const first = await ask('sender');
    expect(first.headers.get('ratelimit-limit')).toBe('3');
    expect(first.headers.get('ratelimit-remaining')).toBe('2');
    expect(first.headers.get('ratelimit-reset')).toBe('1');
    await ask('sender');
    await ask('sender');
    const refused = await ask('sender');
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(refused.headers.get('ratelimit-remaining')).toBe('0');
    expect(await refused.json()).toMatchObject({ code: 'rate_limited', retry_after: 1 });
    expect((await ask('viewer')).status).toBe(200);
    server.clock.milliseconds += 500;
    expect((await ask('sender')).status).toBe(200);
  });

  test('guesses of tokens count against the address', async () => {
    const server = await startServer({ limits });
    const statuses: number[] = [];
    for (let guess = 0; guess < 5; guess += 1) {
      const headers = { Authorization: `Bearer guess${guess}` };
      statuses.push((await fetch(`${server.url}/api/practices/${TENANT}`, { headers })).status);
    }
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
  });

  test('what is not of the API is not limited', async () => {
    const server = await startServer({ limits });
    for (let asked = 0; asked < 5; asked += 1) {
      const response = await fetch(`${server.url}/healthz`);
      expect(response.status).toBe(200);
      expect(response.headers.get('ratelimit-limit')).toBeNull();
    }
  });
});

describe('log', () => {
  test('a request leaves one line, without query, headers and body', async () => {
    const server = await startServer();
    const response = await fetch(`${server.url}${echo}?limit=5&token=topsecret`, {
      method: 'POST',
      headers: { ...sender, ...json, 'X-Request-Id': 'mine-1' },
      body: good,
    });
    await response.text();
    await expect.poll(() => server.log.length).toBe(1);
    expect(server.log[0]).toMatchObject({
      msg: 'request',
      method: 'POST',
      route: '/api/practices/{id}/echo',
      status: 200,
      request_id: response.headers.get('x-request-id'),
      client_request_id: 'mine-1',
      credential_id: `team_token of ${TENANT}`,
      tenant_id: TENANT,
      bytes_in: good.length,
    });
    expect(JSON.stringify(server.log)).not.toMatch(/topsecret|sender"|Hello/);
  });

  test('a defect is logged with its stack under the id of the request', async () => {
    const server = await startServer();
    const response = await fetch(`${server.url}/api/public/fails/badly`);
    const line = server.log.find(({ msg }) => msg === 'request failed');
    expect(line).toMatchObject({ request_id: response.headers.get('x-request-id') });
    expect(JSON.stringify(line)).toContain('secret of the inside');
    expect(JSON.stringify(line)).toContain('fixture.ts');
  });

  test('the token in a path that is nearly a route is not logged', async () => {
    const server = await startServer();
    const token = `svc_inv_${'7'.repeat(43)}`;
    await fetch(`${server.url}/invitation/${token}/`);
    const line = () => server.log.find(({ msg }) => msg === 'request');
    await expect.poll(line).toMatchObject({ path: '/invitation/[redacted]' });
    expect(JSON.stringify(server.log)).not.toContain(token);
  });

  test("a client's id of another form is not logged", async () => {
    const server = await startServer();
    await (await fetch(`${server.url}/api/meta`, { headers: { 'X-Request-Id': 'a b' } })).text();
    await expect.poll(() => server.log.length).toBe(1);
    expect(server.log[0]).not.toHaveProperty('client_request_id');
  });
});

describe('going down', () => {
  test('while draining only what watchers read is answered', async () => {
    const server = await startServer();
    server.state.draining = true;
    for (const path of ['/healthz', '/openapi.yaml', '/api/meta']) {
      const answered = await fetch(server.url + path);
      // Its connection is closed: fetch must have read all of it by then.
      await answered.text();
      expect(answered.status).toBe(200);
    }
    const refused = await fetch(server.url + echo, {
      method: 'POST',
      headers: { ...sender, ...json },
      body: good,
    });
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('5');
    expect(refused.headers.get('connection')).toBe('close');
    expect(refused.headers.get('ratelimit-limit')).toBe('1000');
    expect(await refused.json()).toMatchObject({ code: 'unavailable', retry_after: 5 });
  });

  test('stop waits for requests in flight, not for idle or silent connections', async () => {
    const server = await startServer();
    const silent = await dial(server.port);
    silent.write('GET /api/meta HT');
    const silentClosed = new Promise((resolve) => silent.once('close', resolve));
    silent.resume();
    let release = () => {};
    gate.wait = new Promise((resolve) => {
      release = resolve;
    });
    const entered = new Promise<void>((resolve) => {
      gate.entered = resolve;
    });
    const slow = fetch(`${server.url}/api/public/slow`);
    await entered;
    let stopped = false;
    const stopping = server.stop().then(() => {
      stopped = true;
    });
    await expect(fetch(`${server.url}/api/meta`)).rejects.toThrow();
    expect(stopped).toBe(false);
    release();
    expect(await (await slow).json()).toEqual({ slow: true });
    await stopping;
    await silentClosed;
  });

  test('an address in use is an error of the start', async () => {
    const server = await startServer();
    await expect(startServer({ listen: { host: '127.0.0.1', port: server.port } })).rejects.toThrow(
      'EADDRINUSE',
    );
  });

  test('a defective list of routes makes no server', async () => {
    const routes = [...allRoutes, ...testRoutes.slice(0, 1)];
    await expect(startServer({ routes })).rejects.toThrow('answers the same requests');
  });
});
