// Many sends by one request: each is answered in its place, and none is sent twice however the request is repeated.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type AppAnswer,
  letter,
  type Refusal,
  type Sender,
  startApp,
  type TestApp,
} from '#test/support/app.ts';

type Item = Partial<Refusal> & {
  readonly id?: string;
  readonly status?: string;
  readonly status_code?: number;
  readonly fields?: readonly { readonly path: string }[];
};

let app: TestApp;
let sender: Sender;

beforeAll(async () => {
  app = await startApp({ runsTwice: true });
  sender = await app.createSender({ plan: 'gruppe' });
});
afterAll(() => app?.remove());

const post = (items: unknown, headers: Readonly<Record<string, string>> = {}, who = sender) =>
  app.request<Item[]>('POST', `${who.base}/send/batch`, items, who.token, headers);

const stored = (subject: string, who = sender): string[] =>
  app
    .sql<{ id: string }>(who.practice.id, 'SELECT id FROM messages WHERE subject = ? ORDER BY seq', subject)
    .map(({ id }) => id);

const codesOf = ({ body }: AppAnswer<Item[]>) => body.map(({ code, status }) => code ?? status);
const letters = (subject: string, count: number) =>
  Array.from({ length: count }, (_, index) => ({ ...letter, to: `r${index}@example.org`, subject }));
const replayed = ({ headers }: AppAnswer<unknown>): string | null => headers.get('idempotent-replayed');

describe('each item is answered in its place:', () => {
  test('the good ones are sent, the others are refused with the reason and the place', async () => {
    const items = [
      { ...letter, subject: 'mixed' },
      { subject: 'mixed', text: 'x' },
      { ...letter, subject: 'mixed', to: 'ben@example.org' },
      { ...letter, subject: 'mixed', txet: 'x' },
      { ...letter, subject: 'mixed', to: 'nobody' },
      { ...letter, subject: 'mixed', reply_to: 'nobody' },
      { ...letter, subject: 'mixed', message_kind: 'newsletter' },
      { ...letter, subject: 'mixed', route: 'nowhere' },
      { To: 'cara@example.org', Subject: 'mixed', TextBody: 'x' },
      { to: 'dora@example.org', template: 'nowhere' },
      { ...letter, subject: 'mixed', project_id: crypto.randomUUID() },
      'mixed',
      null,
    ];
    const answer = await post(items);
    expect(answer.status).toBe(202);
    expect(codesOf(answer)).toEqual([
      'queued',
      'invalid_request',
      'queued',
      'invalid_request',
      'invalid_recipient',
      'invalid_request',
      'kind_not_allowed_on_route',
      'not_found',
      'queued',
      'not_found',
      'not_found',
      'invalid_request',
      'invalid_request',
    ]);
    expect(answer.body.flatMap(({ fields = [] }) => fields.map(({ path }) => path))).toEqual([
      'body[1].to',
      'body[3].txet',
      'body[5].reply_to',
      'body[11]',
      'body[12]',
    ]);
    expect(answer.body.map(({ status_code }) => status_code)).toEqual([
      ...[undefined, 400, undefined, 400, 422, 400, 422, 404, undefined, 404, 404, 400, 400],
    ]);
    const accepted = answer.body.flatMap(({ id }) => id ?? []);
    expect(stored('mixed').toSorted()).toEqual(accepted.toSorted());
    expect(await app.message(sender, accepted[0] ?? '')).toMatchObject({ source: 'batch' });
  });

  test('nothing accepted is a 422 with every reason', async () => {
    const answer = await post([{}, { ...letter, message_kind: 'newsletter' }]);
    expect({ status: answer.status, codes: codesOf(answer) }).toEqual({
      status: 422,
      codes: ['invalid_request', 'kind_not_allowed_on_route'],
    });
    expect((await post([])).status).toBe(422);
  });

  test('a recipient on a suppression is accepted, and gets nothing', async () => {
    const suppression = { address: 'suppressed@example.org' };
    await app.request('POST', `${sender.base}/suppression`, suppression, sender.token);
    const answer = await post([{ ...letter, to: suppression.address }]);
    expect({ status: answer.status, item: answer.body[0] }).toMatchObject({
      status: 202,
      item: { status: 'suppressed', code: 'recipient_suppressed' },
    });
  });

  test('500 in their order', async () => {
    const { status, body } = await post(letters('five hundred', 500));
    expect(status).toBe(202);
    const ids = body.map(({ id }) => id);
    const recipients = app.sql<{ id: string; address: string }>(
      sender.practice.id,
      `SELECT id, json_extract(to_json, '$[0].address') AS address FROM messages WHERE subject = 'five hundred'`,
    );
    const byId = new Map(recipients.map(({ id, address }) => [id, address]));
    expect(ids.map((id) => byId.get(id ?? ''))).toEqual(letters('', 500).map(({ to }) => to));
  });
});

