// The lists of one sender that a person is on, found by the link of any mail that they got, and leaving some of them.
import { lookOf } from '#src/accounts/pages/store.ts';
import { type PracticeRow, tenantStore } from '#src/accounts/tenants/store.ts';
import type { AudienceContext } from '#src/audience/context.ts';
import { type ListRow, listStore } from '#src/audience/lists/store.ts';
import { withdraw } from '#src/audience/subscribers/change.ts';
import { type SubscriberRow, subscriberStore } from '#src/audience/subscribers/store.ts';
import { agreeToTracking, objectToTracking } from '#src/audience/subscribers/tracking.ts';
import { objectionStore } from '#src/feedback/tracking/objection-store.ts';
import { type Copy, copyOf } from '#src/feedback/unsubscribe/unsubscribe.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Look } from '#src/kernel/page.ts';
import type { Address } from '#src/mail/mailbox.ts';
import { addressHash, isPseudonym } from '#src/messages/pseudonym.ts';
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
  readonly tracking: TrackingView;
}

/** `allowed`: no objection, and no list that still asks. */
export type TrackingView = 'objected' | 'asked' | 'allowed';

const membershipsOf = (db: TenantDb, context: AudienceContext, { practice, address }: Copy): Membership[] =>
  subscriberStore(db)
    .ofPerson(addressHash(context.suppressionKey, practice.id, address))
    .flatMap((subscriber) => {
      const list = listStore(db).bySeq(subscriber.list_seq);
      return list && subscriber.status === 'active' ? [{ list, subscriber }] : [];
    });

const personOf = ({ suppressionKey }: AudienceContext, { practice, address }: Copy): Buffer =>
  addressHash(suppressionKey, practice.id, address);

const viewOf = (
  db: TenantDb,
  context: AudienceContext,
  copy: Copy,
  left: readonly ListRow[],
): PreferencesView => {
  const memberships = membershipsOf(db, context, copy);
  const isAsked = memberships.some(
    ({ list, subscriber }) => list.tracking_consent === 'asked' && subscriber.tracking_seq === null,
  );
  const hasObjected = objectionStore(db).entryOf(personOf(context, copy)) !== null;
  return {
    practice: tenantStore(db).practice(),
    look: lookOf(db),
    address: copy.address,
    lists: memberships.map(({ list }) => list),
    left,
    tracking: hasObjected ? 'objected' : isAsked ? 'asked' : 'allowed',
  };
};

/** Null where the message is removed or unknown. */
export const lookAtPreferences = (
  db: TenantDb,
  context: AudienceContext,
  recipientId: number,
): PreferencesView | null => {
  const copy = copyOf(db, recipientId);
  return copy && viewOf(db, context, copy, []);
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
  return viewOf(
    db,
    context,
    copy,
    left.map(({ list }) => list),
  );
};

/** The person agrees to tracking or objects to it, for all mail of the practice. `shown`: the text beside the button. */
export const decideTracking = (
  db: TenantDb,
  context: AudienceContext,
  recipientId: number,
  { agrees, shown }: { readonly agrees: boolean; readonly shown: (lists: readonly ListRow[]) => string },
  { ip, userAgent, machine }: Visitor,
  now: number,
): PreferencesView | null => {
  const copy = copyOf(db, recipientId);
  // Where retention has taken the address, nothing says whose word it would be.
  if (!copy || isPseudonym(copy.address)) return copy && viewOf(db, context, copy, []);
  const who = { person: personOf(context, copy), address: copy.address };
  const lists = membershipsOf(db, context, copy).map(({ list }) => list);
  const word = {
    way: 'preferences',
    details: { machine },
    personal: { ip, user_agent: userAgent },
    ...(agrees ? { wording: shown(lists) } : {}),
  } as const;
  if (agrees) agreeToTracking(db, context, who, word, now);
  else objectToTracking(db, context, who, word, now);
  return viewOf(db, context, copy, []);
};
