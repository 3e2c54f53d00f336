// How long the ledger keeps what it says of clients: with the consent, and some years after its end.
import { beforeEach, describe, expect, test } from 'vitest';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { appendConsent, type Ledger, type NewEntry } from '#src/audience/consent/ledger.ts';
import { removeOldClients } from '#src/audience/consent/old-clients.ts';
import { consentStore } from '#src/audience/consent/store.ts';
import { verifyLedger } from '#src/audience/consent/verify-ledger.ts';
import { type ListRow, listStore } from '#src/audience/lists/store.ts';
import { activate, removeSubscriber, withdraw } from '#src/audience/subscribers/change.ts';
import { type SubscriberRow, subscriberStore } from '#src/audience/subscribers/store.ts';
import { writeMemory } from '#src/kernel/db/memory.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { DAY } from '#src/kernel/time.ts';
import { parseAddress } from '#src/mail/address.ts';
import { addressHash } from '#src/messages/pseudonym.ts';
import { audienceKeys, insertList } from '#test/support/audience.ts';
import { plansOf } from '#test/support/query-plan.ts';
import { openTenantDb, type SampleTenant } from '#test/support/storage.ts';

const YEARS = 1_096 * DAY;
const ledger: Ledger = {
  ...audienceKeys.ledger,
  kept: () => ({ consent_ip: YEARS, consent_user_agent: YEARS }),
};
const keys = { ...audienceKeys, ledger };
const client = { ip: '192.0.2.7', user_agent: 'Firefox' };
const confirm = { action: 'confirm', way: 'link', personal: client } as const satisfies Partial<NewEntry>;

let tenant: SampleTenant;
let list: ListRow;
beforeEach(async () => {
  tenant = await openTenantDb();
  list = insertList(tenant.db);
});

const addressOf = (number: number) => parseAddress(`person${number}@example.org`).address;
const hashOf = (number: number): Buffer =>
  addressHash(keys.suppressionKey, tenant.tenantId, addressOf(number));
const asks = (now: number, number = 1): void => {
  appendConsent(
    tenant.db,
    ledger,
    { action: 'request', way: 'form', list, person: hashOf(number), personal: client },
    now,
  );
};
const confirms = (now: number, number = 1): SubscriberRow => {
  const { row } = activate(tenant.db, keys, { list, address: addressOf(number), entry: confirm }, now);
  return row ?? expect.fail();
};
const leaves = (row: SubscriberRow, status: 'unsubscribed' | 'bounced' | 'complained', now: number) =>
  withdraw(tenant.db, keys, row, { status, way: 'preferences', personal: client }, now);

const files = {
  read: async <T>(_: string, work: (db: TenantDb) => T) => work(tenant.db),
  write: async <T>(_: string, work: (db: TenantDb) => T) => work(tenant.db),
};
const night = (now: number, kept = ledger.kept): Promise<void> =>
  removeOldClients({
    files: files as never,
    clock: { now: () => now },
    ledger: { ...ledger, kept },
  }).run(tenant.tenantId, new AbortController().signal, (work) => work(), []);

const fault = () => {
  writeMemory(tenant.db);
  return verifyLedger(tenant.db, ledger.key(tenant.tenantId)).fault;
};

/** What entries still say of the client, by their actions. */
const known = (number = 1): string[] =>
  consentStore(tenant.db)
    .ofPerson(hashOf(number))
    .flatMap(({ facts_json, openings_json }) => {
      const { ip, user_agent } = JSON.parse(openings_json);
      const action: string = JSON.parse(facts_json).action;
      return ip || user_agent ? [`${action}${ip ? ' ip' : ''}${user_agent ? ' agent' : ''}`] : [];
    });
const choose = (consent_ip: number | null, consent_user_agent: number | null): void =>
  tenantStore(tenant.db).updateRetention({
    ...{ keep_bodies: null, keep_attachments: null, keep_events: null, keep_messages: null },
    keep_consent_ip: consent_ip,
    keep_consent_user_agent: consent_user_agent,
  });
const ALL = ['request ip agent', 'confirm ip agent'];

test('they are kept as long as the consent lasts', async () => {
  asks(DAY);
  confirms(2 * DAY);
  await night(40 * YEARS);
  expect(known()).toEqual(ALL);
  expect(fault()).toBeNull();
});

