// Repeating a request under one key: one message, one answer.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type AppAnswer,
  type List,
  letter,
  type Message,
  type Sender,
  startApp,
  type TestApp,
} from '#test/support/app.ts';
import { type PlayedRspamd, startPlayedRspamd } from '#test/support/played-rspamd.ts';
import { until } from '#test/support/process.ts';

interface Sent {
  readonly id: string;
  readonly code?: string;
}

let app: TestApp;
let sender: Sender;
beforeAll(async () => {
  app = await startApp();
  sender = await app.createSender();
});
afterAll(() => app?.remove());

const post = (body: unknown, headers: Record<string, string> = {}, token = sender.token) =>
  app.request<Sent>('POST', `${sender.base}/send`, body, token, headers);

/** Ids of the messages with that subject. */
const stored = async (subject: string): Promise<string[]> => {
  const target = `${sender.base}/messages/search?q=${encodeURIComponent(subject)}`;
  const { body } = await app.request<List<Message>>('GET', target, undefined, sender.token);
  return body.data.map(({ id }) => id);
};

type Call = readonly [body: object, headers?: Record<string, string>];

/** Two requests that are the same one. */
const repeats: readonly (readonly [name: string, first: Call, second: Call])[] = [
  ['the header', [{}, { 'Idempotency-Key': 'a' }], [{}, { 'Idempotency-Key': 'a' }]],
  ['the other header', [{}, { 'X-Idempotency-Key': 'b' }], [{}, { 'Idempotency-Key': 'b' }]],
  ['the field', [{ idempotency_key: 'c' }], [{ idempotency_key: 'c' }]],
  ['the field, then the header', [{ idempotency_key: 'd' }], [{}, { 'Idempotency-Key': 'd' }]],
  [
    'the header, whatever the field says',
    [{ idempotency_key: 'e1' }, { 'Idempotency-Key': 'e' }],
    [{ idempotency_key: 'e2' }, { 'Idempotency-Key': 'e' }],
  ],
  ['a key of 256 characters', [{ idempotency_key: 'k'.repeat(256) }], [{ idempotency_key: 'k'.repeat(256) }]],
];

describe('a repeated request is answered with the first answer, by', () => {
  test.each(repeats)('%s', async (subject, [one, oneHeaders], [two, twoHeaders]) => {
    const first = await post({ ...letter, subject, ...one }, oneHeaders);
    expect(first.status).toBe(202);
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    // The same fields in another order, with other white space.
    const reordered = JSON.stringify({ ...two, text: letter.text, subject, to: letter.to }, null, 2);
    const second = await post(Buffer.from(reordered), twoHeaders);
    expect({ status: second.status, text: second.text }).toEqual({ status: 202, text: first.text });
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(await stored(subject)).toEqual([first.body.id]);
  });
});

/** All at once; every answer the same, and all but one of them replayed. */
const expectOneAnswer = (answers: readonly AppAnswer<Sent>[]): void => {
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  const fresh = answers.filter(({ headers }) => headers.get('idempotent-replayed') === null);
  expect(fresh).toHaveLength(1);
  const replayed = answers.filter(({ headers }) => headers.get('idempotent-replayed') === 'true');
  expect(replayed).toHaveLength(answers.length - 1);
};

test('two hundred calls at once store one message and give one answer', async () => {
  const body = { ...letter, subject: 'two hundred' };
  const answers = await Promise.all(
    Array.from({ length: 200 }, () => post(body, { 'Idempotency-Key': '200' })),
  );
  expectOneAnswer(answers);
  expect(answers[0]?.status).toBe(202);
  expect(await stored('two hundred')).toEqual([answers[0]?.body.id]);
});

describe('with a scanner that takes its time', () => {
  let rspamd: PlayedRspamd;
  let slow: TestApp;
  let who: Sender;
  beforeAll(async () => {
    rspamd = await startPlayedRspamd();
    slow = await startApp({ config: { scanners: { rspamd: { url: rspamd.url, timeout: '20s' } } } });
    who = await slow.createSender();
  });
  afterAll(async () => {
    await slow?.remove();
    await rspamd?.stop();
  });

  const twoHundred = async (body: object, key: string): Promise<readonly AppAnswer<Sent>[]> => {
    const before = rspamd.asked.length;
    const answerNow = rspamd.hang();
    const answers = Promise.all(
      Array.from({ length: 200 }, () =>
        slow.request<Sent>('POST', `${who.base}/send`, body, who.token, { 'Idempotency-Key': key }),
      ),
    );
    await until('it is asked', () => rspamd.asked.length > before);
    answerNow();
    const given = await answers;
    expect(rspamd.asked).toHaveLength(before + 1);
    return given;
  };

  test('two hundred calls at once ask it once, store one message and give one answer', async () => {
    const answers = await twoHundred(letter, 'slow');
    expectOneAnswer(answers);
    expect(answers[0]?.status).toBe(202);
    expect(slow.rowCounts(who.practice.id).messages).toBe(1);
  });

  test('so they do where the content is blocked', async () => {
    rspamd.reject('verboten');
    const answers = await twoHundred({ ...letter, text: 'Das ist verboten.' }, 'blocked');
    expectOneAnswer(answers);
    expect([answers[0]?.status, answers[0]?.body.code]).toEqual([422, 'content_blocked']);
    expect(slow.rowCounts(who.practice.id).messages).toBe(2);
  });

  test('the scanned content is sent, though the template has been changed meanwhile', async () => {
    rspamd.reject('verboten');
    const path = `${who.base}/templates`;
    const made = await slow.request(
      'POST',
      path,
      { name: 'brief', subject: 'Brief', text: 'Erst.' },
      who.token,
    );
    const before = rspamd.asked.length;
    const answerNow = rspamd.hang();
    const sent = slow.send(who, { subject: undefined, text: undefined, template: 'brief' });
    await until('it is asked', () => rspamd.asked.length > before);
    const changed = { text: 'Das ist verboten.' };
    await slow.request('PATCH', `${path}/${made.body.id}`, changed, who.token);
    answerNow();
    const id = await sent;
    const bodies = slow.sql(
      who.practice.id,
      'SELECT text FROM message_bodies JOIN messages ON seq = message_seq WHERE id = ?',
      id,
    );
    expect(bodies).toEqual([{ text: 'Erst.' }]);
  });

  test('another body under the key is refused without asking it', async () => {
    const before = rspamd.asked.length;
    const key = { 'Idempotency-Key': 'slow' };
    const other = { ...letter, text: 'Anders.' };
    const { body } = await slow.request<Sent>('POST', `${who.base}/send`, other, who.token, key);
    expect(body.code).toBe('idempotency_conflict');
    expect(rspamd.asked).toHaveLength(before);
  });
});

