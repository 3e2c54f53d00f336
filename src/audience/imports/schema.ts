// Imports as the API takes and shows them.
import { z } from 'zod';
import { tenantParams } from '#src/accounts/tenants/schema.ts';
import { consentSchema } from '#src/audience/subscribers/schema.ts';
import { placeShape } from '#src/feedback/suppressions/schema.ts';
import { AppError } from '#src/kernel/errors.ts';
import { idSchema } from '#src/kernel/fields.ts';
import { answerDefault, type MemberLanguage } from '#src/kernel/language.ts';
import { listQuery } from '#src/kernel/list.ts';
import { say, type Text } from '#src/kernel/say.ts';
import { toIso } from '#src/kernel/time.ts';
import { namedColumnsSchema } from './columns.ts';
import { columnRoles } from './headings.ts';
import {
  type AskedOfSubscribers,
  type AskedOfSuppressions,
  askedOf,
  countsOf,
  fileForms,
  progressOf,
} from './job.ts';
import { reasonOf, reasonText } from './reasons.ts';
import { type FaultRow, type ImportRow, importStatuses, outcomes } from './store.ts';

const MAX_FILE_NAME = 200;

export const importParams = z.strictObject({ ...tenantParams.shape, importID: idSchema });
export const listImportsQuery = z.strictObject(listQuery);

const columns = namedColumnsSchema.describe(
  `what columns are for, by their numbers from 1, in the place of what is found: \`1:address,4:opt_out,5:ignore\`. \`status\` has words such as active, \`opt_in\` yes or a time, \`opt_out\` no or nothing, for people who are subscribers`,
);

export const subscriberOptions = z
  .strictObject({
    status: z
      .enum(['pending', 'active'])
      .describe(
        '`pending`: a mail asks each of them to confirm, few in a minute (where absent); `active`: you assert that they have consented',
      ),
    ...consentSchema.shape,
    basis: consentSchema.shape.basis
      .unwrap()
      .describe('`consent` where absent; `existing_customer`: § 7 (3) UWG'),
    columns,
  })
  .partial()
  .describe('in the query or as fields of the form');
export const previewOptions = subscriberOptions.pick({ status: true, columns: true });
export const suppressionOptions = z
  .strictObject({ ...placeShape, columns: columns.optional() })
  .describe('of rows that say nothing else');

const bytes = z
  .instanceof(Uint8Array, { error: 'expected the file: its content, or a form with the field `file`' })
  .meta({ describedBy: z.string() });
/** The file as text, as a JSON string, or as the field `file` of a form beside its options. */
export const fileBody = <Shape extends z.ZodRawShape>(options: z.ZodObject<Shape>) =>
  z.union([bytes, z.string(), z.strictObject({ file: z.union([z.string(), z.file()]), ...options.shape })]);

export interface GivenFile {
  readonly bytes: Uint8Array;
  readonly name: string | null;
}

/** The file is in the field `file`, or is the body. */
export const givenFile = async (file: Uint8Array | string | File): Promise<GivenFile> => {
  if (file instanceof File)
    return {
      bytes: new Uint8Array(await file.arrayBuffer()),
      name: file.name.slice(0, MAX_FILE_NAME).toWellFormed() || null,
    };
  return { bytes: typeof file === 'string' ? Buffer.from(file) : file, name: null };
};

