import { mkdtemp, readdir, readFile, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createMaintenance, type Maintenance } from '#src/kernel/db/maintenance.ts';
import { migrationsOf } from '#src/kernel/db/migrate.ts';

const MIGRATIONS = migrationsOf('CREATE TABLE notes (text TEXT) STRICT;', []);

let directory: string;
let maintenance: Maintenance;
let threadsBefore: number;

const threads = async (): Promise<number> => {
  const names = await Promise.all(
    (await readdir('/proc/self/task')).map((id) =>
      // A thread may end meanwhile.
      readFile(`/proc/self/task/${id}/comm`, 'utf8').catch(() => ''),
    ),
  );
  return names.filter((name) => name === 'WorkerThread\n').length;
};
const started = async (): Promise<number> => (await threads()) - threadsBefore;

const fileOf = (name: string): string => path.join(directory, name);
const open = (name: string): Promise<number> =>
  maintenance.run({ verb: 'open', path: fileOf(name), kind: 'tenant', create: true });
const opened = (name: string): Promise<number> => maintenance.run({ verb: 'opened', path: fileOf(name) });

/** The databases that this process has open. */
const openFiles = async (): Promise<string[]> => {
  const targets = await Promise.all(
    (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
  );
  const names = targets
    .filter((target) => path.dirname(target) === directory)
    .map((target) => path.basename(target));
  return [...new Set(names)].filter((name) => name.endsWith('.db')).toSorted();
};

beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'maintenance-'));
  threadsBefore = await threads();
  maintenance = createMaintenance({ platform: [], tenant: MIGRATIONS });
});
afterEach(async () => {
  await maintenance.stop();
  await rm(directory, { recursive: true });
});

test('one thread serves files that are worked on one after the other, and none starts before', async () => {
  expect(await started()).toBe(0);
  for (const name of ['one.db', 'two.db', 'three.db']) {
    await open(name);
    await opened(name);
  }
  expect(await started()).toBe(1);
});

test('files that are worked on at once have two threads, and each file its own until it is released', async () => {
  const names = ['one.db', 'two.db', 'three.db', 'four.db'];
  await Promise.all(names.map(open));
  expect(await started()).toBe(2);
  expect(await openFiles()).toEqual(names.toSorted());
  // Asked in another order, so that the idlest thread is not the one that has the connection.
  for (const name of names.toReversed()) await opened(name);
  expect(await openFiles()).toEqual([]);
});

test('nothing is begun once they are stopped', async () => {
  await maintenance.stop();
  await expect(open('one.db')).rejects.toThrow('are stopped');
  expect(await started()).toBe(0);
});
