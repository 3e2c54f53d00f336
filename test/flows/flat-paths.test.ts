// The flat paths find the practice by themselves: by the credential, or by a project or the practice that the request names.
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '#src/kernel/id.ts';
import { letter, type Message, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { asking } from '#test/support/asking.ts';
import { join, unlimitedSignIn } from '#test/support/people.ts';

let app: TestApp;
let sender: Sender;
let usual: string;
let second: string;
let archive: string;
/** Of another practice. */
let foreign: string;
let foreignPractice: string;
let credentials: Readonly<Record<'operator' | 'session' | 'team token' | 'project token', string>>;
const { call, list } = asking(() => ({ app, token: app.adminToken }));

const letters = {
  template: { subject: 'Hallo', text: 'Guten Tag' },
  recipients: [{ email: 'a@example.org' }],
};
const legal = { message_kind: 'transactional', route: 'outgoing' };

/** Each flat path, with the project in that part of the request. */
const paths = {
  'one message, named in the body': (project_id: string) => [
    'POST',
    '/api/emails',
    { ...letter, project_id },
  ],
  'one message, named in the query': (id: string) => ['POST', `/api/emails?project_id=${id}`, letter],
  'a bulk, named in the body': (project_id: string) => [
    'POST',
    '/api/emails/send-bulk',
    { ...letters, ...legal, project_id },
  ],
  'a bulk, named in the query': (id: string) => [
    'POST',
    `/api/emails/send-bulk?project_id=${id}`,
    { ...letters, ...legal },
  ],
} satisfies Record<string, (project: string) => readonly [string, string, object] | (string | object)[]>;
type Path = keyof typeof paths;

const ask = (path: Path, project: string, token: string) => {
  const [method, target, body] = paths[path](project) as [string, string, object];
  return app.request<{ id?: string; results?: { id: string }[] }>(method, target, body, token);
};
const suppressions = (project: string, token: string) =>
  app.request<{ data: { address: string }[] }>(
    'GET',
    `/api/suppressions?project_id=${project}`,
    undefined,
    token,
  );

/** The project that the message belongs to. */
const projectOf = async (answer: Awaited<ReturnType<typeof ask>>): Promise<string> => {
  expect(answer.status, answer.text).toBe(202);
  const id = answer.body.id ?? answer.body.results?.[0]?.id;
  return (await app.request<Message>('GET', `${sender.base}/messages/${id}`, undefined, sender.token)).body
    .project_id;
};

beforeAll(async () => {
  app = await startApp({ config: unlimitedSignIn });
  sender = await app.createSender({ plan: 'gruppe' });
  const other = await app.createSender();
  foreignPractice = other.practice.id;
  const defaultOf = async ({ base }: Sender) => (await list(`${base}/projects`))[0]?.id ?? '';
  usual = await defaultOf(sender);
  foreign = await defaultOf(other);
  const make = async (name: string) => (await call('POST', `${sender.base}/projects`, { name })).body.id;
  [second, archive] = [await make('Second'), await make('Archive')];
  await call('PATCH', `${sender.base}/projects/${archive}`, { archived: true });
  const suppress = (address: string, project_id?: string) =>
    call('POST', `${sender.base}/suppression`, { address, ...(project_id ? { project_id } : {}) });
  await suppress('team@example.org');
  await suppress('second@example.org', second);
  const { id } = sender.practice;
  credentials = {
    operator: app.adminToken,
    session: (await join(app, id, 'member@example.org', { role_id: 'member' })).token,
    'team token': sender.token,
    'project token': await app.createToken(id, { scope: 'project', project_id: second }),
  };
});
afterAll(() => app?.remove());

const all = Object.keys(paths) as Path[];

describe.each(all)('%s', (path) => {
  test.each(['operator', 'session', 'team token'] as const)('finds the practice for %s', async (kind) => {
    const token = credentials[kind];
    expect(await projectOf(await ask(path, second, token))).toBe(second);
    expect(await projectOf(await ask(path, second.toUpperCase(), token))).toBe(second);
    expect(await projectOf(await ask(path, usual, token))).toBe(usual);
    expect(await projectOf(await ask(path, sender.practice.id, token))).toBe(usual);
    expect((await ask(path, archive, token)).status).toBe(409);
  });

  test('takes a project token for its project alone', async () => {
    const token = credentials['project token'];
    expect(await projectOf(await ask(path, second, token))).toBe(second);
    for (const id of [usual, sender.practice.id, foreign])
      expect((await ask(path, id, token)).status).toBe(404);
  });

  test.each(['session', 'team token', 'project token'] as const)(
    'answers %s alike for another practice’s project and one that does not exist',
    async (kind) => {
      const answers = [];
      for (const id of [newId(), foreign, foreignPractice]) {
        const { status, text } = await ask(path, id, credentials[kind]);
        answers.push(`${status} ${text}`);
      }
      expect(new Set(answers).size, answers.join('\n')).toBe(1);
      expect(answers[0]).toMatch(/^404 /);
    },
  );
});

describe('suppressions', () => {
  test.each(['operator', 'session', 'team token'] as const)('are found by a project for %s', async (kind) => {
    const addresses = async (project: string) => {
      const { status, body, text } = await suppressions(project, credentials[kind]);
      expect(status, text).toBe(200);
      return body.data.map(({ address }) => address).toSorted();
    };
    expect(await addresses(second)).toEqual(['second@example.org']);
    expect(await addresses(sender.practice.id)).toEqual(['second@example.org', 'team@example.org']);
    const answers = [newId(), foreign].map((id) => suppressions(id, credentials[kind]));
    const [unknown, others] = await Promise.all(answers);
    expect(unknown?.status).toBe(404);
    if (kind !== 'operator') expect(others?.text).toBe(unknown?.text);
  });
});

test('suppressions take the name in a body too', async () => {
  const listed = async (body: object, token: string) => {
    const text = JSON.stringify(body);
    const headers = {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(text),
      ...(token === app.adminToken ? { 'X-Admin-Token': token } : { Authorization: `Bearer ${token}` }),
    };
    const asked = request(`${app.origin}/api/suppressions`, { method: 'GET', headers });
    asked.end(text);
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    const read = (await answer.toArray()).join('');
    return answer.statusCode === 200
      ? (JSON.parse(read) as { data: unknown[] }).data.length
      : answer.statusCode;
  };
  for (const kind of ['operator', 'session', 'team token'] as const) {
    const token = credentials[kind];
    expect(await listed({ project_id: second }, token), kind).toBe(1);
    expect(await listed({ practice_id: sender.practice.id }, token), kind).toBe(2);
    expect(await listed({ project_id: newId() }, token), kind).toBe(404);
    expect(await listed({ project: second }, token), kind).toBe(400);
    if (kind !== 'operator') expect(await listed({ practice_id: foreignPractice }, token), kind).toBe(404);
  }
});

test('without any name the request is refused, and says how to name one', async () => {
  for (const [method, path, body] of [
    ['POST', '/api/emails', letter],
    ['GET', '/api/suppressions', undefined],
  ] as const) {
    const answer = await app.request(method, path, body, credentials.session);
    expect(answer.body).toMatchObject({
      code: 'invalid_request',
      hint: expect.stringContaining('project_id'),
    });
  }
});

test('who may not send for the practice is refused, also where the body names it', async () => {
  const viewer = await join(app, sender.practice.id, 'viewer@example.org', { role_id: 'viewer' });
  for (const path of all) expect((await ask(path, second, viewer.token)).status).toBe(403);
});

test('a registry that is older than the files learns in the night whose the projects are', async () => {
  const path = 'one message, named in the body';
  app.sql(null, 'DELETE FROM projects WHERE id = ?', second);
  expect((await ask(path, second, credentials.session)).status).toBe(404);
  await app.runJob('remove what is old');
  expect(await projectOf(await ask(path, second, credentials.session))).toBe(second);
});
