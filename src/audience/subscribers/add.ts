// Subscribers whom the tenant adds one by one: asked by a mail to confirm, or active by the tenant's assertion. Who has left is
// not asked again by the tenant: they come back by the list's form.
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { consentStore } from '#src/audience/consent/store.ts';
import type { AudienceContext } from '#src/audience/context.ts';
import { ledgerActor } from '#src/audience/lists/change.ts';
import type { ListRow } from '#src/audience/lists/store.ts';
import { requestSubscription } from '#src/audience/public/request.ts';
import { suppressionStore } from '#src/feedback/suppressions/store.ts';
import type { AcceptHere } from '#src/intake/accept.ts';
import type { Change } from '#src/kernel/change.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { say } from '#src/kernel/say.ts';
import { DAY, SECOND } from '#src/kernel/time.ts';
import type { Address } from '#src/mail/mailbox.ts';
import type { MergeData } from '#src/mail/merge-fields.ts';
import { addressHash } from '#src/messages/pseudonym.ts';
import { isLiftedFor } from '#src/messages/suppression-rules.ts';
import { activate, factsOf, hasLeft } from './change.ts';
import { type SubscriberRow, subscriberStore } from './store.ts';
import { agreeForList } from './tracking.ts';

export interface Asserted {
  readonly basis: 'consent' | 'existing_customer';
  readonly evidence: string;
  readonly given_at?: string | undefined;
}

export interface Added {
  readonly address: Address;
  readonly name: string | undefined;
  readonly data: MergeData | undefined;
  /** Null: they are asked. */
  readonly consent: Asserted | null;
  /** Their consent to tracking, as the practice states it. */
  readonly tracking?: Pick<Asserted, 'evidence' | 'given_at'> | undefined;
}

/** What adding takes beside the transaction. */
export interface Adding {
  readonly context: AudienceContext;
  readonly accept: AcceptHere;
  readonly change: Change;
  readonly now: number;
}

export interface AddedSubscriber {
  readonly row: SubscriberRow;
  /** The row as it was before; null: not on the list. */
  readonly before: SubscriberRow | null;
  /** Whether a mail that asks them to confirm was accepted. */
  readonly isAsked: boolean;
}

const onlyThemselves = (list: ListRow): AppError =>
  new AppError('conflict', say`The person has left the list ${list.name}, and only they can come back.`, {
    hint: say`They can subscribe by the list's form.`,
  });

const suppressed = (address: Address): AppError =>
  new AppError('conflict', say`No mail goes to ${address}: the address is suppressed.`, {
    hint: say`GET /api/practices/{id}/suppression?address= says why.`,
  });

/** A mail that is not answered may go to someone who never asked for it: it is no reason for one each day. */
export const MAX_UNANSWERED = 3;

const unanswered = (list: ListRow): AppError =>
  new AppError('conflict', say`The person was asked ${MAX_UNANSWERED} times and has not confirmed.`, {
    hint: say`They can still subscribe by the form of the list ${list.name}.`,
  });

/** Whether the person was asked so often since their last word about the list. */
export const isAskedOften = (db: TenantDb, listId: string, person: Buffer): boolean => {
  const actions = consentStore(db)
    .ofPerson(person)
    .map(({ facts_json }) => factsOf(facts_json))
    .filter(({ list_id }) => list_id === listId)
    .map(({ action }) => action);
  const since = actions.slice(actions.lastIndexOf('confirm') + 1);
  return since.filter((action) => action === 'request').length >= MAX_UNANSWERED;
};

type Key = Pick<AudienceContext, 'suppressionKey'>;

const personOf = (db: TenantDb, { suppressionKey }: Key, address: Address): Buffer =>
  addressHash(suppressionKey, tenantStore(db).practice().id, address);

/** Null: not on the list. */
export const subscriberOf = (db: TenantDb, key: Key, list: ListRow, address: Address): SubscriberRow | null =>
  subscriberStore(db).onList(list.seq, personOf(db, key, address)) ?? null;

