// What reaches the disk, and when. The real calls are told apart from none by a device that cannot be synced: the kernel
// refuses it, and names the call.
import { closeSync, openSync } from 'node:fs';
import { readdir, readlink, writeFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Disk, disk } from '#src/kernel/db/disk.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import { newId } from '#src/kernel/id.ts';
import { openTestStorage, temporaryDirectory } from '#test/support/storage.ts';

/** Nothing else in this process has it open. */
const NOT_SYNCED = '/dev/full';

describe('the real disk', () => {
  test('syncs data by fdatasync', async () => {
    const descriptor = openSync(NOT_SYNCED, 'r+');
    onTestFinished(() => closeSync(descriptor));
    await expect(disk.syncData(descriptor)).rejects.toMatchObject({ code: 'EINVAL', syscall: 'fdatasync' });
  });

  test('syncs a directory by fsync, and closes it also where that fails', async () => {
    await expect(disk.syncDirectory(NOT_SYNCED)).rejects.toMatchObject({ code: 'EINVAL', syscall: 'fsync' });
    const directory = await temporaryDirectory();
    await disk.syncDirectory(directory);
    await expect(disk.syncDirectory(join(directory, 'absent'))).rejects.toMatchObject({ code: 'ENOENT' });
    const open = await Promise.all(
      (await readdir('/proc/self/fd')).map((number) => readlink(`/proc/self/fd/${number}`).catch(() => '')),
    );
    expect(open.filter((path) => path === NOT_SYNCED || path.startsWith(directory))).toEqual([]);
  });

  test('opens for writing, and knows the size', async () => {
    const file = join(await temporaryDirectory(), 'file');
    await expect(disk.open(file)).rejects.toMatchObject({ code: 'ENOENT' });
    await writeFile(file, 'twelve bytes');
    const descriptor = await disk.open(file);
    expect(disk.size(descriptor)).toBe(12);
    await disk.syncData(descriptor);
    await disk.close(descriptor);
    await expect(disk.syncData(descriptor)).rejects.toMatchObject({ code: 'EBADF' });
  });
});

interface Recorded {
  readonly storage: Storage;
  /** The syncs that have ended since the last look, in their order. */
  take(): string[];
}

/** An installation on the real disk, whose syncs are written down: `data platform.db-wal`, `directory tenants`. */
const open = async (directory: string): Promise<Recorded> => {
  const log: string[] = [];
  const names = new Map<number, string>();
  const recording: Disk = {
    ...disk,
    open: async (path) => {
      const descriptor = await disk.open(path);
      names.set(descriptor, basename(path));
      return descriptor;
    },
    syncData: async (descriptor) => {
      await disk.syncData(descriptor);
      log.push(`data ${names.get(descriptor)}`);
    },
    syncDirectory: async (path) => {
      // An entry that is made during the sync or after it need not be in it.
      const entries = (await readdir(path)).toSorted().filter((name) => !/-(?:shm|journal)$/.test(name));
      await disk.syncDirectory(path);
      log.push(`directory ${relative(directory, path) || '.'}: ${entries.join(' ')}`);
    },
  };
  const storage = await openTestStorage(directory, { disk: recording });
  return { storage, take: () => log.splice(0) };
};

describe('on the disk', () => {
  const REGISTRY = ['data platform.db-wal', 'directory .: lock platform.db platform.db-wal tenants'];

  test('are, once an installation is open, its directory, the new file and the entries of both', async () => {
    const { take } = await open(await temporaryDirectory());
    expect(take()).toEqual(['directory .: lock tenants', ...REGISTRY]);
  });

  test('is a new tenant once it is made: the entry of its directory, its file, the file’s entry', async () => {
    const { storage, take } = await open(await temporaryDirectory());
    take();
    const id = newId();
    await storage.tenants.create(id, () => undefined);
    expect(take()).toEqual([
      `directory tenants: ${id}`,
      'data tenant.db-wal',
      `directory tenants/${id}: tenant.db tenant.db-wal`,
      'data tenant.db-wal',
    ]);
  });

  test('is the WAL when a write is answered, for each write that comes by itself', async () => {
    const { storage, take } = await open(await temporaryDirectory());
    take();
    for (const number of [1, 2]) {
      await storage.platform.write((db) => db.pragma(`application_id = ${number}`));
      expect(take(), `write ${number}`).toEqual(['data platform.db-wal']);
    }
  });

  test('is the removal of a tenant once it is removed', async () => {
    const { storage, take } = await open(await temporaryDirectory());
    const id = newId();
    await storage.tenants.create(id, () => undefined);
    take();
    await storage.tenants.remove(id);
    expect(take()).toEqual(['directory tenants: ']);
  });

  test('is what a tenant’s file is opened on again', async () => {
    const directory = await temporaryDirectory();
    const first = await open(directory);
    const id = newId();
    await first.storage.tenants.create(id, () => undefined);
    await first.storage.close();
    const second = await open(directory);
    second.take();
    await second.storage.tenants.read(id, () => undefined);
    expect(second.take()).toEqual(['data tenant.db-wal', `directory tenants/${id}: tenant.db tenant.db-wal`]);
  });
});
