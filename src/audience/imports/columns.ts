// What each column of an imported file is for: by its heading and the first rows, or as the importer says. Pure.
import { z } from 'zod';
import { withoutGuard } from '#src/kernel/csv.ts';
import { say } from '#src/kernel/say.ts';
import { because } from '#src/kernel/validate.ts';
import { AddressError, parseAddress } from '#src/mail/address.ts';
import type { Mailbox } from '#src/mail/mailbox.ts';
import { type ColumnRole, columnRoles, isOfAddressBook, readHeading } from './headings.ts';
import { areAnswers, areStatus, stateOf } from './leaving.ts';
import { plainName } from './plain.ts';
import type { Row } from './read-rows.ts';
import type { Reason } from './reasons.ts';
import { UnreadableFile } from './unreadable.ts';

/** Rows whose cells are looked at to find out what a column is. */
const SAMPLE = 100;
const MAX_NAMED = 100;
const MAX_COLUMN = 500;
/** A heading is shown so far. */
const MAX_HEADING = 100;

/** Roles by numbers of columns, from 1. */
export type NamedColumns = Readonly<Record<string, ColumnRole>>;

const namedColumn = new RegExp(`^\\s*(\\d{1,3})\\s*:\\s*(${columnRoles.join('|')})\\s*$`);
/** `1:address,4:opt_out,5:ignore` */
export const namedColumnsSchema = z
  .string()
  .max(MAX_NAMED * 20)
  .transform((text, context): NamedColumns => {
    const found = text.split(',').map((one) => namedColumn.exec(one));
    const named = found.map((match) => [Number(match?.[1] ?? 0), match?.[2] as ColumnRole] as const);
    if (named.length > MAX_NAMED || named.some(([number]) => number < 1 || number > MAX_COLUMN)) {
      context.addIssue(
        because(say`expected pairs such as 1:address,4:ignore; roles are ${columnRoles.join(', ')}`),
      );
      return z.NEVER;
    }
    return Object.fromEntries(named);
  });

export interface Column {
  readonly index: number;
  /** Null: the file has no head line. */
  readonly heading: string | null;
  readonly role: ColumnRole;
  /** How sure it is that the column has the address, up to 100; of other roles 0. */
  readonly score: number;
}

export interface Head {
  readonly hasHead: boolean;
  readonly columns: readonly Column[];
}

/** The text of a cell; empty where the row is too short. */
export const textAt = (cells: readonly string[], index: number | null): string =>
  index === null ? '' : withoutGuard(cells[index] ?? '');

/** The export of a list of this service: what it says of each subscriber is that list's, but for the status. */
const OWN_EXPORT = 'consent_id';

/** More certain the more of the cells have an address. */
const scored = (score: number, cells: readonly string[]): number => {
  const filled = cells.filter((cell) => cell !== '');
  if (filled.length === 0) return score;
  const share = filled.filter((cell) => cell.includes('@')).length / filled.length;
  return share === 0 ? Math.round(score / 10) : Math.round(score * 0.7 + share * 30);
};

/** A heading that says nothing of it: the cells alone. */
const BY_CELLS = 40;

const headingsRead = (headings: readonly string[], rows: readonly Row[]): Column[] => {
  const isOwn = headings.some((heading) => plainName(heading) === OWN_EXPORT);
  return headings.map((heading, index): Column => {
    const cells = rows.map((row) => textAt(row.cells, index).trim());
    const read = readHeading(heading);
    const filled = cells.filter((cell) => cell !== '');
    let { role } = read;
    if (read.isDoubtful) {
      const isKnown =
        role === 'status'
          ? filled.length > 0 && filled.every((cell) => stateOf('status', cell) !== 'unknown')
          : areAnswers(filled);
      if (!isKnown) role = read.score > 0 ? 'address' : 'value';
    }
    if (isOwn && read.isDoubtful) role = 'value';
    else if (isOwn && (role === 'opt_in' || role === 'opt_out')) role = 'ignore';
    if (role === 'value' && filled.length > 0 && filled.every((cell) => /^[^\s@]+@[^\s@]+$/.test(cell)))
      return { index, heading, role: 'address', score: BY_CELLS };
    const score = role === 'address' ? scored(read.score, cells) : 0;
    return { index, heading: heading.slice(0, MAX_HEADING), role, score };
  });
};

/** A street is an address too, as long as nothing in it has an @. */
const CERTAIN = 15;

