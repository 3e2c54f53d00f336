// A request to be on a list, in the transaction that accepts its mail: who is asked, how often, and what a stranger's form changes.
import { expect, test } from 'vitest';
import type { AudienceContext } from '#src/audience/context.ts';
import { erasureStore } from '#src/audience/people/erasure-store.ts';
import { requestSubscription, type SubscriptionRequest } from '#src/audience/public/request.ts';
import { subscriberStore } from '#src/audience/subscribers/store.ts';
import { suppressionStore } from '#src/feedback/suppressions/store.ts';
import { transact } from '#src/intake/accept.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { newId } from '#src/kernel/id.ts';
import { DAY } from '#src/kernel/time.ts';
import { parseAddress } from '#src/mail/address.ts';
import { addressHash } from '#src/messages/pseudonym.ts';
import { queueStore } from '#src/messages/queue/store.ts';
import type { SuppressionReason } from '#src/messages/suppression-rules.ts';
import { ACCEPTED, createRelay, playUpstream } from '#test/relay/fixture.ts';
import { audienceKeys, insertList } from '#test/support/audience.ts';
import { testTokenKeys } from '#test/support/keys.ts';

const { address } = parseAddress('erika@example.org');

const scene = async () => {
  const relay = await createRelay([playUpstream(() => ACCEPTED)]);
  const tenantId = await relay.createPractice('Nord');
  const { suppressionKey, ledger } = audienceKeys;
  const intake = { ...relay.intake, suppressionKey };
  const context = {
    ...relay.intake,
    suppressionKey,
    ledger,
    linkKey: testTokenKeys(1),
    intake: { context: intake },
  } as unknown as AudienceContext;
  const write = <T>(work: (db: TenantDb) => T): Promise<T> => relay.storage.tenants.write(tenantId, work);
  const list = await write((db) => insertList(db));
  const person = addressHash(suppressionKey, tenantId, address);
  return {
    write,
    person,
    now: relay.clock.now(),
    /** What became of it. */
    ask: (fields: Partial<SubscriptionRequest> = {}, at = relay.clock.now()) =>
      transact(intake, tenantId, (db, accept) => {
        const request = {
          list,
          address,
          name: null,
          data: {},
          way: 'form',
          personal: {},
          ...fields,
        } as const;
        return requestSubscription(db, context, accept, request, at).kind;
      }),
    /** All mail has left. */
    leave: () =>
      write((db) => {
        for (const id of db.prepare<[], number>('SELECT recipient_id FROM queue').pluck().all())
          queueStore(db).remove(id);
      }),
    subscriber: () =>
      relay.storage.tenants.read(tenantId, (db) => subscriberStore(db).onList(list.seq, person)),
    suppress: (reason: SuppressionReason) =>
      write((db) =>
        suppressionStore(db).insert({
          id: newId(),
          scope: 'team',
          project_id: null,
          route_id: null,
          reason,
          address_hash: person,
          address,
          source_message_id: null,
          note: null,
          created_at: 0,
        }),
      ),
  };
};

test('an address is asked once a day, and not while the mail waits', async () => {
  const { ask, leave, now } = await scene();
  expect(await ask()).toBe('asked');
  expect(await ask({}, now + 2 * DAY)).toBe('asked_before');
  await leave();
  expect(await ask({}, now + DAY - 1)).toBe('asked_before');
  expect(await ask({}, now + DAY)).toBe('asked');
});

test.each<[SuppressionReason, form: string, api: string]>([
  ['unsubscribe_all', 'asked', 'suppressed'],
  ['erasure', 'asked', 'suppressed'],
  ['complaint', 'suppressed', 'suppressed'],
  ['hard_bounce', 'suppressed', 'suppressed'],
])('after %s a form, where the person asks, is answered: %s; the practice: %s', async (reason, form, api) => {
  const { ask, suppress, write } = await scene();
  await suppress(reason);
  expect(await ask({ way: 'api' })).toBe(api);
  // The address may be that of someone who was erased.
  expect(await write((db) => db.prepare('SELECT count(*) FROM messages').pluck().get())).toBe(0);
  expect(await ask({ way: 'form' })).toBe(form);
});

test('no one is asked whose data is being erased', async () => {
  const { ask, write, person, now } = await scene();
  await write((db) =>
    erasureStore(db).insert({
      id: newId(),
      address_hash: person,
      sealed_address: null,
      reason: null,
      requested_by: 'x',
      progress_json: '{}',
      counts_json: '{}',
      requested_at: now,
    }),
  );
  expect(await ask()).toBe('suppressed');
});

test('a form changes neither name nor values of someone who is known, the practice does both', async () => {
  const { ask, leave, subscriber, now } = await scene();
  await ask({ way: 'api', name: 'Erika', data: { ort: 'Kiel', anrede: 'Frau' } });
  await leave();
  await ask({ way: 'form', name: 'Eve', data: { ort: 'Bonn' } }, now + DAY);
  expect(await subscriber()).toMatchObject({ name: 'Erika', data_json: '{"ort":"Kiel","anrede":"Frau"}' });
  await leave();
  await ask({ way: 'api', name: 'Erika M.', data: { ort: 'Bonn' } }, now + 2 * DAY);
  expect(await subscriber()).toMatchObject({ name: 'Erika M.', data_json: '{"ort":"Bonn","anrede":"Frau"}' });
});