describe('the whole is refused', () => {
  const rows: readonly (readonly [name: string, body: unknown, status: number, code: string])[] = [
    ['with 501 items', Array.from({ length: 501 }, () => letter), 400, 'invalid_request'],
    ['where it is no array', letter, 400, 'invalid_request'],
    ['where it is no JSON', Buffer.from('[{'), 400, 'invalid_json'],
  ];
  test.each(rows)('%s', async (_, body, status, code) => {
    const messages = () => app.rowCounts(sender.practice.id).messages;
    const before = messages();
    const answer = await app.request('POST', `${sender.base}/send/batch`, body, sender.token);
    expect({ status: answer.status, code: answer.body.code }).toEqual({ status, code });
    expect(messages()).toBe(before);
  });
});

describe('a batch under an Idempotency-Key', () => {
  const key = (name: string) => ({ 'Idempotency-Key': name });

  test('is answered again as it was, refusals too, and sends nothing again', async () => {
    const items = [...letters('repeated', 3), { ...letter, subject: '' }];
    const first = await post(items, key('repeated'));
    const again = await post(items, key('repeated'));
    expect([first.status, replayed(first)]).toEqual([202, null]);
    expect([again.status, replayed(again), again.text]).toEqual([202, 'true', first.text]);
    expect(stored('repeated')).toHaveLength(3);
  });

  test('sent many times at once is done once, and all get the same answer', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => post(letters('at once', 5), key('at once'))),
    );
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.filter((answer) => replayed(answer) === null)).toHaveLength(1);
    expect(stored('at once')).toHaveLength(5);
  });

  test('is refused with other items, and so is a single send', async () => {
    await post(letters('taken', 2), key('taken'));
    const other = await app.request(
      'POST',
      `${sender.base}/send/batch`,
      letters('taken', 3),
      sender.token,
      key('taken'),
    );
    expect({ status: other.status, code: other.body.code }).toEqual({
      status: 409,
      code: 'idempotency_conflict',
    });
    const single = await app.request('POST', `${sender.base}/send`, letter, sender.token, key('taken'));
    expect(single.body.code).toBe('idempotency_conflict');
    await app.request('POST', `${sender.base}/send`, letter, sender.token, key('single'));
    const batch = await app.request(
      'POST',
      `${sender.base}/send/batch`,
      [letter],
      sender.token,
      key('single'),
    );
    expect(batch.body.code).toBe('idempotency_conflict');
    expect(stored('taken')).toHaveLength(2);
  });

  test('of which nothing was accepted leaves the key free', async () => {
    expect((await post([{}], key('free'))).status).toBe(422);
    const second = await post(letters('free', 1), key('free'));
    expect([second.status, replayed(second)]).toEqual([202, null]);
  });

  test('goes on after a crash in the middle: accepted items are answered again, the rest is sent', async () => {
    const items = letters('cut off', 6);
    const first = await post(items, key('cut off'));
    const ids = first.body.map(({ id }) => id);
    // As a crash leaves it: the whole is not answered yet, the last two have not been stored.
    app.sql(
      sender.practice.id,
      `UPDATE idempotency_keys SET status = 0, response_json = '' WHERE key = 'cut off'`,
    );
    for (const index of [4, 5])
      app.sql(sender.practice.id, 'DELETE FROM idempotency_keys WHERE key = ?', `cut off\n${index}`);
    const again = await post(items, key('cut off'));
    expect([again.status, replayed(again)]).toEqual([202, null]);
    expect(again.body.slice(0, 4).map(({ id }) => id)).toEqual(ids.slice(0, 4));
    expect(stored('cut off')).toHaveLength(8);
    const other = await post(letters('cut off', 7), key('cut off'));
    expect(other.status).toBe(409);
  });

  test('that was cut off is refused with other items', async () => {
    await post(letters('changed', 2), key('changed'));
    app.sql(
      sender.practice.id,
      `UPDATE idempotency_keys SET status = 0, response_json = '' WHERE key = 'changed'`,
    );
    expect((await post(letters('changed', 3), key('changed'))).status).toBe(409);
    expect(stored('changed')).toHaveLength(2);
  });

  test('outlives a restart', async () => {
    const earlier = await startApp();
    const who = await earlier.createSender();
    const ask = (daemon: TestApp) =>
      daemon.request('POST', `${who.base}/send/batch`, letters('kept', 2), who.token, key('kept'));
    const first = await ask(earlier);
    await earlier.stop();
    const later = await startApp({ home: earlier.home });
    try {
      const again = await ask(later);
      expect([again.text, replayed(again)]).toEqual([first.text, 'true']);
    } finally {
      await later.remove();
    }
  });
});