const assertedTracking = ({ evidence, given_at }: NonNullable<Added['tracking']>, { actor }: Change) => ({
  personal: { evidence },
  details: { ...ledgerActor(actor), given_at: given_at ?? null },
});

/** Errors are returned, because the message of a suppressed recipient is kept. */
const ask = (
  db: TenantDb,
  { context, accept, change, now }: Adding,
  list: ListRow,
  { address, name, data, tracking }: Omit<Added, 'consent'>,
): { readonly row: SubscriberRow; readonly isAsked: boolean } | AppError => {
  const before = subscriberOf(db, context, list, address);
  const person = personOf(db, context, address);
  if (before?.status !== 'pending' && hasLeft(db, list.id, person)) return onlyThemselves(list);
  const isDue = before?.status !== 'active' && (before?.asked_at ?? 0) <= now - DAY;
  if (isDue && isAskedOften(db, list.id, person)) return unanswered(list);
  const result = requestSubscription(
    db,
    context,
    accept,
    {
      list,
      address,
      name: name ?? null,
      data: data ?? {},
      way: 'api',
      personal: {},
      details: ledgerActor(change.actor),
      tracking: tracking ? assertedTracking(tracking, change) : null,
    },
    now,
  );
  switch (result.kind) {
    case 'asked':
      return { row: result.subscriber, isAsked: true };
    case 'active':
    case 'asked_before':
      return { row: result.subscriber, isAsked: false };
    case 'suppressed':
      return suppressed(address);
    case 'refused':
      return result.error;
    default:
      return result satisfies never;
  }
};

/** Who is active, or was asked less than a day ago, stays as they are. Errors are returned. */
export const addSubscriber = (
  db: TenantDb,
  adding: Adding,
  list: ListRow,
  added: Added,
): AddedSubscriber | AppError => {
  const { context, change, now } = adding;
  const before = subscriberOf(db, context, list, added.address);
  if (added.consent === null) {
    const asked = ask(db, adding, list, added);
    return asked instanceof AppError ? asked : { ...asked, before };
  }
  const { basis, evidence, given_at } = added.consent;
  const { address, name, data } = added;
  const person = personOf(db, context, address);
  // Else the address of someone who was erased would be stored again.
  if (
    suppressionStore(db)
      .ofAddress(person)
      .some((row) => row.reason === 'erasure' && !isLiftedFor(row, list.channel))
  )
    return suppressed(address);
  const details = { ...ledgerActor(change.actor), given_at: given_at ?? null };
  const { row, outcome } = activate(
    db,
    context,
    {
      list,
      address,
      name,
      data,
      entry: { action: 'import', way: 'api', legal_basis: basis, personal: { evidence }, details },
    },
    now,
  );
  if (outcome === 'refused') return onlyThemselves(list);
  if (added.tracking === undefined || row.tracking_seq !== null) return { row, before, isAsked: false };
  const word = { way: 'api', ...assertedTracking(added.tracking, change) } as const;
  const agreed = { ...row, tracking_seq: agreeForList(db, context, list, { person, address }, word, now) };
  subscriberStore(db).update(agreed);
  return { row: agreed, before, isAsked: false };
};

/** Errors are returned. */
export const askAgain = (
  db: TenantDb,
  adding: Adding,
  list: ListRow,
  row: SubscriberRow,
): SubscriberRow | AppError => {
  if (row.status === 'active')
    return new AppError('conflict', say`The subscriber is active: there is nothing to confirm.`);
  const added = { address: row.address as Address, name: undefined, data: undefined };
  const asked = ask(db, adding, list, added);
  if (asked instanceof AppError) return asked;
  if (asked.isAsked) return asked.row;
  const next = (asked.row.asked_at ?? adding.now) + DAY;
  if (next <= adding.now)
    return new AppError('conflict', say`The confirmation mail to the subscriber still waits to leave.`, {
      hint: say`GET /api/practices/{id}/queue says what waits and why.`,
    });
  const retry_after = Math.ceil((next - adding.now) / SECOND);
  return new AppError('rate_limited', say`An address gets one confirmation mail a day for a list.`, {
    extra: { retry_after },
  });
};
