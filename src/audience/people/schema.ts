// The shapes of the rights of a person, as the API takes and shows them.
import { z } from 'zod';
import { consentEntrySchema } from '#src/audience/consent/schema.ts';
import { subscriberData, subscriberSchema } from '#src/audience/subscribers/schema.ts';
import { suppressionSchema } from '#src/feedback/suppressions/schema.ts';
import { inboundSummarySchema } from '#src/inbound/mailbox/schema.ts';
import { idSchema } from '#src/kernel/fields.ts';
import { listOf, listQuery } from '#src/kernel/list.ts';
import { emailSchema } from '#src/mail/email.ts';
import { lineSchema, nameSchema } from '#src/mail/line-schema.ts';
import { messageSummarySchema } from '#src/messages/schema.ts';

const REASON_LENGTH = 500;

export const practiceParams = z.strictObject({ id: idSchema.describe('the practice') });
export const erasureParams = z.strictObject({ ...practiceParams.shape, erasureID: idSchema });

export const certificateSchema = z
  .strictObject({
    walks: z.int().describe('walks through all data; the last one found the address nowhere'),
    erased: z.array(z.strictObject({ kind: z.string(), what: z.string(), number: z.int() })),
    kept: z
      .array(
        z.strictObject({ kind: z.string(), what: z.string(), number: z.int().nullable(), why: z.string() }),
      )
      .describe('what is kept, and why'),
    beyond: z.array(z.string()).describe('what the erasure does not reach, such as backups'),
  })
  .meta({ id: 'ErasureCertificate' });

export const erasureSchema = z
  .strictObject({
    id: z.uuid(),
    status: z.enum(['running', 'done']),
    person: z.string().describe('the pseudonym that has taken the place of the address'),
    reason: z.string().nullable(),
    requested_by: z.string().describe('as the audit names them'),
    requested_at: z.iso.datetime(),
    finished_at: z.iso.datetime().nullable(),
    certificate: certificateSchema.nullable().describe('null until it is done'),
  })
  .meta({ id: 'Erasure' });

export const eraseBody = z
  .strictObject({
    address: emailSchema,
    reason: lineSchema(REASON_LENGTH).optional().describe('for the certificate and the audit; without names'),
  })
  .meta({
    id: 'EraseRequest',
    examples: [{ address: 'erika.muster@example.org', reason: 'Asked for by letter' }],
  });

const forwardingSchema = z.strictObject({
  address: z.string(),
  status: z.enum(['unconfirmed', 'confirmed', 'failed']),
  reason: z.string().nullable(),
  asked_at: z.iso.datetime().nullable(),
  since: z.iso.datetime(),
});

/** Null: the caller may not see it. */
export const heldParts = z.strictObject({
  subscriptions: z
    .array(subscriberSchema.extend({ list_name: z.string() }).meta({ id: 'Subscription' }))
    .nullable()
    .describe('each list that the person is or was on'),
  consent: z.array(consentEntrySchema).nullable().describe('oldest first'),
  suppressions: z.array(suppressionSchema).nullable(),
  forwarding: z
    .array(forwardingSchema)
    .nullable()
    .describe('where mail received is forwarded to the address'),
});

export const personSchema = z
  .strictObject({
    address: z.string(),
    ...heldParts.shape,
    messages: listOf(messageSummarySchema).nullable().describe('sent to the address, newest first'),
    received: listOf(inboundSummarySchema)
      .nullable()
      .describe('mail from the address, or addressed to it too, newest first'),
    not_shown: z.array(z.string()).describe('the parts that are null, because a permission is missing'),
  })
  .meta({ id: 'Person' });

const address = emailSchema.meta({ examples: ['erika.muster@example.org'] });

export const personQuery = z.strictObject({
  address,
  ...listQuery,
  cursor: listQuery.cursor.describe('`messages.next_cursor` of the page before'),
  received_cursor: listQuery.cursor.describe('`received.next_cursor` of the page before'),
});

export const exportQuery = z.strictObject({
  address,
  format: z
    .enum(['json', 'html'])
    .default('json')
    .describe('`html`: a page to read and print, in German or English'),
});

export const rectifyBody = z
  .strictObject({
    address: emailSchema,
    new_address: emailSchema.optional(),
    name: nameSchema.nullable().optional(),
    data: subscriberData.optional().describe('others that are known stay'),
  })
  .refine((body) => Object.keys(body).length > 1, 'expected something to rectify')
  .meta({
    id: 'RectifyRequest',
    examples: [{ address: 'erika@example.org', name: 'Erika Beispiel' }],
  });
export type Rectification = z.output<typeof rectifyBody>;

export const rectifiedSchema = z
  .strictObject({
    subscriptions: z.array(
      z.strictObject({
        list_id: z.uuid(),
        list_name: z.string(),
        outcome: z
          .enum(['changed', 'asked', 'ended'])
          .describe(
            '`asked`: the new address was asked to confirm; `ended`: that of the old address has ended, and the new one gets no mail: it is on the list, was asked less than a day ago, is suppressed or has left',
          ),
      }),
    ),
  })
  .meta({ id: 'Rectified' });
