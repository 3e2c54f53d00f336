// The shapes of the rights of a person, as the API takes and shows them.
import { z } from 'zod';
import { idSchema, lineSchema } from '#src/kernel/fields.ts';
import { emailSchema } from '#src/mail/email.ts';

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
