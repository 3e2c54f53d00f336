// A daemon whose platform.db cannot be used does not start, and says which file it is and what to do, without a stack.
import { cpSync, mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommandLine } from '#src/app/cli/commands.ts';
import { startApp, type TestApp } from '#test/support/app.ts';

let app: TestApp;
let file: string;
let backup: string;

beforeAll(async () => {
  app = await startApp();
  await app.createPractice();
  await app.stop();
  file = join(app.home, 'data/platform.db');
  backup = join(app.home, 'platform.backup');
  cpSync(file, backup);
});
afterAll(() => app.remove());

const serve = async (): Promise<{ exitCode: number; said: string }> => {
  let said = '';
  const print = (text: string): void => {
    said += text;
  };
  const exitCode = await runCommandLine(['serve', '--config', join(app.home, 'service.yaml')], {
    environment: {},
    signals: { onEnd: () => undefined, onReload: () => undefined },
    print,
    printAll: async () => undefined,
    printError: print,
  });
  return { exitCode, said };
};

test.each<[string, (path: string) => void]>([
  ['is no database', (path) => writeFileSync(path, 'no database\n'.repeat(1_000))],
  ['was cut off', (path) => truncateSync(path, 8_192)],
  ['is empty', (path) => truncateSync(path, 0)],
  ['is missing', (path) => rmSync(path)],
  [
    'is a directory',
    (path) => {
      rmSync(path);
      mkdirSync(path);
    },
  ],
  [
    'is of a newer version',
    (path) => {
      const db = new Database(path);
      db.pragma('user_version = 99');
      db.close();
    },
  ],
])('that %s', async (_what, damage) => {
  rmSync(file, { recursive: true, force: true });
  for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true });
  cpSync(backup, file);
  damage(file);
  const { exitCode, said } = await serve();
  expect(exitCode).toBe(1);
  expect(said).toContain(`${file} cannot be used: `);
  expect(said).toContain('put a backup of it in its place');
  expect(said).not.toMatch(/^\s+at /m);
});

test('where the lock cannot be made', async () => {
  const lock = join(app.home, 'data/lock');
  rmSync(lock);
  mkdirSync(lock);
  const { exitCode, said } = await serve();
  rmSync(lock, { recursive: true });
  expect(exitCode).toBe(1);
  expect(said).toMatch(/data\/lock cannot be used \(.*\): it has to belong to the user that runs this\n$/);
});

test('with another master key', async () => {
  rmSync(file, { recursive: true, force: true });
  cpSync(backup, file);
  writeFileSync(join(app.home, 'master.key'), Buffer.alloc(32, 7).toString('base64'));
  const { exitCode, said } = await serve();
  expect(exitCode).toBe(1);
  expect(said).toMatch(/^the master key is not the one .*: restore the former key\n$/);
});
