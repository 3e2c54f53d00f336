// Every action that some route of the application declares for the audit is done here once, as its users do it, and
// found there with who did it, from where, and without any secret. The list of actions comes from the application.
import { afterAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type List, startApp } from '#test/support/app.ts';
import { invite, join, makeOwner, signIn, unlimitedSignIn } from '#test/support/people.ts';
import { until } from '#test/support/process.ts';

interface Entry {
  readonly action: string;
  readonly actor: { readonly kind: string; readonly id: string; readonly name: string };
  readonly target: { readonly type: string; readonly id: string };
  readonly client_address: string | null;
  readonly request_id: string | null;
  readonly before: unknown;
  readonly after: unknown;
}

const PASSWORD = 'Siebzehn-Kamele-trinken-Tee';

const app = await startApp({ config: { ...unlimitedSignIn, auth: { password_login: true } } });
afterAll(() => app.remove());

const secrets: string[] = [PASSWORD, app.adminToken];

/** Throws unless it is done; the answer with its secrets noted. */
const done = async (method: string, path: string, body?: unknown, token = app.adminToken) => {
  const answer = await app.request<{ id: string; token?: string; csrf_token?: string }>(
    method,
    path,
    body,
    token,
  );
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  for (const secret of [answer.body?.token, answer.body?.csrf_token]) if (secret) secrets.push(secret);
  return answer.body;
};

const declaredActions = async (): Promise<Set<string>> => {
  const { paths } = parse((await app.request('GET', '/openapi.yaml')).text) as {
    paths: Record<string, Record<string, { 'x-audit'?: string }>>;
  };
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  return new Set(operations.flatMap(({ 'x-audit': action }) => action ?? []));
};

const audit = async (path: string): Promise<readonly Entry[]> => {
  const { body } = await app.request<List<Entry>>('GET', `${path}?limit=200`, undefined, app.adminToken);
  expect(body.next_cursor).toBeNull();
  return body.data;
};

test('every declared action is found in the audit, with who and from where, and no secret', async () => {
  const { id } = await done('POST', '/api/practices', {
    name: 'Praxis am Markt',
    plan: 'praxis',
    owner_email: 'owner@example.org',
  });
  const base = `/api/practices/${id}`;
  await done('PATCH', base, { name: 'Praxis am Ring' });
  await done('POST', `${base}/plan`, { plan: 'gruppe' });
  await done('POST', `${base}/safe-mode`, { enabled: true });
  await makeOwner(app, id, 'second@example.org');

  const owner = await signIn(app, 'owner@example.org');
  secrets.push(owner.token, owner.csrfToken);
  const byOwner = (method: string, path: string, body?: unknown) => done(method, path, body, owner.token);
  const project = await byOwner('POST', `${base}/projects`, { name: 'Recall' });
  await byOwner('PATCH', `${base}/projects/${project.id}`, { name: 'Recall 2' });
  const route = await byOwner('POST', `${base}/routes`, { name: 'Termine', type: 'transactional' });
  await byOwner('PATCH', `${base}/routes/${route.id}`, { name: 'Termine 2' });
  await byOwner('POST', `${base}/routes/${route.id}/default`);
  const token = await byOwner('POST', `${base}/api-tokens`, { name: 'Server', scope: 'team' });
  await byOwner('DELETE', `${base}/api-tokens/${token.id}`);
  const role = await byOwner('POST', `${base}/roles`, { name: 'Empfang', permissions: ['messages.view'] });
  await byOwner('PATCH', `${base}/roles/${role.id}`, { permissions: ['messages.view', 'stats.view'] });
  await byOwner('DELETE', `${base}/roles/${role.id}`);

  const member = await join(app, id, 'member@example.org', { role_id: 'member' });
  secrets.push(member.token);
  secrets.push(await invite(app, id, 'late@example.org', { role_id: 'viewer' }));
  const { body: members } = await app.request<List<{ id: string; email: string }>>(
    'GET',
    `${base}/members`,
    undefined,
    owner.token,
  );
  const late = members.data.find(({ email }) => email === 'late@example.org')?.id;
  await byOwner('PATCH', `${base}/members/${late}`, { role_id: 'editor' });
  await byOwner('DELETE', `${base}/members/${late}`);
  await done('DELETE', `/api/auth/memberships/${id}`, undefined, member.token);

  await byOwner('PATCH', '/api/auth/me', { language: 'en' });
  await byOwner('PUT', '/api/auth/password', { password: PASSWORD });
  await byOwner('DELETE', '/api/auth/password');

  const report = { email: 'reporter@example.net', subject: 'Spam', description: 'Ich habe nichts bestellt.' };
  await app.request('POST', '/api/public/abuse', report);
  const { body: tickets } = await app.request<List<{ id: string }>>(
    'GET',
    '/api/admin/abuse-tickets',
    undefined,
    app.adminToken,
  );
  await done('PATCH', `/api/admin/abuse-tickets/${tickets.data[0]?.id}`, { stage: 'investigating' });
  await app.request('POST', '/api/public/waitlist', { email: 'new@example.net', plan: 'praxis' });
  const { body: waiting } = await app.request<List<{ id: string }>>(
    'GET',
    '/api/admin/waitlist',
    undefined,
    app.adminToken,
  );
  await done('DELETE', `/api/admin/waitlist/${waiting.data[0]?.id}`);
  await byOwner('POST', '/api/auth/logout');
  await until('nothing waits to be told', () => app.sql(null, 'SELECT 1 FROM notices').length === 0);

  const entries = [...(await audit(`${base}/audit`)), ...(await audit('/api/admin/audit'))];
  expect(new Set(entries.map(({ action }) => action))).toEqual(await declaredActions());
  for (const entry of entries) {
    expect(entry.client_address, entry.action).toBe('127.0.0.1');
    expect(entry.request_id, entry.action).toMatch(/^[0-9a-f-]{36}$/);
    expect(entry.target.id, entry.action).not.toBe('');
    expect(['operator', 'member'], entry.action).toContain(entry.actor.kind);
    expect([entry.before, entry.after], entry.action).not.toEqual([null, null]);
  }
  const told = JSON.stringify(entries);
  expect(secrets).toHaveLength(7);
  for (const secret of secrets) expect(told).not.toContain(secret);
});
