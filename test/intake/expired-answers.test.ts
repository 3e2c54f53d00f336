import { expect, test } from 'vitest';
import { removeExpiredAnswers } from '#src/intake/expired-answers.ts';
import { idempotencyStore } from '#src/intake/store.ts';
import { DAY } from '#src/kernel/time.ts';
import { plansOf } from '#test/support/query-plan.ts';
import {
  createSampleTenant,
  openTenantDb,
  openTestStorage,
  temporaryDirectory,
} from '#test/support/storage.ts';

const NOW = 1_700_000_000_000;

test('answers under idempotency keys go after a day, however many, and the rest stays', async () => {
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
