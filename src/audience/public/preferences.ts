// The lists of one sender that a person is on, found by the link of any mail that they got, and leaving some of them.
import { lookOf } from '#src/accounts/pages/store.ts';
import { type PracticeRow, tenantStore } from '#src/accounts/tenants/store.ts';
import type { AudienceContext } from '#src/audience/context.ts';
import { type ListRow, listStore } from '#src/audience/lists/store.ts';
import { withdraw } from '#src/audience/subscribers/change.ts';
import { type SubscriberRow, subscriberStore } from '#src/audience/subscribers/store.ts';
import { type Copy, copyOf } from '#src/feedback/unsubscribe/unsubscribe.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Look } from '#src/kernel/page.ts';
import type { Address } from '#src/mail/mailbox.ts';
import { addressHash } from '#src/messages/pseudonym.ts';
import { appendSubscription } from './confirm.ts';
import type { Visitor } from './visitor.ts';

interface Membership {
  readonly list: ListRow;
  readonly subscriber: SubscriberRow;
}

export interface PreferencesView {
  readonly practice: PracticeRow;
  readonly look: Look;
  readonly address: Address;
  readonly lists: readonly ListRow[];
  /** Those that the person has just left. */
  readonly left: readonly ListRow[];
}

const membershipsOf = (db: TenantDb, context: AudienceContext, { practice, address }: Copy): Membership[] =>
  subscriberStore(db)
    .ofPerson(addressHash(context.suppressionKey, practice.id, address))
    .flatMap((subscriber) => {
      const list = listStore(db).bySeq(subscriber.list_seq);
      return list && subscriber.status === 'active' ? [{ list, subscriber }] : [];
    });

const viewOf = (
  db: TenantDb,
  { address }: Copy,
  lists: readonly ListRow[],
  left: readonly ListRow[],
): PreferencesView => ({
  practice: tenantStore(db).practice(),
  look: lookOf(db),
  address,
  lists,
  left,
});

/** Null where the message is removed or unknown. */
export const lookAtPreferences = (
  db: TenantDb,
  context: AudienceContext,
  recipientId: number,
): PreferencesView | null => {
  const copy = copyOf(db, recipientId);
  return (
    copy &&
    viewOf(
      db,
      copy,
      membershipsOf(db, context, copy).map(({ list }) => list),
      [],
    )
  );
};

/** Leaves the lists for which `leaves` is true, of those that the person is on. */
export const leaveLists = (
  db: TenantDb,
  context: AudienceContext,
  recipientId: number,
  leaves: (list: ListRow) => boolean,
  { ip, userAgent, machine }: Visitor,
  now: number,
): PreferencesView | null => {
  const copy = copyOf(db, recipientId);
  if (!copy) return null;
  const memberships = membershipsOf(db, context, copy);
  const left = memberships.filter(({ list }) => leaves(list));
  for (const { list, subscriber } of left) {
    const withdrawal = {
      status: 'unsubscribed',
      way: 'preferences',
      details: { machine },
      personal: { ip, user_agent: userAgent },
    } as const;
    withdraw(db, context, subscriber, withdrawal, now);
    appendSubscription(db, copy.recipient, { id: list.id, status: 'unsubscribed' }, now);
  }
  const lists = memberships.filter(({ list }) => !leaves(list)).map(({ list }) => list);
  return viewOf(
    db,
    copy,
    lists,
    left.map(({ list }) => list),
  );
};
