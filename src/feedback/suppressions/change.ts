// Adds and removes suppressions with their events, in the caller's transaction.
//
// A suppressed address is found also after the address itself has been erased: by an HMAC, which cannot be computed from a
// list of addresses without the installation's key, and which differs between tenants.

import { tenantStore } from '#src/accounts/tenants/store.ts';
import { type EventData, eventStore } from '#src/events/store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { newId } from '#src/kernel/id.ts';
import type { TenantKey } from '#src/kernel/keys.ts';
import type { Address } from '#src/mail/mailbox.ts';
import type { Channel } from '#src/messages/kinds.ts';
import { addressHash, isPseudonym } from '#src/messages/pseudonym.ts';
import {
  type Lifting,
  liftingsOf,
  type SuppressionFacts,
  type SuppressionReason,
} from '#src/messages/suppression-rules.ts';
import { softBounceStore } from './soft-bounce-store.ts';
import { type SuppressionRow, suppressionStore } from './store.ts';

/** The mail that a suppression stops: all mail of the tenant, or that of one of its projects or routes. */
export type SuppressionPlace =
  | { readonly scope: 'team'; readonly projectId: null; readonly routeId: null }
  | { readonly scope: 'project'; readonly projectId: string; readonly routeId: null }
  | { readonly scope: 'route'; readonly projectId: null; readonly routeId: string };

export const wholeTeam: SuppressionPlace = { scope: 'team', projectId: null, routeId: null };
export const onRoute = (routeId: string): SuppressionPlace => ({ scope: 'route', projectId: null, routeId });

export interface NewSuppression {
  readonly address: Address;
  readonly place: SuppressionPlace;
  readonly reason: SuppressionReason;
  /** The message that caused it; null where there is none. */
  readonly sourceMessageId: string | null;
  readonly note: string | null;
}

/** Slugs of a suppression's project and route, as far as they exist. */
export const slugsOf = (
  db: TenantDb,
  { project_id, route_id }: Pick<SuppressionFacts, 'project_id' | 'route_id'>,
) => ({
  project_slug: project_id === null ? null : (tenantStore(db).project(project_id)?.slug ?? null),
  route_slug: route_id === null ? null : (tenantStore(db).route(route_id)?.slug ?? null),
});

/** A suppression as events contain it. */
export const suppressionData = (
  db: TenantDb,
  address: string | null,
  { id, scope, project_id, route_id, reason }: SuppressionFacts,
): EventData => {
  const slugs = slugsOf(db, { project_id, route_id });
  return { suppression: { id, address, scope, project_id, route_id, ...slugs, reason } };
};

/**
 * Suppresses an address. If it is suppressed in that place already, the row is kept as it is, also after the person's data
 * has been erased; then nothing changes and there is no event, unless it was lifted for a channel. `key` is that of `addressHash`.
 */
export const addSuppression = (
  db: TenantDb,
  key: TenantKey,
  { address, place, reason, sourceMessageId, note }: NewSuppression,
  now: number,
): { readonly row: SuppressionRow; readonly isNew: boolean } => {
  const store = suppressionStore(db);
  const address_hash = addressHash(key, tenantStore(db).practice().id, address);
  const { scope, projectId: project_id, routeId: route_id } = place;
  const isNew = store.insert({
    id: newId(),
    address_hash,
    address: isPseudonym(address) ? null : address,
    scope,
    project_id,
    route_id,
    reason,
    source_message_id: sourceMessageId,
    note,
    created_at: now,
  });
  const row = store
    .rowsOfAddress(address_hash)
    .find((one) => one.scope === scope && one.project_id === project_id && one.route_id === route_id);
  if (!row) throw new Error('a suppression was neither stored nor there');
  const isLifted = liftingsOf(row).length > 0;
  // The suppression holds for all channels again.
  if (isLifted) store.lift(row.id, null);
  if (isNew || isLifted) appendEvent(db, 'suppression.added', row, now);
  return { row: { ...row, lifted_json: null }, isNew: isNew || isLifted };
};

/** The person wants mail of the channel again, by that entry of the consent ledger: the wish to get none holds for all others. */
export const liftSuppression = (db: TenantDb, row: SuppressionRow, lifting: Lifting): void =>
  suppressionStore(db).lift(row.id, JSON.stringify([...liftingsOf(row), lifting]));

/** The consent for which it was lifted has ended: it holds for the channel again. */
export const endLifting = (db: TenantDb, row: SuppressionRow, channel: Channel, now: number): void => {
  const rest = liftingsOf(row).filter((one) => one.channel !== channel);
  suppressionStore(db).lift(row.id, rest.length === 0 ? null : JSON.stringify(rest));
  appendEvent(db, 'suppression.added', row, now);
};

/** Rank of a reason that is the person's own wish; other reasons have no rank. */
const ownWeight: Readonly<Record<SuppressionReason, number>> = {
  complaint: 2,
  unsubscribe_all: 1,
  unsubscribe: 1,
  erasure: 1,
  hard_bounce: 0,
  soft_bounces: 0,
  manual: 0,
  import: 0,
};

/**
 * Like `addSuppression`, for the person's own wish. It replaces the reason of an earlier row of the sender or of a bounce, so
 * that no one removes it as settled; and a complaint replaces an earlier unsubscription. So the order of the signals makes
 * no difference. `isNew`: it was not their wish before.
 */
export const addOwnSuppression = (
  db: TenantDb,
  key: TenantKey,
  wanted: NewSuppression,
  now: number,
): { readonly row: SuppressionRow; readonly isNew: boolean } => {
  const added = addSuppression(db, key, wanted, now);
  const { row, isNew } = added;
  const { reason, sourceMessageId } = wanted;
  const before = ownWeight[row.reason];
  if (before >= ownWeight[reason]) return added;
  suppressionStore(db).restate(row.id, reason, sourceMessageId);
  return { row: { ...row, reason, source_message_id: sourceMessageId }, isNew: isNew || before === 0 };
};

/** Mail goes to that address again, unless another row suppresses it. Its soft bounces begin at none. */
export const removeSuppression = (db: TenantDb, row: SuppressionRow, now: number): void => {
  suppressionStore(db).remove(row.id);
  if (row.reason === 'soft_bounces') softBounceStore(db).forget(row.address_hash);
  appendEvent(db, 'suppression.removed', row, now);
};

/** The event is about no message, even where one was the reason: a timeline shows only the outcome of its message. */
const appendEvent = (
  db: TenantDb,
  type: 'suppression.added' | 'suppression.removed',
  row: SuppressionRow,
  at: number,
): void =>
  eventStore(db).append({
    type,
    messageSeq: 0,
    recipientId: null,
    at,
    data: {
      ...suppressionData(db, row.address, row),
      ...(row.source_message_id === null ? {} : { source_message_id: row.source_message_id }),
    },
  });
