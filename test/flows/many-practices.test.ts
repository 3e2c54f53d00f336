// An installation with practices that rest: neither a start nor the operator's list opens their files, whatever follows them. Files are
// damaged behind what is looked at from outside, so that an opening would be seen.
import { open } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type List, startApp, type TestApp } from '#test/support/app.ts';
import type { Found } from '#test/support/asking.ts';

const config = { security: { outbound_allow: ['127.0.0.0/8'] } };
const HEADER_BYTES = 100;
const PAGE_BYTES = 4_096;

const damage = async (app: TestApp, id: string): Promise<void> => {
  const file = await open(path.join(app.home, 'data', 'tenants', id, 'tenant.db'), 'r+');
  await file.write(Buffer.alloc(PAGE_BYTES - HEADER_BYTES, 0xff), 0, undefined, HEADER_BYTES);
  await file.close();
};

test('no file of a practice at rest is opened by a start and by the list, with a webhook and a list too', async () => {
  const before = await startApp({ config });
  const made = async (name: string): Promise<string> => {
    const { id } = await before.createPractice({ name });
    const base = `/api/practices/${id}`;
    const hook = { name: 'x', url: 'https://127.0.0.1:9/x', events: ['message.delivered'] };
    for (const [what, body] of [['webhooks', hook] as const, ['lists', { name: 'Neues' }] as const])
      expect((await before.request('POST', `${base}/${what}`, body, before.adminToken)).status).toBe(201);
    return id;
  };
  const ids: string[] = [];
  for (const name of ['Eins', 'Zwei', 'Drei', 'Vier']) ids.push(await made(name));
  const listed = async (app: TestApp, query = '') =>
    (await app.request<List<Found>>('GET', `/api/admin/practices?${query}`, undefined, app.adminToken)).body
      .data;
  const shown = await listed(before);
  expect(shown.map(({ id, storage }) => [id, storage])).toEqual(
    ids.map((id) => [id, { state: 'ok', since: null }]),
  );
  await before.stop();
  expect(before.sql(null, 'SELECT * FROM written_tenants')).toEqual([]);

  for (const id of ids) await damage(before, id);
  const after = await startApp({ config, home: before.home });
  onTestFinished(() => after.remove());
  await after.runJob('note which practices rest');
  await after.runJob('bring the summaries of practices up to date');
  expect(await listed(after)).toEqual(shown);
  expect((await listed(after, 'q=vier&plan=test')).map(({ id }) => id)).toEqual([ids[3]]);
  expect(await listed(after, 'q=vier&plan=gruppe')).toEqual([]);
  // An opening is seen.
  const [first = ''] = ids;
  expect((await after.request('GET', `/api/practices/${first}`, undefined, after.adminToken)).status).toBe(
    503,
  );
  expect((await listed(after))[0]).toMatchObject({ id: first, storage: { state: 'unreadable' } });
});
