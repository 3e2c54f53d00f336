// The log of the API, as a developer uses it: from an error to its request, from a message to the request that made it. It holds
// nothing of what was sent.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRequestLog, type RequestLine, type RequestToken } from '#src/people/request-log.ts';
import { letter, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { until } from '#test/support/process.ts';

interface Line {
  readonly request_id: string;
  readonly token: { readonly id: string; readonly name: string };
  readonly method: string;
  readonly path: string;
  readonly status: number | null;
  readonly code: string | null;
  readonly hint: string | null;
  readonly duration_ms: number;
  readonly message_ids: readonly string[];
}
interface Page {
  readonly data: readonly Line[];
  readonly next_cursor: string | null;
}

let app: TestApp;
let sender: Sender;
/** Reads the log without adding to the lines that are looked for. */
let reader: string;

beforeAll(async () => {
  app = await startApp();
  sender = await app.createSender({ plan: 'gruppe' });
  reader = await app.createToken(sender.practice.id, { name: 'Leser' });
});
afterAll(() => app?.remove());

const log = async (query: string, headers: Record<string, string> = {}): Promise<Page> => {
  const answer = await app.request<Page>(
    'GET',
    `${sender.base}/requests?${query}`,
    undefined,
    reader,
    headers,
  );
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body;
};

/** The line of an answer: it is written once the answer has left. */
const lineOf = async ({ headers }: { readonly headers: Headers }): Promise<Line> => {
  const id = headers.get('X-Request-Id') ?? '';
  let found: Line | undefined;
  await until('the line of the request', async () => {
    [found] = (await log(`request_id=${id}`)).data;
    return found !== undefined;
  });
  return found as Line;
};

const ask = (method: string, path: string, body?: unknown) =>
  app.request<Record<string, string>>(method, path, body, sender.token);

describe('a request by a token', () => {
  test('is found by the id of its answer, with what a refusal means in German', async () => {
    const line = await lineOf(await ask('POST', `${sender.base}/send?to=erika@example.org`, { to: 1 }));
    expect(line).toMatchObject({
      method: 'POST',
      path: '/api/practices/{id}/send',
      status: 400,
      code: 'invalid_request',
    });
    expect(line.duration_ms).toBeGreaterThan(0);
    const [german] = (await log(`request_id=${line.request_id}`, { 'Accept-Language': 'de' })).data;
    expect(german?.hint).toContain('Berichtigen');
    expect((await log('code=invalid_request&status=4xx')).data).toContainEqual(line);
    expect((await log('code=invalid_request&status=400')).data).toContainEqual(line);
    expect((await log('code=invalid_request&status=401')).data).toEqual([]);
    expect((await log('code=conflict')).data).toEqual([]);
  });

  test('is found by the messages that it made, one or many', async () => {
    const sent = await ask('POST', `${sender.base}/send`, letter);
    const line = await lineOf(sent);
    expect(line.message_ids).toEqual([sent.body.id]);
    expect((await log(`message_id=${sent.body.id}`)).data).toEqual([line]);

    const batch = await app.request<readonly { readonly id: string }[]>(
      'POST',
      `${sender.base}/send/batch`,
      [letter, { ...letter, to: 'no address' }, letter],
      sender.token,
    );
    const ids = batch.body.flatMap(({ id }) => id ?? []);
    expect(ids).toHaveLength(2);
    expect((await lineOf(batch)).message_ids).toEqual(ids);
  });

  test('leaves nothing of its query, its body and what is in the place of ids', async () => {
    await lineOf(await ask('GET', `${sender.base}/templates/geheim.person%40example.org`));
    const { data } = await log('limit=200');
    expect(JSON.stringify(data)).not.toMatch(/geheim|example\.org/);
  });

  test('is shown to no other practice', async () => {
    const line = await lineOf(await ask('GET', `${sender.base}/templates`));
    const other = await app.createSender();
    const { body } = await app.request<Page>('GET', `${other.base}/requests`, undefined, other.token);
    expect(body.data.map(({ request_id }) => request_id)).not.toContain(line.request_id);
    expect((await app.request('GET', `${sender.base}/requests`, undefined, other.token)).status).toBe(404);
  });

  test('comes with others by pages, the newest first', async () => {
    const { token } = await lineOf(await ask('GET', `${sender.base}/templates`));
    const first = await log(`token=${token.id}&limit=2`);
    const second = await log(`token=${token.id}&limit=2&cursor=${first.next_cursor}`);
    const all = await log(`token=${token.id}&limit=4`);
    expect([...first.data, ...second.data]).toEqual(all.data);
    expect(all.data.every((line) => line.token.id === token.id)).toBe(true);
  });
});

describe('the memory for it', () => {
  const token = (id: string): RequestToken => ({ id, name: id, tenantId: 'practice', projects: null });
  const line = (messageIds: readonly string[] = []): Omit<RequestLine, 'seq'> => ({
    ...{ at: 0, method: 'GET', path: '/', status: 200, code: null, ms: 1, requestId: '', messageIds },
  });
  const kept = (log: ReturnType<typeof createRequestLog>) =>
    Object.fromEntries(
      log.of('practice').map(({ token: { id }, lines }) => [id, lines.map(({ seq }) => seq)]),
    );

  test('has the last lines of each token', () => {
    const memory = createRequestLog(3, 100);
    for (let count = 0; count < 10; count += 1) memory.note(token('a'), line());
    memory.note(token('b'), line());
    expect(kept(memory)).toEqual({ a: [8, 9, 10], b: [11] });
  });

  test('is bounded for all tokens: the one that has been silent for longest loses its lines first', () => {
    const memory = createRequestLog(4, 6);
    for (const id of ['a', 'a', 'a', 'b', 'b', 'a', 'c', 'c']) memory.note(token(id), line());
    expect(kept(memory)).toEqual({ a: [1, 2, 3, 6], c: [7, 8] });
    memory.note(token('c'), line(['1', '2', '3', '4', '5', '6']));
    expect(kept(memory), 'ids of messages take room too').toEqual({ a: [6], c: [7, 8, 9] });
    memory.forget('practice');
    expect(kept(memory)).toEqual({});
    for (let count = 0; count < 6; count += 1) memory.note(token('d'), line());
    expect(kept(memory), 'room is given back').toEqual({ d: [12, 13, 14, 15] });
  });
});
