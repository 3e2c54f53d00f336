import { beforeEach, expect, test } from 'vitest';
import { counterStore } from '#src/accounts/counters/store.ts';
import { returnedStore } from '#src/audience/campaigns/returned-store.ts';
import { campaignStore } from '#src/audience/campaigns/store.ts';
import { eventStore } from '#src/events/store.ts';
import { scoreStore } from '#src/intake/score-store.ts';
import { plansOf } from '#test/support/query-plan.ts';
import { openTenantDb, queueMessage, type SampleTenant } from '#test/support/storage.ts';

let tenant: SampleTenant;
beforeEach(async () => {
  tenant = await openTenantDb();
});
const store = () => returnedStore(tenant.db);

test('what came back is found among the other events, from a time and from a place on', () => {
  for (const at of [10, 20, 30, 40]) {
    const { seq, recipientIds } = queueMessage(tenant, { now: at, recipients: [`r${at}@example.org`] });
    const event = { messageSeq: seq, recipientId: recipientIds[0] ?? null, at };
    eventStore(tenant.db).append({ ...event, type: 'message.sent' });
    eventStore(tenant.db).append({
      ...event,
      type: at === 30 ? 'message.soft_bounced' : 'message.hard_bounced',
      data: { smtp_code: 550 },
    });
  }
  const addresses = (after: number, limit: number) =>
    store()
      .returned(after, limit)
      .map(({ address }) => address);
  expect(addresses(store().beforeEvents(20), 2)).toEqual(['r20@example.org', 'r30@example.org']);
  expect(addresses(store().returned(0, 3).at(-1)?.seq ?? 0, 3)).toEqual(['r40@example.org']);
  expect(scoreStore(tenant.db).after(scoreStore(tenant.db).before(30), 10)).toMatchObject([
    { at: 30 },
    { at: 40 },
  ]);
});

test('no statement looks at more rows than its page has', () => {
  const plans = [...plansOf(tenant.db, returnedStore), ...plansOf(tenant.db, scoreStore)];
  const tables = plans.map(({ steps }) => steps.map((step) => step.replace(/ LEFT-JOIN$/, '')));
  expect(tables).toEqual([
    [
      'SEARCH events USING INDEX events_returned (seq>?)',
      'SEARCH messages USING INTEGER PRIMARY KEY (rowid=?)',
      'SEARCH recipients USING INTEGER PRIMARY KEY (rowid=?)',
      'SEARCH campaigns USING INTEGER PRIMARY KEY (rowid=?)',
    ],
    ['SEARCH messages USING INTEGER PRIMARY KEY (rowid>?)'],
  ]);
  const others = [
    plansOf(tenant.db, campaignStore).find(({ sql }) => sql.includes('coalesce(finished_at')),
    plansOf(tenant.db, counterStore).find(({ sql }) => sql.startsWith('SELECT * FROM counters')),
  ];
  expect(others.map((plan) => plan?.steps[0])).toEqual([
    'SEARCH campaigns USING INTEGER PRIMARY KEY (rowid>?)',
    'SEARCH counters USING PRIMARY KEY (day>? AND day<?)',
  ]);
});
