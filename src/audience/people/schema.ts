// The shapes of the rights of a person, as the API takes and shows them.
import { z } from 'zod';
import { subscriberData } from '#src/audience/subscribers/schema.ts';
import { idSchema } from '#src/kernel/fields.ts';
import { listOf, listQuery } from '#src/kernel/list.ts';
import { emailSchema } from '#src/mail/email.ts';
import { lineSchema, nameSchema } from '#src/mail/line-schema.ts';
import { isPaged, type partsOf } from './parts.ts';

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

type Parts = ReturnType<typeof partsOf>;

/** A part is null where the caller may not see it. */
export const personSchemaOf = (parts: Parts) =>
  z
    .strictObject({
      address: z.string(),
      ...Object.fromEntries(
        parts.map(([name, part]) => {
          const schema = (isPaged(part) ? listOf(part.entry) : z.array(part.entry)).nullable();
          return [name, part.says === undefined ? schema : schema.describe(part.says)];
        }),
      ),
      not_shown: z.array(z.string()).describe('the parts that are null, because a permission is missing'),
    })
    .meta({ id: 'Person' });

const address = emailSchema.meta({ examples: ['erika.muster@example.org'] });

export const personQueryOf = (parts: Parts) =>
  z.strictObject({
    address,
    limit: listQuery.limit,
    ...Object.fromEntries(
      parts.flatMap(([name, part]) =>
        isPaged(part)
          ? [[part.cursor, listQuery.cursor.describe(`\`${name}.next_cursor\` of the page before`)]]
          : [],
      ),
    ),
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
