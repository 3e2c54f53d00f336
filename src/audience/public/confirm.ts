// What the link of a confirmation mail does: the person is on the list from then on, or says no. The link names the entry of the
// request in the ledger. It works for seven days after the mail left, and once: who has confirmed and left is not brought back by an old mail.
import { lookOf } from '#src/accounts/pages/store.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { askedOf, type ConsentFacts, isAnswered, isTooOld, leftAtOf } from '#src/audience/consent/entry.ts';
import { confirmationMailStore } from '#src/audience/consent/mail-store.ts';
import { type ConsentRow, consentStore } from '#src/audience/consent/store.ts';
import type { AudienceContext } from '#src/audience/context.ts';
import { type ListRow, listStore } from '#src/audience/lists/store.ts';
import { activate, factsOf, withdraw } from '#src/audience/subscribers/change.ts';
import { type SubscriberRow, subscriberStore } from '#src/audience/subscribers/store.ts';
import { confirmTracking } from '#src/audience/subscribers/tracking.ts';
import { eventStore } from '#src/events/store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { SECOND } from '#src/kernel/time.ts';
import { isConfirmTokenFor } from '#src/mail/copy-links.ts';
import type { Address } from '#src/mail/mailbox.ts';
import { statusBeside } from '#src/messages/rules.ts';
import { type MessageRow, messageStore, type RecipientRow } from '#src/messages/store.ts';
import type { ConfirmView } from './pages.ts';
import type { Visitor } from './visitor.ts';

interface Asked {
  readonly requestId: string;
  /** The list as it was when the mail was written. */
  readonly list: ListRow;
  readonly subscriber: SubscriberRow;
  /** The recipient of the confirmation mail, as long as it is kept. */
  readonly recipient: RecipientRow | undefined;
}

const laterThan = (db: TenantDb, { seq, address_hash }: ConsentRow): ConsentFacts[] =>
  address_hash === null
    ? []
    : consentStore(db)
        .ofPerson(address_hash)
        .flatMap((entry) => (entry.seq > seq ? [factsOf(entry.facts_json)] : []));

/** When the mail with the link left, ms: the ledger says it a moment later. Null: it has not left, and will not. */
const leftAt = (
  db: TenantDb,
  { id }: ConsentRow,
  later: readonly ConsentFacts[],
  message: MessageRow | undefined,
  now: number,
): number | null => {
  const mail = later.find(({ action, answers }) => action === 'mail' && answers === id);
  if (mail) return leftAtOf(mail);
  const waiting = message && confirmationMailStore(db).row(message.seq);
  return waiting ? (waiting.sent_at ?? now) : null;
};

/** The link, whose token names that entry. */
export interface ConfirmLink {
  readonly token: string;
  readonly requestSeq: number;
}

/** Null where the request is too old or was answered before the last one, is about others, or the person or the list is gone. */
const findAsked = (
  db: TenantDb,
  { linkKey }: Pick<AudienceContext, 'linkKey'>,
  { token, requestSeq }: ConfirmLink,
  now: number,
): Asked | null => {
  const entry = consentStore(db).bySeq(requestSeq);
  if (!entry?.address_hash) return null;
  const request = factsOf(entry.facts_json);
  const { action, list_id, details } = request;
  if (!isConfirmTokenFor(linkKey, token, askedOf(list_id, entry.address_hash))) return null;
  const list = listStore(db).byId(list_id);
  const subscriber = list && subscriberStore(db).onList(list.seq, entry.address_hash);
  if (action !== 'request' || !list || list.archived_at !== null || !subscriber) return null;
  const later = laterThan(db, entry);
  const message = messageStore(db).byId(String(details.message_id));
  const left = leftAt(db, entry, later, message, now);
  if (subscriber.status !== 'active' && isTooOld(request, left, now)) return null;
  if (subscriber.status === 'pending' && isAnswered(request, later)) return null;
  // The wording is not that of the request: the form may have been an older one than the mail.
  const wording = consentStore(db).wording(list.id, ({ seq }) => seq < requestSeq);
  return {
    requestId: entry.id,
    list: { ...list, ...wording },
    subscriber,
    recipient: message && messageStore(db).recipients(message.seq)[0],
  };
};

