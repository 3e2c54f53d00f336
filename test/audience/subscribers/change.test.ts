import { beforeEach, describe, expect, test } from 'vitest';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import type { ConsentFacts } from '#src/audience/consent/entry.ts';
import { appendConsent } from '#src/audience/consent/ledger.ts';
import { consentStore } from '#src/audience/consent/store.ts';
import { type ListRow, listStore } from '#src/audience/lists/store.ts';
import {
  activate,
  changeSubscriber,
  type NewActive,
  removeSubscriber,
  withdraw,
} from '#src/audience/subscribers/change.ts';
import { type SubscriberRow, subscriberStore } from '#src/audience/subscribers/store.ts';
import { addSuppression, onRoute, wholeTeam } from '#src/feedback/suppressions/change.ts';
import { suppressionStore } from '#src/feedback/suppressions/store.ts';
import { newId } from '#src/kernel/id.ts';
import { parseAddress } from '#src/mail/address.ts';
import type { SuppressionReason } from '#src/messages/suppression-rules.ts';
import { insertList, audienceKeys as keys } from '#test/support/audience.ts';
import { openTenantDb, type SampleTenant } from '#test/support/storage.ts';

let tenant: SampleTenant;
let list: ListRow;
beforeEach(async () => {
  tenant = await openTenantDb();
  list = insertList(tenant.db);
});

const { address } = parseAddress('erika@example.org');
const confirm: NewActive['entry'] = { action: 'confirm', way: 'link' };
const imported: NewActive['entry'] = { action: 'import', way: 'import', legal_basis: 'existing_customer' };
const come = (entry = confirm, now = 1, fields: Partial<NewActive> = {}) =>
  activate(tenant.db, keys, { list, address, entry, ...fields }, now);
const added = (entry = confirm): SubscriberRow => {
  const { outcome, row } = come(entry);
  if (outcome !== 'added') throw new Error(`it is ${outcome}`);
  return row;
};
const leave = (row: SubscriberRow, status: 'unsubscribed' | 'bounced' | 'complained', now = 2) =>
  withdraw(tenant.db, keys, row, { status, way: 'unsubscribe' }, now);
const entries = () =>
  consentStore(tenant.db)
    .after(0, 100)
    .map(({ facts_json }) => JSON.parse(facts_json) as ConsentFacts);
const counts = () => Object.fromEntries(listStore(tenant.db).counts(list.seq));

describe('a subscriber comes', () => {
  test('with evidence, in which the address is sealed', () => {
    const row = added();
    expect(row).toMatchObject({ status: 'active', address, confirmed_at: 1, created_at: 1 });
    expect(entries()).toMatchObject([{ action: 'confirm', list_id: list.id, legal_basis: 'consent' }]);
    expect(consentStore(tenant.db).bySeq(row.consent_seq)?.facts_json).not.toContain('erika');
    expect(consentStore(tenant.db).bySeq(row.consent_seq)?.openings_json).toContain(address);
    expect(counts()).toEqual({ active: 1 });
  });

  test('once: a repetition keeps evidence, time and values of the active one', () => {
    const row = added();
    expect(come(confirm, 9, { name: 'Someone else' })).toEqual({ outcome: 'unchanged', row });
    expect(come(imported, 9)).toEqual({ outcome: 'unchanged', row });
    expect(subscriberStore(tenant.db).bySeq(row.seq)).toEqual(row);
    expect(entries()).toHaveLength(1);
  });

  test.each(['unsubscribed', 'bounced', 'complained'] as const)(
    'back from %s by an own confirmation, not by an import',
    (status) => {
      const row = leave(added(), status);
      expect(come(imported, 3)).toEqual({ outcome: 'refused', row });
      expect(come(confirm, 4)).toMatchObject({
        outcome: 'activated',
        row: { seq: row.seq, status: 'active', created_at: 1, confirmed_at: 4 },
      });
      expect(counts()).toEqual({ active: 1 });
    },
  );

  test('by no import after leaving, also where someone has asked for them since then', () => {
    const row = leave(added(), 'unsubscribed');
    const entry = { action: 'request', way: 'form', list, person: row.address_hash } as const;
    const { seq: consent_seq } = appendConsent(tenant.db, keys.ledger, entry, 3);
    const pending = { ...row, status: 'pending', consent_seq } as const;
    subscriberStore(tenant.db).update(pending);
    expect(come(imported, 4)).toEqual({ outcome: 'refused', row: pending });
    removeSubscriber(tenant.db, keys, pending, 'expired', 5);
    expect(come(imported, 6)).toEqual({ outcome: 'refused', row: null });
    expect(come(confirm, 7).outcome).toBe('added');
  });

  test('by an import after the practice removed the row, but not after leaving', () => {
    removeSubscriber(tenant.db, keys, added(), 'removed', 2);
    expect(come(imported, 3).outcome).toBe('added');
    const row = subscriberStore(tenant.db).onList(list.seq, personOf());
    if (!row) throw new Error('the row is missing');
    removeSubscriber(tenant.db, keys, leave(row, 'unsubscribed', 4), 'removed', 5);
    expect(come(imported, 6)).toEqual({ outcome: 'refused', row: null });
    expect(
      activate(
        tenant.db,
        keys,
        { list: insertList(tenant.db, { name: 'Other' }), address, entry: imported },
        7,
      ).outcome,
    ).toBe('added');
  });
});

