// Whether a person may be tracked, in the caller's transaction: their own consent on a list that asks for it, and their objection, which
// holds for all mail of the practice until they themselves agree again. Each has its entry in the ledger. Who is on several lists of a
// campaign is tracked only where all of them allow it.
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { appendConsent, type NewEntry } from '#src/audience/consent/ledger.ts';
import { consentStore } from '#src/audience/consent/store.ts';
import { type ListRow, listStore } from '#src/audience/lists/store.ts';
import { trackingWording } from '#src/audience/lists/wording.ts';
import { objectionStore } from '#src/feedback/tracking/objection-store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Language } from '#src/kernel/language.ts';
import { type AudienceKeys, factsOf } from './change.ts';
import { type SubscriberRow, subscriberStore } from './store.ts';

/** How someone said it. */
export interface Word extends Pick<NewEntry, 'way' | 'details' | 'personal' | 'answers' | 'wording'> {}

type Keys = Pick<AudienceKeys, 'ledger'>;

interface Who {
  readonly person: Buffer;
  readonly address: string;
}

/** The text of the practice's box. */
export const trackingText = (db: TenantDb, language: Language): string =>
  trackingWording({ practice: tenantStore(db).practice().name, language });

const append = (
  db: TenantDb,
  { ledger }: Keys,
  action: 'tracking' | 'no_tracking',
  { person, address }: Who,
  list: ListRow | null,
  word: Word,
  now: number,
): number =>
  appendConsent(db, ledger, { ...word, action, list, person, personal: { ...word.personal, address } }, now)
    .seq;

/** The number of the entry by which someone agreed for a list; it holds once they are on it. */
export const agreeForList = (
  db: TenantDb,
  keys: Keys,
  list: ListRow,
  who: Who,
  word: Word,
  now: number,
): number => append(db, keys, 'tracking', who, list, word, now);

/** Where the person ticked the box themselves, an objection has ended; one that came later has taken the entry away. */
export const confirmTracking = (db: TenantDb, { tracking_seq, address_hash }: SubscriberRow): void => {
  const entry = tracking_seq === null ? undefined : consentStore(db).bySeq(tracking_seq);
  if (entry && factsOf(entry.facts_json).way === 'form' && objectionStore(db).entryOf(address_hash) !== null)
    objectionStore(db).remove(address_hash);
};

/** All that the person agreed to before has ended. */
export const objectToTracking = (db: TenantDb, keys: Keys, who: Who, word: Word, now: number): void => {
  const agreed = subscriberStore(db)
    .ofPerson(who.person)
    .filter(({ tracking_seq }) => tracking_seq !== null);
  if (agreed.length === 0 && objectionStore(db).entryOf(who.person) !== null) return;
  objectionStore(db).put(who.person, append(db, keys, 'no_tracking', who, null, word, now));
  for (const row of agreed) subscriberStore(db).update({ ...row, tracking_seq: null, updated_at: now });
};

/** The person agrees for all lists that they are on, and takes an objection back. */
export const agreeToTracking = (db: TenantDb, keys: Keys, who: Who, word: Word, now: number): void => {
  objectionStore(db).remove(who.person);
  const active = subscriberStore(db)
    .ofPerson(who.person)
    .flatMap((row) => {
      const list = listStore(db).bySeq(row.list_seq);
      return list && row.status === 'active' ? [{ row, list }] : [];
    });
  for (const { row, list } of active) {
    const tracking_seq = append(db, keys, 'tracking', who, list, word, now);
    subscriberStore(db).update({ ...row, tracking_seq, updated_at: now });
  }
  if (active.length === 0) append(db, keys, 'tracking', who, null, word, now);
};

/** `lists`: those of the campaign. */
export const mayTrack = (
  db: TenantDb,
  lists: readonly ListRow[],
  { address_hash }: Pick<SubscriberRow, 'address_hash'>,
): boolean => {
  if (lists.every(({ tracking_consent }) => tracking_consent === 'always')) return true;
  const settings = new Map(lists.map(({ seq, tracking_consent }) => [seq, tracking_consent]));
  return subscriberStore(db)
    .ofPerson(address_hash)
    .every(({ list_seq, status, tracking_seq }) => {
      const setting = status === 'active' ? settings.get(list_seq) : undefined;
      return setting !== 'never' && (setting !== 'asked' || tracking_seq !== null);
    });
};
