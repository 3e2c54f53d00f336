// What happens to a subscriber, with the entry of the consent ledger that it takes, in the caller's transaction.
//
// The person's own word wins: an import brings no one back who left, complained or whose mailbox refused mail, not even after
// their row was removed, because the ledger remembers. Their own later confirmation does, and ends the suppressions that came
// from unsubscribing from marketing. Who wanted no mail at all, or was erased, wants that of the list's channel from then on: the
// suppression stays, lifted for it, and names the entry of the ledger, which names the suppression. Once that consent ends, and they
// are on no other list of the channel, it holds again.
//
// When a subscription ends, mail of its campaigns that was tried without success does not leave later either, nor does a mail that
// still waits to ask about it.

import { tenantStore } from '#src/accounts/tenants/store.ts';
import { campaignStore } from '#src/audience/campaigns/store.ts';
import type { ConsentFacts } from '#src/audience/consent/entry.ts';
import { appendConsent, type Ledger, type NewEntry } from '#src/audience/consent/ledger.ts';
import { confirmationMailStore } from '#src/audience/consent/mail-store.ts';
import { consentStore } from '#src/audience/consent/store.ts';
import { type ListRow, listStore } from '#src/audience/lists/store.ts';
import { endLifting, liftSuppression, removeSuppression } from '#src/feedback/suppressions/change.ts';
import { suppressionStore } from '#src/feedback/suppressions/store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { newId } from '#src/kernel/id.ts';
import type { TenantKey } from '#src/kernel/keys.ts';
import { toIso } from '#src/kernel/time.ts';
import type { Address } from '#src/mail/mailbox.ts';
import type { MergeData } from '#src/mail/merge-fields.ts';
import { addressHash } from '#src/messages/pseudonym.ts';
import { queueStore } from '#src/messages/queue/store.ts';
import { withdraw as withdrawMail } from '#src/messages/queue/withdraw.ts';
import { isLiftedFor, isOwnWish } from '#src/messages/suppression-rules.ts';
import { NEVER_TRACKED, type SubscriberRow, type SubscriberStatus, subscriberStore } from './store.ts';

export interface AudienceKeys {
  readonly suppressionKey: TenantKey;
  readonly ledger: Ledger;
}

/** Absent: as it is. */
export interface SubscriberFields {
  readonly name?: string | null | undefined;
  readonly data?: MergeData | undefined;
}

export interface NewActive extends SubscriberFields {
  readonly list: ListRow;
  readonly address: Address;
  /** The hash of the address, where it is known already. */
  readonly person?: Buffer;
  /** Its action is `confirm` or `import`. The address is added to its personal values. */
  readonly entry: Omit<NewEntry, 'list' | 'person'>;
}

/**
 * `added`: was not on the list. `activated`: was there in another status. `unchanged`: is active already; its evidence, name and
 * data are kept. `refused`: the person left, complained or bounced, and only they can come back; `row` is null where it was removed.
 */
export type Activation =
  | { readonly outcome: 'added' | 'activated' | 'unchanged'; readonly row: SubscriberRow }
  | { readonly outcome: 'refused'; readonly row: SubscriberRow | null };

type Ended = Extract<SubscriberStatus, 'unsubscribed' | 'bounced' | 'complained'>;

/** A status gives way to one with a higher rank: what the person said counts more than what a server said. */
const rank: Readonly<Record<SubscriberStatus, number>> = {
  pending: 0,
  active: 0,
  bounced: 1,
  unsubscribed: 2,
  complained: 3,
};

/** Ways by which consent ended without the person having said so. */
const waysOfOthers: readonly string[] = ['removed', 'expired', 'rectified'];

export const factsOf = (json: string): ConsentFacts => JSON.parse(json) as ConsentFacts;

/**
 * Whether the last word of the person about the list is that they left. A request is no such word: anyone who knows the address
 * can make one.
 */
export const hasLeft = (db: TenantDb, listId: string, person: Buffer): boolean => {
  const last = consentStore(db)
    .ofPerson(person)
    .map(({ facts_json }) => factsOf(facts_json))
    .findLast(
      ({ list_id, action, way }) =>
        list_id === listId && (action === 'withdraw' ? !waysOfOthers.includes(way) : action === 'confirm'),
    );
  return last?.action === 'withdraw';
};

const isMarketing = (db: TenantDb, routeId: string | null): boolean =>
  routeId !== null && tenantStore(db).route(routeId)?.type === 'marketing';

/** `entry`: the id of the confirmation. */
const endUnsubscriptions = (
  db: TenantDb,
  person: Buffer,
  { channel }: ListRow,
  entry: string,
  now: number,
): void => {
  for (const row of suppressionStore(db).rowsOfAddress(person))
    if (row.scope === 'team' && isOwnWish(row) && !isLiftedFor(row, channel))
      liftSuppression(db, row, { channel, entry, at: toIso(now) });
    else if (row.scope === 'route' && row.reason === 'unsubscribe' && isMarketing(db, row.route_id))
      removeSuppression(db, row, now);
};

