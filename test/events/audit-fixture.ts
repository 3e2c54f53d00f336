// Audit entries for tests: files of both kinds with entries in them.
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { loadSchema } from '#src/app/schema.ts';
import { auditStore } from '#src/events/audit-store.ts';
import { type Change, systemChange } from '#src/kernel/change.ts';
import { migrate } from '#src/kernel/db/migrate.ts';
import { type AnyDb, type FileKind, openSqlite } from '#src/kernel/db/sqlite.ts';
import { temporaryDirectory } from '#test/support/storage.ts';

export const change = (fields: Partial<Change> = {}): Change => ({
  actor: { kind: 'member', id: 'account-1', name: 'anna@example.org' },
  action: 'project.update',
  clientAddress: '203.0.113.7',
  requestId: 'request-1',
  recorded: false,
  ...fields,
});

/** A connection to a new file with the real migrations, and the path for another one. */
export const openAudited = async (kind: FileKind): Promise<{ db: AnyDb; path: string }> => {
  const path = join(await temporaryDirectory(), `${kind}.db`);
  const db = openSqlite(path, { create: true, busyTimeoutMs: 0 }) as AnyDb;
  onTestFinished(() => {
    db.close();
  });
  migrate(db, loadSchema()[kind]);
  return { db, path };
};

/** One entry at each of the times. */
export const recordAt = (db: AnyDb, times: Iterable<number>): void => {
  for (const at of times) {
    const target = { type: 'thing', id: String(at) };
    auditStore(db).record(systemChange('thing.change'), { target, before: null, after: { at } }, at);
  }
};

export const timesOf = (db: AnyDb): unknown[] =>
  db.prepare('SELECT at FROM audit ORDER BY seq').pluck().all();
