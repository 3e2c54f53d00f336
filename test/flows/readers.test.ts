// Other processes that hold transactions on the files of a daemon, as shells, backups and monitoring do: it starts, writes, is
// killed, starts again and ends beside them as it does alone, loses nothing and calls nothing damaged.
// @module-tag slow
import { stat } from 'node:fs/promises';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPractice, PATIENCE_MS, type Target } from '#test/flows/fixture.ts';
import { type ConfigFile, type Daemon, startDaemon } from '#test/support/daemon.ts';
import { type ForeignSql, openForeignSql } from '#test/support/foreign-sql.ts';
import { until } from '#test/support/process.ts';

/** The least that the configuration takes. */
const BOUND_PAGES = 100;
const BOUND_BYTES = BOUND_PAGES * 4_096;
const CONFIG: ConfigFile = { storage: { checkpoint_pages: BOUND_PAGES }, log: { level: 'info' } };
const ERROR_LEVEL = /"level":(?:"error"|50)/;
const HELD = 'another process has held a transaction';
/** This is far beyond the bound, and is said. */
const LARGE_BYTES = 4 * BOUND_BYTES;
const LARGE_TEXT = 'Guten Tag. '.repeat(LARGE_BYTES / 4 / 11);

let daemon: Daemon;
let left: Target;
let right: Target;
const answered: [Target, string][] = [];
const shells: ForeignSql[] = [];
const started = new AsyncDisposableStack();

const fileOf = ({ practiceId }: Target): string =>
  path.join(daemon.dataDir, 'tenants', practiceId, 'tenant.db');
const registry = (): string => path.join(daemon.dataDir, 'platform.db');

beforeAll(async () => {
  daemon = await startDaemon({ config: CONFIG });
  started.defer(() => daemon.remove());
  left = await openPractice(daemon);
  right = await openPractice(daemon);
}, PATIENCE_MS);
afterAll(async () => {
  for (const shell of shells) await shell.end();
  await started.disposeAsync();
}, PATIENCE_MS);

/** Each of them is answered 202. */
const send = async (target: Target, count: number, text = 'Guten Tag'): Promise<void> => {
  for (let sent = 0; sent < count; sent++) {
    const body = { to: 'anna@example.org', subject: 'Termin', text };
    const address = `/api/practices/${target.practiceId}/send`;
    const answer = await daemon.request<{ id: string }>('POST', address, body, target.token);
    expect(answer.status).toBe(202);
    answered.push([target, answer.body.id]);
  }
};

const hold = async (file: string, attached?: string): Promise<void> => {
  const shell = await openForeignSql(attached === undefined ? file : ':memory:');
  shells.push(shell);
  if (attached !== undefined) await shell.run(`ATTACH '${attached}' AS copy;`);
  await shell.run('BEGIN;');
  await shell.run(`SELECT count(*) FROM ${attached === undefined ? 'main' : 'copy'}.sqlite_schema;`);
};

const expectAllThere = async (): Promise<void> => {
  for (const [{ practiceId, token }, id] of answered) {
    const address = `/api/practices/${practiceId}/messages/${id}`;
    expect((await daemon.request('GET', address, undefined, token)).status).toBe(200);
  }
};

interface Databases {
  readonly broken: number;
  readonly held_logs: { readonly count: number; readonly bytes: number; readonly since: string | null };
}
const databases = async (): Promise<Databases> => {
  const address = '/api/admin/health';
  const { body } = await daemon.request<{ status: string; databases: Databases }>(
    'GET',
    address,
    undefined,
    daemon.adminToken,
  );
  expect(body).toMatchObject({ status: 'ok', databases: { broken: 0 } });
  expect(daemon.output()).not.toMatch(ERROR_LEVEL);
  return body.databases;
};

test('delay nothing while the daemon writes, and a log that grows for them is said once and is in health', {
  timeout: PATIENCE_MS,
}, async () => {
  await send(left, 2);
  await send(right, 2);
  await hold(registry());
  await hold(fileOf(left));
  await hold(':memory:', fileOf(right));
  await send(left, 5, LARGE_TEXT);
  await send(right, 2);
  await until('the log is held', async () => {
    // The checkpoint after the first of these began with less of it.
    await send(left, 1);
    return (await databases()).held_logs.count > 0;
  });
  const { held_logs } = await databases();
  expect(held_logs.bytes).toBeGreaterThanOrEqual(LARGE_BYTES);
  expect(Date.parse(held_logs.since ?? '')).toBeLessThan(Date.now());
  const said = daemon.output().split('\n');
  expect(said.filter((line) => line.includes(HELD))).toHaveLength(1);
});

test('let the daemon that follows a killed one start, with all that was answered', {
  timeout: PATIENCE_MS,
}, async () => {
  await daemon.kill();
  const { dataDir } = daemon;
  daemon = await startDaemon({ config: CONFIG, dataDir });
  await send(left, 2);
  await send(right, 2);
  await expectAllThere();
  await databases();
});

test('leave a log that is emptied once they have ended', { timeout: PATIENCE_MS }, async () => {
  for (const shell of shells.splice(0)) await shell.run('COMMIT;').then(shell.end);
  await until('the log is empty', async () => {
    await send(left, 1);
    return (await stat(`${fileOf(left)}-wal`)).size < BOUND_BYTES;
  });
  await until('health no longer names it', async () => (await databases()).held_logs.count === 0);
});

test('let it end, and what was answered is in the files', { timeout: PATIENCE_MS }, async () => {
  await hold(registry());
  await hold(fileOf(left));
  await send(left, 2);
  expect(await daemon.stop()).toBe(0);
  expect(daemon.output()).not.toMatch(ERROR_LEVEL);
  for (const target of [left, right]) {
    const db = new Database(fileOf(target), { readonly: true });
    const count = db.prepare('SELECT count(*) FROM messages').pluck().get();
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    db.close();
    expect(count).toBe(answered.filter(([one]) => one === target).length);
  }
});

test('that write for long keep it from starting, with the name of what is wrong and no word of damage', {
  timeout: PATIENCE_MS,
}, async () => {
  const [shell] = shells as [ForeignSql];
  await shell.run('COMMIT;');
  await shell.run('BEGIN IMMEDIATE;');
  const { dataDir } = daemon;
  const refused = await startDaemon({ config: CONFIG, dataDir }).catch(String);
  expect(refused).toContain('platform.db cannot be used: database is locked: another process holds a lock');
  expect(refused).toContain('Nothing is damaged');
  expect(refused).not.toContain('put a backup of it in its place');
});