const personOf = (): Buffer => {
  const hash = consentStore(tenant.db).after(0, 1)[0]?.address_hash;
  if (!hash) throw new Error('the ledger is empty');
  return hash;
};

describe('suppressions', () => {
  const suppress = (reason: SuppressionReason, routeId: string | null): void => {
    const place = routeId === null ? wholeTeam : onRoute(routeId);
    addSuppression(
      tenant.db,
      keys.suppressionKey,
      { address, place, reason, sourceMessageId: null, note: null },
      0,
    );
  };
  const left = (): string[] =>
    suppressionStore(tenant.db)
      .rowsOfAddress(personOf())
      .map(({ reason }) => reason);
  const marketing = (slug: string): string => {
    const id = newId();
    tenantStore(tenant.db).insertRoute({
      id,
      slug,
      name: slug,
      type: 'marketing',
      project_id: null,
      is_default: 0,
      track_opens: 0,
      track_clicks: 0,
      plain_text_fallback: 1,
      created_at: 0,
    });
    return id;
  };

  test('from unsubscribing from marketing end with an own confirmation; all others stay', () => {
    suppress('unsubscribe', marketing('news'));
    suppress('complaint', marketing('more'));
    suppress('manual', marketing('other'));
    suppress('unsubscribe', tenant.routeId);
    suppress('unsubscribe_all', null);
    come(confirm);
    expect(left().toSorted()).toEqual(['complaint', 'manual', 'unsubscribe', 'unsubscribe_all']);
  });

  test('stay where someone else says so, and where nothing changes', () => {
    const routeId = marketing('news');
    suppress('unsubscribe', routeId);
    added(imported);
    expect(come(confirm, 2).outcome).toBe('unchanged');
    expect(left()).toEqual(['unsubscribe']);
  });
});

describe('a subscriber leaves', () => {
  test('with an entry that names the evidence which it ends', () => {
    const row = added(imported);
    const gone = leave(row, 'unsubscribed');
    const [evidence] = consentStore(tenant.db).after(0, 1);
    expect(gone).toMatchObject({ status: 'unsubscribed', confirmed_at: 1, updated_at: 2 });
    expect(entries()[1]).toMatchObject({
      action: 'withdraw',
      way: 'unsubscribe',
      answers: evidence?.id,
      legal_basis: 'existing_customer',
    });
  });

  test('once for each rank: a complaint outweighs leaving, leaving a bounce, which is no withdrawal', () => {
    const bounced = leave(added(), 'bounced');
    expect(entries()).toHaveLength(1);
    const unsubscribed = leave(bounced, 'unsubscribed');
    expect(leave(unsubscribed, 'unsubscribed')).toBe(unsubscribed);
    expect(leave(unsubscribed, 'bounced')).toBe(unsubscribed);
    const complained = leave(unsubscribed, 'complained');
    expect(leave(complained, 'unsubscribed')).toBe(complained);
    expect(entries().map(({ action }) => action)).toEqual(['confirm', 'withdraw']);
    expect(counts()).toEqual({ complained: 1 });
  });
});

test('name and data change without the ledger', () => {
  const row = added();
  const changed = changeSubscriber(tenant.db, row, { name: 'Erika', data: { ort: 'Porto' } }, 5);
  expect(changed).toEqual({ ...row, name: 'Erika', data_json: '{"ort":"Porto"}', updated_at: 5 });
  expect(changeSubscriber(tenant.db, changed, { name: null }, 6)).toMatchObject({
    name: null,
    data_json: '{"ort":"Porto"}',
  });
  expect(entries()).toHaveLength(1);
});
