// The rows of a file that are taken next: where they are read, what each says, and in which order they are taken.
//
// A large file is taken by parts, each in the order of its people's hashes: neighbours among them are in the same pages of the
// indexes, of which a transaction then writes a fraction.
import { setImmediate } from 'node:timers/promises';
import type { AudienceContext } from '#src/audience/context.ts';
import { sendableFor } from '#src/audience/sendable.ts';
import { createSlices } from '#src/kernel/slices.ts';
import { addressHash } from '#src/messages/pseudonym.ts';
import { addressText } from './columns.ts';
import { type AskedOfSubscribers, askedOf, type Progress } from './job.ts';
import { beginningOf, PIECE_BYTES, type Place, type Row, rowsIn } from './read-rows.ts';
import type { Reason } from './reasons.ts';
import { type ImportRow, importStore } from './store.ts';
import { isReason, readSubscriber, type SubscriberLayout, type SubscriberLine } from './subscriber-line.ts';
import { readSuppression, type SuppressionLayout, type SuppressionLine } from './suppression-line.ts';

/** Who imports no more than this looks for its people on the list in their order. */
const SMALL_FILE_ROWS = 1_000;
const PART_ROWS = 3_000;
/** A part of a file with long rows has fewer of them. */
const PART_BYTES = 1_048_576;

interface Window {
  readonly rows: readonly Row[];
  /** Where the first one can begin: behind a line that only names the delimiter. */
  readonly begin: Place;
  readonly end: Place;
  /** Whether the file ends with it. */
  readonly isLast: boolean;
}

/** `delimiter`: null at the beginning, where it is found. */
export const readWindow = async (
  { files }: AudienceContext,
  tenantId: string,
  seq: number,
  at: Place,
  known: Progress['delimiter'] | null,
): Promise<Window & Pick<Progress, 'delimiter'>> => {
  const position = Math.floor(at.byte / PIECE_BYTES);
  const pieces = await files.read(tenantId, (db) => importStore(db).pieces(seq, position, position + 1));
  const isLast = pieces.length < 2 || (pieces.at(-1)?.length ?? 0) < PIECE_BYTES;
  const bytes = Buffer.concat(pieces).subarray(at.byte - position * PIECE_BYTES);
  const beginning = known === null ? beginningOf(bytes) : { delimiter: known, at };
  const { delimiter } = beginning;
  const skipped = beginning.at.byte - at.byte;
  const window = rowsIn(bytes.subarray(skipped), beginning.at, delimiter, isLast);
  return { ...window, begin: beginning.at, isLast, delimiter };
};

/** A row with what it says. */
export interface ReadRow {
  readonly row: Row;
  readonly read: SubscriberLine | SuppressionLine | Reason;
  /** The hash of the subscriber's address; empty where the row names none. */
  readonly person: Buffer;
}

/** Rows in the order in which they are taken. */
export interface Part extends Omit<Window, 'rows'> {
  readonly rows: readonly ReadRow[];
  /** Whether the order is that of the hashes; else it is that of the lines. */
  readonly isSorted: boolean;
  /** So many of its rows have been taken. */
  readonly taken: number;
}

const NO_ONE = Buffer.alloc(0);

/** Mails that ask people to confirm go out in the order of the file. */
const isTakenSorted = (row: ImportRow): boolean =>
  row.kind === 'subscribers' &&
  askedOf<AskedOfSubscribers>(row).assertion !== null &&
  (row.rows_total ?? 0) > SMALL_FILE_ROWS;

const readSorted = async (
  context: AudienceContext,
  tenantId: string,
  seq: number,
  { at, delimiter, part }: Progress,
): Promise<Window> => {
  const first = await readWindow(context, tenantId, seq, at, delimiter);
  const rows = [...first.rows];
  let { end, isLast } = first;
  const isWhole = (): boolean =>
    part ? end.byte >= part.end.byte : rows.length >= PART_ROWS || end.byte - at.byte >= PART_BYTES;
  while (!isLast && !isWhole()) {
    await setImmediate();
    const next = await readWindow(context, tenantId, seq, end, delimiter);
    rows.push(...next.rows);
    ({ end, isLast } = next);
  }
  return { rows, begin: first.begin, end, isLast };
};

export const readPart = async (
  context: AudienceContext,
  tenantId: string,
  job: ImportRow,
  progress: Progress,
): Promise<Part> => {
  const { layout } = progress;
  const isSorted = isTakenSorted(job);
  const window = isSorted
    ? await readSorted(context, tenantId, job.seq, progress)
    : await readWindow(context, tenantId, job.seq, progress.at, progress.delimiter);
  if (job.kind === 'subscribers')
    await sendableFor(context, tenantId).learn(
      window.rows.map(({ cells }) => addressText(cells, layout.addresses)),
    );
  const readRow = (row: Row): ReadRow => {
    if (job.kind === 'suppressions')
      return { row, read: readSuppression(row.cells, layout as SuppressionLayout), person: NO_ONE };
    const read = readSubscriber(row.cells, layout as SubscriberLayout);
    const person = isReason(read) ? NO_ONE : addressHash(context.suppressionKey, tenantId, read.address);
    return { row, read, person };
  };
  const rows: ReadRow[] = [];
  const pause = createSlices();
  for (const row of window.rows) {
    rows.push(readRow(row));
    await pause();
  }
  if (isSorted) rows.sort((one, other) => one.person.compare(other.person));
  return { ...window, rows, isSorted, taken: progress.part?.taken ?? 0 };
};

/** Where the import is when so many rows of the part have been taken. */
export const placeIn = (
  { rows, begin, end, isSorted }: Part,
  taken: number,
): Pick<Progress, 'at' | 'part'> => {
  if (taken === rows.length) return { at: end };
  if (isSorted) return { at: begin, part: { end, taken } };
  return { at: rows[taken - 1]?.row.end ?? begin };
};
