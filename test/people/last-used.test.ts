import { beforeEach, describe, expect, test } from 'vitest';
import { tokenStore } from '#src/accounts/entry/token-store.ts';
import { lastUsedJob } from '#src/kernel/credentials.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import { newId } from '#src/kernel/id.ts';
import { createSessionsLastUsed } from '#src/people/sessions.ts';
import { createTokensLastUsed } from '#src/people/tokens.ts';
import {
  createSampleTenant,
  createTestClock,
  openTestStorage,
  type TestClock,
  temporaryDirectory,
} from '#test/support/storage.ts';
import { mintToken } from './practice.ts';

let storage: Storage;
let clock: TestClock;
beforeEach(async () => {
  storage = await openTestStorage(await temporaryDirectory());
  clock = createTestClock(1_000);
});

const makeToken = async (tenantId: string): Promise<string> =>
  (await mintToken(storage, clock, tenantId)).row.id;
const usedAt = (tenantId: string, tokenId: string) =>
  storage.tenants.read(tenantId, (db) => tokenStore(db).get(tokenId)?.last_used_at);

describe('tokens', () => {
  test('the latest use of each is written, by tenant', async () => {
    const tenants = [await createSampleTenant(storage, 'A'), await createSampleTenant(storage, 'B')];
    const [first = '', second = ''] = tenants;
    const used = await makeToken(first);
    const other = await makeToken(second);
    const idle = await makeToken(first);
    const lastUsed = createTokensLastUsed(storage.tenants, clock);
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
    const lastUsed = createTokensLastUsed(storage.tenants, clock);
    lastUsed.note(tenant, token);
    await lastUsed.flush();
    await storage.tenants.write(tenant, (db) => tokenStore(db).touch(token, 5));
    await lastUsed.flush();
    expect(await usedAt(tenant, token)).toBe(5);
  });

  test('a tenant that cannot be written does not hold up the others, is reported, and is tried again', async () => {
    const tenant = await createSampleTenant(storage);
    const token = await makeToken(tenant);
    const lastUsed = createTokensLastUsed(storage.tenants, clock);
    const nowhere = newId();
    lastUsed.note(newId(), nowhere);
    lastUsed.note(tenant, token);
    await expect(lastUsed.flush()).rejects.toThrow(/last use/);
    expect(await usedAt(tenant, token)).toBe(1_000);
    expect([lastUsed.notedAt(nowhere), lastUsed.notedAt(token)]).toEqual([1_000, undefined]);
    await expect(lastUsed.flush()).rejects.toThrow(/last use/);
  });

  test('one revoked meanwhile is no error', async () => {
    const tenant = await createSampleTenant(storage);
    const lastUsed = createTokensLastUsed(storage.tenants, clock);
    lastUsed.note(tenant, newId());
    await lastUsed.flush();
  });
});

test('what is noted can be asked for until it is written, and a use during the writing is kept for the next', async () => {
  const lastUsed = createSessionsLastUsed(storage.platform, clock);
  expect(lastUsed.notedAt('s')).toBeUndefined();
  lastUsed.note('platform', 's');
  const flushed = lastUsed.flush();
  clock.set(3_000);
  expect(lastUsed.notedAt('s')).toBe(1_000);
  lastUsed.note('platform', 's');
  await flushed;
  expect(lastUsed.notedAt('s')).toBe(3_000);
  await lastUsed.flush();
  expect(lastUsed.notedAt('s')).toBeUndefined();
});

test('a stop waits for the file that is being written, and leaves the others noted', async () => {
  const tenants = [await createSampleTenant(storage, 'A'), await createSampleTenant(storage, 'B')];
  const tokens = await Promise.all(tenants.map(makeToken));
  const stopping = new AbortController();
  const write: typeof storage.tenants.write = (...args) => {
    stopping.abort();
    return storage.tenants.write(...args);
  };
  const lastUsed = createTokensLastUsed({ ...storage.tenants, write }, clock);
  for (const [index, tenant] of tenants.entries()) lastUsed.note(tenant, tokens[index] ?? '');
  await lastUsedJob('note', lastUsed).run(stopping.signal, undefined as never);
  expect(await Promise.all(tenants.map((tenant, index) => usedAt(tenant, tokens[index] ?? '')))).toEqual([
    1_000,
    null,
  ]);
  expect(tokens.map(lastUsed.notedAt)).toEqual([undefined, 1_000]);
});

test('the job writes', async () => {
  let flushed = 0;
  const job = lastUsedJob('note', {
    note: () => undefined,
    notedAt: () => undefined,
    forget: () => undefined,
    flush: async () => {
      flushed += 1;
    },
  });
  await job.run(AbortSignal.abort(), undefined as never);
  expect(flushed).toBe(1);
});
