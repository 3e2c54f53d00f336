// Creates, changes and archives lists, in the caller's transaction. The ledger has each wording that people were ever asked to
// agree to, from the first one. A list is never removed: the ledger and links in mails name it.
import { requireRoom } from '#src/accounts/tenants/project-routes.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { appendConsent, type Ledger } from '#src/audience/consent/ledger.ts';
import { withdrawQuestionsOf } from '#src/audience/subscribers/change.ts';
import { auditStore } from '#src/events/audit-store.ts';
import { followStore } from '#src/events/follow-store.ts';
import type { Actor, Change } from '#src/kernel/change.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { newId } from '#src/kernel/id.ts';
import type { Language } from '#src/kernel/language.ts';
import { say } from '#src/kernel/say.ts';
import type { Channel } from '#src/messages/kinds.ts';
import { auditedList } from './schema.ts';
import { type ListRow, listStore, type TrackingConsent } from './store.ts';
import { defaultWording } from './wording.ts';

interface ListSettings {
  readonly name: string;
  readonly description: string | null;
  readonly channel: Channel;
  readonly language: Language;
  readonly wording: string;
  readonly is_public: boolean;
  readonly two_steps: boolean;
  readonly tracking_consent: TrackingConsent;
}

/** Absent: as it is. */
type Changes<T> = { readonly [K in keyof T]?: T[K] | undefined };

export interface ListChange {
  readonly change: Change;
  readonly ledger: Ledger;
  readonly now: number;
}

/** Who did it, for the details of an entry of the ledger, without the name of a person. */
export const ledgerActor = ({ kind, id }: Actor) => ({ by: kind, by_id: id });

/** Throws `not_found`. */
export const namedList = (db: TenantDb, id: string): ListRow => {
  const row = listStore(db).byId(id);
  if (!row) throw new AppError('not_found', say`There is no such list.`);
  return row;
};

/** Throws `not_found`, and `conflict` for one that is archived. */
export const listInUse = (db: TenantDb, id: string): ListRow => {
  const row = namedList(db, id);
  if (row.archived_at === null) return row;
  throw new AppError('conflict', say`The list ${row.name} is archived.`, {
    hint: say`Its subscribers can be read, exported, unsubscribed and removed.`,
  });
};

const refuseTaken = (db: TenantDb, name: string, ownId: string | null): void => {
  const taken = listStore(db).byName(name);
  if (!taken || taken.id === ownId) return;
  throw new AppError('conflict', say`There is a list with the name ${taken.name} already.`);
};

const recordWording = (db: TenantDb, list: ListRow, { change, ledger, now }: ListChange): void => {
  const details = ledgerActor(change.actor);
  const entry = { action: 'wording', way: 'api', list, person: null, withWording: true, details } as const;
  appendConsent(db, ledger, entry, now);
};

const recordChange = (
  db: TenantDb,
  before: ListRow | null,
  after: ListRow,
  { change, now }: ListChange,
): void =>
  auditStore(db).record(
    change,
    {
      target: { type: 'list', id: after.id },
      before: before && auditedList(before),
      after: auditedList(after),
    },
    now,
  );

/** Throws `conflict` for a name that is taken, and where there are too many, with those archived. */
export const createList = (
  db: TenantDb,
  {
    wording,
    is_public,
    two_steps,
    ...given
  }: Omit<ListSettings, 'wording'> & { readonly wording?: string | undefined },
  by: ListChange,
): ListRow => {
  const store = listStore(db);
  refuseTaken(db, given.name, null);
  requireRoom(store.all(), say`lists`);
  const { name: practice } = tenantStore(db).practice();
  const added: Omit<ListRow, 'seq'> = {
    ...given,
    id: newId(),
    wording: wording ?? defaultWording({ ...given, practice, list: given.name }),
    wording_version: 1,
    is_public: is_public ? 1 : 0,
    two_steps: two_steps ? 1 : 0,
    created_at: by.now,
    archived_at: null,
  };
  // What happened before the first list is about no subscriber and no campaign.
  const log = followStore(db);
  if (log.cursor('audience') === undefined) log.moveCursor('audience', log.last());
  const row = { ...added, seq: store.insert(added) };
  recordWording(db, row, by);
  recordChange(db, null, row, by);
  return row;
};

/** Throws `conflict` for a name that is taken, and for another channel than the one that subscribers agreed to. */
export const changeList = (
  db: TenantDb,
  row: ListRow,
  {
    name,
    description,
    channel,
    language,
    wording,
    is_public,
    two_steps,
    tracking_consent,
  }: Changes<ListSettings>,
  by: ListChange,
): ListRow => {
  const store = listStore(db);
  if (name !== undefined) refuseTaken(db, name, row.id);
  if (channel !== undefined && channel !== row.channel && store.counts(row.seq).size > 0)
    throw new AppError('conflict', say`The list has subscribers, who agreed to the channel ${row.channel}.`, {
      hint: say`Create another list for another channel.`,
    });
  const flag = (value: boolean | undefined, former: 0 | 1): 0 | 1 =>
    value === undefined ? former : value ? 1 : 0;
  const isReworded = wording !== undefined && wording !== row.wording;
  const changed: ListRow = {
    ...row,
    name: name ?? row.name,
    description: description === undefined ? row.description : description,
    channel: channel ?? row.channel,
    language: language ?? row.language,
    wording: wording ?? row.wording,
    wording_version: row.wording_version + (isReworded ? 1 : 0),
    is_public: flag(is_public, row.is_public),
    two_steps: flag(two_steps, row.two_steps),
    tracking_consent: tracking_consent ?? row.tracking_consent,
  };
  store.update(changed);
  if (isReworded) recordWording(db, changed, by);
  recordChange(db, row, changed, by);
  return changed;
};

/** A transaction stays short. */
const WITHDRAWN_AT_ONCE = 500;

/** Mails that wait to ask about an archived list leave no more; whether there are others. */
export const withdrawWaiting = (db: TenantDb, { seq }: ListRow, now: number): boolean =>
  withdrawQuestionsOf(db, seq, WITHDRAWN_AT_ONCE, now);

/**
 * Archives a list: no one is added any more, and its form is closed. Throws `conflict` while a campaign is to be sent to it.
 * Returns whether `withdrawWaiting` has more to do.
 */
export const archiveList = (db: TenantDb, row: ListRow, by: ListChange): boolean => {
  const campaign = listStore(db).openCampaign(row.id);
  if (campaign !== undefined)
    throw new AppError(
      'conflict',
      say`The campaign ${campaign} is being sent to the list ${row.name}, or will be.`,
      {
        hint: say`Cancel the campaign, or let it end.`,
      },
    );
  const archived = { ...row, archived_at: by.now };
  listStore(db).update(archived);
  recordChange(db, row, archived, by);
  return withdrawWaiting(db, row, by.now);
};
