import { beforeEach, describe, expect, test } from 'vitest';
import { removeIncompleteTenants } from '#src/accounts/tenants/create.ts';
import { registryStore } from '#src/accounts/tenants/registry-store.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { ensureSystemTenant } from '#src/accounts/tenants/system-tenant.ts';
import { servedStore } from '#src/domains/registry-store.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import {
  createSampleTenant,
  createTestClock,
  openTestStorage,
  temporaryDirectory,
  tenantDeps,
} from '#test/support/storage.ts';

const NAME = 'Sendwerk';
const clock = createTestClock();

let directory: string;
let storage: Storage;
beforeEach(async () => {
  directory = await temporaryDirectory();
  storage = await openTestStorage(directory);
});

/** As a start does it. */
const ensure = (on: Storage): Promise<string> =>
  ensureSystemTenant({ ...tenantDeps(on, clock), safeModeDefault: () => true }, NAME);

const all = (on: Storage) => on.platform.read((db) => registryStore(db).listAll(0, 10));

describe('the system tenant', () => {
  test('is complete, may write to everybody, and has a host of its own', async () => {
    const id = await ensure(storage);
    expect(await storage.tenants.read(id, (db) => tenantStore(db).practice())).toMatchObject({
      id,
      name: NAME,
      slug: 'sendwerk',
      plan: 'gruppe',
      safe_mode: 0,
    });
    expect(await storage.platform.read((db) => servedStore(db).managedHosts('', 100))).toEqual([
      'sendwerk.send.example.com',
    ]);
  });

  test('is made once, also over restarts', async () => {
    const id = await ensure(storage);
    expect(await ensure(storage)).toBe(id);
    await storage.close();
    const again = await openTestStorage(directory);
    expect(await ensure(again)).toBe(id);
    expect(await all(again)).toHaveLength(1);
  });

  test('is made once, also where it is asked for twice at the same moment', async () => {
    const results = await Promise.allSettled([ensure(storage), ensure(storage)]);
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await removeIncompleteTenants(storage)).toBe(0);
    expect(await all(storage)).toEqual([expect.objectContaining({ id: await ensure(storage) })]);
  });

  test('is no practice in the lists, but can be looked at by its id', async () => {
    const practice = await createSampleTenant(storage);
    const id = await ensure(storage);
    const { listed, found, system } = await storage.platform.read((db) => ({
      listed: registryStore(db).list(0, 10),
      found: registryStore(db).get(id),
      system: registryStore(db).system(),
    }));
    expect(listed.map((row) => row.id)).toEqual([practice]);
    expect(found?.id).toBe(id);
    expect(system).toEqual(found);
    expect((await all(storage)).map((row) => row.id)).toEqual([practice, id]);
  });

  test.each(['before', 'after'] as const)(
    'is made anew where a crash %s its file was made cut it off',
    async (when) => {
      let crashed = () => {};
      const crash = new Promise<void>((resolve) => {
        crashed = resolve;
      });
      const create: Storage['tenants']['create'] = async (id, fill) => {
        if (when === 'after') await storage.tenants.create(id, fill);
        crashed();
        return new Promise<never>(() => {});
      };
      void ensure({ ...storage, tenants: { ...storage.tenants, create } });
      await crash;
      await storage.close();

      const next = await openTestStorage(directory);
      expect(await next.platform.read((db) => registryStore(db).system())).toBeUndefined();
      expect(await removeIncompleteTenants(next)).toBe(1);
      const id = await ensure(next);
      expect(await ensure(next)).toBe(id);
      expect(await all(next)).toHaveLength(1);
    },
  );
});