describe('after the end of the consent they are kept for the period of the installation, and no longer', () => {
  const END = 500 * DAY;
  test.each<[string, (row: SubscriberRow) => void, string[]]>([
    ['unsubscribed', (row) => leaves(row, 'unsubscribed', END), [...ALL, 'withdraw ip agent']],
    ['complained', (row) => leaves(row, 'complained', END), [...ALL, 'withdraw ip agent']],
    ['bounced', (row) => leaves(row, 'bounced', END), ALL],
    ['removed by the practice', (row) => removeSubscriber(tenant.db, keys, row, 'removed', END), ALL],
    ['the list was archived', () => listStore(tenant.db).update({ ...list, archived_at: END }), ALL],
  ])('%s', async (_, end, all) => {
    asks(DAY);
    end(confirms(2 * DAY));
    await night(END + YEARS - 1);
    expect(known()).toEqual(all);
    await night(END + YEARS + 1);
    expect(known()).toEqual([]);
    expect(fault()).toBeNull();
  });

  test('but who comes back is counted anew', async () => {
    asks(DAY);
    leaves(confirms(2 * DAY), 'unsubscribed', 3 * DAY);
    asks(4 * DAY);
    confirms(5 * DAY);
    await night(40 * YEARS);
    expect(known()).toEqual([...ALL, 'withdraw ip agent', ...ALL]);
  });

  test('of one list only, where the consent for another lasts', async () => {
    const other = insertList(tenant.db, { name: 'Other' });
    activate(tenant.db, keys, { list: other, address: addressOf(1), entry: confirm }, DAY);
    leaves(confirms(2 * DAY), 'unsubscribed', END);
    await night(END + YEARS + 1);
    expect(known()).toEqual(['confirm ip agent']);
  });
});

describe('of a request that was never confirmed', () => {
  test.each([
    ['90 days', ledger.kept, 90 * DAY],
    [
      'less where the installation keeps less',
      () => ({ consent_ip: 9 * DAY, consent_user_agent: 9 * DAY }),
      9 * DAY,
    ],
  ])('they are kept for %s', async (_, kept, period) => {
    asks(DAY);
    await night(DAY + period - 1, kept);
    expect(known()).toEqual(['request ip agent']);
    await night(DAY + period + 1, kept);
    expect(known()).toEqual([]);
  });

  test('that is so too where the person said no, or left before and never came back', async () => {
    leaves(confirms(DAY), 'unsubscribed', 2 * DAY);
    asks(3 * DAY);
    await night(100 * DAY);
    expect(known()).toEqual(['confirm ip agent', 'withdraw ip agent']);
  });
});

describe('what a practice chooses', () => {
  test('is counted from the entry, also while the consent lasts', async () => {
    choose(30, null);
    asks(DAY);
    confirms(20 * DAY);
    await night(40 * DAY);
    expect(known()).toEqual(['request agent', 'confirm ip agent']);
    await night(60 * DAY);
    expect(known()).toEqual(['request agent', 'confirm agent']);
    choose(null, null);
    await night(40 * YEARS);
    expect(known()).toEqual(['request agent', 'confirm agent']);
  });

  test('0 means that they are not written, for the practice or the installation', async () => {
    choose(0, null);
    asks(DAY);
    expect(known()).toEqual(['request agent']);
    choose(null, null);
    const none: Ledger = { ...ledger, kept: () => ({ consent_ip: YEARS, consent_user_agent: 0 }) };
    const entry = { ...confirm, list, person: hashOf(2) };
    appendConsent(tenant.db, none, entry, DAY);
    expect(known(2)).toEqual(['confirm ip']);
  });
});

test('the people of a large archived list are looked at once, in slices', async () => {
  for (let number = 1; number <= 450; number += 1) confirms(DAY, number);
  listStore(tenant.db).update({ ...list, archived_at: 2 * DAY });
  await night(3 * DAY);
  expect(listStore(tenant.db).endsConsents()).toBeUndefined();
  const { seq } = subscriberStore(tenant.db).onList(list.seq, hashOf(450)) ?? expect.fail();
  expect(subscriberStore(tenant.db).activeAfter(list.seq, seq - 1, 9)).toHaveLength(1);
  await night(2 * DAY + YEARS - 1);
  expect(known(450)).toEqual(['confirm ip agent']);
  await night(2 * DAY + YEARS + 1);
  expect([1, 200, 201, 450].flatMap(known)).toEqual([]);
});

test('a night looks for what is due by an index, in the order of its time', () => {
  const plans = plansOf(tenant.db, consentStore).filter(({ sql }) => sql.includes('client_since < ?'));
  expect(plans.map(({ steps }) => steps)).toEqual(
    ['ip', 'user_agent'].map((name) => [
      expect.stringMatching(
        new RegExp(
          `USING (?:COVERING )?INDEX consent_entries_${name}_term \\(client_term=\\? AND client_since<\\?\\)$`,
        ),
      ),
    ]),
  );
  const people = plansOf(tenant.db, subscriberStore).find(({ sql }) =>
    sql.includes("status = 'active' AND seq > ?"),
  );
  expect(people?.steps).toEqual([
    expect.stringMatching(/^SEARCH subscribers USING (?:COVERING )?INDEX subscribers_status/),
  ]);
});
