// A request whose head came while its sender still had the right to it, and whose body comes when the right has ended.
import { once } from 'node:events';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '#test/support/app.ts';
import { join, makeOwner, type Person, signIn, unlimitedSignIn } from '#test/support/people.ts';

const OWNER = 'owner@example.org';
const PASSWORD = 'Drei Köche, ein Brei';

let app: TestApp;
let practiceId: string;
let owner: Person;

beforeAll(async () => {
  app = await startApp({ config: { ...unlimitedSignIn, auth: { password_login: true } } });
  practiceId = (await app.createPractice()).id;
  await makeOwner(app, practiceId, OWNER);
  owner = await signIn(app, OWNER);
});
afterAll(() => app.remove());

/**
 * Sends the head and resolves once the server waits for the body, as it says with 100 Continue: by then it has let the
 * caller in.
 */
async function begin(method: string, path: string, token: string): Promise<ClientRequest> {
  const headers = {
    Authorization: `Bearer ${token}`,
    'Content-Type': 'application/json',
    Expect: '100-continue',
    'Transfer-Encoding': 'chunked',
  };
  const request = httpRequest(app.origin + path, { method, headers });
  request.flushHeaders();
  await once(request, 'continue');
  return request;
}

async function finish(request: ClientRequest, body: object): Promise<{ status: number; text: string }> {
  request.end(JSON.stringify(body));
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  return { status: answer.statusCode ?? 0, text: await text(answer) };
}

const call = (method: string, path: string, token: string) => app.request(method, path, undefined, token);

test('of someone who may go on does what it asks', async () => {
  const request = await begin('POST', `/api/practices/${practiceId}/api-tokens`, owner.token);
  expect((await finish(request, { name: 'server', scope: 'team' })).status).toBe(201);
});

test('of a member who was removed makes no token that outlives the removal', async () => {
  const admin = await join(app, practiceId, 'admin@example.org', { role_id: 'admin' });
  // A member elsewhere too: the session stays.
  await makeOwner(app, (await app.createPractice()).id, admin.email);
  const base = `/api/practices/${practiceId}`;
  const request = await begin('POST', `${base}/api-tokens`, admin.token);
  const members = await app.request<{ data: { id: string; email: string }[] }>(
    'GET',
    `${base}/members`,
    undefined,
    owner.token,
  );
  const removed = members.body.data.find(({ email }) => email === admin.email)?.id;
  expect((await call('DELETE', `${base}/members/${removed}`, owner.token)).status).toBe(204);
  const before = app.sql(null, 'SELECT * FROM credentials').length;
  expect((await finish(request, { name: 'back door', scope: 'team' })).status).toBe(404);
  expect(app.sql(null, 'SELECT * FROM credentials')).toHaveLength(before);
});

test('of a session that was ended sets no password', async () => {
  const thief = await signIn(app, OWNER);
  const request = await begin('PUT', '/api/auth/password', thief.token);
  expect((await call('POST', '/api/auth/logout?everywhere=true', owner.token)).status).toBe(204);
  expect((await finish(request, { password: PASSWORD })).status).toBe(401);
  const login = await app.request('POST', '/api/auth/login-password', { email: OWNER, password: PASSWORD });
  expect(login.status).toBe(401);
});

test('of a token that was revoked sends nothing', async () => {
  const token = await app.createToken(practiceId);
  const base = `/api/practices/${practiceId}`;
  const request = await begin('POST', `${base}/send`, token);
  const tokens = await app.request<{ data: { id: string }[] }>(
    'GET',
    `${base}/api-tokens`,
    undefined,
    app.adminToken,
  );
  const id = tokens.body.data.at(-1)?.id;
  expect((await call('DELETE', `${base}/api-tokens/${id}`, app.adminToken)).status).toBe(204);
  const letter = { to: 'erika@example.org', subject: 'Ihr Termin', text: 'Am Montag.' };
  expect((await finish(request, letter)).status).toBe(401);
});
