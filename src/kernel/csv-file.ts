// Tables of a tenant as files of comma-separated values (RFC 4180). They are read page by page, as fast as the client takes them
// and with rests, so that the longest fills no memory and holds up no one; and for as long as the caller may read them.
import { z } from 'zod';
import type { Caller } from './access.ts';
import { type CsvCell, type CsvForm, csvHead, csvLine } from './csv.ts';
import { csvFormOf } from './csv-form.ts';
import type { TenantDb } from './db/sqlite.ts';
import type { TenantFiles } from './db/tenant-files.ts';
import { type MemberLanguage, memberLanguages } from './language.ts';
import { createPace, WATCHED } from './pace.ts';
import type { RequestContext, RouteResult } from './route.ts';

export const CSV_TYPE = 'text/csv; charset=utf-8';

export interface CsvReading {
  readonly files: TenantFiles;
  readonly tenantId: string;
  readonly request: Pick<RequestContext, 'caller' | 'readmit' | 'answerLanguage'>;
  /** Where the request names one. */
  readonly language?: MemberLanguage | undefined;
}

/** What every route that answers a file takes. */
export const csvQuery = {
  language: z
    .enum(memberLanguages)
    .optional()
    .describe(
      'how the file is written; where absent, as Accept-Language says: in German for Excel, with semicolons, German headings, and times and numbers as they are written there',
    ),
};

export const formOfReading = ({ language, request }: CsvReading): CsvForm =>
  csvFormOf(language ?? request.answerLanguage);

/** What comes after a place, and the place at which the next page continues; null at the end. */
export interface CsvPage<T> {
  readonly made: T;
  readonly next: number | null;
}

export type ReadCsvPage<T> = (db: TenantDb, after: number, caller: Caller) => CsvPage<T>;

/**
 * All pages, from place 0 on. `read` should take some 5 ms. A page without rows comes too: only between pages does a reading end
 * whose client has left.
 */
export async function* csvPages<T>(
  { files, tenantId, request }: CsvReading,
  read: ReadCsvPage<T>,
): AsyncGenerator<T> {
  const pace = createPace(new AbortController().signal, WATCHED);
  let { caller } = request;
  for (let place: number | null = 0; place !== null; caller = await request.readmit()) {
    const after: number = place;
    const page = await pace(() => files.read(tenantId, (db) => read(db, after, caller)));
    yield page.made;
    place = page.next;
  }
}

/** The head line, then the rows of all pages. */
export async function* csvTable(
  reading: CsvReading,
  columns: readonly string[],
  read: ReadCsvPage<readonly (readonly CsvCell[])[]>,
): AsyncGenerator<string> {
  const form = formOfReading(reading);
  yield csvHead(columns, form);
  for await (const rows of csvPages(reading, read)) yield rows.map((row) => csvLine(row, form)).join('');
}

/** The columns, each under its name. Names and order stay as they are, because other programs read them; new columns come last. */
export type Columns<Row> = Readonly<
  Record<string, readonly [says: string, of: (row: Row, db: TenantDb) => CsvCell]>
>;

/** Names and meanings of columns, for the description of the API. */
export const describeColumns = <Row>(columns: Columns<Row>): string =>
  Object.entries(columns)
    .map(([name, [says]]) => (says === '' ? `\`${name}\`` : `\`${name}\` (${says})`))
    .join(', ');

export const cellsOf = <Row>(columns: Columns<Row>, row: Row, db: TenantDb): CsvCell[] =>
  Object.values(columns).map(([, of]) => of(row, db));

/** `name`: of the file that a browser makes of it; letters, digits, `-`, `.`. */
export const csvFile = (name: string, body: AsyncIterable<string>): RouteResult => ({
  status: 200,
  contentType: CSV_TYPE,
  headers: {
    'Content-Disposition': `attachment; filename="${name}"`,
    Vary: 'Accept-Language',
  },
  body,
});
