import { describe, expect, test } from 'vitest';
import { choose } from '#src/audience/campaigns/choose.ts';
import { type Person, peopleStore } from '#src/audience/campaigns/people-store.ts';
import { campaignResultsStore } from '#src/audience/campaigns/results-store.ts';
import { NEVER_TRACKED, type SubscriberRow, subscriberStore } from '#src/audience/subscribers/store.ts';
import { newId } from '#src/kernel/id.ts';
import { insertList } from '#test/support/audience.ts';
import { plansOf } from '#test/support/query-plan.ts';
import { openTenantDb } from '#test/support/storage.ts';

const row = (fields: Partial<SubscriberRow> = {}): SubscriberRow => ({
  seq: 1,
  id: newId(),
  list_seq: 1,
  address_hash: Buffer.from('01', 'hex'),
  address: 'erika@example.org',
  name: null,
  data_json: '{}',
  status: 'active',
  tracking_seq: null,
  consent_seq: 1,
  asked_at: null,
  created_at: 0,
  confirmed_at: 10,
  updated_at: 0,
  ...NEVER_TRACKED,
  ...fields,
});

describe('which subscription of a person a message goes by', () => {
  const bonn = row({ seq: 1, data_json: '{"ort":"Bonn"}' });
  const koeln = row({ seq: 2, data_json: '{"ort":"Köln","wert":"1"}' });
  const needsValue = {
    unfitValues: (values: object) => ('wert' in values ? null : ('missing_value' as const)),
  };
  const any = { unfitValues: () => null };
  const cases: readonly [
    says: string,
    person: Person,
    given: {
      filter?: Parameters<typeof choose>[1]['filter'];
      mailing?: Parameters<typeof choose>[1]['mailing'];
      hasConsent?: Parameters<typeof choose>[1]['hasConsent'];
    },
    expected: { seq: number; leftOut: string | null } | null,
  ][] = [
    ['the first', [bonn, koeln], {}, { seq: 1, leftOut: null }],
    ['the first that is active', [{ ...bonn, status: 'unsubscribed' }, koeln], {}, { seq: 2, leftOut: null }],
    [
      'the first that fits',
      [bonn, koeln],
      { filter: [{ field: 'ort', op: 'is', value: 'köln' }] },
      { seq: 2, leftOut: null },
    ],
    ['the first whose values suffice', [bonn, koeln], { mailing: needsValue }, { seq: 2, leftOut: null }],
    [
      'the first with its consent in the ledger',
      [bonn, koeln],
      { hasConsent: ({ seq }) => seq === 2 },
      { seq: 2, leftOut: null },
    ],
    ['none has its consent', [bonn, koeln], { hasConsent: () => false }, { seq: 1, leftOut: null }],
    ['none has the values', [bonn], { mailing: needsValue }, { seq: 1, leftOut: 'missing_value' }],
    ['none is active', [{ ...bonn, status: 'pending' }], {}, { seq: 1, leftOut: 'pending' }],
    ['who bounced is left out as that', [{ ...bonn, status: 'bounced' }], {}, { seq: 1, leftOut: 'bounced' }],
    ['none fits', [bonn, koeln], { filter: [{ field: 'land', op: 'exists' }] }, null],
    ['active only since the start', [{ ...bonn, confirmed_at: 21 }], {}, null],
  ];
  test.each(cases)('%s', (_, person, { filter = [], mailing = any, hasConsent = () => true }, expected) => {
    const choice = choose(person, { filter, mailing, startedAt: 20, hasConsent });
    expect(choice && { seq: choice.subscriber.seq, leftOut: choice.leftOut }).toEqual(expected);
  });
});

describe('the people of lists', () => {
  test('are each found once, in the order of their hashes, in pages of any size', async () => {
    const { db } = await openTenantDb();
    const lists = ['a', 'b', 'c'].map((name) => insertList(db, { name }));
    const [a, b] = lists;
    const hashes = Array.from({ length: 40 }, (_, index) => Buffer.from([(index * 37) % 251, index]));
    for (const [index, address_hash] of hashes.entries())
      for (const [place, list] of lists.entries())
        if (index % (place + 2) === 0)
          subscriberStore(db).insert(row({ id: newId(), list_seq: list.seq, address_hash }));
    const asked = [b?.seq ?? 0, a?.seq ?? 0];
    const expected = hashes
      .filter((_, index) => index % 2 === 0 || index % 3 === 0)
      .map((hash) => hash.toString('hex'))
      .toSorted();
    for (const limit of [1, 2, 7, 100]) {
      const found: string[] = [];
      let last: Buffer | null = null;
      for (;;) {
        const page: Person[] = peopleStore(db).after(asked, last, limit);
        if (page.length === 0) break;
        expect(page.length).toBeLessThanOrEqual(limit);
        for (const person of page) {
          last = person[0].address_hash;
          found.push(last.toString('hex'));
          // In the order of the lists as they were named.
          expect(person.map(({ list_seq }) => list_seq)).toEqual(
            asked.filter((seq) => person.some(({ list_seq }) => list_seq === seq)),
          );
        }
      }
      expect(found).toEqual(expected);
    }
  });
});

test('recipients, those left out, links and people are found without reading those of others', async () => {
  const { db } = await openTenantDb();
  const plans = [...plansOf(db, campaignResultsStore), ...plansOf(db, peopleStore)];
  const scans = plans.filter(({ steps }) =>
    steps.some((step) => /^SCAN (?!json_each|\(subquery)/.test(step)),
  );
  expect(scans).toEqual([]);
});
