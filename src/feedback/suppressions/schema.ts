// Suppressions as the API shows and takes them.
import { z } from 'zod';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { EXAMPLE_ID, idSchema, typedSchema } from '#src/kernel/fields.ts';
import { listQuery } from '#src/kernel/list.ts';
import { toIso } from '#src/kernel/time.ts';
import { maskAddress } from '#src/mail/address.ts';
import type { Address } from '#src/mail/mailbox.ts';
import { channels } from '#src/messages/kinds.ts';
import { liftingsOf, suppressionReasons, suppressionScopes } from '#src/messages/suppression-rules.ts';
import { slugsOf } from './change.ts';
import type { SuppressionRow } from './store.ts';

const MAX_ADDRESS_TEXT = 1_000;
const MAX_NOTE = 500;
const MAX_DELETED = 1_000;
const named = z.string().min(1).max(63).toLowerCase();

export const noteSchema = z
  .string()
  .trim()
  .max(MAX_NOTE)
  .regex(/^[^\p{Cc}\u2028\u2029]*$/u, 'expected one line without control characters');

/** The place where a suppression applies; the other fields decide an absent scope. */
export const placeShape = {
  scope: z
    .enum(suppressionScopes)
    .optional()
    .describe('`team`: the whole practice, unless project_id or route_id is given'),
  project_id: named.optional().describe('UUID or slug'),
  route_id: named.optional().describe('UUID or slug'),
};

export const suppressionSchema = z
  .strictObject({
    id: z.uuid(),
    address: z.string().nullable().describe("null once the person's data has been erased"),
    scope: z.enum(suppressionScopes),
    project_id: z.uuid().nullable(),
    route_id: z.uuid().nullable(),
    project_slug: z.string().nullable(),
    route_slug: z.string().nullable(),
    reason: z.enum(suppressionReasons),
    source_message_id: z.uuid().nullable().describe('the message that it came from'),
    note: z.string().nullable(),
    lifted: z
      .array(
        z.strictObject({
          channel: z.enum(channels),
          entry: z.uuid().describe('of the consent ledger'),
          at: z.iso.datetime(),
        }),
      )
      .describe('the channels that the person wants again, by a request of their own that they confirmed'),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Suppression' });

/** `soft_bounces` are counted and `erasure` is the end of one: both are the service's own. */
const givenReasons = suppressionReasons.filter((reason) => reason !== 'soft_bounces' && reason !== 'erasure');

export const createSuppressionBody = z
  .strictObject({
    address: z.string().min(1).max(MAX_ADDRESS_TEXT).describe('`address` or `Name <address>`'),
    ...placeShape,
    reason: z
      .enum(givenReasons)
      .default('manual')
      .describe('as the record has it; another than `manual` for what another service knew'),
    note: noteSchema.optional(),
  })
  .meta({
    examples: [{ address: 'erika@example.org', reason: 'unsubscribe', note: 'hat am Telefon darum gebeten' }],
  });

export const listSuppressionsQuery = z.strictObject({
  ...listQuery,
  address: z.string().min(1).max(MAX_ADDRESS_TEXT).optional().describe('exactly this one'),
  q: typedSchema.optional().describe('words of the address, as `q` of the search of messages takes them'),
  scope: z.enum(suppressionScopes).optional(),
  reason: z.enum(suppressionReasons).optional(),
  project_id: named.optional().describe('UUID or slug: those with the scope of this project'),
  route_id: named.optional().describe('UUID or slug: those with the scope of this route'),
});

export const flatListQuery = z.strictObject({
  ...listSuppressionsQuery.shape,
  practice_id: idSchema.optional().describe('the practice it is for'),
  project_id: named
    .optional()
    .describe(
      'as below a practice, which it finds by itself; the id of a practice means all of its suppressions',
    ),
});

/** What may be in the body in the place of the query. */
export const flatListBody = flatListQuery.pick({ practice_id: true, project_id: true }).optional();

export const bulkDeleteBody = z
  .strictObject({
    ids: z
      .array(idSchema)
      .min(1)
      .max(MAX_DELETED)
      .transform((ids) => [...new Set(ids)]),
  })
  .meta({ examples: [{ ids: [EXAMPLE_ID] }] });

export const bulkDeleteAnswer = z.strictObject({
  deleted: z.int(),
  not_found: z.array(z.uuid()).describe('those that are not there'),
});

export const presentSuppression = (db: TenantDb, row: SuppressionRow): z.infer<typeof suppressionSchema> => {
  const { id, address, scope, project_id, route_id, reason, source_message_id, note } = row;
  return {
    id,
    address,
    scope,
    project_id,
    route_id,
    ...slugsOf(db, row),
    reason,
    source_message_id,
    note,
    lifted: [...liftingsOf(row)],
    created_at: toIso(row.created_at),
  };
};

/** What the audit has of it, which is kept after the erasure of a person's data: neither address nor note can be read from it. */
export const auditedSuppression = (db: TenantDb, row: SuppressionRow) => ({
  ...presentSuppression(db, row),
  address: row.address === null ? null : maskAddress(row.address as Address),
  note: row.note === null ? null : '…',
});
