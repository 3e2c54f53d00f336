// The body of a send over HTTP, and its answer.
import { z } from 'zod';
import { statusSchema } from '#src/messages/schema.ts';
import { pascalFields, toNativeNames, type WrittenAs } from './pascal-fields.ts';
import { sendFields } from './send-fields.ts';

/** The fields have their native names, whatever names the client used. */
export type SendBody = z.output<z.ZodObject<typeof sendFields>> & WrittenAs;

const isAddressed = (body: Omit<SendBody, 'to'> & { to?: SendBody['to'] | undefined }): body is SendBody =>
  body.to !== undefined;

export const sendBody = z
  .strictObject({ ...sendFields, to: sendFields.to.optional(), ...pascalFields })
  .meta({
    id: 'NewMessage',
    examples: [
      { to: 'erika@example.org', subject: 'Ihr Befund', text: 'Ihr Befund ist da.' },
      {
        to: ['Erika Muster <erika@example.org>'],
        subject: 'Ihr Termin am Montag',
        html: '<p>Bis Montag um 9:30 Uhr!</p>',
        message_kind: 'termin',
        tags: ['erinnerung'],
        metadata: { patient: '4711' },
        calendar: { summary: 'Vorsorge', starts_at: '2026-12-07T09:30:00', location: 'Am Markt 1' },
      },
    ],
    required: ['to'],
    description:
      'Fields may have their alias with capitals instead; where both are given they must have the same value.',
  })
  .transform((body, context): SendBody => {
    const refuse = (name: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [name], message });
    const named = toNativeNames(body, (name, native) =>
      refuse(name, `has another value than ${native}, whose alias it is`),
    );
    if (isAddressed(named)) return named;
    refuse('to', 'is required');
    return z.NEVER;
  });

export const idempotencyKey = sendFields.idempotency_key.unwrap();

export const sendAnswer = z
  .strictObject({
    id: z.uuid(),
    message_id: z.uuid(),
    status: statusSchema,
    scheduled_at: z.iso.datetime().optional().describe('while it waits for that time'),
    code: z
      .enum(['recipient_suppressed', 'recipients_suppressed'])
      .optional()
      .describe('where all or some recipients are suppressed'),
    hint: z.string().optional(),
    suppressed: z.array(z.string()).optional().describe('recipients who get nothing'),
    content_warnings: z
      .array(z.strictObject({ id: z.string(), why: z.string(), advice: z.string() }))
      .optional()
      .describe('what filters may take offence at'),
  })
  .meta({ id: 'AcceptedMessage' });

export type SendAnswer = z.infer<typeof sendAnswer>;
