// What the front desk does with mail received: conversations that are taken, done and noted in, saved replies, and the number of unread
// mails.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type List, type Refusal, startApp, type TestApp } from '#test/support/app.ts';
import { refused, UNKNOWN_ID } from '#test/support/asking.ts';
import { type Person, unlimitedSignIn } from '#test/support/people.ts';
import { putMail } from '#test/support/received-mail.ts';
import { type Workplace, workplaces } from './workplace.ts';

let app: TestApp;
let place: Workplace;
let anna: Person;
let viewer: Person;
beforeAll(async () => {
  app = await startApp({ config: unlimitedSignIn });
  place = await open('praxis');
  anna = await enlist(place, 'member');
  viewer = await enlist(place, 'viewer');
});
afterAll(() => app?.remove());

const { call, enlist, memberOf, open } = workplaces(
  () => app,
  () => place.owner.token,
);

interface Thread {
  readonly assignee: { readonly email: string } | null;
  readonly done_at: string | null;
  readonly notes: readonly { readonly id: string; readonly text: string; readonly author: string }[];
}
interface Listed {
  readonly id: string;
  readonly thread: {
    readonly assignee: { readonly email: string } | null;
    readonly done: boolean;
    readonly notes: number;
  };
}

const practiceId = (): string => place.base.split('/').at(-1) ?? '';
const newMail = (fields: object = {}): { readonly id: string; readonly thread: string } => {
  const thread = crypto.randomUUID();
  return { id: putMail(app, practiceId(), { thread_id: thread, ...fields }), thread };
};
const change = (thread: string, body: object, token = anna.token) =>
  call<Thread & Refusal>('PATCH', `${place.base}/inbound/threads/${thread}`, body, token);
const note = (thread: string, text: string, token = anna.token) =>
  call<Thread & Refusal>('POST', `${place.base}/inbound/threads/${thread}/notes`, { text }, token);
const listed = async (query: string, token = anna.token, cursor = ''): Promise<readonly string[]> => {
  const { body } = await call<List<Listed>>(
    'GET',
    `${place.base}/inbound/messages?state=inbox&${query}${cursor}`,
    undefined,
    token,
  );
  const rest = body.next_cursor === null ? [] : await listed(query, token, `&cursor=${body.next_cursor}`);
  return [...body.data.map(({ id }) => id), ...rest];
};
const unread = async (): Promise<number> =>
  (await call<{ unread: number }>('GET', `${place.base}/inbound/unread`, undefined, anna.token)).body.unread;

