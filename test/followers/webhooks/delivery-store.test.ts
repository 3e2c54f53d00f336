import { expect, test } from 'vitest';
import { followStore } from '#src/events/follow-store.ts';
import { deliveryStore } from '#src/followers/webhooks/delivery-store.ts';
import { webhookStore } from '#src/followers/webhooks/store.ts';
import { plansOf } from '#test/support/query-plan.ts';
import { openTenantDb } from '#test/support/storage.ts';

/** What is read whole: a few dozen rows, or as many as a look is limited to. */
const SMALL = /^SCAN (?:webhooks|sqlite_sequence|\(subquery-1\))/;

test('however many deliveries there are, each statement finds its own by an index', async () => {
  const { db } = await openTenantDb();
  const plans = [deliveryStore, webhookStore, followStore].flatMap((store) =>
    plansOf(db, (connection) => store(connection)),
  );
  const loose = plans.flatMap(({ sql, steps }) =>
    steps
      .filter((step) => /SCAN|TEMP B-TREE/.test(step) && !SMALL.test(step))
      .map((step) => `${step}: ${sql}`),
  );
  expect(loose).toEqual([]);
  expect(plans.length).toBeGreaterThan(20);
});

test.each([
  [
    'what is due',
    /IS NOT NULL ORDER BY next_attempt_at, seq/,
    'webhook_deliveries_due (webhook=? AND next_attempt_at>?)',
  ],
  [
    'what is due too late',
    /next_attempt_at > \? ORDER BY next_attempt_at, seq/,
    'webhook_deliveries_due (webhook=? AND next_attempt_at>?)',
  ],
  ['whether another of the key is pending', /SELECT 1 .*LIMIT 1$/, 'webhook_deliveries_order'],
  ['which of the key goes next', /SET next_attempt_at = .*ORDER BY seq LIMIT 1/, 'webhook_deliveries_order'],
  ['which of the key is hastened', /\+next_attempt_at > /, 'webhook_deliveries_order'],
  [
    'what is still to fail',
    /^SELECT seq .*status = 'pending' ORDER BY seq$/,
    'webhook_deliveries_undelivered',
  ],
  ['what failed', /status = 'failed' AND seq > \?/, 'webhook_deliveries_undelivered'],
  [
    'a page of what was not delivered',
    /^SELECT \* FROM \(.*status <> 'delivered'/,
    'webhook_deliveries_undelivered',
  ],
  ['a page of all', /^SELECT \* FROM \(.*AND true/, 'webhook_deliveries_log'],
])('%s is found by the index made for it', async (_, statement, index) => {
  const { db } = await openTenantDb();
  const found = plansOf(db, (connection) => deliveryStore(connection)).filter(({ sql }) =>
    statement.test(sql),
  );
  expect(found).toHaveLength(1);
  expect(found[0]?.steps.join('\n')).toContain(`INDEX ${index}`);
});
