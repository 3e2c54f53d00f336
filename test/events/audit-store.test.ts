import { describe, expect, onTestFinished, test } from 'vitest';
import { auditStore } from '#src/events/audit-store.ts';
import { systemChange } from '#src/kernel/change.ts';
import { type AnyDb, openSqlite } from '#src/kernel/db/sqlite.ts';
import { change, openAudited, recordAt, timesOf } from './audit-fixture.ts';

const TARGET = { type: 'project', id: 'project-1' };
const REFUSED = 'the audit is append-only';

const rowsOf = (db: AnyDb): unknown[] => db.prepare('SELECT * FROM audit').all();

describe.each(['platform', 'tenant'] as const)("the audit of a %s's file", (kind) => {
  test('keeps who did what, when, from where, and the record before and after', async () => {
    const { db } = await openAudited(kind);
    const made = change();
    auditStore(db).record(made, { target: TARGET, before: { name: 'A' }, after: { name: 'B' } }, 1_000);
    expect(made.recorded).toBe(true);
    expect(rowsOf(db)).toEqual([
      {
        seq: 1,
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        at: 1_000,
        action: 'project.update',
        actor_kind: 'member',
        actor_id: 'account-1',
        actor_name: 'anna@example.org',
        target_type: 'project',
        target_id: 'project-1',
        client_address: '203.0.113.7',
        request_id: 'request-1',
        before_json: '{"name":"A"}',
        after_json: '{"name":"B"}',
      },
    ]);
  });

  test('holds no secret', async () => {
    const { db } = await openAudited(kind);
    const after = { token: 'hush', note: 'svc_team_hush', inner: [{ password: 'hush' }] };
    auditStore(db).record(change(), { target: TARGET, before: null, after }, 1);
    expect(JSON.stringify(rowsOf(db))).not.toContain('hush');
  });

  test('keeps nothing of a change that left all as it was, and counts it as told', async () => {
    const { db } = await openAudited(kind);
    const made = change();
    auditStore(db).record(made, { target: TARGET, before: { name: 'A' }, after: { name: 'A' } }, 1);
    expect([made.recorded, rowsOf(db)]).toEqual([true, []]);
  });

  test('keeps what has no record: a thing used, a thing done', async () => {
    const { db } = await openAudited(kind);
    auditStore(db).record(systemChange('session.end'), { target: TARGET, before: null, after: null }, 1);
    expect(rowsOf(db)).toMatchObject([{ actor_kind: 'system', before_json: null, after_json: null }]);
  });

  const statements: readonly (readonly [says: string, sql: string])[] = [
    ['a change of an entry', "UPDATE audit SET actor_name = 'somebody else'"],
    ['a change of nothing', 'UPDATE audit SET at = at'],
    ['a change that replaces', 'UPDATE OR REPLACE audit SET seq = 2 WHERE seq = 1'],
    ['the removal of one', 'DELETE FROM audit WHERE seq = 1'],
    ['the removal of all', 'DELETE FROM audit'],
    [
      'an entry in the place of another, by its position',
      "REPLACE INTO audit SELECT 1, 'x', 9, 'a', 'b', 'c', 'd', 'e', 'f', NULL, NULL, NULL, NULL",
    ],
    [
      'an entry in the place of another, by its id',
      "INSERT OR REPLACE INTO audit SELECT NULL, id, 9, 'a', 'b', 'c', 'd', 'e', 'f', NULL, NULL, NULL, NULL FROM audit",
    ],
    [
      'an entry that is changed where it is there already',
      "INSERT INTO audit SELECT 1, id, 9, 'a', 'b', 'c', 'd', 'e', 'f', NULL, NULL, NULL, NULL FROM audit WHERE true ON CONFLICT (seq) DO UPDATE SET at = 9",
    ],
  ];
  test.each(statements)('refuses %s, on any connection', async (_, sql) => {
    const { db, path } = await openAudited(kind);
    recordAt(db, [1, 2]);
    const before = rowsOf(db);
    const other = openSqlite(path, { create: false, busyTimeoutMs: 0 });
    onTestFinished(() => {
      other.close();
    });
    for (const connection of [db, other]) expect(() => connection.exec(sql)).toThrow(REFUSED);
    expect(rowsOf(db)).toEqual(before);
  });

  test('refuses a removal also where the row that allows one is gone', async () => {
    const { db } = await openAudited(kind);
    recordAt(db, [1]);
    db.exec('DELETE FROM audit_retention');
    expect(() => db.exec('DELETE FROM audit')).toThrow(REFUSED);
  });

  test('takes more entries after a refusal', async () => {
    const { db } = await openAudited(kind);
    recordAt(db, [1]);
    expect(() => db.exec('DELETE FROM audit')).toThrow(REFUSED);
    recordAt(db, [2]);
    expect(timesOf(db)).toEqual([1, 2]);
  });
});

describe('the removal of old entries', () => {
  test('takes those from before a time, so many at once, oldest first', async () => {
    const { db } = await openAudited('tenant');
    recordAt(db, [10, 20, 30, 40]);
    const store = auditStore(db);
    expect(store.oldest()).toBe(10);
    expect(store.removeOld(30, 1)).toBe(1);
    expect(timesOf(db)).toEqual([20, 30, 40]);
    expect(store.removeOld(30, 10)).toBe(1);
    expect(timesOf(db)).toEqual([30, 40]);
    expect(store.removeOld(30, 10)).toBe(0);
    expect(store.oldest()).toBe(30);
  });

  test('leaves the audit closed behind it', async () => {
    const { db } = await openAudited('tenant');
    recordAt(db, [10, 20]);
    auditStore(db).removeOld(15, 10);
    expect(() => db.exec('DELETE FROM audit')).toThrow(REFUSED);
    expect(db.prepare('SELECT delete_before FROM audit_retention').pluck().all()).toEqual([0]);
  });

  test('gives no position twice', async () => {
    const { db } = await openAudited('tenant');
    recordAt(db, [10]);
    auditStore(db).removeOld(20, 10);
    recordAt(db, [30]);
    expect(db.prepare('SELECT seq FROM audit').pluck().all()).toEqual([2]);
  });

  test('finds nothing in an empty audit', async () => {
    const { db } = await openAudited('platform');
    expect(auditStore(db).oldest()).toBeUndefined();
    expect(auditStore(db).removeOld(5, 5)).toBe(0);
  });
});
