// What an import keeps in its row beside what others ask of it: what was asked for, where it is, and what has become of its rows.

import type { NamedPlace } from '#src/feedback/suppressions/place.ts';
import type { CallerKind } from '#src/kernel/access.ts';
import type { NamedColumns } from './columns.ts';
import type { Delimiter, Place } from './read-rows.ts';
import { type ImportRow, type Outcome, outcomes } from './store.ts';
import type { SubscriberLayout } from './subscriber-line.ts';
import type { SuppressionLayout } from './suppression-line.ts';

export const fileForms = ['table', 'addresses', 'vcard', 'workbook'] as const;
export type FileForm = (typeof fileForms)[number];

interface AskedOfAny {
  /** Who asked, as the audit names them. */
  readonly by: CallerKind;
  readonly by_id: string;
  /** The name of the file, as it was sent. */
  readonly file_name: string | null;
  readonly form: FileForm;
  readonly columns: NamedColumns;
  /** The hash of the file in hex. */
  readonly sha256: string;
}

/** What the importer asserts of everyone in the file. */
export interface Assertion {
  readonly basis: string;
  readonly evidence: string;
  readonly given_at: string | null;
}

export interface AskedOfSubscribers extends AskedOfAny {
  readonly list_id: string;
  /** Null: they are asked to confirm by a mail. */
  readonly assertion: Assertion | null;
}

export interface AskedOfSuppressions extends AskedOfAny {
  /** The place of rows that say nothing else. */
  readonly place: NamedPlace;
  /** Ids of the projects that the caller is limited to; null: none. */
  readonly projects: readonly string[] | null;
}

export type Counts = Readonly<Record<Outcome, number>>;

/** What the check of the file has found, and where the next row begins. */
export interface Progress<Layout = SubscriberLayout | SuppressionLayout> {
  readonly delimiter: Delimiter;
  readonly layout: Layout;
  readonly at: Place;
  /** The rows from there to `end` are taken in the order of their people's hashes, and so many of them have been. */
  readonly part?: { readonly end: Place; readonly taken: number };
  /** Why it waits until it is due; null: it does not. */
  readonly waits?: string | null;
  /** Rows that were left out because the file says that the person left, complained or bounced. */
  readonly suppressible: number;
}

export const noCounts: Counts = Object.fromEntries(outcomes.map((outcome) => [outcome, 0])) as Counts;

export const askedOf = <Asked extends AskedOfAny>({ request_json }: Pick<ImportRow, 'request_json'>): Asked =>
  JSON.parse(request_json) as Asked;
export const countsOf = ({ counts_json }: Pick<ImportRow, 'counts_json'>): Counts =>
  JSON.parse(counts_json) as Counts;
export const progressOf = ({ progress_json }: Pick<ImportRow, 'progress_json'>): Progress | null =>
  progress_json === null ? null : (JSON.parse(progress_json) as Progress);

/** All rows that are reported. */
export const reportedCount = ({ duplicates, suppressed, left_out, failed }: Counts): number =>
  duplicates + suppressed + left_out + failed;
