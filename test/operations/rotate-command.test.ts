// `sendwerk secrets rotate` as operators type it: beside the daemon, which was killed on the way, and beside none.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { execPath } from 'node:process';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { changeOfMasterKey, isSealedUnder } from '#src/accounts/tenants/master-key.ts';
import { type AnyDb, openReadOnly, type PlatformDb, type TenantDb } from '#src/kernel/db/sqlite.ts';
import { newId } from '#src/kernel/id.ts';
import { fingerprintOf, seal } from '#src/kernel/seal.ts';
import { Secret } from '#src/kernel/secret.ts';
import { backupAt } from '#src/operations/backup-directory.ts';
import { type Daemon, defaults, overlay, type Practice, startDaemon } from '#test/support/daemon.ts';
import { keysIn } from '#test/support/keys.ts';
import { until } from '#test/support/process.ts';

const MAIN = path.join(import.meta.dirname, '../../src/main.ts');
/** So many that the daemon is killed before it has sealed them all again. */
const CAPTURES = 60;
const BYTES = 200_000;

let daemon: Daemon;
let home: string;
let practice: Practice;
let former = '';
let present = '';

const secrets = () => ({
  masterKey: new Secret(present),
  formerMasterKey: new Secret(former),
  evidenceKey: null,
});
const both = () => ({ secrets: { former_master_key_file: path.join(home, 'former.key') } });

const read = <D extends AnyDb, T>(name: string, work: (db: D) => T): T => {
  const db = openReadOnly<D>(path.join(home, 'data', name));
  try {
    return work(db);
  } finally {
    db.close();
  }
};
const change = () => read('platform.db', (db: PlatformDb) => changeOfMasterKey(db, secrets()));

const command = (...args: string[]): Promise<{ code: number; said: string }> =>
  new Promise((resolve) => {
    execFile(execPath, [MAIN, ...args, '--config', daemon.configFile], (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), said: stdout + stderr }),
    );
  });
const rotate = () => command('secrets', 'rotate');

const fingerprint = (key: string): string => fingerprintOf(Buffer.from(key, 'base64'));
/** The keys that a backup of now names. */
const keysOfBackup = async (): Promise<unknown[]> => {
  const directory = path.join(home, 'backups');
  expect((await command('backup', directory)).code).toBe(0);
  const { manifest } = await backupAt(directory, undefined);
  return [manifest?.master_key, manifest?.former_master_key];
};

const newKey = (): void => {
  former = present;
  present = randomBytes(32).toString('base64');
  renameSync(path.join(home, 'master.key'), path.join(home, 'former.key'));
  writeFileSync(path.join(home, 'master.key'), present, { mode: 0o600 });
};

/** Mail of before, in the practice's local mailbox. */
const fill = (id: string, captures: number): void => {
  const key = keysIn(home)('captured mail');
  const db = new Database(path.join(home, 'data/tenants', id, 'tenant.db'));
  const insert = db.prepare(
    `INSERT INTO captures (id, message_id, recipient, return_path, captured_at, size_bytes, source)
     VALUES (?, '', 'erika@example.org', '', 0, ?, ?)`,
  );
  db.transaction(() => {
    for (let count = 0; count < captures; count++) {
      const capture = newId();
      insert.run(capture, BYTES, seal(key, randomBytes(BYTES), capture));
    }
  })();
  db.close();
};

beforeAll(async () => {
  daemon = await startDaemon();
  home = path.dirname(daemon.dataDir);
  present = readFileSync(path.join(home, 'master.key'), 'utf8').trim();
  practice = await daemon.createPractice();
  const second = await daemon.createPractice();
  await daemon.stop();
  fill(practice.id, CAPTURES);
  // It comes after the other: so much that it lasts until the daemon is killed, however late that is noticed.
  fill(second.id, 4 * CAPTURES);
});
afterAll(() => daemon?.remove());

test('a daemon that is killed on the way goes on, and the command says when the former key can go', async () => {
  newKey();
  daemon = await startDaemon({ dataDir: daemon.dataDir, config: both() });
  await until('a practice is sealed again', () =>
    read(path.join('tenants', practice.id, 'tenant.db'), (db: TenantDb) =>
      isSealedUnder(db, secrets(), practice.id),
    ),
  );
  await daemon.kill();
  expect(change()).toBe('begun');
  expect(await keysOfBackup()).toEqual([present, former].map(fingerprint));
  daemon = await startDaemon({ dataDir: daemon.dataDir, config: both() });
  const { code, said } = await rotate();
  expect(said).toContain('The former key can be removed now');
  expect(code).toBe(0);
  expect(change()).toBe('none');
});

test('beside no daemon the command does it itself', async () => {
  newKey();
  writeFileSync(daemon.configFile, stringify(overlay(defaults(home, daemon.dataDir, 0), both())));
  expect(await rotate()).toEqual({
    code: 1,
    said: 'the running daemon has the former master key alone: restart it, then run this again\n',
  });
  await daemon.stop();
  expect(await keysOfBackup()).toEqual([fingerprint(former), null]);
  const { code, said } = await rotate();
  expect(said).toContain('The former key can be removed now');
  expect(code).toBe(0);
  expect(change()).toBe('none');
});
