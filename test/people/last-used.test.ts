import { beforeEach, expect, test } from 'vitest';
import type { Storage } from '#src/db/storage.ts';
import { newId } from '#src/kernel/id.ts';
import { createLastUsed, lastUsedJob } from '#src/people/last-used.ts';
import { tokenStore } from '#src/people/store.ts';
import { createToken } from '#src/people/tokens.ts';
import {
  createSampleTenant,
  createTestClock,
  openTestStorage,
  type TestClock,
  temporaryDirectory,
} from '#test/support/storage.ts';

let storage: Storage;
let clock: TestClock;
beforeEach(async () => {
  storage = await openTestStorage(await temporaryDirectory());
  clock = createTestClock(1_000);
});

const makeToken = async (tenantId: string): Promise<string> =>
  (await createToken({ storage, clock }, tenantId, { name: 't', scope: 'team', projectId: null })).row.id;
const usedAt = (tenantId: string, tokenId: string) =>
  storage.tenants.read(tenantId, (db) => tokenStore(db).get(tokenId)?.last_used_at);

test('the latest use of each token is written, by tenant', async () => {
  const tenants = [await createSampleTenant(storage, 'A'), await createSampleTenant(storage, 'B')];
  const [first = '', second = ''] = tenants;
  const used = await makeToken(first);
  const other = await makeToken(second);
  const idle = await makeToken(first);
  const lastUsed = createLastUsed(storage.tenants, clock);
  lastUsed.note(first, used);
  clock.set(2_000);
  lastUsed.note(first, used);
  lastUsed.note(second, other);
  expect(await usedAt(first, used)).toBeNull();
  await lastUsed.flush();
  expect([await usedAt(first, used), await usedAt(second, other), await usedAt(first, idle)]).toEqual([
    2_000,
    2_000,
    null,
  ]);
});

test('what was written is not written again', async () => {
  const tenant = await createSampleTenant(storage);
  const token = await makeToken(tenant);
  const lastUsed = createLastUsed(storage.tenants, clock);
  lastUsed.note(tenant, token);
  await lastUsed.flush();
  await storage.tenants.write(tenant, (db) => tokenStore(db).touch(token, 5));
  await lastUsed.flush();
  expect(await usedAt(tenant, token)).toBe(5);
});

test('a tenant that cannot be written does not keep the others from it, and is told', async () => {
  const tenant = await createSampleTenant(storage);
  const token = await makeToken(tenant);
  const lastUsed = createLastUsed(storage.tenants, clock);
  lastUsed.note(newId(), newId());
  lastUsed.note(tenant, token);
  await expect(lastUsed.flush()).rejects.toThrow(/last use/);
  expect(await usedAt(tenant, token)).toBe(1_000);
});

test('a token revoked meanwhile is no error', async () => {
  const tenant = await createSampleTenant(storage);
  const lastUsed = createLastUsed(storage.tenants, clock);
  lastUsed.note(tenant, newId());
  await lastUsed.flush();
});

test('the job writes', async () => {
  let flushed = 0;
  const job = lastUsedJob({
    note: () => undefined,
    flush: async () => {
      flushed += 1;
    },
  });
  await job.run(AbortSignal.abort(), undefined as never);
  expect(flushed).toBe(1);
});
