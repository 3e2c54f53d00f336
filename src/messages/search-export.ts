// What a search found as a file: a line for each recipient, because each has an outcome of its own.
import { tenantStore } from '#src/accounts/tenants/store.ts';
import type { CsvCell } from '#src/kernel/csv.ts';
import { type Columns, type CsvPage, cellsOf } from '#src/kernel/csv-file.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { toIso } from '#src/kernel/time.ts';
import { type NamedRecipient, recipientsOf } from './present.ts';
import { type MessageFilter, messageSearchStore } from './search-store.ts';
import type { MessageRow } from './store.ts';

interface Line {
  readonly message: MessageRow;
  readonly recipient: NamedRecipient;
}

/** Names and order stay as they are, because other programs read them; new columns come last. */
export const exportColumns: Columns<Line> = {
  created_at: ['', ({ message }) => toIso(message.created_at)],
  address: ['of the recipient; a keyed hash once it is no longer kept', ({ recipient }) => recipient.address],
  name: ['of the recipient', ({ recipient }) => recipient.name ?? null],
  field: ['`to`, `cc` or `bcc`', ({ recipient }) => recipient.field],
  subject: ['a keyed hash once it is no longer kept', ({ message }) => message.subject],
  status: ['of the recipient', ({ recipient }) => recipient.status],
  updated_at: ['since when it has it', ({ recipient }) => toIso(recipient.updated_at)],
  smtp_code: ['', ({ recipient }) => recipient.smtp_code],
  enhanced_code: ['', ({ recipient }) => recipient.enhanced_code],
  diagnostic: ['text of the last reply of the upstream', ({ recipient }) => recipient.diagnostic],
  message_kind: ['', ({ message }) => message.message_kind],
  project: ['slug', ({ message }, db) => tenantStore(db).project(message.project_id)?.slug ?? null],
  route: ['slug', ({ message }, db) => tenantStore(db).route(message.route_id)?.slug ?? null],
  tags: [
    'joined by `; `',
    ({ message }) => (JSON.parse(message.tags_json) as readonly string[]).join('; ') || null,
  ],
  template_id: ['', ({ message }) => message.template_id],
  message_id: ['', ({ message }) => message.id],
};

/** Some 5 ms of the event loop, unless each has many recipients. */
const MESSAGES_PER_PAGE = 100;

/** Newest first, before number `before`; 0: from the newest on. */
export const exportPage = (db: TenantDb, filter: MessageFilter, before: number): CsvPage<CsvCell[][]> => {
  const page = messageSearchStore(db).find(filter, before === 0 ? null : before, MESSAGES_PER_PAGE);
  const lines = page.rows.flatMap((message) =>
    recipientsOf(db, message).map((recipient) => cellsOf(exportColumns, { message, recipient }, db)),
  );
  return { made: lines, next: page.before };
};
