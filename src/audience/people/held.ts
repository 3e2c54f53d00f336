// What a practice holds of a person, part by part. Messages are found by the search index, by the address or, after retention, by its
// pseudonym, and then compared exactly; a call stops after a limited time, and the next one continues.
import type { z } from 'zod';
import { presentConsent } from '#src/audience/consent/schema.ts';
import { consentStore } from '#src/audience/consent/store.ts';
import { listStore } from '#src/audience/lists/store.ts';
import { presentSubscriber } from '#src/audience/subscribers/schema.ts';
import { subscriberStore } from '#src/audience/subscribers/store.ts';
import { presentSuppression } from '#src/feedback/suppressions/schema.ts';
import { suppressionStore } from '#src/feedback/suppressions/store.ts';
import { forwardTargets } from '#src/inbound/forwarding/targets.ts';
import { mailFindStore } from '#src/inbound/mailbox/find-store.ts';
import type { InboundRow } from '#src/inbound/store.ts';
import type { Caller, Permission } from '#src/kernel/access.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Mailbox } from '#src/mail/mailbox.ts';
import { everyMessage, messageSearchStore } from '#src/messages/search-store.ts';
import { type MessageRow, messageStore } from '#src/messages/store.ts';
import type { Person } from './person.ts';
import type { heldParts } from './schema.ts';

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** The next page has those before this number; null: nothing older is left. */
  readonly before: number | null;
}

/** Newest first; may be fewer than `limit`, even none, while older ones are left. */
export const messagesTo = (
  db: TenantDb,
  person: Person,
  before: number | null,
  limit: number,
): Page<MessageRow> => {
  const filter = { ...everyMessage, parts: [person.address, person.pseudonym] };
  const found = messageSearchStore(db).find(filter, before, limit);
  const isTo = ({ seq }: MessageRow): boolean =>
    messageStore(db)
      .recipients(seq)
      .some(({ address }) => person.is(address));
  return { rows: found.rows.filter(isTo), before: found.before };
};

const anyMail = {
  from: null,
  to: null,
  state: null,
  read: null,
  threadId: null,
  replyToSeq: null,
  receivedFrom: null,
  receivedBefore: null,
};

/** Mail received from the person, or addressed to them too. */
export const mailOf = (
  db: TenantDb,
  person: Person,
  before: number | null,
  limit: number,
): Page<InboundRow> => {
  const found = mailFindStore(db).find({ ...anyMail, text: person.address }, before, limit);
  const isOf = ({ mail_from, from_json, to_json, cc_json }: InboundRow): boolean => {
    const from: Mailbox | null = JSON.parse(from_json);
    const parties: Mailbox[] = [...(from ? [from] : []), ...JSON.parse(to_json), ...JSON.parse(cc_json)];
    return person.is(mail_from) || parties.some(({ address }) => person.is(address));
  };
  return { rows: found.rows.filter(isOf), before: found.before };
};

type Parts = z.infer<typeof heldParts>;

/** The parts that are short, as the API shows each of them elsewhere. */
const shortParts = {
  subscriptions: (db: TenantDb, { hash }: Person): Parts['subscriptions'] =>
    subscriberStore(db)
      .ofPerson(hash)
      .flatMap((row) => {
        const list = listStore(db).bySeq(row.list_seq);
        return list ? [{ ...presentSubscriber(list, row), list_name: list.name }] : [];
      }),
  consent: (db: TenantDb, { hash }: Person): Parts['consent'] => {
    const wording = (digest: string): string | null =>
      consentStore(db).document(Buffer.from(digest, 'hex'))?.content.toString() ?? null;
    return consentStore(db)
      .ofPerson(hash)
      .map((row) => presentConsent(row, wording));
  },
  suppressions: (db: TenantDb, { hash }: Person): Parts['suppressions'] =>
    suppressionStore(db)
      .rowsOfAddress(hash)
      .map((row) => presentSuppression(db, row)),
  forwarding: (db: TenantDb, person: Person): Parts['forwarding'] =>
    forwardTargets(db).filter(({ address }) => person.is(address)),
};

/** What each part asks of who reads it. */
const needed: Readonly<Record<keyof Parts | 'messages' | 'received', Permission>> = {
  subscriptions: 'lists.manage',
  consent: 'lists.manage',
  suppressions: 'suppressions.manage',
  forwarding: 'inbound.view',
  messages: 'messages.view',
  received: 'inbound.view',
};
export type PartName = keyof typeof needed;

export const notShown = ({ permissions }: Caller): PartName[] =>
  (Object.keys(needed) as PartName[]).filter((part) => !permissions.has(needed[part]));

export const shownTo = (caller: Caller): PartName[] => {
  const hidden = new Set(notShown(caller));
  return (Object.keys(needed) as PartName[]).filter((part) => !hidden.has(part));
};

/** A part that the caller may not see is null. */
export const shortPartsFor = (db: TenantDb, person: Person, caller: Caller): Parts => {
  const hidden = new Set(notShown(caller));
  const show = <T>(part: PartName, read: (db: TenantDb, person: Person) => T): T | null =>
    hidden.has(part) ? null : read(db, person);
  return {
    subscriptions: show('subscriptions', shortParts.subscriptions),
    consent: show('consent', shortParts.consent),
    suppressions: show('suppressions', shortParts.suppressions),
    forwarding: show('forwarding', shortParts.forwarding),
  };
};
