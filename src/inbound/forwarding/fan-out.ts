// Follows the log and writes what follows from a mail received: a copy for each address that it is forwarded to, and the
// automatic reply. They are written in the transaction that moves the cursor, so each mail is followed once. Mail that waits or
// is in quarantine comes into the log when it is released.

import { tenantStore } from '#src/accounts/tenants/store.ts';
import { type FollowedEvent, followStore } from '#src/events/follow-store.ts';
import { answerTo } from '#src/inbound/automatic-reply/rules.ts';
import { automaticReplyStore, senderHash } from '#src/inbound/automatic-reply/store.ts';
import type { InboundOptions } from '#src/inbound/options.ts';
import { isReturnPath, mailboxFor } from '#src/inbound/recipient-rules.ts';
import { inboundSettingsStore } from '#src/inbound/settings-store.ts';
import { type InboundRow, inboundStore } from '#src/inbound/store.ts';
import { planOf } from '#src/intake/facts.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { TenantKey } from '#src/kernel/keys.ts';
import type { Limits } from '#src/kernel/limits.ts';
import { DAY, HOUR } from '#src/kernel/time.ts';
import { addressKey, parseAddress } from '#src/mail/address.ts';
import { headFieldsOf } from '#src/mail/field-block.ts';
import { forwardStore } from './store.ts';
import { targetStore } from './target-store.ts';

/** Looked at in about a millisecond. */
const EVENTS_PER_LOOK = 1_000;
/** Events of other types. After so many the cursor moves, so that a start does not read them all again. */
const EVENTS_UNNOTED = 10_000;
/** After that time a sender is answered again, and forgotten. */
export const ONE_REPLY_IN_MS = 7 * DAY;
/** What strangers write may use so much of what the practice may send in a month. */
const REPLIES_OF_CAP = 0.1;
/** What was released later has been looked at by a person, who can answer it. */
const ANSWERED_WITHIN_MS = HOUR;

export interface FanOutDeps {
  readonly suppressionKey: TenantKey;
  readonly serviceHost: string;
  readonly limits: () => Limits;
}

export interface LogAhead {
  /** There is a mail to be followed, or the cursor is to be moved. */
  readonly work: boolean;
  /** Up to there nothing is to be followed. */
  readonly seen: number;
  /** There is more to look at. */
  readonly more: boolean;
}

const startOf = (db: TenantDb, seen: number): number =>
  Math.max(seen, followStore(db).cursor('forwards') ?? followStore(db).last());

/** `seen`: up to there nothing was to be followed. Reads only. */
export const lookAhead = (db: TenantDb, seen: number): LogAhead => {
  const start = startOf(db, seen);
  const events = followStore(db).typesAfter(start, EVENTS_PER_LOOK);
  const first = events.find(({ type }) => type === 'inbound.received');
  const reached = first ? first.seq - 1 : (events.at(-1)?.seq ?? start);
  const noted = followStore(db).cursor('forwards');
  return {
    work: first !== undefined || noted === undefined || reached - noted >= EVENTS_UNNOTED,
    seen: reached,
    more: first === undefined && events.length === EVENTS_PER_LOOK,
  };
};

const addCopies = (db: TenantDb, mail: InboundRow, options: InboundOptions, now: number): void => {
  const reached = new Set<string>();
  for (const recipient of JSON.parse(mail.recipients_json) as string[]) {
    const localPart = isReturnPath(recipient) ? '' : recipient.slice(0, recipient.lastIndexOf('@'));
    const { forwardTo } = mailboxFor(options, localPart);
    const target = forwardTo === null ? null : parseAddress(forwardTo).address;
    if (target === null || reached.has(addressKey(target))) continue;
    reached.add(addressKey(target));
    if (targetStore(db).byKey(addressKey(target))?.status === 'confirmed')
      forwardStore(db).insert({ message_seq: mail.seq, kind: 'forward', recipient, target }, now);
  }
};

const addReply = (
  db: TenantDb,
  mail: InboundRow,
  at: number,
  { suppressionKey, serviceHost, limits }: FanOutDeps,
  now: number,
): void => {
  if (at - mail.received_at > ANSWERED_WITHIN_MS) return;
  const practice = tenantStore(db).practice();
  const { id, managed_host, custom_domain } = practice;
  const named = [...JSON.parse(mail.to_json), ...JSON.parse(mail.cc_json)] as { address: string }[];
  const answer = answerTo({
    mailFrom: mail.mail_from,
    author: (JSON.parse(mail.from_json) as { address: string } | null)?.address ?? null,
    recipients: JSON.parse(mail.recipients_json),
    named: named.map(({ address }) => address),
    fields: headFieldsOf(inboundStore(db).piece(mail.seq, 0) ?? Buffer.alloc(0)),
    auth: JSON.parse(mail.auth_json),
    spam: JSON.parse(mail.spam_json),
    ownHosts: [serviceHost, managed_host, ...(custom_domain === null ? [] : [custom_domain])],
  });
  if (answer === null) return;
  const replies = automaticReplyStore(db);
  replies.removeBeyond(now - ONE_REPLY_IN_MS, now);
  if (replies.countBetween(now - DAY, now) >= limits().automatic_replies_per_day) return;
  const { cap } = planOf(db, practice, limits(), now);
  if (replies.countBetween(now - ONE_REPLY_IN_MS, now) >= cap * REPLIES_OF_CAP) return;
  if (!replies.add(senderHash(suppressionKey, id, answer.sender), now)) return;
  const reply = {
    message_seq: mail.seq,
    kind: 'reply',
    recipient: answer.mailbox,
    target: answer.sender,
  } as const;
  forwardStore(db).insert(reply, now);
};

const follow = (db: TenantDb, event: FollowedEvent | undefined, deps: FanOutDeps, now: number): void => {
  const mail = event?.inbound_seq == null ? undefined : inboundStore(db).bySeq(event.inbound_seq);
  if (!event || !mail) return;
  const { options } = inboundSettingsStore(db).current();
  addCopies(db, mail, options, now);
  if (options.automatic_reply !== null) addReply(db, mail, event.at, deps, now);
};

/** Mails in one turn: each takes a millisecond at the most, where its header is long. */
const MAILS_PER_TURN = 20;

/** True where there may be more to read. */
export const fanOut = (db: TenantDb, seen: number, deps: FanOutDeps, now: number): boolean => {
  const start = startOf(db, seen);
  const events = followStore(db).typesAfter(start, EVENTS_PER_LOOK);
  let place = start;
  let mails = 0;
  for (const { seq, type } of events) {
    if (mails === MAILS_PER_TURN) break;
    if (type === 'inbound.received') {
      follow(db, followStore(db).event(seq), deps, now);
      mails += 1;
    }
    place = seq;
  }
  followStore(db).moveCursor('forwards', place);
  return mails === MAILS_PER_TURN || events.length === EVENTS_PER_LOOK;
};