describe('an item with a key of its own', () => {
  test('is sent once, in any batch and by itself', async () => {
    const item = { ...letter, subject: 'own', idempotency_key: 'own' };
    const first = await post([item, letter]);
    const again = await post([letter, item]);
    const single = await app.request('POST', `${sender.base}/send`, item, sender.token);
    expect(again.body[1]).toEqual(first.body[0]);
    expect(single.body).toEqual(first.body[0]);
    expect(stored('own')).toHaveLength(1);
  });

  test('that another item of the batch has, too, is that item', async () => {
    const item = { ...letter, subject: 'twins', idempotency_key: 'twins' };
    const { body } = await post([item, item, { ...item, text: 'other' }]);
    expect(body[1]).toEqual(body[0]);
    expect(body[2]).toMatchObject({ code: 'idempotency_conflict', status_code: 409 });
    expect(stored('twins')).toHaveLength(1);
  });

  test('that is the key of the whole, does not wait for itself', async () => {
    const item = { ...letter, subject: 'itself', idempotency_key: 'itself' };
    const first = await post([item, item], { 'Idempotency-Key': 'itself' });
    expect(codesOf(first)).toEqual(['queued', 'queued']);
    const again = await post([item, item], { 'Idempotency-Key': 'itself' });
    expect(again.text).toBe(first.text);
    expect(stored('itself')).toHaveLength(2);
  });
});

test('two batches that name each other’s key in an item do not wait for each other', async () => {
  const crossed = (own: string, other: string) =>
    post([{ ...letter, subject: 'crossed', idempotency_key: other }, letter], { 'Idempotency-Key': own });
  const answers = await Promise.all([crossed('left', 'right'), crossed('right', 'left')]);
  for (const answer of answers) {
    expect(codesOf(answer)[1]).toBe('queued');
    expect(codesOf(answer)).not.toContain('idempotency_in_progress');
  }
});

test('a project token sends for its project alone', async () => {
  const fields = { name: 'Labor' };
  const { body: project } = await app.request<{ id: string }>(
    'POST',
    `${sender.base}/projects`,
    fields,
    sender.token,
  );
  const token = await app.createToken(sender.practice.id, { scope: 'project', project_id: project.id });
  const { body: all } = await app.request<{ data: { id: string; is_default: boolean }[] }>(
    'GET',
    `${sender.base}/projects`,
    undefined,
    sender.token,
  );
  const other = all.data.find(({ is_default }) => is_default)?.id;
  const key = { 'Idempotency-Key': 'of a project' };
  const items = [letter, { ...letter, project_id: other }];
  const answer = await post(items, key, { ...sender, token });
  expect(codesOf(answer)).toEqual(['queued', 'not_found']);
  expect((await app.message(sender, answer.body[0]?.id ?? '')).project_id).toBe(project.id);
  // Another project's key of the same name is another key.
  expect(replayed(await post(items, key))).toBeNull();
});
