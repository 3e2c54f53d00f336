import { generateKeyPairSync } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { createTenant, removeIncompleteTenants } from '#src/accounts/tenants/create.ts';
import { registryStore } from '#src/accounts/tenants/registry-store.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { servedStore } from '#src/domains/registry-store.ts';
import { dkimKeyStore } from '#src/domains/store.ts';
import { disk } from '#src/kernel/db/disk.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import { createTestDisk } from '#test/kernel/db/test-disk.ts';
import { until } from '#test/support/process.ts';
import { createTestClock, openTestStorage, temporaryDirectory, tenantDeps } from '#test/support/storage.ts';

const WANTED = { name: 'Praxis Nord', plan: 'praxis', customDomain: null } as const;
const HOST = 'praxis-nord.send.example.com';
const clock = createTestClock();
/** The registry is written to reserve, then to make active. */
const ACTIVATION = 2;

let directory: string;
beforeEach(async () => {
  directory = await temporaryDirectory();
});

const visible = async (storage: Storage) => ({
  tenants: (await storage.platform.read((db) => registryStore(db).list(0, 10))).map(({ slug }) => slug),
  hosts: await storage.platform.read((db) => servedStore(db).managedHosts('', 100)),
  tokens: (await storage.platform.read((db) => servedStore(db).tokens('', 100))).length,
});
const NOTHING = { tenants: [], hosts: [], tokens: 0 };
const ALL = { tenants: ['praxis-nord'], hosts: [HOST], tokens: 3 };

const directories = () => readdir(join(directory, 'tenants'));

describe('a new tenant', () => {
  test('has a default project, a route for each stream, a managed host and its keys', async () => {
    const storage = await openTestStorage(directory);
    const practice = await createTenant(tenantDeps(storage, clock), WANTED);
    expect(practice).toMatchObject({ number: 1, slug: 'praxis-nord', managed_host: HOST, safe_mode: 0 });
    expect(await visible(storage)).toEqual(ALL);
    const stored = await storage.tenants.read(practice.id, (db) => ({
      project: tenantStore(db).defaultProject().slug,
      route: tenantStore(db).defaultRoute().slug,
      routes: tenantStore(db)
        .routes()
        .map(({ slug, type }) => `${slug} ${type}`)
        .sort(),
      keys: dkimKeyStore(db)
        .active(HOST)
        .map(({ algorithm }) => algorithm),
    }));
    expect(stored).toEqual({
      project: 'default',
      route: 'outgoing',
      routes: ['broadcast marketing', 'outgoing transactional'],
      keys: ['rsa-sha256', 'ed25519-sha256'],
    });
  });

  test('of the same name, made at the same moment, gets another slug', async () => {
    const storage = await openTestStorage(directory);
    const made = await Promise.all([1, 2, 3].map(() => createTenant(tenantDeps(storage, clock), WANTED)));
    expect(made.map(({ slug }) => slug).sort()).toEqual(['praxis-nord', 'praxis-nord-2', 'praxis-nord-3']);
  });

  test('avoids the labels that the zone itself uses', async () => {
    const storage = await openTestStorage(directory);
    const deps = tenantDeps(storage, clock, { isReservedSlug: (slug) => slug === 'praxis-nord' });
    expect((await createTenant(deps, WANTED)).slug).toBe('praxis-nord-2');
  });
});

describe('what others add to a new tenant', () => {
  test('is written in its own file and, as it becomes visible, in the registry', async () => {
    const storage = await openTestStorage(directory);
    const seen: Record<string, unknown> = {};
    const practice = await createTenant(tenantDeps(storage, clock), {
      ...WANTED,
      inTenant: (db, row) => {
        seen.file = [row.slug, tenantStore(db).practice().id === row.id, db.inTransaction];
      },
      inRegistry: (db, row) => {
        seen.registry = [row.slug, registryStore(db).get(row.id)?.slug, db.inTransaction];
      },
    });
    expect(practice.slug).toBe('praxis-nord');
    expect(seen).toEqual({
      file: ['praxis-nord', true, true],
      registry: ['praxis-nord', 'praxis-nord', true],
    });
  });

  test.each(['inTenant', 'inRegistry'] as const)('undoes all of it where it fails: %s', async (hook) => {
    const storage = await openTestStorage(directory);
    const fail = () => {
      throw new Error('no owner');
    };
    await expect(createTenant(tenantDeps(storage, clock), { ...WANTED, [hook]: fail })).rejects.toThrow(
      'no owner',
    );
    expect(await visible(storage)).toEqual(NOTHING);
    expect(await directories()).toEqual([]);
  });

  test.each([true, false])('safe mode %s, where it is asked for', async (safeMode) => {
    const storage = await openTestStorage(directory);
    const deps = { ...tenantDeps(storage, clock), safeModeDefault: () => !safeMode };
    expect((await createTenant(deps, { ...WANTED, safeMode })).safe_mode).toBe(safeMode ? 1 : 0);
  });
});