/** The text of the box that was ticked with the request; null: it was not. */
const agreedText = (db: TenantDb, { tracking_seq }: SubscriberRow, requestId: string): string | null => {
  const entry = tracking_seq === null ? undefined : consentStore(db).bySeq(tracking_seq);
  const { answers, wording } = entry ? factsOf(entry.facts_json) : { answers: null, wording: null };
  if (answers !== requestId || wording === null) return null;
  return consentStore(db).document(Buffer.from(wording, 'hex'))?.content.toString() ?? null;
};

const viewOf = (db: TenantDb, { list, subscriber, requestId }: Asked): ConfirmView => ({
  state: subscriber.status === 'pending' ? 'asked' : subscriber.status === 'active' ? 'active' : 'ended',
  practice: tenantStore(db).practice(),
  look: lookOf(db),
  list,
  address: subscriber.address as Address,
  tracking: agreedText(db, subscriber, requestId),
});

/** What the page shows before anything is answered. */
export const lookAtRequest = (
  db: TenantDb,
  context: AudienceContext,
  link: ConfirmLink,
  now: number,
): ConfirmView | null => {
  const asked = findAsked(db, context, link, now);
  return asked && viewOf(db, asked);
};

/** Reports at the mail by whose link a person joined or left a list. */
export const appendSubscription = (
  db: TenantDb,
  { message_seq, id, status }: RecipientRow,
  list: { readonly id: string; readonly status: 'active' | 'unsubscribed' },
  now: number,
): void => {
  eventStore(db).append({
    messageSeq: message_seq,
    recipientId: id,
    at: now,
    type: 'message.subscription',
    data: { list, ...statusBeside('message.subscription', status) },
  });
};

const secondsSinceMail = (db: TenantDb, { recipient }: Asked, now: number): number | null => {
  const events = recipient ? eventStore(db).ofRecipient(recipient.message_seq, recipient.id) : [];
  const sent = events.find(({ type }) => type === 'message.sent');
  return sent ? Math.round((now - sent.at) / SECOND) : null;
};

export interface Answer {
  /** `link`: one click. `button`: that of the page. */
  readonly way: 'link' | 'button';
  readonly declines: boolean;
  readonly visitor: Visitor;
}

/** Confirms or declines; nothing changes where that was done before. */
export const answerRequest = (
  db: TenantDb,
  context: AudienceContext,
  link: ConfirmLink,
  { way, declines, visitor }: Answer,
  now: number,
): ConfirmView | null => {
  const asked = findAsked(db, context, link, now);
  if (!asked) return null;
  const { subscriber, list, requestId, recipient } = asked;
  const details = { machine: visitor.machine, seconds_since_mail: secondsSinceMail(db, asked, now) };
  const personal = { ip: visitor.ip, user_agent: visitor.userAgent };
  const after = declines
    ? withdraw(db, context, subscriber, { status: 'unsubscribed', way: 'declined', details, personal }, now)
    : subscriber.status === 'pending'
      ? activate(
          db,
          context,
          {
            list,
            address: subscriber.address as Address,
            entry: { action: 'confirm', way, answers: requestId, withWording: true, details, personal },
          },
          now,
        ).row
      : subscriber;
  if (after?.status === 'active' && subscriber.status === 'pending') confirmTracking(db, after);
  if (after && after.status !== subscriber.status && recipient)
    appendSubscription(
      db,
      recipient,
      { id: list.id, status: after.status === 'active' ? 'active' : 'unsubscribed' },
      now,
    );
  return viewOf(db, { ...asked, subscriber: after ?? subscriber });
};
