import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import Database from 'better-sqlite3';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type Disk, disk } from '#src/kernel/db/disk.ts';
import { DISK, PLATFORM_FILE } from '#src/kernel/db/file-states.ts';
import { isInUse, lockDirectory } from '#src/kernel/db/storage.ts';
import { newId } from '#src/kernel/id.ts';
import { endProcess, until } from '#test/support/process.ts';
import { createSampleTenant, openTestStorage, temporaryDirectory } from '#test/support/storage.ts';

const run = promisify(execFile);
/** A process whose threads or timers are left behind never ends. */
const END_TIMEOUT_MS = 60_000;

describe('where a file cannot be closed', () => {
  test('closing reports it, and the directory is free for the next', async () => {
    const directory = await temporaryDirectory();
    const failing = { ...disk, close: () => Promise.reject(new Error('EIO')) };
    const storage = await openTestStorage(directory, { disk: failing });
    await expect(storage.close()).rejects.toThrow('EIO');
    await (await openTestStorage(directory)).close();
  });

  test.each([
    { name: 'its descriptor cannot be closed', close: 'Promise.reject(new Error("EIO"))', breakFirst: false },
    { name: 'its disk fails for good', close: 'disk.close(descriptor)', breakFirst: true },
  ])('the process ends by itself: $name', async ({ close, breakFirst }) => {
    const script = `
      import { loadSchema } from '#src/app/schema.ts';
      import { disk } from '#src/kernel/db/disk.ts';
      import { openStorage } from '#src/kernel/db/storage.ts';
      let fails = false;
      const storage = await openStorage({
        dataDirectory: ${JSON.stringify(await temporaryDirectory())},
        schema: loadSchema(),
        maxOpenTenants: 4,
        checkpointBytes: 1_000_000,
        disk: {
          ...disk,
          syncData: (descriptor) => fails ? Promise.reject(new Error('EIO')) : disk.syncData(descriptor),
          close: (descriptor) => ${close},
        },
        isWhole: () => true,
        leastFree: { percent: 0, bytes: 0 },
        onFault: () => undefined,
      });
      fails = ${breakFirst};
      if (fails) await storage.platform.write(() => undefined).catch(() => undefined);
      await storage.close().catch(() => undefined);
      process.stdout.write('closed');`;
    const { stdout } = await run(process.execPath, ['-e', script], { timeout: END_TIMEOUT_MS });
    expect(stdout).toBe('closed');
  });
});

const IN_USE = /is in use by another process/;

let directory: string;
beforeEach(async () => {
  directory = await temporaryDirectory();
});

/** Resolves when another process holds the lock. */
const lockElsewhere = async (): Promise<ChildProcess> => {
  const script = `
    import { lockDirectory } from '#src/kernel/db/storage.ts';
    const unlock = lockDirectory(${JSON.stringify(directory)});
    process.stdin.resume().on('end', unlock);
    process.stdout.write('locked');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(async () => {
    await endProcess(child, 'SIGKILL');
  });
  await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'exit').then(() => Promise.reject(new Error('it ended without the lock'))),
  ]);
  return child;
};

test('of many open files only the first have a page cache of full size', async () => {
  const storage = await openTestStorage(await temporaryDirectory(), { maxOpenTenants: 20 });
  const caches: unknown[] = [];
  for (let count = 0; count < 18; count++) {
    const id = await createSampleTenant(storage);
    caches.push(await storage.tenants.read(id, (db) => db.pragma('cache_size', { simple: true })));
  }
  // Negative: in KiB.
  expect(caches).toEqual([...Array(16).fill(-1_024), -256, -256]);
});

test('a second process is refused, and the lock ends with the first, however that dies', async () => {
  const holder = await lockElsewhere();
  expect(() => lockDirectory(directory)).toThrow(IN_USE);
  await expect(openTestStorage(directory)).rejects.toThrow(IN_USE);
  await endProcess(holder, 'SIGKILL');
  const storage = await openTestStorage(directory);
  await storage.close();
});

test('a second opening of the same data in one process is refused, and leaves the first at work', async () => {
  const first = await openTestStorage(directory);
  await expect(openTestStorage(directory)).rejects.toThrow(`${directory} is in use`);
  await first.platform.write(() => undefined);
  await first.close();
  await (await openTestStorage(directory)).close();
});

test('who looks whether it is in use keeps no one from starting, and sees no one else who looks', async () => {
  lockDirectory(directory)();
  expect(isInUse(directory)).toBe(false);
  // As one that looks, and takes long for it.
  const script = `
    import Database from 'better-sqlite3';
    const db = new Database(${JSON.stringify(join(directory, 'lock'))});
    db.exec('BEGIN; SELECT * FROM sqlite_schema');
    process.stdout.write('looks');
    setTimeout(() => db.close(), 200);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  expect(isInUse(directory)).toBe(false);
  const unlock = lockDirectory(directory);
  expect(isInUse(directory)).toBe(true);
  unlock();
  await ended;
});

