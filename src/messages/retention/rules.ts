// How long a practice's data are kept, and which of the rows looked at are to go. Milliseconds throughout, but for what a
// practice has chosen, which is in days.

import type { PracticeRetention } from '#src/accounts/tenants/store.ts';
import { DAY } from '#src/kernel/time.ts';

/** What a practice may choose a shorter time for. */
export const kept = ['bodies', 'attachments', 'events'] as const;
export type Kept = (typeof kept)[number];
export type Periods = Readonly<Record<Kept, number>>;
/** Days; null: as the installation does. */
export type Choice = Readonly<Record<Kept, number | null>>;

/**
 * The fewest days. Content may go as soon as nothing of its message is still to be sent. A report may come in twice, some
 * days apart: receivers try to deliver it for five days (RFC 5321 §4.5.4.1), and by its events the second one is known.
 */
export const fewestDays: Readonly<Record<Kept, number>> = { bodies: 0, attachments: 0, events: 7 };

/** The most that a practice may choose: as many whole days as the installation keeps it. */
export const mostDays = (installation: number): number => Math.floor(installation / DAY);

export const choiceOf = (row: PracticeRetention): Choice => ({
  bodies: row.keep_bodies,
  attachments: row.keep_attachments,
  events: row.keep_events,
});

const shorter = (days: number | null, installation: number): number =>
  days === null ? installation : Math.min(days * DAY, installation);

/** The shorter one holds: what a practice chose, or what the operator has lowered since. */
export const periodsInForce = (choice: Choice, installation: Periods): Periods => ({
  bodies: shorter(choice.bodies, installation.bodies),
  attachments: shorter(choice.attachments, installation.attachments),
  events: shorter(choice.events, installation.events),
});

export interface StoredRow {
  readonly key: number;
  /** When it was written. Rows come in the order of their keys, and of this. */
  readonly at: number;
  /** From when its time counts: `at`, or later. */
  readonly since: number;
  readonly bytes: number;
  /** 1: it stays, however old it is. */
  readonly held: 0 | 1;
}

export interface Batch {
  /** Of those to be removed. */
  readonly keys: readonly number[];
  /** Where the next batch begins; null: there is nothing more that is old. */
  readonly after: number | null;
}

/** Some 3 ms to look at, and with their removal some 8. */
const ROWS_PER_BATCH = 500;
/** What is removed is overwritten, and goes through the write-ahead log: some 2 ms. */
const BYTES_PER_BATCH = 1_024 * 1_024;

/**
 * The first of those from before `before`. `rows` is left at the first that is younger, unread beyond it; one of after
 * `now`, from when the clock was wrong, is passed over.
 */
export const nextBatch = (
  rows: Iterable<StoredRow>,
  { before, now }: { readonly before: number; readonly now: number },
  rowsPerBatch = ROWS_PER_BATCH,
): Batch => {
  const keys: number[] = [];
  let seen = 0;
  let bytes = 0;
  for (const row of rows) {
    if (row.at >= before && row.at <= now) break;
    seen += 1;
    if (row.held === 0 && row.since < before) {
      keys.push(row.key);
      bytes += row.bytes;
    }
    if (seen === rowsPerBatch || bytes >= BYTES_PER_BATCH) return { keys, after: row.key };
  }
  return { keys, after: null };
};
