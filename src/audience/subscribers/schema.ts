// Subscribers as the API takes and shows them.
import { z } from 'zod';
import { listParams } from '#src/audience/lists/schema.ts';
import { type ListRow, listStore } from '#src/audience/lists/store.ts';
import { toMergeData } from '#src/intake/templates/schema.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { idSchema, typedSchema } from '#src/kernel/fields.ts';
import { listQuery } from '#src/kernel/list.ts';
import { say } from '#src/kernel/say.ts';
import { toIso, toIsoOrNull } from '#src/kernel/time.ts';
import { because } from '#src/kernel/validate.ts';
import { maskAddress } from '#src/mail/address.ts';
import { nameSchema } from '#src/mail/line-schema.ts';
import type { Address } from '#src/mail/mailbox.ts';
import { NEVER_TRACKED, type SubscriberRow, subscriberStatuses, subscriberStore } from './store.ts';
import { MAX_FIELDS, MAX_VALUE, takenNames } from './values.ts';

const MAX_ADDRESS_TEXT = 1_000;
const MAX_FIELD_NAME = 100;
const MAX_EVIDENCE = 1_000;

const fieldName = z
  .string()
  .max(MAX_FIELD_NAME)
  .regex(
    /^[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*$/,
    'expected a name that a placeholder can have: ASCII letters, digits, _ and dots',
  )
  .refine(
    (name) => !takenNames.includes(name),
    because(say`expected a name other than ${takenNames.join(', ')}`),
  );
const fieldValue = z.union([
  z
    .string()
    .max(MAX_VALUE)
    .refine((text) => !text.includes('\0'), 'NUL characters are not allowed'),
  z.number(),
  z.boolean(),
]);

/** Values for the placeholders of templates and campaigns. */
export const subscriberData = z
  .record(fieldName, fieldValue)
  .refine((data) => Object.keys(data).length <= MAX_FIELDS, because(say`at most ${MAX_FIELDS} values`))
  .transform(toMergeData)
  .describe(`values for placeholders: at most ${MAX_FIELDS}; numbers and flags become text`);

const status = z.enum(subscriberStatuses);

export const subscriberSchema = z
  .strictObject({
    id: z.uuid(),
    list_id: z.uuid(),
    address: z.string(),
    name: z.string().nullable(),
    data: z.record(z.string(), z.string()),
    status,
    tracking_consent: z
      .boolean()
      .describe('whether they agreed that opens and clicks are recorded; see `tracking_consent` of the list'),
    created_at: z.iso.datetime(),
    confirmed_at: z.iso.datetime().nullable().describe('since when it has been active, the last time'),
    tracked_at: z.iso
      .datetime()
      .nullable()
      .describe(
        'the last mail of a campaign whose opens or clicks are recorded with their consent; it and the two below are null without that',
      ),
    opened_at: z.iso.datetime().nullable(),
    clicked_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Subscriber' });

export const subscriberDetails = subscriberSchema
  .extend({
    other_lists: z
      .array(z.strictObject({ list_id: z.uuid(), list_name: z.string(), subscriber_id: z.uuid(), status }))
      .describe('other lists that the same address is on'),
  })
  .meta({ id: 'SubscriberDetails' });

/** What is claimed of someone who is added as active. */
export const consentSchema = z.strictObject({
  basis: z
    .enum(['consent', 'existing_customer'])
    .default('consent')
    .describe('`existing_customer`: § 7 (3) UWG'),
  evidence: z
    .string()
    .trim()
    .min(1)
    .max(MAX_EVIDENCE)
    .describe('how it was given and where that can be seen: the consent ledger keeps it as your assertion'),
  given_at: z.iso.datetime({ offset: true }).optional(),
});

export const createSubscriberBody = z
  .strictObject({
    address: z.string().min(1).max(MAX_ADDRESS_TEXT).describe('`address` or `Name <address>`'),
    name: nameSchema.optional(),
    data: subscriberData.optional(),
    status: z
      .enum(['pending', 'active'])
      .default('pending')
      .describe('`pending`: a mail asks them to confirm; `active`: you assert that they have consented'),
    consent: consentSchema.optional().describe('what you assert; with the status `active` only'),
    tracking_consent: consentSchema
      .pick({ evidence: true, given_at: true })
      .optional()
      .describe(
        'where they agreed, apart from that, that opens and clicks are recorded; it does not end an objection',
      ),
  })
  .refine(({ status, consent }) => (status === 'active') === (consent !== undefined), {
    path: ['consent'],
    message: 'is required with the status active, and belongs to no other',
  })
  .meta({
    examples: [
      { address: 'erika@example.org', name: 'Erika Muster', data: { anrede: 'Frau Muster' } },
      {
        address: 'max@example.org',
        status: 'active',
        consent: { evidence: 'Aufnahmebogen vom 4. Mai 2026, Ordner 12' },
        tracking_consent: { evidence: 'Aufnahmebogen vom 4. Mai 2026, zweites Kästchen' },
      },
    ],
  });

export const patchSubscriberBody = z
  .strictObject({
    name: nameSchema.nullable(),
    data: subscriberData.describe('in the place of all values that are there'),
    status: z.literal('unsubscribed').describe('they have asked for it'),
  })
  .partial()
  .meta({ examples: [{ name: 'Erika Beispiel', data: { anrede: 'Frau Beispiel' } }] });

export const listSubscribersQuery = z.strictObject({
  ...listQuery,
  status: status.optional(),
  q: typedSchema
    .optional()
    .describe('words of the address or name, as `q` of the search of messages takes them'),
  address: z
    .string()
    .min(1)
    .max(MAX_ADDRESS_TEXT)
    .optional()
    .describe('exactly this one, whatever the other fields ask for'),
});

export const subscriberParams = z.strictObject({ ...listParams.shape, subscriberID: idSchema });

const presentReadings = ({ status, tracking_seq, ...row }: SubscriberRow) => {
  const { tracked_at, opened_at, clicked_at } =
    status === 'active' && tracking_seq !== null ? row : NEVER_TRACKED;
  return {
    tracked_at: toIsoOrNull(tracked_at),
    opened_at: toIsoOrNull(opened_at),
    clicked_at: toIsoOrNull(clicked_at),
  };
};

export const presentSubscriber = (list: ListRow, row: SubscriberRow): z.infer<typeof subscriberSchema> => ({
  id: row.id,
  list_id: list.id,
  address: row.address,
  name: row.name,
  data: JSON.parse(row.data_json),
  status: row.status,
  tracking_consent: row.tracking_seq !== null,
  created_at: toIso(row.created_at),
  confirmed_at: row.confirmed_at === null ? null : toIso(row.confirmed_at),
  ...presentReadings(row),
});

export const presentDetails = (
  db: TenantDb,
  list: ListRow,
  row: SubscriberRow,
): z.infer<typeof subscriberDetails> => ({
  ...presentSubscriber(list, row),
  other_lists: subscriberStore(db)
    .ofPerson(row.address_hash)
    .flatMap((other) => {
      const { id, name } = listStore(db).bySeq(other.list_seq) ?? list;
      return other.seq === row.seq
        ? []
        : [{ list_id: id, list_name: name, subscriber_id: other.id, status: other.status }];
    }),
});

/** What the audit has of it, which is kept after the erasure of a person's data: who it is cannot be read from it. */
export const auditedSubscriber = (list: ListRow, row: SubscriberRow) => ({
  list_id: list.id,
  address: maskAddress(row.address as Address),
  status: row.status,
  tracking_consent: row.tracking_seq !== null,
  fields: Object.keys(JSON.parse(row.data_json)),
  updated_at: toIso(row.updated_at),
});