test('fifty calls at once without a key store fifty messages', async () => {
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => post({ ...letter, subject: 'keyless' })),
  );
  expect((await stored('keyless')).toSorted()).toEqual(answers.map(({ body }) => body.id).toSorted());
});

test('the same key with another body is refused, and stores nothing', async () => {
  const key = { 'Idempotency-Key': 'conflict' };
  const { body: first } = await post({ ...letter, subject: 'conflict one' }, key);
  const { status, body } = await post({ ...letter, subject: 'conflict two' }, key);
  expect({ status, code: body.code }).toEqual({ status: 409, code: 'idempotency_conflict' });
  expect(await stored('conflict')).toEqual([first.id]);
});

const refusedFirst: readonly (readonly [name: string, body: object])[] = [
  ['for its form', { ...letter, subject: '' }],
  ['by a gate', { ...letter, message_kind: 'newsletter' }],
];
test.each(refusedFirst)('a request refused %s does not occupy its key', async (name, body) => {
  const key = { 'Idempotency-Key': `refused ${name}` };
  expect((await post(body, key)).status).toBeGreaterThanOrEqual(400);
  const { status, headers } = await post(letter, key);
  expect(status).toBe(202);
  expect(headers.get('idempotent-replayed')).toBeNull();
});

test('the same key of another project, or of another practice, is another key', async () => {
  const key = { 'Idempotency-Key': 'shared' };
  const fields = { name: 'Labor' };
  const project = await app.request<Sent>('POST', `${sender.base}/projects`, fields, sender.token);
  const scope = { scope: 'project', project_id: project.body.id };
  const token = await app.createToken(sender.practice.id, scope);
  const other = await app.createSender();
  const answers = [
    await post({ ...letter, subject: 'one' }, key),
    await post({ ...letter, subject: 'two' }, key, token),
    await app.request<Sent>('POST', `${other.base}/send`, letter, other.token, key),
  ];
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(3);
});

describe('a request repeated once the world has changed is answered with the first answer:', () => {
  const key = (name: string) => ({ 'Idempotency-Key': name });
  const change = async (method: string, path: string, body: object): Promise<Sent> => {
    const answer = await app.request<Sent>(method, `${sender.base}${path}`, body, sender.token);
    expect(answer.status).toBeLessThan(300);
    return answer.body;
  };

  test('its project is archived', async () => {
    const project = await change('POST', '/projects', { name: 'Archiv' });
    const scope = { scope: 'project', project_id: project.id };
    const token = await app.createToken(sender.practice.id, scope);
    const body = { ...letter, subject: 'before it was archived' };
    const first = await post(body, key('archived'), token);
    expect(first.status).toBe(202);
    await change('PATCH', `/projects/${project.id}`, { archived: true });
    const again = await post(body, key('archived'), token);
    expect([again.status, again.text]).toEqual([202, first.text]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect((await post(body, key('after it was archived'), token)).body.code).toBe('conflict');
    expect(await stored(body.subject)).toEqual([first.body.id]);
  });

  test('its route has become that of a project', async () => {
    const project = await change('POST', '/projects', { name: 'Neu' });
    await change('POST', '/routes', { name: 'Befunde', type: 'transactional' });
    const body = { ...letter, subject: 'before the route moved', route: 'befunde' };
    const first = await post(body, key('moved'));
    expect(first.status).toBe(202);
    await change('PATCH', '/routes/befunde', { project_id: project.id });
    const again = await post(body, key('moved'));
    expect([again.status, again.text]).toEqual([202, first.text]);
    expect((await post(body, key('after the route moved'))).body.code).toBe('not_found');
    expect(await stored(body.subject)).toEqual([first.body.id]);
  });
});

test('a key outlives a restart', async () => {
  const first = await startApp();
  const who = await first.createSender();
  const key = { 'Idempotency-Key': 'kept' };
  const target = `${who.base}/send`;
  const before = await first.request('POST', target, letter, who.token, key);
  await first.stop();
  const second = await startApp({ home: first.home });
  try {
    const after = await second.request('POST', target, letter, who.token, key);
    expect(after.text).toBe(before.text);
    expect(after.headers.get('idempotent-replayed')).toBe('true');
  } finally {
    await second.remove();
  }
});
