import { existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import {
  chmod,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { registryStore } from '#src/accounts/tenants/registry-store.ts';
import { openReadOnly, openSqlite, type PlatformDb } from '#src/kernel/db/sqlite.ts';
import { newId } from '#src/kernel/id.ts';
import { type BackupOptions, makeBackup } from '#src/operations/backup.ts';
import { backupAt } from '#src/operations/backup-directory.ts';
import { readManifest, tenantFile } from '#src/operations/manifest.ts';
import { verifyBackup } from '#src/operations/verify.ts';
import { mountSmall } from '#test/support/failing-disk.ts';
import { createSampleTenant, openTestStorage, temporaryDirectory } from '#test/support/storage.ts';

const TENANTS = ['Praxis Nord', 'Praxis Ost', 'Praxis West'];
const BEGAN = Date.UTC(2026, 10, 24, 2);

let home: string;
let data: string;
let directory: string;
let ids: string[];
/** Each backup a minute later. */
let minutes: number;

beforeEach(async () => {
  home = await temporaryDirectory();
  [data, directory, minutes] = [join(home, 'data'), join(home, 'backups'), 0];
  await mkdir(data);
  const storage = await openTestStorage(data);
  ids = [];
  for (const name of TENANTS) ids.push(await createSampleTenant(storage, name));
  await storage.close();
});

const options = (over: Partial<BackupOptions> = {}): BackupOptions => ({
  dataDirectory: data,
  directory,
  tables: { tenants: (db) => registryStore(db).listAll(0, 100), marks: () => ({ mark: 'of a room' }) },
  fingerprint: '0123456789abcdef',
  former: null,
  program: '0.9.0',
  leastFree: 0,
  whole: false,
  keep: null,
  now: () => BEGAN + minutes * 60_000,
  onProgress: () => undefined,
  ...over,
});
const backUp = (over: Partial<BackupOptions> = {}) => {
  minutes += 1;
  return makeBackup(options(over));
};

const daysLater = (): number => BEGAN + 5 * 86_400_000;

const fileIn = (backup: string, id: string): string => join(directory, backup, tenantFile(id));
const inodeOf = (path: string): number => statSync(path).ino;
const verified = async (id?: string) => {
  const tables = { ...options().tables, ledgerFault: () => null };
  return (await verifyBackup(await backupAt(directory, id), { tables, onProgress: () => undefined })).faults;
};
/** As another process would. */
const write = (path: string, sql: string): void => {
  const db = openSqlite(path, { create: false, busyTimeoutMs: 0 });
  db.exec(sql);
  db.close();
};
const nameOf = (path: string): unknown => {
  const db = openReadOnly(path);
  const name = db.prepare('SELECT name FROM practice').pluck().get();
  db.close();
  return name;
};
const registry = <T>(work: (db: PlatformDb) => T): T => {
  const db = openSqlite(join(data, 'platform.db'), { create: false, busyTimeoutMs: 0 }) as PlatformDb;
  try {
    return work(db);
  } finally {
    db.close();
  }
};
/** A tenant whose file is a copy of another's. */
const addTenant = async (slug: string): Promise<string> => {
  const id = newId();
  await cp(join(data, 'tenants', ids[0] ?? ''), join(data, 'tenants', id), { recursive: true });
  registry((db) => {
    registryStore(db).reserve(id, slug, 0);
    registryStore(db).activate(id);
  });
  return id;
};

test('a backup is a data directory that the daemon can open, and says what is in it', async () => {
  const done = await backUp();
  expect(done).toMatchObject({ id: '20261124T020100Z', tenants: 3, missing: [], removed: [] });
  expect(await readdir(directory)).toEqual(['20261124T020100Z', 'lock']);
  const manifest = await readManifest(join(directory, done.id));
  expect(manifest).toMatchObject({
    program: '0.9.0',
    began_at: '2026-11-24T02:01:00.000Z',
    master_key: '0123456789abcdef',
    platform: { counts: { tenants: 3 } },
  });
  expect(manifest.tenants.map(({ id, slug, counts }) => [id, slug, counts.practice, counts.mark])).toEqual(
    ids.map((id, index) => [id, TENANTS[index]?.toLowerCase().replace(' ', '-'), 1, 'of a room']),
  );
  expect(await verified()).toEqual([]);
  const copy = join(home, 'copy');
  await cp(join(directory, done.id), copy, { recursive: true });
  await chmod(join(copy, 'platform.db'), 0o600);
  for (const id of ids) await chmod(join(copy, tenantFile(id)), 0o600);
  const storage = await openTestStorage(copy);
  for (const id of ids) expect(await storage.tenants.read(id, () => true)).toBe(true);
});

test('a tenant that did not change is one file with the backup before, also where the daemon has opened it', async () => {
  const first = await backUp();
  const [north = '', east = '', west = ''] = ids;
  const storage = await openTestStorage(data);
  await storage.tenants.read(east, () => undefined);
  await storage.tenants.write(west, (db) => db.exec("UPDATE practice SET name = 'Praxis Süd'"));
  await storage.close();
  const second = await backUp();
  for (const id of [north, east]) expect(inodeOf(fileIn(second.id, id))).toBe(inodeOf(fileIn(first.id, id)));
  expect(nameOf(fileIn(first.id, west))).toBe('Praxis West');
  expect(nameOf(fileIn(second.id, west))).toBe('Praxis Süd');
  expect(second.new_bytes).toBe(statSync(fileIn(second.id, west)).size);
  const third = await backUp();
  expect(third.new_bytes).toBe(0);
  expect(await verified(third.id)).toEqual([]);
});

test('what is only in a WAL is in the backup', async () => {
  const [north = ''] = ids;
  await backUp();
  const db = openSqlite(join(data, tenantFile(north)), { create: false, busyTimeoutMs: 0 });
  onTestFinished(() => {
    db.close();
  });
  db.exec("UPDATE practice SET name = 'Praxis im WAL'");
  const { id } = await backUp();
  expect(nameOf(fileIn(id, north))).toBe('Praxis im WAL');
});

test('the backup has the tenants of the registry that is in it: one made meanwhile, and none erased meanwhile', async () => {
  const [north = '', east = ''] = ids;
  const { id } = await backUp({
    // Once the first tenant has been copied.
    onProgress: () => registry((db) => registryStore(db).remove(north)),
  });
  expect((await readdir(join(directory, id, 'tenants'))).sort()).toEqual(
    [...ids].filter((one) => one !== north).sort(),
  );
  const added = await addTenant('neu');
  let asked = 0;
  const second = await backUp({
    tables: {
      ...options().tables,
      tenants: (db) => {
        asked += 1;
        const all = registryStore(db).listAll(0, 100);
        // The first list is older than the tenant; one more is erased after the registry was copied.
        if (asked === 2) registry((live) => registryStore(live).remove(east));
        return asked === 1 ? all.filter((one) => one.id !== added && one.id !== east) : all;
      },
    },
  });
  expect(second.missing).toEqual([]);
  expect(await verified(second.id)).toEqual([]);
  expect(existsSync(fileIn(second.id, added))).toBe(true);
});

test('a tenant whose file is gone after its row is no fault; one whose row stays is missing', async () => {
  const [north = '', east = ''] = ids;
  let asked = 0;
  const erasing = await backUp({
    tables: {
      ...options().tables,
      tenants: (db) => {
        const all = registryStore(db).listAll(0, 100);
        asked += 1;
        if (asked === 1) return all.filter(({ id }) => id !== north);
        if (asked === 2) registry((live) => registryStore(live).remove(north));
        return all;
      },
    },
    // Before the first copy of the registry is read.
    onProgress: () => {
      if (asked === 1) rmSync(join(data, 'tenants', north), { recursive: true, force: true });
    },
  });
  expect(erasing.missing).toEqual([]);
  expect(await readdir(join(directory, erasing.id, 'tenants'))).not.toContain(north);
  await rm(join(data, 'tenants', east), { recursive: true });
  const lost = await backUp();
  expect(lost.missing).toEqual([{ id: east, slug: 'praxis-ost', reason: 'its file is not there' }]);
});

test('a damaged tenant keeps no other from being copied, and no former backup is removed then', async () => {
  const [north = ''] = ids;
  const first = await backUp();
  await writeFile(join(data, tenantFile(north)), 'x'.repeat(8_192));
  const second = await backUp({ keep: { days: 1, weeks: 0, months: 0 } });
  expect(second).toMatchObject({ tenants: 2, removed: [], missing: [{ id: north, slug: 'praxis-nord' }] });
  expect((await backupAt(directory, undefined)).fault).toContain('without praxis-nord');
  expect(await verified(second.id)).toMatchObject([{ file: tenantFile(north) }]);
  await cp(fileIn(first.id, north), join(data, tenantFile(north)));
  const third = await backUp({ keep: { days: 1, weeks: 0, months: 0 }, now: daysLater });
  expect(third.removed.toSorted()).toEqual([first.id, second.id]);
  expect(await readdir(directory)).toEqual([third.id, 'lock']);
  expect(await verified()).toEqual([]);
});

test('a backup after a mishap leaves the last one that has what was erased, as long as others are kept', async () => {
  const [north = ''] = ids;
  const first = await backUp();
  const second = await backUp();
  const storage = await openTestStorage(data);
  await storage.platform.write((db) => registryStore(db).remove(north));
  await storage.tenants.remove(north);
  await storage.close();
  const keep = { days: 7, weeks: 0, months: 0 };
  expect((await backUp({ keep })).removed).toEqual([]);
  expect((await backUp({ keep, now: daysLater })).removed).toEqual([first.id]);
  expect((await backUp({ keep, now: () => BEGAN + 30 * 86_400_000 })).removed).toContain(second.id);
});

test('what is not what it was is found: bytes, rows, tenants', async () => {
  const { id } = await backUp();
  const [north = '', east = '', west = ''] = ids;
  const place = join(directory, id);
  await truncate(fileIn(id, north), 4_096);
  await chmod(fileIn(id, east), 0o600);
  const bytes = await readFile(fileIn(id, east));
  bytes.writeUInt8(bytes.readUInt8(20_000) ^ 1, 20_000);
  await writeFile(fileIn(id, east), bytes);
  await chmod(join(place, 'manifest.json'), 0o600);
  const text = await readFile(join(place, 'manifest.json'), 'utf8');
  const manifest = JSON.parse(text);
  manifest.tenants[2].counts.practice = 2;
  manifest.tenants[2].slug = 'other';
  await writeFile(join(place, 'manifest.json'), JSON.stringify(manifest));
  expect(await verified()).toEqual([
    { file: tenantFile(north), what: expect.stringMatching(/^it has 4096 bytes, and had \d+ when/) },
    { file: tenantFile(east), what: 'its checksum is wrong' },
    { file: tenantFile(west), what: 'practice is 1, and was 2 when the backup was made' },
  ]);
  await writeFile(join(place, 'manifest.json'), text.slice(0, 500));
  expect(await verified()).toEqual([{ file: '', what: expect.stringContaining('is damaged') }]);
});

describe('it is refused with what to do', () => {
  test('in the data directory, also by a link', async () => {
    directory = join(data, 'backups');
    await expect(backUp()).rejects.toThrow('is in the data directory');
    expect(existsSync(directory)).toBe(false);
    directory = join(home, 'link');
    await symlink(join(data, 'tenants'), directory);
    await expect(backUp()).rejects.toThrow('is in the data directory');
  });

  test('where other files are, and where nothing can be made', async () => {
    await mkdir(directory);
    await writeFile(join(directory, 'letter.txt'), '');
    await expect(backUp()).rejects.toThrow('holds other files (letter.txt)');
    directory = join(home, 'absent', 'backups');
    await expect(backUp()).rejects.toThrow(/does not exist, so .* is not made: mount its disk, or make it/);
  });

  test('while another one runs', async () => {
    await backUp();
    const other = new Database(join(directory, 'lock'));
    other.exec('BEGIN EXCLUSIVE');
    await expect(backUp()).rejects.toThrow('is in use by another process');
    other.close();
    await backUp();
  });

  test('before the first start of the daemon', async () => {
    data = await temporaryDirectory();
    await expect(backUp()).rejects.toThrow('does not exist yet: start the daemon once');
  });

  test('where the disk of the data would become too full', async () => {
    await expect(backUp({ leastFree: Number.MAX_SAFE_INTEGER })).rejects.toThrow(
      /has no room for the backup: \d+ MiB are needed, 0 MiB are free beside what storage.min_free_mib keeps/,
    );
  });
});

test('one that is stopped leaves nothing, and what a killed one left is removed', async () => {
  const first = await backUp();
  await mkdir(join(directory, '.partial-20261124T000000Z', 'tenants'), { recursive: true });
  for (const id of ids) write(join(data, tenantFile(id)), "UPDATE practice SET name = name || '!'");
  const end = new AbortController();
  const stopped = backUp({ signal: end.signal, onProgress: () => end.abort(new Error('enough')) });
  await expect(stopped).rejects.toThrow('enough');
  expect(await readdir(directory)).toEqual([first.id, 'lock']);
});

test('two that begin in one second have two names', async () => {
  const [one, two] = [await makeBackup(options()), await makeBackup(options())];
  expect([one.id, two.id]).toEqual(['20261124T020000Z', '20261124T020001Z']);
});

test('where no link can be made, the file is copied', async () => {
  const first = await backUp();
  const elsewhere = await mkdtemp(join(tmpdir() === '/tmp' ? '/dev/shm' : '/tmp', 'backup-'));
  onTestFinished(() => rm(elsewhere, { recursive: true }));
  await cp(join(directory, first.id), join(elsewhere, first.id), { recursive: true });
  await rm(join(directory, first.id), { recursive: true });
  await symlink(join(elsewhere, first.id), join(directory, first.id));
  const second = await backUp();
  expect(second.new_bytes).toBe(second.bytes);
  expect(await verified(second.id)).toEqual([]);
});

test('a file of the backup before that is cut off is not linked to', async () => {
  const [north = ''] = ids;
  const first = await backUp();
  await truncate(fileIn(first.id, north), 4_096);
  const second = await backUp();
  expect(await verified(second.id)).toEqual([]);
});

/** As a disk does that loses a page: size and time stay. */
const rot = async (path: string): Promise<void> => {
  const { atime, mtime } = statSync(path);
  await chmod(path, 0o600);
  const bytes = await readFile(path);
  bytes.writeUInt8(bytes.readUInt8(20_000) ^ 1, 20_000);
  await writeFile(path, bytes);
  await utimes(path, atime, mtime);
  await chmod(path, 0o400);
};

test('what is damaged in the backup before is not linked to, and is named', async () => {
  const [north = '', east = ''] = ids;
  const first = await backUp();
  await rot(fileIn(first.id, north));
  await rot(fileIn(first.id, east));
  // One of the two is open, so that it is copied before its hash is known.
  const db = openSqlite(join(data, tenantFile(east)), { create: false, busyTimeoutMs: 0 });
  onTestFinished(() => {
    db.close();
  });
  db.exec('UPDATE practice SET name = name');
  const second = await backUp();
  expect(second.damaged.toSorted()).toEqual([north, east].map(tenantFile).toSorted());
  expect(await verified(second.id)).toEqual([]);
  expect((await backUp()).damaged).toEqual([]);
});

test('a whole one has no file in common with the backup before', async () => {
  const first = await backUp();
  const second = await backUp({ whole: true });
  expect(second.new_bytes).toBe(second.bytes);
  for (const id of ids) expect(inodeOf(fileIn(second.id, id))).not.toBe(inodeOf(fileIn(first.id, id)));
});

test.each([
  { name: 'was over', changes: ['none', 'none'], keys: ['0123456789abcdef', null] },
  { name: 'ended', changes: ['begun', 'none'], keys: ['0123456789abcdef', 'fedcba9876543210'] },
  { name: 'began', changes: ['not begun', 'begun'], keys: ['0123456789abcdef', 'fedcba9876543210'] },
  { name: 'was still to begin', changes: ['not begun', 'not begun'], keys: ['fedcba9876543210', null] },
] as const)(
  'the keys are noted by which it opens where a change of them $name',
  async ({ changes, keys }) => {
    let asked = 0;
    const former = { fingerprint: 'fedcba9876543210', change: () => changes[asked++] ?? expect.fail() };
    const { id } = await backUp({ former });
    const { master_key, former_master_key } = await readManifest(join(directory, id));
    expect([master_key, former_master_key]).toEqual(keys);
  },
);

test('where an older one cannot be removed, the new one is there, and it says so', async () => {
  const first = await backUp();
  // Its name while it is being removed is taken.
  const onProgress = (): void => {
    mkdirSync(join(directory, `.partial-${first.id}`, 'x'), { recursive: true });
  };
  const second = await backUp({ keep: { days: 1, weeks: 0, months: 0 }, now: daysLater, onProgress });
  expect(second).toMatchObject({ removed: [], not_removed: expect.stringContaining('ENOTEMPTY') });
  expect(await verified(second.id)).toEqual([]);
});

test('on a full disk it says so, and leaves nothing', async ({ skip }) => {
  await using started = new AsyncDisposableStack();
  directory = join(home, 'small');
  if (!(await mountSmall(started, directory, 2))) skip('this machine allows no mount');
  await expect(backUp()).rejects.toThrow(/has no room for the backup: \d+ MiB are needed, \d MiB are free/);
  expect(await readdir(directory)).toEqual(['lock']);
  // It fills up in the middle, as by another program.
  const half = await backUp({ tables: { ...options().tables, tenants: () => [] } }).catch((error) => error);
  expect(half).toMatchObject({ tenants: 0 });
});
