// The body of a send over HTTP, and its answer.
import { z } from 'zod';
import { say } from '#src/kernel/say.ts';
import { because } from '#src/kernel/validate.ts';
import { statusSchema } from '#src/messages/schema.ts';
import { pascalFields, toNativeNames, type WrittenAs } from './pascal-fields.ts';
import { CONTENT_REQUIRED, sendFields } from './send-fields.ts';

/** The fields have their native names, whatever names the client used. */
export type SendBody = z.output<z.ZodObject<typeof sendFields>> & WrittenAs;

/** Only aliases with capitals mean absent by null and an empty text. */
const isGiven = (name: string, value: unknown): boolean =>
  value !== undefined && !(/^[A-Z]/.test(name) && (value === null || value === ''));

/** What every message needs, reported beside other faults, so that one answer names all of them. */
const requireParts = (body: Readonly<Record<string, unknown>>, context: z.RefinementCtx): void => {
  const require = (names: readonly [string, ...string[]], message: string): void => {
    if (!names.some((name) => isGiven(name, body[name])))
      context.addIssue({ code: 'custom', path: [names[0]], message });
  };
  require(['to', 'To'], 'is required');
  if (body.template !== undefined) return;
  require(['text', 'text_body', 'TextBody', 'html', 'html_body', 'HtmlBody'], CONTENT_REQUIRED);
  require(['subject', 'Subject'], 'is required');
};

const isObject = ({ value }: { readonly value: unknown }): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const sendBody = z
  .strictObject({ ...sendFields, to: sendFields.to.optional(), ...pascalFields })
  .meta({
    id: 'NewMessage',
    examples: [
      {
        to: 'erika@example.org',
        subject: 'Ihre Unterlagen liegen bereit',
        text: 'Guten Tag Frau Muster, Ihre Unterlagen liegen am Empfang für Sie bereit.',
      },
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
  .superRefine(requireParts, { when: isObject })
  .transform((body, context): SendBody => {
    const refuse = (name: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [name], message });
    const named = toNativeNames(body, (name, native) =>
      refuse(name, because(say`has another value than ${native}, whose alias it is`)),
    );
    return named as SendBody;
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