/** The wish to get nothing at all that the person's confirmation takes back for the list's channel. */
const liftedBy = (db: TenantDb, person: Buffer, { channel }: ListRow): { readonly lifts?: string } => {
  const row = suppressionStore(db)
    .ofAddress(person)
    .find((one) => one.scope === 'team' && isOwnWish(one) && !isLiftedFor(one, channel));
  return row ? { lifts: row.id } : {};
};

const withFields = <T extends Pick<SubscriberRow, 'name' | 'data_json'>>(
  row: T,
  { name, data }: SubscriberFields,
): T => ({
  ...row,
  name: name === undefined ? row.name : name,
  data_json: data === undefined ? row.data_json : JSON.stringify(data),
});

/**
 * The consent to tracking that is confirmed among those that wait for it: that of the request which is confirmed, or one that
 * the practice states. A stranger may have ticked the box of any other.
 */
const confirmedTracking = (
  db: TenantDb,
  { tracking_seq }: SubscriberRow,
  { answers }: Pick<NewEntry, 'answers'>,
): number | null => {
  const agreed = tracking_seq === null ? undefined : consentStore(db).bySeq(tracking_seq);
  if (!agreed) return null;
  const { way, answers: request } = factsOf(agreed.facts_json);
  return way !== 'form' || request === answers ? tracking_seq : null;
};

export const activate = (
  db: TenantDb,
  keys: AudienceKeys,
  { list, address, entry, person: known, ...fields }: NewActive,
  now: number,
): Activation => {
  const store = subscriberStore(db);
  const person = known ?? addressHash(keys.suppressionKey, tenantStore(db).practice().id, address);
  const former = store.onList(list.seq, person);
  if (former?.status === 'active') return { outcome: 'unchanged', row: former };
  const isOwn = entry.action === 'confirm';
  const isEnded = former !== undefined && former.status !== 'pending';
  if (!isOwn && (isEnded || hasLeft(db, list.id, person))) return { outcome: 'refused', row: former ?? null };
  const personal = { ...entry.personal, address };
  const details = { ...entry.details, ...(isOwn ? liftedBy(db, person, list) : {}) };
  const { seq: consent_seq, id } = appendConsent(
    db,
    keys.ledger,
    { ...entry, details, personal, list, person },
    now,
  );
  if (isOwn) endUnsubscriptions(db, person, list, id, now);
  if (isOwn || former) consentStore(db).consentLasts(person, list.id);
  const active = { status: 'active', consent_seq, confirmed_at: now, updated_at: now } as const;
  if (former) {
    const tracking_seq = confirmedTracking(db, former, entry);
    const row = { ...withFields(former, fields), ...active, tracking_seq };
    store.update(row);
    return { outcome: 'activated', row };
  }
  const added = withFields(
    {
      id: newId(),
      list_seq: list.seq,
      address_hash: person,
      address,
      name: null,
      data_json: '{}',
      tracking_seq: null,
      asked_at: null,
      created_at: now,
      ...active,
    },
    fields,
  );
  return { outcome: 'added', row: { ...added, ...NEVER_TRACKED, seq: store.insert(added) } };
};

/** Mail of campaigns that waits for an attempt, where the person is on none of the campaign's lists any more, is not sent. */
const withdrawMails = (
  db: TenantDb,
  { list_seq, address, address_hash }: SubscriberRow,
  now: number,
): void => {
  const waiting = queueStore(db).ofCampaigns(address);
  if (waiting.length === 0) return;
  const stays = new Set(
    subscriberStore(db)
      .ofPerson(address_hash)
      .flatMap((one) => (one.status === 'active' ? [listStore(db).bySeq(one.list_seq)?.id] : [])),
  );
  const id = listStore(db).bySeq(list_seq)?.id;
  for (const { campaign_seq, ...row } of waiting) {
    const lists: string[] = JSON.parse(campaignStore(db).bySeq(campaign_seq)?.list_ids_json ?? '[]');
    if (lists.some((list) => stays.has(list))) continue;
    withdrawMail(db, row, id === undefined ? {} : { list: { id, status: 'unsubscribed' } }, now);
  }
};

/** A mail that still waits to ask about a subscription that has ended does not leave. */
const withdrawQuestions = (db: TenantDb, { seq, list_seq }: SubscriberRow, now: number): void => {
  const id = listStore(db).bySeq(list_seq)?.id;
  for (const { claimed, ...row } of confirmationMailStore(db).queued(seq))
    if (claimed !== 1)
      withdrawMail(db, row, id === undefined ? {} : { list: { id, status: 'unsubscribed' } }, now);
};

