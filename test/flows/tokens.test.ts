// API tokens over HTTP: who may make, see and revoke which, how long they last and from where they let in.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DAY, HOUR, toIso } from '#src/kernel/time.ts';
import { type Refusal, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { asking, type Found, ISO, refused, UNKNOWN_ID, UUID } from '#test/support/asking.ts';
import { join, makeOwner, type Person, signIn, unlimitedSignIn } from '#test/support/people.ts';
import { createTestClock, type TestClock } from '#test/support/storage.ts';

let app: TestApp;
let clock: TestClock;
let sender: Sender;
let owner: Person;
let one: string;
let two: string;
beforeAll(async () => {
  clock = createTestClock(Date.now());
  app = await startApp({ config: unlimitedSignIn, clock });
  sender = await app.createSender({ plan: 'praxis' });
  await makeOwner(app, sender.practice.id, 'owner@example.org');
  owner = await signIn(app, 'owner@example.org');
  [one, two] = [await makeProject('Eins'), await makeProject('Zwei')];
});
afterAll(() => app?.remove());

const { call, list } = asking(() => ({ app, token: owner.token }));
const at = () => `${sender.base}/api-tokens`;

const makeProject = async (name: string): Promise<string> =>
  (await call('POST', `${sender.base}/projects`, { name })).body.id;
const make = (body: object, token?: string) =>
  call<Refusal & Found & { token: string }>('POST', at(), { name: 'n', scope: 'team', ...body }, token);
const made = async (body: object, token?: string) => {
  const answer = await make(body, token);
  expect(answer.status).toBe(201);
  return answer.body;
};
const use = async (token: string): Promise<number> =>
  (await app.request('GET', sender.base, undefined, token)).status;
const tokensSeenBy = async (token?: string) => (await list(`${at()}?limit=200`, token)).map(({ id }) => id);
const ofRole = async (permissions: string[], fields: object = {}): Promise<Person> => {
  const name = permissions.join(' ');
  const { body } = await call('POST', `${sender.base}/roles`, { name, permissions });
  return join(app, sender.practice.id, `${body.id}@example.org`, { role_id: body.id, ...fields });
};

describe('a token', () => {
  test('shows its limits, and its secret once', async () => {
    const ends = clock.now() + DAY;
    const limits = {
      expires_at: toIso(ends).replace('Z', '+00:00'),
      allowed_addresses: ['127.0.0.1', '2001:DB8:0::/32', '192.0.2.0/24', '192.0.2.0/24'],
    };
    const { token, ...record } = await made({ name: 'Server', ...limits });
    expect(record).toEqual({
      id: UUID,
      name: 'Server',
      scope: 'team',
      project_id: null,
      expires_at: toIso(ends),
      allowed_addresses: ['127.0.0.1', '2001:db8::/32', '192.0.2.0/24'],
      created_at: ISO,
      last_used_at: null,
      slowed: null,
      lifted_until: null,
    });
    expect(await list(`${at()}?limit=200`)).toContainEqual(record);
    expect(await use(token)).toBe(200);
    const audit = await list<Record<string, unknown>>(`${sender.base}/audit?target_id=${record.id}`);
    expect(audit).toMatchObject([
      { action: 'token.create', actor: { name: 'owner@example.org' }, before: null, after: record },
    ]);
    expect(JSON.stringify(audit)).not.toContain(token);
  });

  test('without limits lets in from anywhere, for ever', async () => {
    expect(await made({})).toMatchObject({ expires_at: null, allowed_addresses: null });
    const asShown = { project_id: null, expires_at: null, allowed_addresses: null };
    expect(await made(asShown)).toMatchObject(asShown);
  });

  test('lets in until it expires', async () => {
    const now = clock.now();
    const { token } = await made({ expires_at: toIso(now + HOUR) });
    clock.set(now + HOUR - 1);
    expect(await use(token)).toBe(200);
    clock.set(now + HOUR);
    expect(await use(token)).toBe(401);
  });

  test.each<[string, string[], number]>([
    ['its address', ['127.0.0.1'], 200],
    ['its network', ['10.0.0.0/8', '127.0.0.0/8'], 200],
    ['any IPv4 address', ['0.0.0.0/0'], 200],
    ['another address', ['127.0.0.2'], 401],
    ['IPv6 only', ['::/0'], 401],
  ])('lets in from where it may: %s', async (_, allowed_addresses, status) => {
    const { token } = await made({ allowed_addresses });
    expect(await use(token)).toBe(status);
  });

  test('is revoked, once', async () => {
    const { id, token } = await made({});
    expect((await call('DELETE', `${at()}/${id}`)).status).toBe(204);
    expect(await use(token)).toBe(401);
    await refused('not_found', call('DELETE', `${at()}/${id}`));
  });

  const bad: readonly (readonly [what: string, body: () => object, field: string])[] = [
    ['an expiry in the past', () => ({ expires_at: toIso(clock.now()) }), 'body.expires_at'],
    ['an expiry in 11 years', () => ({ expires_at: toIso(clock.now() + 4_020 * DAY) }), 'body.expires_at'],
    ['an expiry without a time', () => ({ expires_at: '2030-01-01' }), 'body.expires_at'],
    ['no address', () => ({ allowed_addresses: [] }), 'body.allowed_addresses'],
    ['host bits', () => ({ allowed_addresses: ['::1', '192.0.2.1/24'] }), 'body.allowed_addresses[1]'],
    ['a name for an address', () => ({ allowed_addresses: ['localhost'] }), 'body.allowed_addresses[0]'],
    ['too long a prefix', () => ({ allowed_addresses: ['192.0.2.0/33'] }), 'body.allowed_addresses[0]'],
    ['51 addresses', () => ({ allowed_addresses: Array(51).fill('::1') }), 'body.allowed_addresses'],
    ['no project', () => ({ scope: 'project' }), 'body.project_id'],
    ['a project for a team', () => ({ project_id: one }), 'body.project_id'],
  ];
  test.each(bad)('is not made with %s', async (_, body, field) => {
    const before = await tokensSeenBy();
    await refused('invalid_request', make(body()), field);
    expect(await tokensSeenBy()).toEqual(before);
  });
});

describe('a token never has more permissions than its maker', () => {
  const lacking = async (answer: ReturnType<typeof make>, permission: string) => {
    await refused('forbidden', answer);
    expect((await answer).body.permission).toBe(permission);
  };

  test('who manages tokens and may nothing else makes none', async () => {
    const { token } = await ofRole(['tokens.manage']);
    const before = await tokensSeenBy();
    await lacking(make({}, token), 'messages.send');
    await lacking(make({ scope: 'project', project_id: one }, token), 'messages.send');
    expect(await tokensSeenBy()).toEqual(before);
  });

  test('who may send and read makes project tokens', async () => {
    const { token } = await ofRole(['tokens.manage', 'messages.send', 'messages.view', 'stats.view']);
    await made({ scope: 'project', project_id: one }, token);
    await lacking(make({}, token), 'messages.view_content');
  });

  test('an admin and a team token make team tokens, a project token makes none', async () => {
    const admin = await join(app, sender.practice.id, 'admin@example.org', { role_id: 'admin' });
    const team = await made({}, admin.token);
    await made({}, team.token);
    const project = await made({ scope: 'project', project_id: one }, team.token);
    await lacking(make({}, project.token), 'tokens.manage');
  });

  test('what a limited token makes is limited alike', async () => {
    const limits = { expires_at: toIso(clock.now() + DAY), allowed_addresses: ['127.0.0.0/8'] };
    const { token } = await made(limits);
    expect(await made({}, token)).toMatchObject(limits);
    expect(await made({ allowed_addresses: ['127.0.0.1'] }, token)).toMatchObject({
      ...limits,
      allowed_addresses: ['127.0.0.1'],
    });
    await refused('invalid_request', make({ allowed_addresses: ['::/0'] }, token), 'body.allowed_addresses');
    const later = { expires_at: toIso(clock.now() + 2 * DAY) };
    await refused('invalid_request', make(later, token), 'body.expires_at');
  });
});

describe('who is limited to projects', () => {
  test('makes, sees and revokes tokens of theirs, as if there were no others', async () => {
    const person = await join(app, sender.practice.id, 'limited@example.org', {
      role_id: 'admin',
      all_projects: false,
      project_ids: [one],
    });
    const { token } = person;
    const theirs = await made({ scope: 'project', project_id: one }, token);
    const others = [await made({}), await made({ scope: 'project', project_id: two })];
    const seen = await tokensSeenBy(token);
    expect(seen).toContain(theirs.id);
    for (const { id } of others) {
      expect(seen).not.toContain(id);
      await refused('not_found', call('DELETE', `${at()}/${id}`, undefined, token));
      await refused('not_found', call('DELETE', `${at()}/${UNKNOWN_ID}`, undefined, token));
    }
    expect(await Promise.all(others.map((other) => use(other.token)))).toEqual([200, 200]);
    await refused('forbidden', make({}, token));
    const foreign = await make({ scope: 'project', project_id: two }, token);
    const unknown = await make({ scope: 'project', project_id: UNKNOWN_ID }, token);
    expect([foreign.status, foreign.body]).toEqual([404, unknown.body]);
    expect((await call('DELETE', `${at()}/${theirs.id}`, undefined, token)).status).toBe(204);
    expect(await use(theirs.token)).toBe(401);
  });
});
