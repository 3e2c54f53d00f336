// `sendwerk secrets rotate` as operators type it: beside the daemon, which was killed on the way, and beside none.
import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { changeOfMasterKey, isSealedUnder } from '#src/accounts/tenants/master-key.ts';
import { type AnyDb, openReadOnly, type PlatformDb, type TenantDb } from '#src/kernel/db/sqlite.ts';
import { newId } from '#src/kernel/id.ts';
import { fingerprintOf, seal } from '#src/kernel/seal.ts';
import { Secret } from '#src/kernel/secret.ts';
import { backupAt } from '#src/operations/backup-directory.ts';
import { startApp } from '#test/support/app.ts';
import { commandIn, type Ran } from '#test/support/command.ts';
import { type Daemon, defaults, overlay, startDaemon } from '#test/support/daemon.ts';
import { keysIn } from '#test/support/keys.ts';
import { until } from '#test/support/process.ts';

/** So many that the daemon is killed before it has sealed them again, however late that is noticed. */
const CAPTURES = 100;
const BYTES = 200_000;

let daemon: Daemon;
let home: string;
let dataDir: string;
let command: (...args: string[]) => Promise<Ran>;
let firstId: string;
let secondId: string;
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

const rotate = () => command('secrets', 'rotate');

const fingerprint = (key: string): string => fingerprintOf(Buffer.from(key, 'base64'));
/** The keys that a backup of now names. */
const keysOfBackup = async (): Promise<unknown[]> => {
  const directory = path.join(home, 'backups');
  expect((await command('backup', directory)).exitCode).toBe(0);
  const { manifest } = await backupAt(directory, undefined);
  return [manifest?.master_key, manifest?.former_master_key];
};

const newKey = (): void => {
  former = present;
  present = randomBytes(32).toString('base64');
  renameSync(path.join(home, 'master.key'), path.join(home, 'former.key'));
  writeFileSync(path.join(home, 'master.key'), present, { mode: 0o600 });
};

const fileOf = (id: string): Database.Database =>
  new Database(path.join(dataDir, 'tenants', id, 'tenant.db'));

/** Mail of before, in the practice's local mailbox. */
const fill = (id: string, captures: number): void => {
  const key = keysIn(home)('captured mail');
  const db = fileOf(id);
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
  const app = await startApp();
  home = app.home;
  dataDir = path.join(home, 'data');
  command = commandIn(home);
  firstId = (await app.createPractice()).id;
  secondId = (await app.createPractice()).id;
  await app.stop();
  fill(firstId, 1);
  fill(secondId, CAPTURES);
  present = readFileSync(path.join(home, 'master.key'), 'utf8').trim();
});
afterAll(() => daemon?.remove());

test('a daemon that is killed on the way goes on, and the command says when the former key can go', async () => {
  newKey();
  daemon = await startDaemon({ dataDir, config: both() });
  await until('a practice is sealed again', () =>
    read(path.join('tenants', firstId, 'tenant.db'), (db: TenantDb) => isSealedUnder(db, secrets(), firstId)),
  );
  await daemon.kill();
  expect(change()).toBe('begun');
  expect(await keysOfBackup()).toEqual([present, former].map(fingerprint));
  daemon = await startDaemon({ dataDir, config: both() });
  const { exitCode, printed } = await rotate();
  expect(printed).toContain('The former key can be removed now');
  expect(exitCode).toBe(0);
  expect(change()).toBe('none');
});

test('beside no daemon the command does it itself', async () => {
  newKey();
  writeFileSync(path.join(home, 'service.yaml'), stringify(overlay(defaults(home, dataDir, 0), both())));
  expect(await rotate()).toEqual({
    exitCode: 1,
    printed: 'the running daemon has the former master key alone: restart it, then run this again\n',
  });
  await daemon.stop();
  const second = fileOf(secondId);
  // One is as good as all where nothing is killed.
  second.exec('DELETE FROM captures WHERE id <> (SELECT min(id) FROM captures); VACUUM');
  second.close();
  expect(await keysOfBackup()).toEqual([fingerprint(former), null]);
  const { exitCode, printed } = await rotate();
  expect(printed).toContain('The former key can be removed now');
  expect(exitCode).toBe(0);
  expect(change()).toBe('none');
});
