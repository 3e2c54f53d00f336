import { beforeEach, expect, test } from 'vitest';
import type { ListRow } from '#src/audience/lists/store.ts';
import { activate } from '#src/audience/subscribers/change.ts';
import { type SubscriberStatus, subscriberStore } from '#src/audience/subscribers/store.ts';
import { parseAddress } from '#src/mail/address.ts';
import { insertList, audienceKeys as keys } from '#test/support/audience.ts';
import { plansOf } from '#test/support/query-plan.ts';
import { openTenantDb, type SampleTenant } from '#test/support/storage.ts';

let tenant: SampleTenant;
let list: ListRow;
beforeEach(async () => {
  tenant = await openTenantDb();
  list = insertList(tenant.db);
});

const store = () => subscriberStore(tenant.db);
const put = (to: ListRow, number: number, status: SubscriberStatus = 'active'): void => {
  const { address } = parseAddress(`r${number}@example.org`);
  const entry = { action: 'import', way: 'import' } as const;
  const { row } = activate(tenant.db, keys, { list: to, address, entry }, number);
  const confirmed_at = status === 'pending' ? null : number;
  if (row) store().update({ ...row, status, confirmed_at });
};

/** All pages of two at most, one after the other. */
const pages = (status: SubscriberStatus | null, text: string | null, rowsPerCall: number): string[][] => {
  const all: string[][] = [];
  for (let before: number | null = null; ; ) {
    const page = store().page(list.seq, { status, text }, before, 2, rowsPerCall);
    all.push(page.rows.map(({ address }) => address.split('@', 1)[0] ?? ''));
    if (page.next === null) return all;
    before = page.next;
  }
};

test('pages look at so many rows of the list at most, and continue where they ended', () => {
  const other = insertList(tenant.db, { name: 'Other' });
  for (let number = 1; number <= 7; number++) {
    put(other, number);
    put(list, number, number === 2 ? 'bounced' : 'active');
  }
  expect(pages(null, null, 100)).toEqual([['r7', 'r6'], ['r5', 'r4'], ['r3', 'r2'], ['r1']]);
  expect(pages(null, 'R2', 3)).toEqual([[], ['r2'], []]);
  expect(pages('bounced', null, 1)).toEqual([['r2']]);
  expect(pages('active', 'r1', 4)).toEqual([[], ['r1']]);
});

test('a call looks at 2,000 rows at most', () => {
  put(list, 1);
  tenant.db
    .prepare(
      `WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 4500)
       INSERT INTO subscribers SELECT i, 's' || i, list_seq, CAST('hash of ' || i AS BLOB), 'x' || address, name, data_json,
         status, consent_seq, tracking_seq, asked_at, created_at, confirmed_at, updated_at, NULL, NULL, NULL
         FROM n JOIN subscribers ON seq = 1`,
    )
    .run();
  const ask = (before: number | null) => store().page(list.seq, { status: null, text: 'r1' }, before, 2);
  expect(ask(null)).toEqual({ rows: [], next: 2_501 });
  expect(ask(2_501)).toEqual({ rows: [], next: 501 });
  expect(ask(501)).toMatchObject({ rows: [{ address: 'r1@example.org' }], next: null });
});

test('who is pending is found by the time of the last confirmation mail', () => {
  for (const number of [3, 1, 2]) put(list, number, 'pending');
  put(list, 4);
  expect(
    store()
      .unconfirmed(3, 10)
      .map(({ created_at }) => created_at),
  ).toEqual([1, 2]);
  const first = store().unconfirmed(3, 1)[0];
  if (first) store().update({ ...first, asked_at: 9 });
  expect(
    store()
      .unconfirmed(3, 10)
      .map(({ created_at }) => created_at),
  ).toEqual([2]);
});

test('no statement looks at all rows, or sorts them', () => {
  const steps = plansOf(tenant.db, subscriberStore).flatMap((plan) => plan.steps);
  expect(steps.length).toBeGreaterThan(10);
  expect(
    steps.filter((step) => !/^(?:CORRELATED|SEARCH (?:subscribers|confirmation_mails))/.test(step)),
  ).toEqual([]);
  expect(steps.filter((step) => step.includes('subscribers_status'))).toHaveLength(3);
});
