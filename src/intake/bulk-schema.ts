// A templated bulk as it is asked for, and what is answered.
import { z } from 'zod';
import {
  mergeDataSchema,
  templateHtml,
  templateSubject,
  templateText,
} from '#src/intake/templates/schema.ts';
import { asItComes, EXAMPLE_ID, idSchema } from '#src/kernel/fields.ts';
import { defaultLimits } from '#src/kernel/limits.ts';
import { statusSchema } from '#src/messages/schema.ts';
import { sendAnswer } from './schema.ts';
import * as fields from './send-fields.ts';

export const MAX_EMAIL = 1_000;
const MAX_RECIPIENT_NAME = 200;

const template = z
  .strictObject({
    subject: templateSubject,
    html: templateHtml.optional(),
    text: templateText.optional(),
  })
  .refine(({ html, text }) => html !== undefined || text !== undefined, {
    path: ['html'],
    message: 'one of html and text is required',
  });

export const bulkRecipient = z
  .strictObject({
    email: z.string().min(1).max(MAX_EMAIL).describe('one address; `Name <address>` or the bare address'),
    name: fields.oneLine(MAX_RECIPIENT_NAME).optional().describe('shown in To, where `email` has none'),
    data: mergeDataSchema.optional().describe('values of the placeholders for this recipient'),
  })
  .meta({ id: 'BulkRecipient' });

const { sendFields } = fields;

export const bulkBody = z
  .strictObject({
    project_id: sendFields.project_id,
    template: z
      .union([template, sendFields.template.unwrap()])
      .describe('with `{{placeholders}}`; or the name or id of a stored template'),
    template_version: sendFields.template_version,
    recipients: z
      // Each is looked at when its turn comes, so that the rest of the service has its turns in between.
      .array(asItComes(bulkRecipient))
      .min(1)
      .max(defaultLimits.bulk_recipients)
      .describe(
        'each gets a message of their own. A body holds 100,000 JSON values: 10,000 recipients have room for 6 values each, 5,000 for 16',
      ),
    data: mergeDataSchema.optional().describe("values for all; a recipient's own win"),
    from: sendFields.from,
    reply_to: sendFields.reply_to,
    route: fields.routeName
      .optional()
      .describe('slug or UUID; `broadcast` where absent, for kinds that are not marketing the default route'),
    message_kind: sendFields.message_kind.describe(
      'that of the stored template, else `newsletter`, where absent',
    ),
    tag: sendFields.tag,
    tags: sendFields.tags,
    metadata: sendFields.metadata,
    headers: sendFields.headers,
    settings: sendFields.settings,
    scheduled_at: sendFields.scheduled_at,
    idempotency_key: sendFields.idempotency_key,
  })
  .meta({
    examples: [
      {
        project_id: EXAMPLE_ID,
        template: { subject: 'Praxisnachrichten', text: 'Guten Tag {{name}}' },
        recipients: [{ email: 'erika@example.org', data: { name: 'Frau Muster' } }],
        message_kind: 'termin',
      },
    ],
  });

export type BulkBody = z.output<typeof bulkBody>;
export type BulkRecipient = z.output<typeof bulkRecipient>;

/** The flat paths take it. */
export const flatQuery = z.strictObject({
  practice_id: idSchema.optional().describe('the practice it is for'),
  project_id: idSchema.optional().describe('as in the body, which wins'),
});

const refused = z.looseObject({
  status_code: z.int(),
  code: z.string(),
  error: z.string(),
  hint: z.string(),
});

/** One of a batch: as a send is answered, or why it was refused. */
export const batchItem = z.union([sendAnswer, refused]).meta({ id: 'BatchResult' });

const result = z
  .looseObject({
    email: z.string().describe('as it was given; empty where it is missing'),
    id: z.uuid().optional(),
    message_id: z.uuid().optional(),
    status: statusSchema.optional(),
    status_code: z.int().optional().describe('where it was refused'),
    code: z.string().optional(),
    error: z.string().optional(),
    hint: z.string().optional(),
    duplicate_of: z
      .int()
      .optional()
      .describe(
        'place in `recipients` of the same address with the same values: there is one message for both',
      ),
  })
  .describe('as a send is answered, or why it was refused');

export const bulkAnswer = z.strictObject({ results: z.array(result) }).meta({ id: 'BulkResults' });

/** Every result is a refusal, or one refusal is said of all. */
export const bulkRefusal = z
  .union([bulkAnswer, z.looseObject({ code: z.string(), error: z.string(), hint: z.string() })])
  .meta({ id: 'BulkRefusal' });
