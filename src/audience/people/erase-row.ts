// What becomes of one row that quotes the address of a person who is erased, in the caller's transaction.
//
// A message to that person alone is made pseudonymous as retention does it, without its content; of one with other recipients
// the person's copy and address go; what else of it names them waits until it has left, so that no letter to others is
// changed or lost. Mail received from the person, or addressed to them too, is removed. Anywhere else a
// pseudonym takes the place of the address, so that counts and outcomes stay.

import type { Openings } from '#src/audience/consent/entry.ts';
import { suppressionData } from '#src/feedback/suppressions/change.ts';
import { setForwardTargets } from '#src/inbound/forwarding/targets.ts';
import type { InboundOptions } from '#src/inbound/options.ts';
import { inboundSettingsStore } from '#src/inbound/settings-store.ts';
import { inboundStore } from '#src/inbound/store.ts';
import { overwriting, type TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Mailbox } from '#src/mail/mailbox.ts';
import { queueStore } from '#src/messages/queue/store.ts';
import { type Pseudonyms, pseudonymStore } from '#src/messages/retention/pseudonym-store.ts';
import { retentionStore } from '#src/messages/retention/store.ts';
import { searchIndexStore } from '#src/messages/search-index-store.ts';
import { messageStore } from '#src/messages/store.ts';
import type { SuppressionFacts } from '#src/messages/suppression-rules.ts';
import { withdraw } from '#src/relay/claim.ts';
import type { Person } from './person.ts';
import type { Fate, Place } from './places.ts';
import { type Key, type Values, walkStore } from './walk-store.ts';

export interface Erasing {
  readonly person: Person;
  readonly pseudonyms: Pseudonyms;
  /** By which nothing is sent to the person any more. */
  readonly suppression: SuppressionFacts;
  readonly now: number;
}

/** `waits`: it is being sent, or is to be sent to others as it was written; it is looked at again. */
export type RowResult = 'erased' | 'waits' | 'unconcerned';

/** The columns that quote the address, without it. */
const withoutAddress = ({ searched, opaque = [] }: Place, row: Values, person: Person): Values =>
  Object.fromEntries(
    searched.flatMap((column) => {
      const text = row[column];
      if (typeof text !== 'string') return [];
      const rest = person.removedFrom(text, opaque.includes(column));
      return rest === text ? [] : [[column, rest]];
    }),
  );

const isQuoted = (place: Place, row: Values, person: Person): boolean =>
  Object.keys(withoutAddress(place, row, person)).length > 0;

const replace = (db: TenantDb, place: Place, key: Key, { person }: Erasing, more: Values = {}): void => {
  const row = walkStore(db).row(place, key);
  if (row && isQuoted(place, row, person))
    walkStore(db).update(place, key, { ...withoutAddress(place, row, person), ...more });
};

const eraseCopies = (
  db: TenantDb,
  id: number,
  { person, pseudonyms, suppression, now }: Erasing,
): RowResult => {
  const messages = messageStore(db);
  const queue = queueStore(db);
  const recipient = messages.recipient(id);
  if (recipient === undefined || !person.is(recipient.address)) return 'erased';
  const seq = recipient.message_seq;
  const all = messages.recipients(seq);
  const own = all.filter(({ address }) => person.is(address));
  const queued = own.flatMap((one) =>
    queue.row(one.id) ? [{ ...one, claimed: queue.row(one.id)?.claimed }] : [],
  );
  if (queued.some(({ claimed }) => claimed === 1)) return 'waits';
  const data = suppressionData(db, person.pseudonym, suppression);
  for (const one of queued) withdraw(db, { recipient_id: one.id, message_seq: seq }, data, now);
  for (const one of own) {
    walkStore(db).reduceEvents(seq, one.id);
    walkStore(db).hideRecipient(one.id, person.pseudonym);
  }
  if (own.length < all.length) return 'erased';
  retentionStore(db).remove('bodies', [seq]);
  if (messages.attachmentRecords(seq).length > 0) retentionStore(db).remove('attachments', [seq]);
  pseudonymStore(db).replace([seq], pseudonyms);
  return 'erased';
};

const hasCopies = (db: TenantDb, seq: number): boolean => queueStore(db).ofMessage(seq).length > 0;

/**
 * The person's name goes too. A copy for others that still waits names the person no longer among its recipients: a pseudonym is
 * no address that its header could have.
 */
