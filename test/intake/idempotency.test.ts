import { describe, expect, test } from 'vitest';
import { createRequestQueue, findKept, keepAnswer, removeExpiredAnswers } from '#src/intake/answer.ts';
import { idempotencyStore } from '#src/intake/idempotency-store.ts';
import { DAY } from '#src/kernel/time.ts';
import { plansOf } from '#test/support/query-plan.ts';
import {
  createSampleTenant,
  openTenantDb,
  openTestStorage,
  temporaryDirectory,
} from '#test/support/storage.ts';

const IN_PROGRESS = { code: 'idempotency_in_progress', status: 409 };

/** Work that ends when the test calls `end`. */
const slowWork = () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  let begun = 0;
  return {
    work: () => {
      begun += 1;
      return promise;
    },
    end: () => resolve('done'),
    begun: () => begun,
  };
};

describe('requests of one key', () => {
  test('wait for the first and run one after the other', async () => {
    const requests = createRequestQueue();
    const order: number[] = [];
    const first = slowWork();
    const answers = [
      requests.run('a', 'k', async () => order.push(await first.work().then(() => 1))),
      requests.run('a', 'k', async () => order.push(2)),
      requests.run('a', 'k', async () => order.push(3)),
    ];
    first.end();
    await Promise.all(answers);
    expect(order).toEqual([1, 2, 3]);
  });

  test('that have waited too long are refused, and do nothing, then or later', async () => {
    const requests = createRequestQueue(1);
    const first = slowWork();
    const second = slowWork();
    const running = requests.run('a', 'k', first.work);
    await expect(requests.run('a', 'k', second.work)).rejects.toMatchObject(IN_PROGRESS);
    first.end();
    expect(await running).toBe('done');
    expect(await requests.run('a', 'k', async () => 'third')).toBe('third');
    expect(second.begun()).toBe(0);
  });

  test('go on after one that failed', async () => {
    const requests = createRequestQueue();
    const failing = requests.run('a', 'k', () => Promise.reject(new Error('no disk')));
    const next = requests.run('a', 'k', async () => 'next');
    await expect(failing).rejects.toThrow('no disk');
    expect(await next).toBe('next');
  });
});

test.each([
  ['another key', 'a', 'l'],
  ['another practice', 'b', 'k'],
  ['no key', 'a', null],
])('%s does not wait', async (_, tenant, key) => {
  const requests = createRequestQueue(1);
  const first = slowWork();
  const running = requests.run('a', 'k', first.work);
  expect(await requests.run(tenant, key, async () => 'at once')).toBe('at once');
  first.end();
  await running;
});

const NOW = 1_700_000_000_000;

test('answers under idempotency keys are removed after a day, however many they are, and the others stay', async () => {
  const storage = await openTestStorage(await temporaryDirectory());
  const id = await createSampleTenant(storage);
  const answer = { request_hash: Buffer.alloc(32), status: 202, response_json: '{}' };
  await storage.tenants.write(id, (db) => {
    for (let index = 0; index < 1_001; index++)
      idempotencyStore(db).put('project', `old ${index}`, answer, NOW - DAY, 0);
    idempotencyStore(db).put('project', 'young', answer, NOW - DAY + 1, 0);
  });
  let writes = 0;
  const files: Parameters<typeof removeExpiredAnswers>[0] = {
    read: storage.tenants.read,
    write: (tenantId, work) => {
      writes += 1;
      return storage.tenants.write(tenantId, work);
    },
  };
  const { signal } = new AbortController();
  const run = () => removeExpiredAnswers(files, id, NOW, signal, (work) => work());
  await run();
  const keys = await storage.tenants.read(id, (db) =>
    db.prepare('SELECT key FROM idempotency_keys').pluck().all(),
  );
  expect({ keys, writes }).toEqual({ keys: ['young'], writes: 3 });
  await run();
  expect(writes).toBe(3);
});

test('they are found by their age', async () => {
  const { db } = await openTenantDb();
  const steps = plansOf(db, (connection) => idempotencyStore(connection)).flatMap((plan) => plan.steps);
  expect(steps.filter((step) => /TEMP B-TREE|SCAN idempotency_keys$/.test(step))).toEqual([]);
});

test('an answer is given again for a day, and not at its end', async () => {
  const { db } = await openTenantDb();
  const [{ id }] = db.prepare<[], { id: string }>('SELECT id FROM projects').all() as [{ id: string }];
  const request = { key: 'k', digest: Buffer.alloc(32) };
  keepAnswer(db, id, request, { status: 202, body: {} }, DAY);
  expect(findKept(db, id, request, 2 * DAY - 1)).toMatchObject({ status: 202 });
  expect(findKept(db, id, request, 2 * DAY)).toBeNull();
  const other = { ...request, digest: Buffer.alloc(32, 1) };
  expect(() => findKept(db, id, other, 2 * DAY - 1)).toThrow(
    expect.objectContaining({ code: 'idempotency_conflict' }),
  );
});
