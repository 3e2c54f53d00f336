// How long a practice's data are kept, and which rows are to be removed. All times are in milliseconds, except the
// practice's own choice, which is in days. Pure.

import type { PracticeRetention } from '#src/accounts/tenants/store.ts';
import type { Each } from '#src/kernel/db/sqlite.ts';
import type { StoredRow } from '#src/kernel/old-rows.ts';
import { DAY } from '#src/kernel/time.ts';

/** The data for which a practice may choose a shorter period. */
export const kept = [
  'bodies',
  'attachments',
  'events',
  'messages',
  'consent_ip',
  'consent_user_agent',
] as const;
export type Kept = (typeof kept)[number];
export type Periods = Readonly<Record<Kept, number>>;
/** Days; null: as long as the installation keeps it. */
export type Choice = Readonly<Record<Kept, number | null>>;

/**
 * The fewest days that a practice may choose. Content may be removed as soon as its message has been sent to every
 * recipient. Events are needed to recognise a report that arrives twice: servers retry it for five days (RFC 5321 §4.5.4.1),
 * and such a report names the recipient.
 */
export const fewestDays: Readonly<Record<Kept, number>> = {
  bodies: 0,
  attachments: 0,
  events: 7,
  messages: 7,
  consent_ip: 0,
  consent_user_agent: 0,
};

/** The most days that a practice may choose: the whole days of the installation's own period. */
export const mostDays = (installation: number): number => Math.floor(installation / DAY);

export const choiceOf = (row: PracticeRetention): Choice => ({
  bodies: row.keep_bodies,
  attachments: row.keep_attachments,
  events: row.keep_events,
  messages: row.keep_messages,
  consent_ip: row.keep_consent_ip,
  consent_user_agent: row.keep_consent_user_agent,
});

/** ms; `days` is the practice's choice. */
export const shorterOf = (days: number | null, installation: number): number =>
  days === null ? installation : Math.min(days * DAY, installation);

/**
 * The shorter period applies, because the operator may have lowered theirs after the practice chose. Nothing of a message that
 * says something of people is kept longer than the names in the message itself.
 */
export const periodsInForce = (choice: Choice, installation: Periods): Periods => {
  const messages = shorterOf(choice.messages, installation.messages);
  const within = (name: Kept): number => Math.min(shorterOf(choice[name], installation[name]), messages);
  return {
    bodies: within('bodies'),
    attachments: within('attachments'),
    events: within('events'),
    messages,
    consent_ip: shorterOf(choice.consent_ip, installation.consent_ip),
    consent_user_agent: shorterOf(choice.consent_user_agent, installation.consent_user_agent),
  };
};

export interface Batch {
  /** Keys of the rows to remove. */
  readonly keys: readonly number[];
  /** The next batch begins after this key; null: no old rows are left. */
  readonly after: number | null;
}

/** Reading them takes about 3 ms; with their removal it takes about 8 ms. */
const ROWS_PER_BATCH = 500;
/** Removed bytes are overwritten and pass through the write-ahead log, which takes about 2 ms for this many. */
const BYTES_PER_BATCH = 1_024 * 1_024;

/**
 * The first rows that are older than `before`. Reading ends at the first younger row. A row later than `now` was written
 * while the clock was wrong; it is skipped.
 */
export const nextBatch = (
  rows: Each<StoredRow>,
  { before, now }: { readonly before: number; readonly now: number },
  rowsPerBatch = ROWS_PER_BATCH,
): Batch => {
  const keys: number[] = [];
  let seen = 0;
  let bytes = 0;
  let after: number | null = null;
  rows((row) => {
    if (row.at >= before && row.at <= now) return false;
    seen += 1;
    if (row.held === 0 && row.since < before) {
      keys.push(row.key);
      bytes += row.bytes;
    }
    if (seen === rowsPerBatch || bytes >= BYTES_PER_BATCH) after = row.key;
    return after === null;
  });
  return { keys, after };
};

/** A message whose row may say something of people. */
export interface OldMessage extends Omit<StoredRow, 'bytes'> {
  readonly done: 0 | 1;
}

export interface OldMessages {
  /** Numbers of the messages whose period is over. */
  readonly keys: readonly number[];
  /** The first one that stays as it is for now, because it waits or was to be sent later. */
  readonly firstLeft: number | null;
  /** The last one that was looked at; null: there was none. */
  readonly last: number | null;
  /** Whether older ones than `before` may follow. */
  readonly isMore: boolean;
}

/** One takes about 0.2 ms, half of it for the search index. */
const MESSAGES_PER_BATCH = 25;

/** Reading ends at the first younger message, as in `nextBatch`; one that is later than `now` is left. */
export const nextOldMessages = (
  rows: Each<OldMessage>,
  { before, now }: { readonly before: number; readonly now: number },
): OldMessages => {
  const keys: number[] = [];
  let firstLeft: number | null = null;
  let last: number | null = null;
  let seen = 0;
  let isMore = false;
  rows(({ key, at, since, held, done }) => {
    if (at >= before && at <= now) return false;
    seen += 1;
    last = key;
    if (done === 0 && held === 0 && since < before) keys.push(key);
    else if (done === 0) firstLeft ??= key;
    isMore = keys.length === MESSAGES_PER_BATCH || seen === ROWS_PER_BATCH;
    return !isMore;
  });
  return { keys, firstLeft, last, isMore };
};
