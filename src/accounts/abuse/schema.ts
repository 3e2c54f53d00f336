// Reports of abuse as strangers send them, and tickets as the operator sees them.
import { z } from 'zod';
import { idSchema } from '#src/kernel/fields.ts';
import { languages } from '#src/kernel/language.ts';
import { toIso } from '#src/kernel/time.ts';
import { emailSchema } from '#src/mail/email.ts';
import { nameSchema } from '#src/mail/line-schema.ts';
import { stages } from './rules.ts';
import type { StepRow, TicketRow, TicketSummaryRow } from './store.ts';

export const MAX_DESCRIPTION = 10_000;
/** Bytes of a file, and characters of a text. */
export const MAX_SOURCE = 10 * 1024 * 1024;
const MAX_NOTE = 10_000;

export const reportBody = z
  .strictObject({
    email: emailSchema.describe('of the reporter, who gets a mail at each stage'),
    name: nameSchema.optional(),
    subject: nameSchema.describe('one line'),
    description: z.string().trim().min(1).max(MAX_DESCRIPTION).describe('what happened'),
    source: z
      .union([z.string().max(MAX_SOURCE), z.file().max(MAX_SOURCE)])
      .optional()
      .describe('the reported mail, whole with its headers: a file in a form, a text in JSON'),
  })
  .meta({
    examples: [
      {
        email: 'erika@example.org',
        subject: 'Werbung',
        description: 'Ich habe das nicht bestellt.',
        source: 'From: werbung@example.net\r\nSubject: Angebot\r\n\r\nNur heute!',
      },
    ],
  });
export type Report = z.output<typeof reportBody>;

export const receivedSchema = z.strictObject({ id: z.uuid().describe('of the ticket') });

const stage = z.enum(stages);
const summary = {
  id: z.uuid(),
  stage,
  reporter: z.strictObject({ email: z.string(), name: z.string().nullable() }),
  language: z.enum(languages).describe('in which the reporter is written to'),
  subject: z.string(),
  practice_id: z.uuid().nullable().describe('the practice that the operator found it to be about'),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
};

export const ticketSummarySchema = z.strictObject(summary).meta({ id: 'AbuseTicketSummary' });
export const ticketSchema = z
  .strictObject({
    ...summary,
    description: z.string(),
    source_bytes: z
      .int()
      .nullable()
      .describe(
        'of the reported mail; null where none came with the report, and 30 days after the ticket was closed',
      ),
    steps: z
      .array(z.strictObject({ stage, note: z.string().nullable(), at: z.iso.datetime() }))
      .describe('oldest first; notes are for the operator alone'),
  })
  .meta({ id: 'AbuseTicket' });

export const patchTicketBody = z
  .strictObject({
    stage: stage.optional().describe('the next one: `open`, `investigating`, `closed`'),
    note: z.string().trim().min(1).max(MAX_NOTE).optional().describe('kept with the ticket, never mailed'),
    practice_id: idSchema.nullable().optional(),
  })
  .refine((fields) => Object.keys(fields).length > 0, 'must have at least one field')
  .meta({ examples: [{ stage: 'investigating', note: 'Der Absender ist angeschrieben.' }] });
export type TicketPatch = z.output<typeof patchTicketBody>;

export const presentSummary = (row: TicketSummaryRow): z.input<typeof ticketSummarySchema> => ({
  id: row.id,
  stage: row.stage,
  reporter: { email: row.reporter_email, name: row.reporter_name },
  language: row.language,
  subject: row.subject,
  practice_id: row.tenant_id,
  created_at: toIso(row.created_at),
  updated_at: toIso(row.updated_at),
});

export const presentTicket = (row: TicketRow, steps: readonly StepRow[]): z.input<typeof ticketSchema> => ({
  ...presentSummary(row),
  description: row.description,
  source_bytes: row.source_bytes,
  steps: steps.map(({ stage, note, at }) => ({ stage, note, at: toIso(at) })),
});
