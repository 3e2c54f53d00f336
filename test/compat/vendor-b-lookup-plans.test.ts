// The statements of vendor B's lookups, however many events there are.
import { expect, test } from 'vitest';
import { loggedEventStore } from '#src/compat/vendor-b/lookups/store.ts';
import { plansOf } from '#test/support/query-plan.ts';
import { openTenantDb } from '#test/support/storage.ts';

test('each list of events walks an index that has only these, and nothing is scanned or sorted', async () => {
  const { db } = await openTenantDb();
  const plans = plansOf(db, loggedEventStore);
  expect(plans).toHaveLength(7);
  for (const { steps, sql } of plans) {
    expect(
      steps.filter((step) => /^SCAN|TEMP B-TREE/.test(step)),
      sql,
    ).toEqual([]);
    expect(
      steps.some((step) => /events USING (COVERING )?(INDEX events_|INTEGER PRIMARY KEY)/.test(step)),
      sql,
    ).toBe(true);
  }
});
