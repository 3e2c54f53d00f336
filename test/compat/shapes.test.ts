// What holds for all foreign shapes: how they are reached, by which credentials, and how they refuse.
// @module-tag slow
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { instead } from '#src/compat/open.ts';
import { letter } from '#test/support/app.ts';
import { describedPaths } from '#test/support/openapi.ts';
import { openScene, type Scene } from './scene.ts';

let scene: Scene;
/** Of the API's own description. */
let paths: Readonly<Record<string, object>>;
beforeAll(async () => {
  scene = await openScene();
  paths = await describedPaths(scene.app);
});
afterAll(() => scene?.close());

const post = (path: string, headers: Record<string, string>, body: unknown = letter) =>
  scene.app.request('POST', path, body, undefined, headers);

describe('a shape is reached', () => {
  test.each([
    [
      'by its path and Authorization',
      '/api/compat/eu/send',
      (token: string) => ({ authorization: `Bearer ${token}` }),
    ],
    [
      'by the path of the service it is known from',
      '/api/compat/lettermint/send',
      (token: string) => ({ 'x-lettermint-token': token }),
    ],
    ['by that API’s path without a prefix', '/send', (token: string) => ({ 'X-Lettermint-Token': token })],
    ['by that API’s whole path', '/v1/send', (token: string) => ({ 'x-lettermint-token': token })],
    [
      'with a slash at the end',
      '/api/compat/eu/send/',
      (token: string) => ({ authorization: `Bearer ${token}` }),
    ],
  ])('%s', async (_, path, headersOf) => {
    const { status, headers, body } = await post(path, headersOf(scene.sender.token));
    expect(status).toBe(202);
    expect(headers.get('cache-control')).toBe('no-store');
    const message = await scene.app.message(scene.sender, String(body.id));
    expect(message.source).toBe('eu');
  });

  test('by a session, which names the practice in the header, the query or the body', async () => {
    const operator = { 'x-admin-token': scene.app.adminToken };
    const { id } = scene.sender.practice;
    expect((await post('/api/compat/eu/send', operator)).status).toBe(400);
    expect((await post('/api/compat/eu/send', { ...operator, 'x-service-practice': id })).status).toBe(202);
    expect((await post(`/api/compat/eu/send?practice_id=${id}`, operator)).status).toBe(202);
    expect((await post('/api/compat/eu/send', operator, { ...letter, practice_id: id })).status).toBe(202);
  });

  test('not by the field of another shape', async () => {
    const { status } = await post('/api/compat/eu/send', { 'x-postmark-server-token': scene.sender.token });
    expect(status).toBe(401);
  });
});

describe('a refusal has the form of the shape', () => {
  test.each([
    ['/api/compat/vendor-a/nothing', { statusCode: 404, name: 'not_found' }],
    ['/api/compat/resend/nothing', { statusCode: 404, name: 'not_found' }],
    ['/api/compat/vendor-b/nothing', { ErrorCode: 300 }],
    ['/api/compat/sendgrid/v3/nothing', { errors: [{ field: null }] }],
    ['/api/compat/eu/nothing', { code: 'not_found' }],
    ['/nothing', { code: 'not_found' }],
  ])('of %s', async (path, form) => {
    const { status, body } = await post(path, { authorization: `Bearer ${scene.sender.token}` });
    expect(status).toBe(404);
    expect(body).toMatchObject(form);
  });
});

describe('what a shape does not serve is named with a native call that is served', () => {
  const calls = Object.entries(instead).flatMap(([shape, paths]) =>
    paths.map(([path, call]) => [`/api/compat/${shape}${path}/nothing/nothing`, call] as const),
  );

  test.each(calls)('%s: %s', async (path, call) => {
    const { status, text } = await post(path, { authorization: `Bearer ${scene.sender.token}` });
    expect(status).toBe(404);
    expect(text).toContain(call);
    const named = [...call.matchAll(/\b(GET|POST|PATCH|PUT|DELETE) (\/[^\s;,]+)/g)];
    expect(named).not.toHaveLength(0);
    for (const [, method = '', at = ''] of named) expect(paths[at]).toHaveProperty(method.toLowerCase());
  });
});

describe('a path without a prefix is answered in the form', () => {
  const ask = (path: string, headers: Record<string, string>) =>
    scene.app.request('GET', path, undefined, undefined, headers);

  test.each([
    ['/domains', 'X-Postmark-Server-Token', { ErrorCode: 300 }],
    ['/webhooks', 'X-Postmark-Server-Token', { ErrorCode: 300 }],
    ['/no/such/path', 'X-Postmark-Server-Token', { ErrorCode: 300 }],
    ['/emails/018f0000-0000-7000-8000-000000000000', 'x-lettermint-token', { code: 'not_found' }],
  ])('of the field in which the token comes: %s with %s', async (path, field, form) => {
    const { status, body } = await ask(path, { [field]: scene.sender.token });
    expect(status).toBe(404);
    expect(body).toMatchObject(form);
  });

  test('of the first API that knows it, where the token is in Authorization', async () => {
    const authorization = `Bearer ${scene.sender.token}`;
    expect((await ask('/webhooks', { authorization })).body).toMatchObject({ name: 'not_found' });
    expect((await ask('/bounces', { authorization })).body).toMatchObject({ TotalCount: 0 });
    expect((await ask('/no/such/path', { authorization })).body).toMatchObject({ code: 'not_found' });
  });
});

test('without aliases only the paths and fields of the specification remain', async () => {
  const none = { paths: [], token_headers: [] };
  await scene.app.reconfigure({
    compat: { aliases: { vendor_a: none, vendor_b: none, vendor_c: none, eu: none } },
  });
  const token = { 'x-lettermint-token': scene.sender.token };
  expect((await post('/send', token)).status).toBe(404);
  expect((await post('/api/compat/lettermint/send', token)).status).toBe(404);
  expect((await post('/api/compat/eu/send', token)).status).toBe(401);
});
