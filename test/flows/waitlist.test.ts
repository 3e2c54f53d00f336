// The waiting list, from the form of some page to the operator's list.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type List, startApp, type TestApp } from '#test/support/app.ts';
import { unlimitedSignIn } from '#test/support/people.ts';

const PATH = '/api/public/waitlist';
const LIST = '/api/admin/waitlist';

interface Entry {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
  readonly plan: string;
  readonly note: string | null;
}

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ config: unlimitedSignIn });
});
afterAll(() => app.remove());

const join = (fields: object) => app.request('POST', PATH, fields);
const list = async (query = ''): Promise<List<Entry>> =>
  (await app.request<List<Entry>>('GET', LIST + query, undefined, app.adminToken)).body;

test('an address that is entered is on the list, and entering it again reveals and changes nothing', async () => {
  const first = await join({ email: 'erika@example.org', plan: 'praxis', name: 'Erika', note: 'bald' });
  const again = await join({ email: 'ERIKA@example.org', plan: 'gruppe', name: 'Otto' });
  for (const { status, body } of [first, again])
    expect({ status, body }).toEqual({ status: 202, body: { status: 'noted' } });
  const own = (await list()).data.filter(({ email }) => email.toLowerCase() === 'erika@example.org');
  expect(own).toMatchObject([{ email: 'erika@example.org', plan: 'praxis', name: 'Erika', note: 'bald' }]);
});

test.each([
  ['de', 'Sie stehen auf der Warteliste'],
  ['en', 'You are on the waiting list'],
])('a browser gets a page in %s that shows nothing of what was typed', async (language, title) => {
  const name = '<script>alert(1)</script>';
  const response = await fetch(app.origin + PATH, {
    method: 'POST',
    body: new URLSearchParams({ email: `${language}@example.org`, plan: 'termin', name, note: '' }),
    headers: { Accept: 'text/html', 'Accept-Language': language },
  });
  expect(response.status).toBe(200);
  const page = await response.text();
  expect(page).toContain(`<h1>${title}</h1>`);
  expect(page).not.toContain('alert');
  expect((await list()).data).toContainEqual(
    expect.objectContaining({ email: `${language}@example.org`, name }),
  );
});

test('the list is in the order they came, by plan, page by page', async () => {
  for (const index of [1, 2, 3]) await join({ email: `otto${index}@example.org`, plan: 'gruppe' });
  const first = await list('?plan=gruppe&limit=2');
  expect(first.data.map(({ email }) => email)).toEqual(['otto1@example.org', 'otto2@example.org']);
  const second = await list(`?plan=gruppe&limit=2&cursor=${first.next_cursor}`);
  expect(second).toMatchObject({ data: [{ email: 'otto3@example.org' }], next_cursor: null });
});

test('what the operator removes is gone, and in the audit', async () => {
  await join({ email: 'frida@example.org', plan: 'termin' });
  const { id = '' } = (await list()).data.find(({ email }) => email === 'frida@example.org') ?? {};
  const remove = () => app.request('DELETE', `${LIST}/${id}`, undefined, app.adminToken);
  expect((await remove()).status).toBe(204);
  expect((await remove()).status).toBe(404);
  const audit = await app.request<List<object>>(
    'GET',
    `/api/admin/audit?target_id=${id}`,
    undefined,
    app.adminToken,
  );
  expect(audit.body.data).toMatchObject([
    { action: 'waitlist.remove', before: { plan: 'termin' }, after: null },
  ]);
  expect(audit.text).not.toContain('frida');
});

test('it is read by no one else', async () => {
  const { token } = await app.createSender();
  expect((await app.request('GET', LIST, undefined, token)).status).toBe(403);
});

test('a refused entry leaves nothing', async () => {
  const before = (await list('?limit=200')).data.length;
  for (const fields of [{ email: 'x', plan: 'termin' }, { email: 'x@example.org', plan: 'test' }, {}])
    expect((await join(fields)).status).toBe(400);
  expect((await list('?limit=200')).data).toHaveLength(before);
});
