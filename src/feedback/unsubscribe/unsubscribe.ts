// Unsubscribes a person from mail like the copy whose link they used, or from all mail of its sender. One transaction writes
// suppression, status, counters and events.

import { utcDay } from '#src/accounts/counters/rules.ts';
import { counterStore } from '#src/accounts/counters/store.ts';
import { type PracticeRow, type RouteRow, tenantStore } from '#src/accounts/tenants/store.ts';
import { type EventData, eventStore, type HeardEvent } from '#src/events/store.ts';
import { addOwnSuppression, onRoute, suppressionData, wholeTeam } from '#src/feedback/suppressions/change.ts';
import { suppressionStore } from '#src/feedback/suppressions/store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { TenantKey } from '#src/kernel/keys.ts';
import { addressDomain } from '#src/mail/address.ts';
import type { Address } from '#src/mail/mailbox.ts';
import { addressHash } from '#src/messages/pseudonym.ts';
import { after, currentSignal, statusBeside, statusOf } from '#src/messages/rules.ts';
import { type MessageRow, messageStore, type RecipientRow } from '#src/messages/store.ts';
import { isLiftedFor, type SuppressionFacts } from '#src/messages/suppression-rules.ts';

/** `route`: mail like the one with the link. `team`: all mail of this sender. */
export type UnsubscribeScope = 'route' | 'team';

/** The copy that a link was in. */
export interface Copy {
  readonly practice: PracticeRow;
  readonly message: MessageRow;
  readonly route: RouteRow;
  readonly recipient: RecipientRow;
  readonly address: Address;
}

export interface UnsubscribeKeys {
  /** The key of `addressHash`. */
  readonly suppressionKey: TenantKey;
  /** Mail to this host is not counted. */
  readonly simulatorDomain: string;
}

/** Null where the message is removed, unknown, or the service's own, which has no such link. */
export const copyOf = (db: TenantDb, recipientId: number): Copy | null => {
  const recipient = messageStore(db).recipient(recipientId);
  const message = recipient && messageStore(db).bySeq(recipient.message_seq);
  const route = message && tenantStore(db).route(message.route_id);
  if (!recipient || !message || !route || message.source === 'system') return null;
  const practice = tenantStore(db).practice();
  return { practice, message, route, recipient, address: recipient.address as Address };
};

/** Such a mail only asks whether someone wants to be on a list: to unsubscribe by its link is to say no, and ends no other mail. */
export const isQuestion = ({ message }: Copy): boolean => message.message_kind === 'doi';

const eventsOf = (db: TenantDb, { message, recipient }: Copy): HeardEvent[] =>
  eventStore(db).ofRecipient(message.seq, recipient.id);

const hasSaidNo = (events: readonly HeardEvent[]): boolean =>
  events.some(({ type }) => type === 'message.unsubscribed');

const ofThem = (db: TenantDb, { practice, address }: Copy, key: TenantKey): SuppressionFacts[] =>
  suppressionStore(db).ofAddress(addressHash(key, practice.id, address));

const isOwnWish = (row: SuppressionFacts, { message, route }: Copy): boolean =>
  (row.reason === 'unsubscribe' || row.reason === 'unsubscribe_all') &&
  (row.scope === 'team' || row.route_id === route.id) &&
  !isLiftedFor(row, message.channel);

/**
 * The widest scope that the person has unsubscribed from; null where they can still get this mail. Suppressions for other
 * reasons do not count.
 */
export const unsubscribedScope = (db: TenantDb, copy: Copy, key: TenantKey): UnsubscribeScope | null => {
  const wishes = ofThem(db, copy, key).filter((row) => isOwnWish(row, copy));
  if (wishes.some(({ scope }) => scope === 'team')) return 'team';
  return wishes.length > 0 || (isQuestion(copy) && hasSaidNo(eventsOf(db, copy))) ? 'route' : null;
};

/** `ip`, `user_agent`: of who used the link, for the evidence; absent where a provider reports it. */
export interface UnsubscribeRequest extends Pick<EventData, 'ip' | 'user_agent'> {
  readonly scope: UnsubscribeScope;
}

/** False where it was done before; then nothing changes. */
export const unsubscribe = (
  db: TenantDb,
  copy: Copy,
  { scope, ...client }: UnsubscribeRequest,
  { suppressionKey, simulatorDomain }: UnsubscribeKeys,
  now: number,
): boolean => {
  const { message, route, recipient, address } = copy;
  const hadAsked = ofThem(db, copy, suppressionKey).some((row) => isOwnWish(row, copy));
  const wish = {
    address,
    place: scope === 'team' ? wholeTeam : onRoute(route.id),
    reason: scope === 'team' ? 'unsubscribe_all' : 'unsubscribe',
    sourceMessageId: message.id,
    note: null,
  } as const;
  const isOnlyNo = scope === 'route' && isQuestion(copy);
  const added = isOnlyNo ? null : addOwnSuppression(db, suppressionKey, wish, now);
  const events = eventsOf(db, copy);
  const status = statusOf(
    after(
      currentSignal(recipient.status, () => events),
      'unsubscribed',
    ),
  );
  const hasMoved = status !== recipient.status;
  const isFirst = !hasSaidNo(events);
  if (!added?.isNew && !isFirst) return false;
  const about = { messageSeq: message.seq, recipientId: recipient.id, at: now };
  const data = {
    ...(added && suppressionData(db, address, added.row)),
    ...statusBeside('message.unsubscribed', status),
  };
  eventStore(db).append({ ...about, type: 'message.unsubscribed', data: { ...data, ...client } });
  // An earlier complaint has the same effect and was published as such.
  if (added?.isNew || added?.row.reason === 'complaint')
    eventStore(db).append({ ...about, type: 'message.subscription', data });
  if (hasMoved) messageStore(db).setRecipientStatus(message.seq, recipient.id, status, now);
  if (isFirst && !hadAsked && addressDomain(address) !== simulatorDomain)
    counterStore(db).addOutcomes(utcDay(now), message, ['unsubscribes']);
  return true;
};