test('a lock that was given back can be taken again', () => {
  lockDirectory(directory)();
  lockDirectory(directory)();
});

describe('a fault that no one uses the file with', () => {
  test.each(['platform', 'tenant'] as const)(
    'of the file of a %s ends once it can be written',
    async (kind) => {
      const eio = Object.assign(new Error('EIO'), { code: 'EIO' });
      let fails = false;
      const failing: Disk = {
        ...disk,
        syncData: (descriptor) => (fails ? Promise.reject(eio) : disk.syncData(descriptor)),
      };
      const storage = await openTestStorage(directory, { disk: failing });
      const tenantId = newId();
      await storage.tenants.create(tenantId, () => undefined);
      const changes: string[] = [];
      storage.states.watch((id, fault) => changes.push(`${id} ${fault?.state ?? 'ok'}`));
      const id = kind === 'platform' ? PLATFORM_FILE : tenantId;
      const retry = () => storage.retry(new AbortController().signal);

      fails = true;
      const written =
        kind === 'platform' ? storage.platform.write(() => 1) : storage.tenants.write(tenantId, () => 1);
      await expect(written).rejects.toMatchObject({ code: 'unavailable' });
      await retry();
      await retry();
      expect(storage.states.of(id)?.state).toBe('failing');

      fails = false;
      await until('it has ended', async () => {
        await retry();
        return storage.states.of(id) === undefined;
      });
      expect(changes).toEqual([`${id} failing`, `${id} ok`]);
    },
  );
});

test("a tenant's file with other tables is a fault of that file, which is not written; the others are served", async () => {
  const storage = await openTestStorage(directory);
  const [broken, sound] = [newId(), newId()];
  for (const id of [broken, sound]) await storage.tenants.create(id, () => undefined);
  await storage.close();
  const path = join(directory, 'tenants', broken, 'tenant.db');
  const db = new Database(path);
  db.exec(
    'ALTER TABLE routes ADD COLUMN colour TEXT; DROP INDEX projects_default; PRAGMA application_id = 7',
  );
  db.close();
  const before = readFileSync(path);

  const again = await openTestStorage(directory);
  await again.tenants.inspect(broken);
  expect(again.states.of(broken)).toMatchObject({
    state: 'other_schema',
    reason: expect.stringMatching(/tenant\.db was made by a version .* with other tables/),
  });
  again.states.end(broken);
  for (const use of [again.tenants.read, again.tenants.write])
    await expect(use(broken, () => 1)).rejects.toMatchObject({ code: 'unavailable' });
  expect(again.states.of(broken)).toMatchObject({
    state: 'other_schema',
    reason: expect.stringContaining(
      '(these differ: index projects_default, table routes): start that version',
    ),
  });
  expect(await again.tenants.read(sound, () => 1)).toBe(1);
  await again.close();
  expect(readFileSync(path).equals(before)).toBe(true);
});

test('a data directory that is gone is a fault of the disk, and no error of who asks', async () => {
  const storage = await openTestStorage(directory);
  expect(storage.space().state).toBe('ok');
  await rename(directory, `${directory}.aside`);
  expect(storage.space().state).toBe('failing');
  expect(storage.states.of(DISK)?.state).toBe('failing');
  await rename(`${directory}.aside`, directory);
  expect(storage.space().state).toBe('ok');
  expect(storage.states.of(DISK)).toBeUndefined();
});

test('an empty file in the place of platform.db is not taken for a new registry', async () => {
  const storage = await openTestStorage(directory);
  await rm(join(directory, 'platform.db'));
  await writeFile(join(directory, 'platform.db'), '');
  await until('it is refused', async () => {
    await storage.platform.write(() => undefined).catch(() => undefined);
    return storage.states.of(PLATFORM_FILE)?.state === 'empty';
  });
  await expect(storage.platform.read(() => undefined)).rejects.toMatchObject({ code: 'unavailable' });
});
