// Reads a file of addresses to suppress: comma-separated values (RFC 4180; also with semicolons or tabs, as spreadsheet
// programs write them in Europe) with a head line, or a plain list with one address a line. Each line is judged by itself; a
// quote that is never closed makes the rest of the file unreadable, so the whole file is refused.
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { CsvError, type CsvErrorCode, parse } from 'csv-parse';
import { withoutGuard } from '#src/kernel/csv.ts';
import { AppError } from '#src/kernel/errors.ts';
import { AddressError, parseAddress } from '#src/mail/address.ts';
import type { Address } from '#src/mail/mailbox.ts';
import {
  type SuppressionReason,
  type SuppressionScope,
  suppressionReasons,
  suppressionScopes,
} from '#src/messages/suppression-rules.ts';
import type { NamedPlace } from './place.ts';
import { noteSchema } from './schema.ts';

export const MAX_LINES = 50_000;
/** Octets of one line. */
const MAX_RECORD = 16_384;
/** Octets between two pauses for the event loop: some 5 ms. */
const SLICE = 16_384;

export interface ImportLine {
  readonly line: number;
  readonly address: Address;
  /** As in the line; a line without these fields takes those of the request. */
  readonly place: NamedPlace;
  readonly reason: SuppressionReason;
  readonly note: string | null;
}

export interface FailedLine {
  readonly line: number;
  readonly reason: string;
}

export interface ReadLines {
  readonly lines: readonly ImportLine[];
  readonly failed: readonly FailedLine[];
}

type Column = 'address' | 'scope' | 'project' | 'route' | 'reason' | 'note';

/** Also the names that other services and address books use. */
const columnNames: Readonly<Record<Column, readonly string[]>> = {
  address: [
    'address',
    'email',
    'e_mail',
    'email_address',
    'e_mail_address',
    'mail',
    'recipient',
    'emailadresse',
    'e_mail_adresse',
    'adresse',
  ],
  scope: ['scope'],
  project: ['project', 'project_id', 'project_slug'],
  route: ['route', 'route_id', 'route_slug'],
  reason: ['reason'],
  note: ['note'],
};
const columnOf = new Map<string, Column>(
  (Object.keys(columnNames) as Column[]).flatMap((column) =>
    columnNames[column].map((name) => [name, column] as const),
  ),
);

/** The index of each column; the first one of a name counts. */
type Layout = ReadonlyMap<Column, number>;

const PLAIN_LIST: Layout = new Map([['address', 0]]);

const unreadable = (line: number, message: string): AppError =>
  new AppError('invalid_request', `The file cannot be read: line ${line} ${message}.`, {
    hint: 'Send a file with the column `address`, or one address a line, in UTF-8. Nothing was imported.',
    extra: { fields: [{ path: 'body', message: `line ${line} ${message}` }] },
  });

const tooMany = (): AppError =>
  new AppError('invalid_request', `The file has more than ${MAX_LINES} lines.`, {
    hint: 'Send it in several parts. Nothing was imported.',
    extra: { fields: [{ path: 'body', message: `must have at most ${MAX_LINES} lines` }] },
  });

/** Null where the record is an address instead of a head line. Throws where it is neither. */
const layoutOf = (record: readonly string[]): Layout | null => {
  const layout = new Map<Column, number>();
  for (const [position, cell] of record.entries()) {
    const column = columnOf.get(cell.toLowerCase().replace(/[ _-]+/g, '_'));
    if (column !== undefined && !layout.has(column)) layout.set(column, position);
  }
  if (layout.has('address')) return layout;
  if (record[0]?.includes('@')) return null;
  throw unreadable(1, 'names no column `address`');
};

/** The most frequent one in the first line. */
const delimiterOf = (text: string): string => {
  const end = text.search(/[\r\n]/);
  const first = text.slice(0, end === -1 ? MAX_RECORD : Math.min(end, MAX_RECORD));
  const counted = [',', ';', '\t'].map((mark) => ({ mark, count: first.split(mark).length }));
  return counted.toSorted((a, b) => b.count - a.count)[0]?.mark ?? ',';
};

const isScope = (text: string): text is SuppressionScope =>
  (suppressionScopes as readonly string[]).includes(text);
const isReason = (text: string): text is SuppressionReason =>
  (suppressionReasons as readonly string[]).includes(text);

const lineOf = (line: number, record: readonly string[], layout: Layout): ImportLine | FailedLine => {
  const given = (column: Column): string | undefined => {
    const text = record[layout.get(column) ?? record.length]?.trim();
    return text === undefined || text === '' ? undefined : withoutGuard(text);
  };
  const failed = (reason: string): FailedLine => ({ line, reason });
  const typed = given('address');
  if (typed === undefined) return failed('has no address');
  if (typed.includes('\ufffd')) return failed('has an address that is not UTF-8');
  let address: Address;
  try {
    address = parseAddress(typed).address;
  } catch (error) {
    if (error instanceof AddressError) return failed(error.message);
    throw error;
  }
  const scope = given('scope')?.toLowerCase();
  if (scope !== undefined && !isScope(scope))
    return failed('has a scope that is none of team, project, route');
  const note = noteSchema.safeParse(given('note') ?? '');
  if (!note.success) return failed('has a note that is too long or has control characters');
  // Other services use other words; that the address is suppressed is what counts.
  const reason = given('reason')?.toLowerCase() ?? '';
  const place = {
    scope,
    project_id: given('project')?.toLowerCase(),
    route_id: given('route')?.toLowerCase(),
  };
  return {
    line,
    address,
    place,
    reason: isReason(reason) ? reason : 'import',
    note: note.data === '' ? null : note.data,
  };
};

const problems: Readonly<Partial<Record<CsvErrorCode, string>>> = {
  CSV_INVALID_CLOSING_QUOTE: 'goes on behind a closing quote',
  CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE: 'goes on behind a closing quote',
  CSV_QUOTE_NOT_CLOSED: 'has a quote that is never closed',
  CSV_MAX_RECORD_SIZE: `is longer than ${MAX_RECORD} octets, or has a quote that is never closed`,
};

async function* slices(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += SLICE) {
    yield bytes.subarray(start, start + SLICE);
    await setImmediate();
  }
}

interface Parsed {
  readonly info: { readonly lines: number };
  readonly record: readonly string[];
}

const recordsOf = (text: string): AsyncIterable<Parsed> =>
  Readable.from(slices(Buffer.from(text))).pipe(
    parse({
      bom: true,
      delimiter: delimiterOf(text),
      info: true,
      max_record_size: MAX_RECORD,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      trim: true,
    }),
  );

/** Throws `invalid_request` for a file that cannot be read or has too many lines. */
export const readLines = async (text: string): Promise<ReadLines> => {
  const lines: ImportLine[] = [];
  const failed: FailedLine[] = [];
  let layout: Layout | undefined;
  try {
    for await (const { info, record } of recordsOf(text)) {
      if (layout === undefined) {
        const head = layoutOf(record);
        layout = head ?? PLAIN_LIST;
        if (head !== null) continue;
      }
      if (lines.length + failed.length === MAX_LINES) throw tooMany();
      const read = lineOf(info.lines, record, layout);
      if ('address' in read) lines.push(read);
      else failed.push(read);
    }
  } catch (error) {
    if (error instanceof CsvError)
      throw unreadable(Number(error.lines), problems[error.code] ?? 'is malformed');
    throw error;
  }
  return { lines, failed };
};
