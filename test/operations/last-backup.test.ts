import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createBackupWatch, noteBackup } from '#src/operations/last-backup.ts';
import { createTestClock, temporaryDirectory } from '#test/support/storage.ts';

const HOUR = 3_600_000;
const START = 1_700_000_000_000;

const watchOf = async (dir: string | undefined) => {
  const data = await temporaryDirectory();
  const clock = createTestClock(START);
  const said: string[] = [];
  const say = (...words: unknown[]) => said.push(String(words.at(-1)));
  const config = { data_dir: data, backup: { dir, max_age: 36 * HOUR } };
  const base = { config: () => config, clock, log: { info: say, warn: say } } as unknown;
  const open = () => createBackupWatch(base as Parameters<typeof createBackupWatch>[0]);
  const watch = open();
  return {
    data,
    clock,
    said,
    open,
    look: async () => {
      await watch.jobs[0]?.run(new AbortController().signal, null as never);
      return watch.health.backup.now();
    },
    state: () => watch.health.backup.state?.(watch.health.backup.now()),
  };
};

test('where backups are configured, one that is missing or too old degrades health and is said once', async () => {
  const { data, clock, said, look, state } = await watchOf('/var/backups/sendwerk');
  expect(said).toEqual([]);
  expect(await look()).toEqual({ state: 'missing', last_at: null, missing: [] });
  expect(state()).toBe('degraded');
  await noteBackup(data, { madeAt: START, directory: '/var/backups/sendwerk/', missing: [] });
  expect(await look()).toEqual({ state: 'ok', last_at: '2023-11-14T22:13:20.000Z', missing: [] });
  expect(state()).toBe('ok');
  clock.set(START + 36 * HOUR + 1);
  expect(await look()).toMatchObject({ state: 'old' });
  await look();
  expect(state()).toBe('degraded');
  expect(said).toEqual([
    'no backup has been made yet: sendwerk backup',
    'there is a backup again',
    'the last backup is too old: see systemctl status sendwerk-backup',
  ]);
});

test('where none are configured, the start advises them in one line, and nothing is wrong', async () => {
  const { data, said, open, look, state } = await watchOf(undefined);
  expect(said).toEqual([expect.stringMatching(/^no backups are configured: set backup\.dir/)]);
  expect(await look()).toEqual({ state: 'off', last_at: null, missing: [] });
  expect(state()).toBe('ok');
  await noteBackup(data, { madeAt: START, directory: '/mnt/x', missing: [] });
  open();
  expect(said).toHaveLength(1);
});

test('a note that cannot be read counts as none', async () => {
  const { data, look } = await watchOf('/var/backups/sendwerk');
  await writeFile(join(data, 'last-backup.json'), '{');
  expect(await look()).toMatchObject({ state: 'missing' });
});

test('one in another directory counts for nothing, and one that lacks practices is no whole one', async () => {
  const { data, said, look, state } = await watchOf('/var/backups/sendwerk');
  const other = { madeAt: START, directory: '/var/backups/sendwerk-update', missing: [] };
  await noteBackup(data, other);
  expect(await look()).toMatchObject({ state: 'missing', last_at: null });
  await noteBackup(data, { ...other, directory: '/var/backups/sendwerk', missing: ['praxis-nord'] });
  expect(await look()).toMatchObject({ state: 'partial', missing: ['praxis-nord'] });
  expect(state()).toBe('degraded');
  await noteBackup(data, { ...other, madeAt: START + HOUR });
  expect(await look()).toMatchObject({ state: 'partial' });
  await noteBackup(data, { ...other, madeAt: START + HOUR, directory: '/var/backups/sendwerk' });
  expect(await look()).toMatchObject({ state: 'ok', missing: [] });
  expect(said).toEqual([
    'no backup has been made yet: sendwerk backup',
    'the last backup lacks practices whose files it could not read: sendwerk backup says why',
    'there is a backup again',
  ]);
});