const whole = z.int();
export const importSchema = z
  .strictObject({
    id: z.uuid(),
    kind: z.enum(['subscribers', 'suppressions']),
    status: z.enum(importStatuses),
    list_id: z.uuid().nullable().describe('of subscribers'),
    file_name: z.string().nullable(),
    columns: z
      .record(z.string(), z.enum(columnRoles))
      .describe('what the request said of columns, by their numbers'),
    sha256: z.string().describe('of the file, in hex'),
    size_bytes: whole,
    rows: z.strictObject({
      done: whole,
      total: whole.nullable().describe('null until the file has been looked through'),
    }),
    counts: z
      .strictObject({
        added: whole,
        updated: whole.describe('made active, or with another name or other values than before'),
        already: whole.describe('that were there before as they are in the file'),
        duplicates: whole.describe('with the address of an earlier row'),
        suppressed: whole.describe(
          'subscribers whose address is suppressed: on the list where imported as active, but nothing goes to them',
        ),
        left_out: whole.describe(
          'who left or complained, here or by the file, or is not known to be a subscriber by it',
        ),
        failed: whole,
      } satisfies Record<(typeof outcomes)[number], z.ZodType>)
      .describe('each row counts once'),
    suppressible: whole.describe(
      'of those left out, whom the file calls unsubscribed, complaining or undeliverable: …/suppression/import takes the same file for them',
    ),
    failure: z
      .string()
      .nullable()
      .describe('why the whole failed; of a file that cannot be read nothing is imported'),
    waits: z
      .strictObject({ reason: z.string(), until: z.iso.datetime() })
      .nullable()
      .describe('for what it waits at the moment, and when it is tried again'),
    created_at: z.iso.datetime(),
    finished_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Import' });

export const previewStates = ['active', 'pending', 'left_out', 'duplicates', 'failed'] as const;
const previewState = z.enum(previewStates);
export const previewSchema = z
  .strictObject({
    form: z
      .enum(fileForms)
      .describe(
        'what the file is: a table of text, a list of addresses, cards of an address book, an Excel workbook',
      ),
    encoding: z.string().nullable().describe('of text'),
    delimiter: z.string().nullable().describe('of a table of text'),
    has_head: z.boolean(),
    columns: z.array(
      z.strictObject({
        number: whole.describe('from 1, as in `columns` of the request'),
        heading: z.string().nullable(),
        role: z.enum(columnRoles),
        score: whole.describe(
          'how sure it is that it has the address, up to 100; the highest is taken, the others where it is empty',
        ),
        value: z.string().nullable().describe('the name of its values in templates'),
        examples: z.array(z.string()),
      }),
    ),
    rows: z.strictObject({
      read: whole,
      is_complete: z.boolean().describe('whether these are all; the first 100,000 are read'),
    }),
    counts: z
      .strictObject({
        active: whole,
        pending: whole,
        left_out: whole,
        duplicates: whole,
        failed: whole,
      } satisfies Record<(typeof previewStates)[number], z.ZodType>)
      .describe('by the file alone: who is on the list, has left it or is suppressed is seen by the import'),
    reasons: z
      .array(
        z.strictObject({
          state: previewState,
          reason: z.string().describe('of the first such row'),
          count: whole,
        }),
      )
      .describe('the most frequent first'),
    suppressible: whole,
    first: z
      .array(
        z.strictObject({
          line: whole,
          address: z.string().nullable(),
          name: z.string().nullable(),
          state: previewState,
          reason: z.string().nullable(),
        }),
      )
      .describe('the first 20 rows'),
    failure: z.string().nullable().describe('why nothing of the file would be imported'),
  })
  .meta({ id: 'ImportPreview' });

const outcome = z.enum(outcomes).describe('the count in which the row is');
export const reportedRow = z
  .strictObject({
    line: whole.describe('where the row begins; of several addresses in a line, which one'),
    address: z.string().nullable().describe('as in the file'),
    outcome,
    reason: z.string(),
  })
  .meta({ id: 'ImportedRow' });

/** `language`: of reasons. */
export const presentImport = (
  row: ImportRow,
  language: MemberLanguage = answerDefault,
): z.infer<typeof importSchema> => {
  if (row.status === 'receiving') throw new Error('an import is not shown while its file is received');
  const asked = askedOf<AskedOfSubscribers | AskedOfSuppressions>(row);
  const waits = row.status === 'running' ? progressOf(row)?.waits : null;
  return {
    id: row.id,
    kind: row.kind,
    status: row.status,
    list_id: 'list_id' in asked ? asked.list_id : null,
    file_name: asked.file_name,
    columns: { ...asked.columns },
    sha256: asked.sha256,
    size_bytes: row.size_bytes,
    rows: { done: row.rows_done, total: row.rows_total },
    counts: countsOf(row),
    suppressible: progressOf(row)?.suppressible ?? 0,
    failure: row.failure === null ? null : reasonText(reasonOf(row.failure), language),
    waits: waits && row.due_at !== null ? { reason: waits, until: toIso(row.due_at) } : null,
    created_at: toIso(row.created_at),
    finished_at: row.finished_at === null ? null : toIso(row.finished_at),
  };
};

export const presentReported = (
  { line, address, outcome, reason }: FaultRow,
  language: MemberLanguage,
): z.infer<typeof reportedRow> => ({
  line,
  address,
  outcome,
  reason: reasonText(reasonOf(reason), language),
});

/** Throws `invalid_request` where a field is in the query and in the form, or an assertion lacks its evidence. */
export const requireAssertion = ({
  status,
  basis,
  evidence,
  given_at,
}: z.output<typeof subscriberOptions>): AskedOfSubscribers['assertion'] => {
  const refuse = (path: string, message: Text): AppError =>
    new AppError('invalid_request', say`\`${path}\` ${message}.`, { extra: { fields: [{ path, message }] } });
  if (status === 'active') {
    if (evidence === undefined) throw refuse('query.evidence', say`is required with the status active`);
    return { basis: basis ?? 'consent', evidence, given_at: given_at ?? null };
  }
  for (const [name, value] of Object.entries({ basis, evidence, given_at }))
    if (value !== undefined) throw refuse(`query.${name}`, say`belongs to the status active`);
  return null;
};
