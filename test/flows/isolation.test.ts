// A practice's token sees nothing of another practice: every path that names a practice, and every id inside one,
// answers as if the other did not exist. The paths come from the API's own description, so that none is forgotten.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DAY, toIso } from '#src/kernel/time.ts';
import { type List, letter, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { importEnded } from '#test/support/imports.ts';
import { describedPaths } from '#test/support/openapi.ts';
import { until } from '#test/support/process.ts';
import { putMail } from '#test/support/received-mail.ts';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
/** So many there are at least: an empty description would prove nothing. */
const PATHS_AT_LEAST = 15;

interface Operation {
  readonly method: string;
  readonly path: string;
}

let app: TestApp;
let mine: Sender;
let theirs: Sender;
let operations: readonly Operation[];
/** Ids that exist in the other practice, by the parameter that would name them. */
let ids: Readonly<Record<string, string>>;

/** A picture of four points. */
const DOT =
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAE0lEQVQImWM4w8BwhgGMzzAwAAAZjgMx8FJdJAAAAABJRU5ErkJggg==';
/** Good for some route or other; a route must not look at it before it knows whose practice it is. */
const body = { ...letter, name: 'Fremd', scope: 'team', type: 'marketing' };

const fill = (path: string, id: string, other: (name: string) => string): string =>
  path.replace('{id}', id).replace(/\{(\w+)\}/g, (_, name) => other(name));

const tomorrow = (): string => toIso(Date.now() + DAY);

/** A change that the route would make of something of its own. */
const changeOf = (path: string): object => {
  if (path.includes('threadID')) return { done: true };
  if (path.includes('/inbound/')) return { read: true };
  if (path.includes('memberID')) return { role_id: 'viewer' };
  return path.includes('messageID') ? { scheduled_at: tomorrow() } : { name: 'Fremd' };
};

/** Of a POST that takes none without one. */
const bodyOf = (path: string): object | undefined => {
  if (path.endsWith('{webhookID}/replay')) return { since: '2026-01-01T00:00:00Z' };
  if (/\/import(?:\/preview)?$/.test(path)) return { file: 'somebody@example.org' };
  if (path.endsWith('/notes')) return { text: 'Ich rufe an.' };
  if (path.endsWith('/subscribers')) return { address: 'somebody@example.org' };
  if (path.endsWith('{campaignID}/test')) return { to: ['somebody@example.org'] };
  if (path.endsWith('{campaignID}/schedule')) return { schedule_at: tomorrow() };
  return /[/](?:preview|duplicate|slow|lift)$/.test(path) ? {} : undefined;
};

const ask = ({ method }: Operation, path: string) =>
  app.request(
    method.toUpperCase(),
    path,
    method === 'get' || method === 'delete' ? undefined : body,
    mine.token,
  );

beforeAll(async () => {
  app = await startApp({
    config: { security: { outbound_allow: ['127.0.0.0/8'], outbound_allow_http: true } },
  });
  mine = await app.createSender();
  theirs = await app.createSender({ plan: 'praxis', owner_email: 'owner@example.org' });
  const messageID = await app.send(theirs);
  await app.untilStatus(theirs, messageID, 'processed');
  const firstOf = async (what: string): Promise<string> => {
    const { body } = await app.request<List<{ id: string }>>(
      'GET',
      `${theirs.base}/${what}`,
      undefined,
      theirs.token,
    );
    return body.data[0]?.id ?? '';
  };
  const made = async (path: string, fields: object): Promise<string> => {
    const { body } = await app.request<{ id: string }>('POST', theirs.base + path, fields, app.adminToken);
    return body.id;
  };
  // Nobody listens there: the test fails, and is a delivery.
  const hook = { name: 'Praxissoftware', url: 'http://127.0.0.1:9/', events: ['message.delivered'] };
  const webhookID = await made('/webhooks', hook);
  const listID = await made('/lists', { name: 'Praxisbrief' });
  const importID = await made('/suppression/import', { file: 'somebody@example.org' });
  await importEnded(app, theirs, importID);
  const threadID = crypto.randomUUID();
  putMail(app, theirs.practice.id, { thread_id: threadID });
  await made(`/inbound/threads/${threadID}/notes`, { text: 'Ich rufe an.' });
  ids = {
    messageID,
    listID,
    subscriberID: await made(`/lists/${listID}/subscribers`, {
      address: 'somebody@example.org',
      status: 'active',
      consent: { evidence: 'Aufnahmebogen' },
    }),
    campaignID: await made('/campaigns', { list_id: listID, subject: 'Herbst', text: 'Text' }),
    segmentID: await made('/segments', { name: 'Nahe', list_ids: [listID], filter: [] }),
    memberID: await made('/members', { email: 'member@example.org', role_id: 'member' }),
    roleID: await made('/roles', { name: 'Empfang', permissions: ['messages.view'] }),
    projectID: await firstOf('projects'),
    routeID: await firstOf('routes'),
    tokenID: await firstOf('api-tokens'),
    captureID: await firstOf('captures'),
    templateID: await made('/templates', { name: 'brief', subject: 'Brief', text: 'Text' }),
    imageID: await made('/images', { content: DOT }),
    // No id of anything: it stands beside one.
    version: '987654321',
    index: '987654322',
    webhookID,
    deliveryID: await made(`/webhooks/${webhookID}/test`, {}),
    hookID: await made('/inbound-hooks', { name: 'Kontaktformular' }),
    threadID,
    noteID: app.sql<{ id: string }>(theirs.practice.id, 'SELECT id FROM inbound_notes')[0]?.id ?? '',
    replyID: await made('/saved-replies', { name: 'Rezept', text: 'Es liegt bereit.' }),
    formID: await made('/website-forms', { preset: 'contact' }),
    importID,
    suppressionID: await made('/suppression', { address: 'somebody@example.org' }),
    erasureID: await made('/people/erase', { address: 'else@example.org' }),
    alertID: await made('/alerts', {
      name: 'Empfang',
      kind: 'slack',
      url: 'https://93.184.215.14/hooks/a/b',
    }),
  };
  await until('what they asked for has been done', () =>
    ['import_pieces', 'erasures WHERE finished_at IS NULL'].every(
      (rest) => app.sql(theirs.practice.id, `SELECT 1 FROM ${rest}`).length === 0,
    ),
  );
  const paths = await describedPaths<Record<string, object>>(app);
  operations = Object.keys(paths).flatMap((path) =>
    METHODS.filter((method) => method in (paths[path] ?? {})).map((method) => ({ method, path })),
  );
});
afterAll(() => app?.remove());

const untouched = () => [mine, theirs].map(({ practice }) => app.rowCounts(practice.id));

describe("another practice's", () => {
  test('paths answer like those of a practice that does not exist', async () => {
    const ofPractice = operations.filter(({ path }) => path.startsWith('/api/practices/{id}'));
    expect(ofPractice.length).toBeGreaterThanOrEqual(PATHS_AT_LEAST);
    const before = untouched();
    for (const operation of ofPractice) {
      const inner = (name: string): string => ids[name] ?? `no id for {${name}}: add one`;
      const foreign = await ask(operation, fill(operation.path, theirs.practice.id, inner));
      const unknown = await ask(operation, fill(operation.path, crypto.randomUUID(), inner));
      expect({ ...operation, status: foreign.status, code: foreign.body.code }).toEqual({
        ...operation,
        status: 404,
        code: 'not_found',
      });
      expect({ ...operation, text: foreign.text }).toEqual({ ...operation, text: unknown.text });
      const headersOf = (headers: Headers) =>
        Object.fromEntries([...headers].filter(([name]) => !/^(x-request-id|date|ratelimit-.*)$/.test(name)));
      expect(headersOf(foreign.headers)).toEqual(headersOf(unknown.headers));
    }
    expect(untouched()).toEqual(before);
  });

  test('ids inside our own practice answer like ids that do not exist', async () => {
    const withInner = operations.filter(({ path }) => path.includes('{id}/') && /\{(?!id\})/.test(path));
    expect(new Set(withInner.flatMap(({ path }) => path.match(/\{(?!id\})\w+\}/g) ?? []))).toEqual(
      new Set(Object.keys(ids).map((name) => `{${name}}`)),
    );
    const before = untouched();
    for (const operation of withInner) {
      const bodies: Readonly<Record<string, object | undefined>> = {
        patch: changeOf(operation.path),
        post: bodyOf(operation.path),
      };
      // Tokens do not manage members; the operator may, in our practice as in theirs.
      const token = /memberID|roleID/.test(operation.path) ? app.adminToken : mine.token;
      const send = (path: string) =>
        app.request(operation.method.toUpperCase(), path, bodies[operation.method], token);
      const foreign = await send(fill(operation.path, mine.practice.id, (name) => ids[name] ?? ''));
      const unknown = await send(fill(operation.path, mine.practice.id, () => crypto.randomUUID()));
      expect({ ...operation, status: foreign.status, code: foreign.body.code }).toEqual({
        ...operation,
        status: 404,
        code: 'not_found',
      });
      expect({ ...operation, text: foreign.text }).toEqual({ ...operation, text: unknown.text });
    }
    expect(untouched()).toEqual(before);
  });

  test('ids in a body are unknown too', async () => {
    const before = untouched();
    const bodies: readonly (readonly [path: string, body: object, method?: string])[] = [
      ['/send', { ...letter, route: ids.routeID }],
      ['/send-test', { kind: 'success', project_id: ids.projectID }],
      ['/api-tokens', { name: 'a', scope: 'project', project_id: ids.projectID }],
      ['/routes', { name: 'a', type: 'marketing', project_id: ids.projectID }],
      ['/inbound-hooks', { name: 'a', project_id: ids.projectID }],
      ['/suppression', { address: 'a@example.org', project_id: ids.projectID }],
      ['/suppression', { address: 'a@example.org', route_id: ids.routeID }],
      ['/routes/outgoing', { project_id: ids.projectID }, 'PATCH'],
    ];
    for (const [path, content, method = 'POST'] of bodies) {
      const { status } = await app.request(method, mine.base + path, content, mine.token);
      expect({ path, status }).toEqual({ path, status: 404 });
    }
    const search = `${mine.base}/messages/search?route=${ids.routeID}`;
    expect((await app.request('GET', search, undefined, mine.token)).status).toBe(404);
    const captures = `${mine.base}/captures?message_id=${ids.messageID}`;
    expect((await app.request('GET', captures, undefined, mine.token)).body.data).toEqual([]);
    expect(untouched()).toEqual(before);
  });

  test('mail, records and names do not show in our lists', async () => {
    for (const path of [
      '',
      '/messages/search',
      '/messages/search/export',
      '/captures',
      '/suppression',
      '/projects',
      '/routes',
      '/api-tokens',
      '/templates',
      '/images',
      '/lists',
      '/webhooks',
      '/alerts',
      '/inbound-hooks',
      '/saved-replies',
      '/website-forms',
      '/inbound/messages',
    ]) {
      const { text } = await app.request('GET', mine.base + path, undefined, mine.token);
      for (const id of [theirs.practice.id, ...Object.values(ids)]) expect(text).not.toContain(id);
    }
    const { body } = await app.request<List<{ id: string }>>('GET', '/api/practices', undefined, mine.token);
    expect(body.data.map(({ id }) => id)).toEqual([mine.practice.id]);
  });
});