/** And the address of someone else, such as who looks after the person, is not theirs where theirs is missing. */
const withoutOthers = (columns: readonly Column[]): readonly Column[] => {
  const best = Math.max(0, ...columns.map(({ score }) => score));
  return columns.map((column) => {
    if (column.role !== 'address' || column.score >= Math.min(CERTAIN, best)) {
      const isByCells = column.role === 'address' && readHeading(column.heading ?? '').role === 'value';
      if (!isByCells || best <= BY_CELLS) return column;
    }
    return { ...column, role: 'value', score: 0 };
  });
};

const roleNamed = (columns: readonly Column[], named: NamedColumns): readonly Column[] => {
  const single = new Set(Object.values(named).filter((role) => role === 'address' || role.endsWith('name')));
  return columns.map((column) => {
    const role = named[String(column.index + 1)];
    if (role !== undefined) return { ...column, role, score: role === 'address' ? 100 : 0 };
    return single.has(column.role) ? { ...column, role: 'ignore', score: 0 } : column;
  });
};

/** Decides by the first rows, the head line among them. `isList`: its rows are an address and a name. */
export const readHead = (rows: readonly Row[], named: NamedColumns, isList: boolean): Head => {
  const first = rows[0]?.cells ?? [];
  if (isList)
    return {
      hasHead: false,
      columns: [
        { index: 0, heading: null, role: 'address', score: 100 },
        { index: 1, heading: null, role: 'name', score: 0 },
      ],
    };
  const address = first.findIndex((cell) => cell.includes('@'));
  if (address >= 0) {
    const columns = first.map((_, index): Column => {
      if (index === address) return { index, heading: null, role: 'address', score: 100 };
      const cells = rows.slice(0, SAMPLE).map((row) => textAt(row.cells, index).trim());
      const role = areStatus(cells.filter((cell) => cell !== '')) ? 'status' : 'ignore';
      return { index, heading: null, role, score: 0 };
    });
    return { hasHead: false, columns: roleNamed(columns, named) };
  }
  const read = headingsRead(first, rows.slice(1, SAMPLE));
  const isBook = first.some(isOfAddressBook);
  const columns = roleNamed(
    withoutOthers(read).map((column) =>
      isBook && column.role === 'value' ? { ...column, role: 'ignore' } : column,
    ),
    named,
  );
  // A row in which nothing is a heading is a row, of a list whose first address is wrong.
  const hasHead = read.some(({ heading }) => readHeading(heading ?? '').role !== 'value');
  return { hasHead, columns };
};

/** Whether the first row is a title of the table, and the headings are in the next one. */
const isTitled = ([first, second]: readonly Row[]): boolean => {
  const filled = (row: Row | undefined): number => row?.cells.filter((cell) => cell !== '').length ?? 0;
  return (
    filled(first) === 1 &&
    filled(second) > 1 &&
    second?.cells.some((cell) => readHeading(cell).role === 'address') === true &&
    !second.cells.some((cell) => cell.includes('@'))
  );
};

/** Throws UnreadableFile where no column has addresses, or other headings would count than the file has. */
export const requireAddresses = (head: Head, rows: readonly Row[]): Head => {
  if (head.hasHead && isTitled(rows)) throw new UnreadableFile(['above_head', rows[0]?.line ?? 1]);
  if (head.columns.some(({ role }) => role === 'address')) return head;
  throw new UnreadableFile(['no_address_column', rows[0]?.line ?? 1]);
};

/** Columns with addresses, the most certain first. */
export const addressColumns = ({ columns }: Head): readonly number[] =>
  columns
    .filter(({ role }) => role === 'address')
    .toSorted((a, b) => b.score - a.score || a.index - b.index)
    .map(({ index }) => index);

/** The text of the first column that has something, as an address is typed. */
export const addressText = (cells: readonly string[], columns: readonly number[]): string => {
  for (const index of columns) {
    const text = textAt(cells, index);
    // Some address books write several into a cell.
    if (text !== '') return (text.split(' ::: ')[0] ?? '').replace(/^mailto:\s*/i, '');
  }
  return '';
};

/** The mailbox of a row, or why it has none. */
export const mailboxOf = (cells: readonly string[], columns: readonly number[]): Mailbox | Reason => {
  const typed = addressText(cells, columns);
  if (typed === '') return ['no_address'];
  try {
    return parseAddress(typed);
  } catch (error) {
    if (error instanceof AddressError) return ['bad_address', error.message];
    throw error;
  }
};