describe('a conversation', () => {
  test('is taken and done, and is found by that', async () => {
    const [mine, free, done] = [newMail(), newMail(), newMail()];
    const { id: annaId } = await memberOf(place, anna.email);
    expect((await change(mine.thread, { assignee_id: annaId })).body).toMatchObject({
      assignee: { email: anna.email },
      done_at: null,
    });
    expect((await change(done.thread, { done: true })).body.done_at).not.toBeNull();
    const found = async (query: string, token?: string) =>
      (await listed(query, token)).filter((id) => [mine.id, free.id, done.id].includes(id));
    expect(await found('assignee=me')).toEqual([mine.id]);
    expect(await found('assignee=me', place.owner.token)).toEqual([]);
    expect(await found(`assignee=${annaId}`, place.owner.token)).toEqual([mine.id]);
    expect(await found('assignee=none&done=false')).toEqual([free.id]);
    expect(await found('done=true')).toEqual([done.id]);
    expect(await found('done=false')).toEqual([free.id, mine.id]);
    await change(done.thread, { done: false });
    expect(await found('done=true')).toEqual([]);
  });

  test('of a member who has left is no one’s', async () => {
    const leaving = await enlist(place, 'member');
    const { id } = await memberOf(place, leaving.email);
    const mail = newMail();
    await change(mail.thread, { assignee_id: id });
    await call('DELETE', `${place.base}/members/${id}`);
    expect(await listed('assignee=none')).toContain(mail.id);
    expect((await change(mail.thread, { done: true })).body.assignee).toBeNull();
    await refused('conflict', change(mail.thread, { assignee_id: id }));
  });

  test('has notes that members alone see, and that go with its last mail', async () => {
    const mail = newMail();
    const { body } = await note(mail.thread, 'Ich rufe morgen an.\nPatientin wünscht Rückruf.');
    expect(body.notes).toMatchObject([{ author: anna.email, text: expect.stringContaining('Rückruf') }]);
    await note(mail.thread, 'Erledigt.', place.owner.token);
    const one = await call<Listed>(
      'GET',
      `${place.base}/inbound/messages/${mail.id}`,
      undefined,
      viewer.token,
    );
    expect(one.body.thread).toEqual({ assignee: null, done: false, notes: 2 });
    const at = `${place.base}/inbound/threads/${mail.thread}`;
    await refused('forbidden', call('GET', at, undefined, viewer.token));
    await refused('forbidden', note(mail.thread, 'Nein.', viewer.token));
    await refused('not_found', note(UNKNOWN_ID, 'Nein.'));
    expect(await call('DELETE', `${at}/notes/${body.notes[0]?.id}`, undefined, anna.token)).toMatchObject({
      status: 204,
    });
    expect((await call<Thread>('GET', at, undefined, anna.token)).body.notes).toHaveLength(1);
    await call('DELETE', `${place.base}/inbound/messages/${mail.id}`);
    const left = app.sql(practiceId(), 'SELECT 1 FROM inbound_notes WHERE thread_id = ?', mail.thread);
    expect(left).toEqual([]);
  });

  test('and the person who wrote it gets the notes in their export, as long as they are there', async () => {
    const address = 'writer@example.org';
    const thread = crypto.randomUUID();
    newMail({
      thread_id: thread,
      from_json: JSON.stringify({ address }),
      search_text: address,
      ...{ mail_from: address },
    });
    await note(thread, 'Ruft immer montags an.');
    const { text } = await call(
      'GET',
      `${place.base}/people/export?address=${address}`,
      undefined,
      place.owner.token,
    );
    expect(text).toContain('Ruft immer montags an.');
  });
});

test('unread mails are counted as they come, are read and go', async () => {
  const before = await unread();
  const [one, two, held] = [newMail(), newMail(), newMail({ state: 'held', state_reason: 'mode' })];
  expect(await unread()).toBe(before + 2);
  const at = (id: string) => `${place.base}/inbound/messages/${id}`;
  await call('PATCH', at(one.id), { read: true }, anna.token);
  await call('PATCH', at(held.id), { read: true }, anna.token);
  expect(await unread()).toBe(before + 1);
  await call('PATCH', at(one.id), { read: false }, anna.token);
  await call('PATCH', at(held.id), { read: false }, anna.token);
  await call('POST', `${at(held.id)}/release`);
  expect(await unread()).toBe(before + 3);
  for (const { id } of [one, two, held]) await call('DELETE', at(id));
  expect(await unread()).toBe(before);
});

test('saved replies are made, changed and removed by who may send', async () => {
  const replies = `${place.base}/saved-replies`;
  const text = 'Guten Tag {{name}},\n\nIhr Rezept liegt bereit.';
  const { body } = await call<{ id: string }>('POST', replies, { name: 'Rezept', text }, anna.token);
  await call('PATCH', `${replies}/${body.id}`, { name: 'Rezept fertig' }, anna.token);
  const all = await call<List<object>>('GET', replies, undefined, anna.token);
  expect(all.body.data).toMatchObject([{ id: body.id, name: 'Rezept fertig', text }]);
  await refused('forbidden', call('GET', replies, undefined, viewer.token));
  await refused('invalid_request', call('POST', replies, { name: 'a', text: ' ' }, anna.token));
  await call('DELETE', `${replies}/${body.id}`, undefined, anna.token);
  expect((await call<List<object>>('GET', replies, undefined, anna.token)).body.data).toEqual([]);
});
