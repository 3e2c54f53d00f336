// When a form is slowed or closed because its confirmation mails come back, and what its counts keep.
import { expect, test } from 'vitest';
import { type FormHealth, formHealthOf, isWorse } from '#src/audience/public/form-health.ts';
import { formHealthStore } from '#src/audience/public/form-health-store.ts';
import { DAY } from '#src/kernel/time.ts';
import { insertList } from '#test/support/audience.ts';
import { openTenantDb } from '#test/support/storage.ts';

test.each<[FormHealth, number, number, number]>([
  ['good', 0, 0, 0],
  ['good', 2, 2, 0],
  ['slowed', 3, 3, 0],
  ['slowed', 3, 1, 2],
  ['slowed', 9, 9, 0],
  ['closed', 10, 10, 0],
  ['closed', 40, 6, 4],
  ['slowed', 41, 6, 4],
  ['slowed', 100, 10, 0],
  ['good', 101, 10, 0],
])(
  'a form is %s after %i mails, %i hard bounces and %i complaints',
  (health, mails, hard_bounced, complaints) => {
    expect(formHealthOf({ mails, hard_bounced, complaints })).toBe(health);
  },
);

test('only what is worse than the owners know is news', () => {
  expect(isWorse('slowed', 'good')).toBe(true);
  expect(isWorse('closed', 'slowed')).toBe(true);
  expect(isWorse('slowed', 'closed')).toBe(false);
  expect(isWorse('slowed', 'slowed')).toBe(false);
});

test('a form opens by itself after two days, and then the owners are told again', async () => {
  const { db } = await openTenantDb();
  const { seq } = insertList(db);
  const store = formHealthStore(db);
  const bounced = { mails: 1, hard_bounced: 1, complaints: 0 };
  const noon = 100.5 * DAY;
  for (let count = 0; count < 3; count += 1) store.count(seq, bounced, noon);
  expect(store.untold()).toMatchObject([{ list_seq: seq, health: 'slowed', since: noon }]);
  for (const row of store.untold()) store.setTold(row);
  store.count(seq, bounced, noon + 1);
  expect(store.untold()).toEqual([]);
  for (let count = 0; count < 6; count += 1) store.count(seq, bounced, noon + DAY);
  expect(store.healthOf(seq, noon + DAY)).toBe('closed');
  expect(store.untold()).toMatchObject([{ health: 'closed', since: noon + DAY }]);
  expect(store.healthOf(seq, noon + 3 * DAY)).toBe('good');
  store.count(seq, { mails: 1, hard_bounced: 0, complaints: 0 }, noon + 3 * DAY);
  expect(store.untold()).toEqual([]);
  for (let count = 0; count < 3; count += 1) store.count(seq, bounced, noon + 3 * DAY);
  expect(store.untold()).toMatchObject([{ health: 'slowed' }]);
});

test('a share at the limit, which passes it again and again, is told once', async () => {
  const { db } = await openTenantDb();
  const { seq } = insertList(db);
  const store = formHealthStore(db);
  const now = 100.5 * DAY;
  const count = (mails: number, hard_bounced: number): void =>
    store.count(seq, { mails, hard_bounced, complaints: 0 }, now);
  count(30, 3);
  for (const row of store.untold()) store.setTold(row);
  count(1, 0);
  expect(store.healthOf(seq, now)).toBe('good');
  count(1, 1);
  expect(store.healthOf(seq, now)).toBe('slowed');
  expect(store.untold()).toEqual([]);
});
