import { beforeEach, describe, expect, test } from 'vitest';
import {
  type SuppressionFilter,
  type SuppressionRow,
  suppressionStore,
} from '#src/feedback/suppressions/store.ts';
import { newId } from '#src/kernel/id.ts';
import type { SuppressionReason } from '#src/messages/suppression-rules.ts';
import { plansOf } from '#test/support/query-plan.ts';
import { openTenantDb, type SampleTenant } from '#test/support/storage.ts';

const everything: SuppressionFilter = {
  scope: null,
  reason: null,
  text: null,
  projectId: null,
  routeId: null,
  within: null,
};

let tenant: SampleTenant;
beforeEach(async () => {
  tenant = await openTenantDb();
});

const store = () => suppressionStore(tenant.db);

const row = (number: number, fields: Partial<SuppressionRow> = {}): Omit<SuppressionRow, 'seq'> => ({
  id: newId(),
  address_hash: Buffer.from(`hash of ${number}`),
  address: `r${number}@example.org`,
  scope: 'team',
  project_id: null,
  route_id: null,
  reason: 'manual',
  source_message_id: null,
  note: null,
  created_at: number,
  ...fields,
});

const fill = (reasons: readonly SuppressionReason[]): void => {
  for (const [number, reason] of reasons.entries()) store().insert(row(number, { reason }));
};
const addresses = (rows: readonly SuppressionRow[]): (string | null)[] => rows.map(({ address }) => address);

describe('one address', () => {
  test('has one row for each place, which keeps its first reason', () => {
    const { projectId, routeId } = tenant;
    expect(store().insert(row(1, { reason: 'hard_bounce' }))).toBe(true);
    expect(store().insert(row(1, { reason: 'complaint' }))).toBe(false);
    expect(store().insert(row(1, { scope: 'project', project_id: projectId }))).toBe(true);
    expect(store().insert(row(1, { scope: 'project', project_id: projectId }))).toBe(false);
    expect(store().insert(row(1, { scope: 'route', route_id: routeId }))).toBe(true);
    expect(store().insert(row(1, { scope: 'route', route_id: routeId }))).toBe(false);
    const found = store().rowsOfAddress(Buffer.from('hash of 1'));
    expect(found.map(({ scope, reason }) => [scope, reason])).toEqual([
      ['route', 'manual'],
      ['project', 'manual'],
      ['team', 'hard_bounce'],
    ]);
    expect(store().rowsOfAddress(Buffer.from('hash of 2'))).toEqual([]);
  });

  test('keeps its row after it has been erased', () => {
    store().insert(row(1));
    tenant.db.prepare('UPDATE suppressions SET address = NULL').run();
    expect(store().insert(row(1))).toBe(false);
    expect(store().ofAddress(Buffer.from('hash of 1'))).toHaveLength(1);
  });
});

describe('a list', () => {
  test('continues where a bounded call stopped, in both directions', () => {
    fill(['manual', 'complaint', 'manual', 'manual', 'manual', 'complaint', 'manual']);
    const wanted = { ...everything, reason: 'complaint' } as const;
    const first = store().find(wanted, null, 10, 3);
    expect([addresses(first.rows), first.next]).toEqual([['r5@example.org'], 5]);
    const second = store().find(wanted, first.next, 10, 3);
    expect([addresses(second.rows), second.next]).toEqual([['r1@example.org'], 2]);
    expect(store().find(wanted, second.next, 10, 3)).toEqual({ rows: [], next: null });

    const oldest = store().findAfter(wanted, 0, 10, 3);
    expect([addresses(oldest.rows), oldest.next]).toEqual([['r1@example.org'], 3]);
    const middle = store().findAfter(wanted, 3, 10, 3);
    expect([addresses(middle.rows), middle.next]).toEqual([['r5@example.org'], 6]);
    expect(store().findAfter(wanted, 6, 10, 3)).toEqual({ rows: [], next: null });
  });

  test('leaves none out and repeats none, for all sizes of pages', () => {
    fill(Array<SuppressionReason>(23).fill('manual'));
    const all = addresses(store().find(everything, null, 100).rows);
    expect(all).toHaveLength(23);
    for (const limit of [1, 2, 7, 23, 24])
      for (const perCall of [1, 5, 23, 1_000]) {
        const newest: (string | null)[] = [];
        const oldest: (string | null)[] = [];
        for (let at: number | null = null, page = store().find(everything, at, limit, perCall); ; ) {
          newest.push(...addresses(page.rows));
          at = page.next;
          if (at === null) break;
          page = store().find(everything, at, limit, perCall);
        }
        for (let at: number | null = 0; at !== null; ) {
          const page = store().findAfter(everything, at, limit, perCall);
          oldest.push(...addresses(page.rows));
          at = page.next;
        }
        expect({ limit, perCall, newest }).toEqual({ limit, perCall, newest: all });
        expect({ limit, perCall, oldest }).toEqual({ limit, perCall, oldest: all.toReversed() });
      }
  });

  test('within projects holds their rows and those of their routes', () => {
    const { projectId, routeId } = tenant;
    store().insert(row(1));
    store().insert(row(2, { scope: 'project', project_id: projectId }));
    store().insert(row(3, { scope: 'route', route_id: routeId }));
    const within = (projects: string[], routes: string[]) =>
      addresses(store().find({ ...everything, within: { projects, routes } }, null, 10).rows);
    expect(within([projectId], [])).toEqual(['r2@example.org']);
    expect(within([], [routeId])).toEqual(['r3@example.org']);
    expect(within([], [])).toEqual([]);
  });
});

test('no statement scans the table, whatever its filters', () => {
  const steps = plansOf(tenant.db, suppressionStore).flatMap((plan) => plan.steps);
  const looks = steps.filter((step) => /suppressions/.test(step));
  expect(looks.length).toBeGreaterThan(5);
  expect(looks.filter((step) => !step.startsWith('SEARCH suppressions'))).toEqual([]);
  // The rows of one address, a handful.
  expect(steps.filter((step) => step.includes('TEMP B-TREE'))).toHaveLength(1);
});

test('a call compares 2,000 addresses at most', () => {
  store().insert(row(1));
  tenant.db
    .prepare(
      `WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 4500)
       INSERT INTO suppressions (id, address_hash, address, scope, reason, created_at)
       SELECT 's' || i, CAST('hash of ' || i AS BLOB), 'x' || address, scope, reason, created_at FROM n
       JOIN suppressions ON seq = 1`,
    )
    .run();
  const ask = (before: number | null) => store().find({ ...everything, text: 'r1' }, before, 2);
  expect(ask(null)).toEqual({ rows: [], next: 2_501 });
  expect(ask(2_501)).toEqual({ rows: [], next: 501 });
  expect(ask(501)).toMatchObject({ rows: [{ address: 'r1@example.org' }], next: null });
});
