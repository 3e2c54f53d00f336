// What an export is made of: columns, each declared once with its name, its meaning and its cell; who may read it; and how its
// rows are read in pages.
import { type Caller, mayUseProject } from '#src/kernel/access.ts';
import type { CsvCell } from '#src/kernel/csv.ts';
import { type Columns, cellsOf, describeColumns, type ReadCsvPage } from '#src/kernel/csv-file.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';

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

/** Who is limited to projects gets the rows of theirs. */
export const tableOf = <Row>({
  columns,
  requireMay = () => {},
  read,
  projectOf,
}: TableOptions<Row>): ExportTable => ({
  columns: Object.keys(columns),
  says: describeColumns(columns),
  requireMay,
  page: (days) => (db, after, caller) => {
    requireMay(caller);
    const { rows, next } = read(db, after, days);
    const visible = rows.filter((row) => mayUseProject(caller, projectOf(row)));
    return { made: visible.map((row) => cellsOf(columns, row, db)), next };
  },
});
