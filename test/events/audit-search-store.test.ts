import { beforeEach, describe, expect, test } from 'vitest';
import { type AuditFilter, auditSearchStore } from '#src/events/audit-search-store.ts';
import { auditStore } from '#src/events/audit-store.ts';
import type { AnyDb } from '#src/kernel/db/sqlite.ts';
import { change, openAudited, recordAt } from './audit-fixture.ts';

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