/** Nor do mails that ask about a list which is archived: their links would lead nowhere. Whether there may be more of them. */
export const withdrawQuestionsOf = (db: TenantDb, listSeq: number, limit: number, now: number): boolean => {
  const rows = confirmationMailStore(db).queuedOfList(listSeq, limit);
  for (const row of rows) withdrawMail(db, row, {}, now);
  return rows.length === limit;
};

/** Who came back to lists of a channel and has left the last of them gets nothing of it again, as they had wished. */
const endLiftings = (db: TenantDb, { list_seq, address_hash }: SubscriberRow, now: number): void => {
  const channel = listStore(db).bySeq(list_seq)?.channel;
  if (channel === undefined || suppressionStore(db).isEmpty()) return;
  const lifted = suppressionStore(db)
    .rowsOfAddress(address_hash)
    .filter((row) => isLiftedFor(row, channel));
  if (lifted.length === 0) return;
  const isOnOther = subscriberStore(db)
    .ofPerson(address_hash)
    .some((one) => {
      const list = listStore(db).bySeq(one.list_seq);
      return one.status === 'active' && list?.channel === channel && list.archived_at === null;
    });
  if (!isOnOther) for (const row of lifted) endLifting(db, row, channel, now);
};

/** The consent ends: what the ledger says of the client is kept only for a while from now on. */
const endConsent = (
  db: TenantDb,
  { list_seq, address_hash, confirmed_at }: SubscriberRow,
  now: number,
): void => {
  const list = listStore(db).bySeq(list_seq);
  if (list)
    consentStore(db).consentEnds(address_hash, list.id, confirmed_at === null ? 'asked' : 'ended', now);
};

/** How consent ended. */
export interface Withdrawal extends Pick<NewEntry, 'way' | 'details' | 'personal'> {}

/** Appends that the consent by which the subscriber has its status ended; the number of the entry. */
const appendWithdrawal = (
  db: TenantDb,
  { ledger }: Pick<AudienceKeys, 'ledger'>,
  subscriber: SubscriberRow,
  { way, details, personal }: Withdrawal,
  now: number,
): number => {
  const list = listStore(db).bySeq(subscriber.list_seq);
  const former = consentStore(db).bySeq(subscriber.consent_seq);
  if (!list || !former) throw new Error('a subscriber has no list or no entry of the consent ledger');
  const entry: NewEntry = {
    action: 'withdraw',
    way,
    list,
    person: subscriber.address_hash,
    legal_basis: factsOf(former.facts_json).legal_basis,
    answers: former.id,
    personal: { ...personal, address: subscriber.address },
    ...(details && { details }),
  };
  return appendConsent(db, ledger, entry, now).seq;
};

/**
 * Ends a subscription; nothing happens where the status has that rank already. A bounce is no declaration: it changes the status, and
 * the ledger keeps the consent as it was given.
 */
export const withdraw = (
  db: TenantDb,
  keys: Pick<AudienceKeys, 'ledger'>,
  subscriber: SubscriberRow,
  { status, ...withdrawal }: Withdrawal & { readonly status: Ended },
  now: number,
): SubscriberRow => {
  if (rank[subscriber.status] >= rank[status]) return subscriber;
  const isLeaving = status !== 'bounced' && subscriber.status !== 'unsubscribed';
  const consent_seq = isLeaving
    ? appendWithdrawal(db, keys, subscriber, withdrawal, now)
    : subscriber.consent_seq;
  const row = { ...subscriber, status, consent_seq, updated_at: now };
  subscriberStore(db).update(row);
  endConsent(db, row, now);
  if (subscriber.status === 'active') withdrawMails(db, row, now);
  if (subscriber.status === 'pending') withdrawQuestions(db, row, now);
  if (isLeaving) endLiftings(db, row, now);
  return row;
};

/** Removes the row; the ledger keeps that consent, where there was any, ended by the tenant or by the time. */
export const removeSubscriber = (
  db: TenantDb,
  keys: Pick<AudienceKeys, 'ledger'>,
  subscriber: SubscriberRow,
  way: 'removed' | 'expired' | 'erased',
  now: number,
): void => {
  if (rank[subscriber.status] < rank.unsubscribed) appendWithdrawal(db, keys, subscriber, { way }, now);
  if (subscriber.status === 'pending') withdrawQuestions(db, subscriber, now);
  subscriberStore(db).remove(subscriber.seq);
  endConsent(db, subscriber, now);
  endLiftings(db, subscriber, now);
  if (subscriber.status === 'active') withdrawMails(db, subscriber, now);
};

export const changeSubscriber = (
  db: TenantDb,
  subscriber: SubscriberRow,
  fields: SubscriberFields,
  now: number,
): SubscriberRow => {
  const changed = withFields(subscriber, fields);
  if (changed.name === subscriber.name && changed.data_json === subscriber.data_json) return subscriber;
  const row = { ...changed, updated_at: now };
  subscriberStore(db).update(row);
  return row;
};