const eraseMailboxes = (db: TenantDb, place: Place, key: Key, erasing: Erasing): RowResult => {
  const { person } = erasing;
  const [seq] = key as [number];
  const row = walkStore(db).row(place, key);
  const isWaiting = hasCopies(db, seq);
  const hidden = { address: person.pseudonym };
  const listed = (column: string) => {
    const mailboxes: Mailbox[] = JSON.parse(String(row?.[column] ?? '[]'));
    const rest = mailboxes.flatMap((one) => (person.is(one.address) ? (isWaiting ? [] : [hidden]) : [one]));
    return [column, JSON.stringify(rest)];
  };
  const lists = ['to_json', 'cc_json', 'bcc_json', ...(isWaiting ? [] : ['reply_to_json'])].map(listed);
  walkStore(db).update(place, key, Object.fromEntries(lists));
  const rest = walkStore(db).row(place, key);
  const waits = isWaiting && rest !== undefined && isQuoted(place, rest, person);
  if (!waits) replace(db, place, key, erasing);
  searchIndexStore(db).rewrite(seq);
  searchIndexStore(db).tidy();
  return waits ? 'waits' : 'erased';
};

const PARTIES = ['mail_from', 'from_json', 'to_json', 'cc_json'];

const eraseMail = (db: TenantDb, place: Place, key: Key, { person }: Erasing): void => {
  const row = walkStore(db).row(place, key);
  if (row && isQuoted({ ...place, searched: PARTIES }, row, person))
    inboundStore(db).remove([Number(key[0])]);
};

const eraseFromMailbox = (db: TenantDb, { person, now }: Erasing): void => {
  const { enabledAt, options } = inboundSettingsStore(db).current();
  const others = (address: string): boolean => !person.is(address);
  const forwarding = <T extends { readonly forward_to: string | null }>(mailbox: T): T => ({
    ...mailbox,
    forward_to: mailbox.forward_to !== null && others(mailbox.forward_to) ? mailbox.forward_to : null,
  });
  const { addresses, catch_all, senders } = options;
  const rest: InboundOptions = {
    ...options,
    addresses: addresses.map(forwarding),
    catch_all: forwarding(catch_all),
    senders: { allow: senders.allow.filter(others), block: senders.block.filter(others) },
  };
  inboundSettingsStore(db).put({
    enabledAt,
    options: JSON.parse(person.removedFrom(JSON.stringify(rest))),
  });
  setForwardTargets(db, now);
};

type Erase = (db: TenantDb, place: Place, key: Key, erasing: Erasing) => unknown;

/** What comes before the address is replaced in the rest of the row; may answer `waits`. */
const special: Readonly<Partial<Record<Fate, Erase>>> = {
  remove: (db, place, key) => walkStore(db).remove(place, key),
  recipient: (db, _, [id], erasing) => eraseCopies(db, Number(id), erasing),
  message: eraseMailboxes,
  content: (db, _, [seq]) => (hasCopies(db, Number(seq)) ? 'waits' : 'erased'),
  shared: (db, _, [id]) => (walkStore(db).isSharedInQueue(Number(id)) ? 'waits' : 'erased'),
  mail: eraseMail,
  mailbox: (db, _, __, erasing) => eraseFromMailbox(db, erasing),
  forward: (db, place, key, { person }) => {
    const target = walkStore(db).row(place, key)?.target;
    if (typeof target === 'string' && person.is(target)) walkStore(db).endForward(Number(key[0]));
  },
  suppression: (db, place, key, { person }) => {
    const address = walkStore(db).row(place, key)?.address;
    if (typeof address === 'string' && person.is(address))
      walkStore(db).update(place, key, { address: null, note: null });
  },
  // A value with a pseudonym in it would not be the one that the entry commits to.
  consent: (db, place, key, { person }) => {
    const openings: Openings = JSON.parse(String(walkStore(db).row(place, key)?.openings_json ?? '{}'));
    const isOfOthers = (json: string): boolean => person.removedFrom(json) === json;
    const rest = Object.entries(openings).filter(([, opening]) => isOfOthers(JSON.stringify(opening)));
    walkStore(db).update(place, key, { openings_json: JSON.stringify(Object.fromEntries(rest)) });
  },
};

export const eraseRow = (db: TenantDb, place: Place, key: Key, erasing: Erasing): RowResult => {
  const row = walkStore(db).row(place, key);
  if (row === undefined || !isQuoted(place, row, erasing.person)) return 'unconcerned';
  return overwriting(db, () => {
    if (special[place.fate]?.(db, place, key, erasing) === 'waits') return 'waits';
    replace(db, place, key, erasing, place.fate === 'audit' ? { is_reduced: 1 } : {});
    return 'erased';
  });
};