describe('a failure on the way', () => {
  test('leaves nothing, and the name is free again', async () => {
    const storage = await openTestStorage(directory);
    const deps = tenantDeps(storage, clock);
    const failing = tenantDeps(storage, clock, {
      generateKeyPair: () => Promise.reject(new Error('no entropy')),
    });
    await expect(createTenant(failing, WANTED)).rejects.toThrow('no entropy');
    expect(await visible(storage)).toEqual(NOTHING);
    expect(await directories()).toEqual([]);
    expect(await removeIncompleteTenants(storage)).toBe(0);
    // A number once given is never given again: return paths name it.
    expect(await createTenant(deps, WANTED)).toMatchObject({ slug: 'praxis-nord', number: 2 });
  });
});

test('what a full disk leaves of a new tenant is no fault that lasts', async () => {
  const full = Object.assign(new Error('no space'), { code: 'ENOSPC' });
  const isOfTenant = (path: string) => path.startsWith(join(directory, 'tenants'));
  const storage = await openTestStorage(directory, {
    disk: { ...disk, open: (path) => (isOfTenant(path) ? Promise.reject(full) : disk.open(path)) },
  });
  const seen: unknown[] = [];
  storage.states.watch((_, fault) => seen.push(fault?.state));
  let writes = 0;
  // The registry takes the reservation as the last one.
  const write: Storage['platform']['write'] = (work) =>
    ++writes === 1 ? storage.platform.write(work) : Promise.reject(full);
  const failing: Storage = { ...storage, platform: { ...storage.platform, write } };
  await expect(createTenant(tenantDeps(failing, clock), WANTED)).rejects.toMatchObject({
    code: 'unavailable',
  });
  expect(seen).toEqual(['full', undefined]);
  expect(await removeIncompleteTenants(storage)).toBe(1);
});

describe('a sync that fails at the last step', () => {
  test('leaves no tenant without its files', async () => {
    const disk = createTestDisk();
    const storage = await openTestStorage(directory, { disk });
    let writes = 0;
    const write: Storage['platform']['write'] = (work) => {
      writes += 1;
      if (writes === ACTIVATION) disk.failNextSync(new Error('EIO'));
      return storage.platform.write(work);
    };
    const failing: Storage = { ...storage, platform: { ...storage.platform, write } };
    await expect(createTenant(tenantDeps(failing, clock), WANTED)).rejects.toMatchObject({
      code: 'unavailable',
    });
    await until('the registry has been opened again', () => !storage.platform.broken());
    const active = await storage.platform.read((db) => registryStore(db).list(0, 10));
    expect(await directories()).toEqual(expect.arrayContaining(active.map(({ id }) => id)));
    for (const { id } of active) {
      expect(await storage.tenants.read(id, (db) => tenantStore(db).practice().slug)).toBe('praxis-nord');
    }
  });
});

type When = 'before' | 'after';

/** From the given moment on no operation of the process ends any more. */
const crashing = (storage: Storage, step: number, when: When) => {
  let taken = 0;
  let crashed = () => {};
  const crash = new Promise<void>((resolve) => {
    crashed = resolve;
  });
  const never = new Promise<never>(() => {});
  const guard =
    <A extends unknown[], T>(operation: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      taken += 1;
      const isStep = taken === step;
      if (taken > step || (isStep && when === 'before')) {
        crashed();
        return never;
      }
      const result = await operation(...args);
      if (!isStep) return result;
      crashed();
      return never;
    };
  const wrapped: Storage = {
    ...storage,
    platform: { ...storage.platform, write: guard(storage.platform.write) as Storage['platform']['write'] },
    tenants: {
      ...storage.tenants,
      create: guard(storage.tenants.create) as Storage['tenants']['create'],
      write: guard(storage.tenants.write) as Storage['tenants']['write'],
    },
  };
  const generateKeyPair = guard(async () => generateKeyPairSync('ed25519'));
  return { wrapped, crash, generateKeyPair };
};

// reserve, three keys, make the file with its content, activate.
const STEPS = 6;
const moments = Array.from({ length: STEPS }, (_, index) => index + 1).flatMap((step) =>
  (['before', 'after'] as const).map((when) => ({ step, when })),
);

describe('a crash', () => {
  test.each(moments)(
    '$when step $step leaves nothing visible, and the next start removes the rest',
    async (moment) => {
      const { step, when } = moment;
      const before = await openTestStorage(directory);
      const { wrapped, crash, generateKeyPair } = crashing(before, step, when);
      void createTenant(tenantDeps(wrapped, clock, { generateKeyPair }), WANTED);
      await crash;
      await before.close();

      const storage = await openTestStorage(directory);
      const complete = step === STEPS && when === 'after';
      expect(await visible(storage)).toEqual(complete ? ALL : NOTHING);
      const nothingBegun = step === 1 && when === 'before';
      expect(await removeIncompleteTenants(storage)).toBe(complete || nothingBegun ? 0 : 1);
      expect(await visible(storage)).toEqual(complete ? ALL : NOTHING);
      expect(await directories()).toHaveLength(complete ? 1 : 0);
      expect(await removeIncompleteTenants(storage)).toBe(0);
      const next = await createTenant(tenantDeps(storage, clock), WANTED);
      expect(next.slug).toBe(complete ? 'praxis-nord-2' : 'praxis-nord');
    },
  );
});
