// Bodies that are text, for routes that take them, and the query that names a practice on flat paths.

import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { eventsDescription } from '#src/followers/webhooks/described.ts';
import { openApiDocument } from '#src/http/openapi.ts';
import { defineRoute } from '#src/kernel/route.ts';
import { OTHER_TENANT, startServer, TENANT, UNKNOWN_TENANT } from './fixture.ts';

const shared = { tag: 'Test', summary: 'For the tests.', stability: 'stable' } as const;
const ok = { 200: { description: 'done', body: z.unknown() } };

const routes = [
  defineRoute({
    id: 'postText',
    ...shared,
    method: 'post',
    path: '/text',
    access: 'public',
    audit: { none: 'for the tests' },
    text: ['text/csv'],
    body: z.union([z.instanceof(Uint8Array), z.strictObject({ text: z.string() })]),
    bodyLimit: 100,
    responses: ok,
    handle: ({ body }) => ({
      status: 200,
      body: { got: body instanceof Uint8Array ? Buffer.from(body).toString('hex') : body },
    }),
  }),
  defineRoute({
    id: 'getFlat',
    ...shared,
    method: 'get',
    path: '/api/flat',
    access: 'messages.send',
    query: z.object({ practice_id: z.string().optional(), project_id: z.string().optional() }),
    responses: ok,
    handle: (_, { tenantId }) => ({ status: 200, body: tenantId }),
  }),
];

describe('a body of text', () => {
  const post = async (body: string | Buffer<ArrayBuffer>, type: string) => {
    const server = await startServer({ routes });
    const response = await fetch(`${server.url}/text`, {
      method: 'POST',
      body,
      headers: { 'Content-Type': type },
    });
    const answered = (await response.json()) as Readonly<Record<string, unknown>>;
    return { status: response.status, body: answered };
  };

  test.each([
    ['as they are', Buffer.from('a,b\r\nü,漢\n'), 'text/csv'],
    ['with a byte order mark', Buffer.from('\ufeffa'), 'text/csv'],
    ['whatever its parameters say', Buffer.from('\xfc', 'latin1'), 'Text/CSV; header=present; charset="x"'],
    ['that look like JSON', Buffer.from('{"a":1}'), 'text/csv'],
  ])('comes as its bytes, %s', async (_, body, type) => {
    expect(await post(body, type)).toEqual({ status: 200, body: { got: body.toString('hex') } });
  });

  test('leaves JSON as it was', async () => {
    expect(await post('{"text":"a"}', 'application/json')).toMatchObject({ body: { got: { text: 'a' } } });
  });

  test.each(['text/plain', 'text/csvx', ''])(
    'of type "%s" is refused with the types that are taken',
    async (type) => {
      const { status, body } = await post(Buffer.from('a'), type);
      expect(status).toBe(415);
      expect(body.hint).toContain('application/json or text/csv');
    },
  );

  test('has the bound of the route', async () => {
    expect(await post('x'.repeat(101), 'text/csv')).toMatchObject({
      status: 413,
      body: { limit_bytes: 100 },
    });
  });

  test('is described as text', () => {
    const { paths } = openApiDocument(routes, {
      name: 'Test',
      version: '1',
      origin: '',
      events: eventsDescription,
    }) as unknown as {
      paths: { '/text': { post: { requestBody: { content: Record<string, { schema: unknown }> } } } };
    };
    const { content } = paths['/text'].post.requestBody;
    expect(Object.keys(content)).toEqual(['application/json', 'text/csv']);
    expect(content['text/csv']).toEqual({ schema: { type: 'string' } });
    expect(content['application/json']).not.toEqual(content['text/csv']);
  });
});

describe('the practice of a flat path', () => {
  const get = async (target: string, headers: Record<string, string>) => {
    const server = await startServer({ routes });
    const response = await fetch(server.url + target, { headers });
    const body = await response.json();
    return response.status === 200 ? body : response.status;
  };
  const token = { Authorization: 'Bearer sender' };
  const operator = { 'X-Admin-Token': 'root' };

  test.each([
    ['the token’s, where nothing names one', '/api/flat', token, TENANT],
    ['the query’s', `/api/flat?practice_id=${TENANT}`, operator, TENANT],
    ['the query’s by its other name', `/api/flat?project_id=${TENANT}`, operator, TENANT],
    [
      'the first name’s of both',
      `/api/flat?project_id=x&practice_id=${OTHER_TENANT}`,
      operator,
      OTHER_TENANT,
    ],
    ['the token’s, whatever the other name says', '/api/flat?project_id=a-project', token, TENANT],
    [
      'the header’s, whatever the query says',
      `/api/flat?practice_id=${OTHER_TENANT}`,
      { ...operator, 'X-Service-Practice': TENANT },
      TENANT,
    ],
    ['not another’s than the token’s', `/api/flat?practice_id=${OTHER_TENANT}`, token, 404],
    ['not one that there is not', `/api/flat?practice_id=${UNKNOWN_TENANT}`, operator, 404],
    ['not named by what is no id', '/api/flat?project_id=a-project', operator, 404],
    ['not named twice', `/api/flat?practice_id=${TENANT}&practice_id=${TENANT}`, operator, 400],
  ] as const)('is %s', async (_, target, headers, expected) => {
    expect(await get(target, headers)).toBe(expected);
  });
});
