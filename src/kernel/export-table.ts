// A table that a room hands in for exports: columns, each declared once with its name, its meaning and its cell; who may read
// it; and how its rows are read in pages.
import type { z } from 'zod';
import { say } from '#src/kernel/say.ts';
import { type Caller, mayUseProject, type Permission } from './access.ts';
import type { CsvCell } from './csv.ts';
import { type Columns, cellsOf, describeColumns, type ReadCsvPage } from './csv-file.ts';
import type { TenantDb } from './db/sqlite.ts';
import { AppError } from './errors.ts';
import { DAY } from './time.ts';

/** Some 5 ms of the event loop. */
export const ROWS_PER_PAGE = 250;

/** UTC days, as `utcDay` counts them. */
export interface Days {
  readonly from: number;
  readonly toExclusive: number;
}

export interface RowPage<Row> {
  readonly rows: readonly Row[];
  /** The place after which the next page begins; null at the end. */
  readonly next: number | null;
}

interface TableOptions<Row> {
  readonly columns: Columns<Row>;
  /** Which the reader needs beside that of exports. */
  readonly permission?: Permission;
  /** Throws `forbidden`. */
  readonly requireMay?: (caller: Caller) => void;
  /** Place 0 is that of the first page. */
  readonly read: (db: TenantDb, after: number, days: Days) => RowPage<Row>;
  readonly projectOf: (row: Row) => string;
}

export interface ExportTable {
  readonly columns: readonly string[];
  /** Names and meanings of the columns. */
  readonly says: string;
  /** Throws `forbidden`. */
  readonly requireMay: (caller: Caller) => void;
  readonly page: (days: Days) => ReadCsvPage<CsvCell[][]>;
}

/** A caller who is limited to projects gets the rows of these. */
export const exportTable = <Row>({
  columns,
  permission,
  requireMay = () => {},
  read,
  projectOf,
}: TableOptions<Row>): ExportTable => {
  const requireAll = (caller: Caller): void => {
    requireMay(caller);
    if (permission === undefined || caller.permissions.has(permission)) return;
    throw new AppError('forbidden', say`This export needs a permission of its own.`, {
      hint: say`Ask an owner for \`${permission}\`.`,
      extra: { permission },
    });
  };
  return {
    columns: Object.keys(columns),
    says: describeColumns(columns),
    requireMay: requireAll,
    page: (days) => (db, after, caller) => {
      requireAll(caller);
      const { rows, next } = read(db, after, days);
      const visible = rows.filter((row) => mayUseProject(caller, projectOf(row)));
      return { made: visible.map((row) => cellsOf(columns, row, db)), next };
    },
  };
};

/** The rows of a page that are of these days: a long reading may see the next day begin. */
export const during = <Row extends { readonly seq: number; readonly at: number }>(
  { toExclusive }: Days,
  rows: readonly Row[],
): RowPage<Row> => {
  const last = rows.at(-1);
  return {
    rows: rows.filter(({ at }) => at < toExclusive * DAY),
    next: last === undefined || last.at >= toExclusive * DAY ? null : last.seq,
  };
};

/** Columns with the names and meanings that the API has for the same values. */
export const columnsOf = <Row>(
  shape: Readonly<Record<string, z.ZodType>>,
  valuesOf: (row: Row) => Readonly<Record<string, unknown>>,
): Columns<Row> =>
  Object.fromEntries(
    Object.entries(shape).map(([name, { description = '' }]) => [
      name,
      [description, (row: Row) => valuesOf(row)[name] as CsvCell],
    ]),
  );
