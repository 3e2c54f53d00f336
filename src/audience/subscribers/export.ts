// All subscribers of a list as CSV, oldest first. They are read twice: the head line names the values that occur.
import type { ConsentFacts } from '#src/audience/consent/entry.ts';
import { consentStore } from '#src/audience/consent/store.ts';
import type { ListRow } from '#src/audience/lists/store.ts';
import { type CsvForm, csvHead, csvLine } from '#src/kernel/csv.ts';
import { type CsvReading, csvPages, formOfReading } from '#src/kernel/csv-file.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { toIso } from '#src/kernel/time.ts';
import type { MergeData } from '#src/mail/merge-fields.ts';
import { type SubscriberRow, subscriberStore } from './store.ts';
import { exportedColumns } from './values.ts';

/** Some 5 ms of the event loop. */
const ROWS_PER_PAGE = 200;
const MAX_FIELD_COLUMNS = 200;

const dataOf = ({ data_json }: SubscriberRow): MergeData => JSON.parse(data_json) as MergeData;

const lineOf = (
  db: TenantDb,
  list: ListRow,
  row: SubscriberRow,
  { fields, form }: { readonly fields: readonly string[]; readonly form: CsvForm },
): string => {
  const consent = consentStore(db).bySeq(row.consent_seq);
  const facts = consent && (JSON.parse(consent.facts_json) as ConsentFacts);
  const data = dataOf(row);
  const cells = [
    row.address,
    row.name,
    row.status,
    toIso(row.created_at),
    row.confirmed_at === null ? null : toIso(row.confirmed_at),
    consent?.id ?? null,
    facts?.action ?? null,
    facts?.at ?? null,
    list.name,
    facts?.legal_basis ?? null,
    facts?.wording_version?.toString() ?? null,
    // They come back as they are where the file is imported again.
    ...fields.map((name) => (Object.hasOwn(data, name) ? { asIs: data[name] ?? '' } : null)),
  ];
  return csvLine(cells, form);
};

export async function* exportSubscribers(reading: CsvReading, list: ListRow): AsyncGenerator<string> {
  /** What `make` makes of each page. */
  const pages = <T>(make: (db: TenantDb, rows: readonly SubscriberRow[]) => T): AsyncGenerator<T> =>
    csvPages(reading, (db, after) => {
      const rows = subscriberStore(db).after(list.seq, after, ROWS_PER_PAGE);
      return { made: make(db, rows), next: rows.at(-1)?.seq ?? null };
    });
  const names = new Set<string>();
  for await (const found of pages((_, rows) => new Set(rows.flatMap((row) => Object.keys(dataOf(row))))))
    for (const name of found) if (names.size < MAX_FIELD_COLUMNS) names.add(name);
  const fields = [...names];
  const form = formOfReading(reading);
  const isTaken = (name: string): boolean => (exportedColumns as readonly string[]).includes(name);
  const own = fields.map((name) => (isTaken(name) ? `data.${name}` : name));
  yield csvHead([...exportedColumns.map(form.headingOf), ...own], { ...form, headingOf: (name) => name });
  yield* pages((db, rows) => rows.map((row) => lineOf(db, list, row, { fields, form })).join(''));
}
