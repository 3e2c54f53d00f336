// The waiting list as strangers enter themselves, and as the operator sees it.
import { z } from 'zod';
import { nameSchema } from '#src/kernel/fields.ts';
import { toIso } from '#src/kernel/time.ts';
import { emailSchema } from '#src/mail/email.ts';
import { type WaitlistRow, waitedFor } from './store.ts';

const MAX_NOTE = 2_000;

export const joinBody = z.strictObject({
  email: emailSchema,
  plan: z.enum(waitedFor),
  name: nameSchema.optional(),
  note: z.string().trim().min(1).max(MAX_NOTE).optional(),
});
export type Joining = z.output<typeof joinBody>;

export const notedSchema = z.strictObject({ status: z.literal('noted') });

export const entrySchema = z.strictObject({
  id: z.uuid(),
  email: z.string(),
  name: z.string().nullable(),
  plan: z.enum(waitedFor),
  note: z.string().nullable(),
  created_at: z.iso.datetime(),
  asked_at: z.iso.datetime().describe('when the address was last entered; the rest is as the first time'),
});

export const presentEntry = (row: WaitlistRow): z.input<typeof entrySchema> => ({
  id: row.id,
  email: row.email,
  name: row.name,
  plan: row.plan,
  note: row.note,
  created_at: toIso(row.created_at),
  asked_at: toIso(row.asked_at),
});
