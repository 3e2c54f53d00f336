// Adding and removing suppressions, with their events: in the transaction of whoever does it.
import type { KeyObject } from 'node:crypto';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { eventStore } from '#src/events/store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { newId } from '#src/kernel/id.ts';
import type { Address } from '#src/mail/mailbox.ts';
import type { SuppressionReason } from '#src/messages/suppression-rules.ts';
import { suppressionHash } from './address-hash.ts';
import { suppressionData } from './event-data.ts';
import { type SuppressionRow, suppressionStore } from './store.ts';

/** Where it applies: ids of this practice's. */
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
  /** The message that it came from; null where it came from none. */
  readonly sourceMessageId: string | null;
  readonly note: string | null;
}

/**
 * The one way to suppress an address. Where it is suppressed in that place already, that row stands as it is, also where
 * the person's data has been erased meanwhile: then nothing changes and no event tells of it. `key` is the one of
 * `suppressionHash`.
 */
export const addSuppression = (
  db: TenantDb,
  key: KeyObject,
  { address, place, reason, sourceMessageId, note }: NewSuppression,
  now: number,
): { readonly row: SuppressionRow; readonly isNew: boolean } => {
  const store = suppressionStore(db);
  const address_hash = suppressionHash(key, tenantStore(db).practice().id, address);
  const { scope, projectId: project_id, routeId: route_id } = place;
  const isNew = store.insert({
    id: newId(),
    address_hash,
    address,
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
  if (isNew) tell(db, 'suppression.added', row, now);
  return { row, isNew };
};

/** How much the person's own word weighs; what they have not said themselves weighs nothing. */
const ownWeight: Readonly<Record<SuppressionReason, number>> = {
  complaint: 2,
  unsubscribe_all: 1,
  unsubscribe: 1,
  hard_bounce: 0,
  manual: 0,
  import: 0,
};

/**
 * As `addSuppression`, for what the person asks for themselves: where the sender or a bounce came first, the row says from
 * now on that it is their wish, so that nobody takes it for something that has settled; and where they complain after they
 * have unsubscribed, that they complained. So the order in which it was heard makes no difference. `isNew`: it was not
 * their wish before.
 */
export const addOwnSuppression = (
  db: TenantDb,
  key: KeyObject,
  wanted: NewSuppression & { readonly sourceMessageId: string },
  now: number,
): { readonly row: SuppressionRow; readonly isNew: boolean } => {
  const added = addSuppression(db, key, wanted, now);
  const { row, isNew } = added;
  const { reason, sourceMessageId } = wanted;
  const before = ownWeight[row.reason];
  if (isNew || before >= ownWeight[reason]) return added;
  suppressionStore(db).restate(row.id, reason, sourceMessageId);
  return { row: { ...row, reason, source_message_id: sourceMessageId }, isNew: before === 0 };
};

/** From now on mail goes to that address again, unless another row keeps it from it. */
export const removeSuppression = (db: TenantDb, row: SuppressionRow, now: number): void => {
  suppressionStore(db).remove(row.id);
  tell(db, 'suppression.removed', row, now);
};

/** About no message, even where one was the reason: a message's timeline tells what became of the message. */
const tell = (
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
