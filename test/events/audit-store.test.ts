import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import {
  type AuditedFile,
  type AuditFilter,
  auditSearchStore,
  auditStore,
  removeOldAudit,
} from '#src/events/audit-store.ts';
import { systemChange } from '#src/kernel/change.ts';
import { type AnyDb, openSqlite } from '#src/kernel/db/sqlite.ts';
import type { Pace } from '#src/kernel/pace.ts';
import { createSampleTenant, openTestStorage, temporaryDirectory } from '#test/support/storage.ts';
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
        is_reduced: 0,
      },
    ]);
  });

  test('holds no secret', async () => {
    const { db } = await openAudited(kind);
    const after = { token: 'hush', note: 'svc_team_hush', inner: [{ password: 'hush' }] };
    auditStore(db).record(change(), { target: TARGET, before: null, after }, 1);
    expect(JSON.stringify(rowsOf(db))).not.toContain('hush');
  });

  test('records nothing for a change that left all as it was, and counts it as recorded', async () => {
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
      "REPLACE INTO audit SELECT 1, 'x', 9, 'a', 'b', 'c', 'd', 'e', 'f', NULL, NULL, NULL, NULL, 0",
    ],
    [
      'an entry in the place of another, by its id',
      "INSERT OR REPLACE INTO audit SELECT NULL, id, 9, 'a', 'b', 'c', 'd', 'e', 'f', NULL, NULL, NULL, NULL, 0 FROM audit",
    ],
    [
      'an entry that is changed where it is there already',
      "INSERT INTO audit SELECT 1, id, 9, 'a', 'b', 'c', 'd', 'e', 'f', NULL, NULL, NULL, NULL, 0 FROM audit WHERE true ON CONFLICT (seq) DO UPDATE SET at = 9",
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

const EVERYTHING: AuditFilter = { action: null, actorId: null, targetId: null, from: null, before: null };

let db: AnyDb;
beforeEach(async () => {
  ({ db } = await openAudited('tenant'));
});

/** Times of what call after call finds, until nothing is left. */
const pages = (filter: Partial<AuditFilter>, limit: number, entriesPerCall: number): number[][] => {
  const found: number[][] = [];
  for (let position: number | null = null; ; ) {
    const page = auditSearchStore(db).find({ ...EVERYTHING, ...filter }, position, limit, entriesPerCall);
    found.push(page.rows.map(({ at }) => at));
    position = page.next;
    if (position === null) return found;
  }
};

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

describe('reading the audit', () => {
  test('goes from the newest to the oldest, each once', () => {
    recordAt(db, range(7));
    expect(pages({}, 3, 100)).toEqual([[7, 6, 5], [4, 3, 2], [1]]);
    expect(pages({}, 7, 100)).toEqual([range(7).toReversed()]);
  });

  test('ends a call that has looked at its share, and goes on behind it', () => {
    recordAt(db, range(10));
    expect(pages({ targetId: '2' }, 4, 3)).toEqual([[], [], [2], []]);
  });

  test.each([2, 3, 4])('loses nothing where a share ends with a page of %i', (limit) => {
    recordAt(db, range(10));
    expect(pages({}, limit, 3).flat()).toEqual(range(10).toReversed());
  });

  test('stops at the oldest entry that is kept', () => {
    recordAt(db, range(10));
    auditStore(db).removeOld(9, 10);
    expect(pages({}, 1, 1)).toEqual([[10], [9]]);
  });

  test('finds nothing in an empty audit', () => {
    expect(pages({}, 5, 5)).toEqual([[]]);
  });
});

describe('a filter', () => {
  beforeEach(() => {
    const entries = [
      { action: 'member.invite', actor: 'anna', target: 'm1' },
      { action: 'member.update', actor: 'berta', target: 'm1' },
      { action: 'member', actor: 'anna', target: 'm2' },
      { action: 'members.count', actor: 'anna', target: 'm2' },
      { action: 'token.create', actor: 'anna', target: 't1' },
    ];
    for (const [index, { action, actor, target }] of entries.entries()) {
      const made = change({ action, actor: { kind: 'member', id: actor, name: '' } });
      const entry = { target: { type: 'x', id: target }, before: null, after: null };
      auditStore(db).record(made, entry, index + 1);
    }
  });

  const filters: readonly (readonly [says: string, filter: Partial<AuditFilter>, times: number[]])[] = [
    ['an action is that action', { action: 'member.update' }, [2]],
    ['a noun is all that is done to it, and no longer noun', { action: 'member' }, [3, 2, 1]],
    ['a part of a word is none', { action: 'membe' }, []],
    ['signs of patterns are taken literally', { action: 'member_invite' }, []],
    ['an actor is found by id', { actorId: 'berta' }, [2]],
    ['a target is found by id', { targetId: 'm1' }, [2, 1]],
    ['from is inclusive', { from: 4 }, [5, 4]],
    ['to is exclusive', { before: 2 }, [1]],
    ['a time between', { from: 2, before: 4 }, [3, 2]],
    ['all hold together', { action: 'member', actorId: 'anna', targetId: 'm1' }, [1]],
  ];
  test.each(filters)('%s', (_, filter, times) => {
    expect(pages(filter, 10, 100)).toEqual([times]);
  });
});

const CUTOFF = 1_700_000_000_000;
const OLD = [CUTOFF - 3, CUTOFF - 2, CUTOFF - 1];
const KEPT = [CUTOFF, CUTOFF + 1];

const atOnce: Pace = (work) => work();
const { signal } = new AbortController();

describe.each(['the registry', "a practice's file"])('old audit entries of %s', (place) => {
  let file: AuditedFile;
  beforeEach(async () => {
    const storage = await openTestStorage(await temporaryDirectory());
    const id = await createSampleTenant(storage);
    file =
      place === 'the registry'
        ? storage.platform
        : {
            read: (work) => storage.tenants.read(id, work),
            write: (work) => storage.tenants.write(id, work),
          };
    await file.write((db) => recordAt(db, [...OLD, ...KEPT]));
  });

  test('are removed, and nothing else is', async () => {
    await removeOldAudit(file, CUTOFF, signal, atOnce);
    expect(await file.read(timesOf)).toEqual(KEPT);
  });

  test('go in several transactions where there are many', async () => {
    let writes = 0;
    const counting: AuditedFile = {
      read: file.read,
      write: (work) => {
        writes += 1;
        return file.write(work);
      },
    };
    await removeOldAudit(counting, CUTOFF, signal, atOnce, 1);
    expect(await file.read(timesOf)).toEqual(KEPT);
    expect(writes).toBe(OLD.length + 1);
  });

  test('cost no write where none is old', async () => {
    const write = () => Promise.reject(new Error('written'));
    await removeOldAudit({ read: file.read, write }, CUTOFF - 3, signal, atOnce);
  });

  test('wait for the next night when the daemon stops', async () => {
    const stop = new AbortController();
    const stopping: Pace = async (work) => {
      stop.abort();
      return work();
    };
    await removeOldAudit(file, CUTOFF, stop.signal, stopping, 1);
    expect(await file.read(timesOf)).toEqual([...OLD.slice(1), ...KEPT]);
  });
});
