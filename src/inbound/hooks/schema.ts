// Inbound hooks as the API takes and shows them.
import { z } from 'zod';
import { sendFields } from '#src/intake/send-fields.ts';
import { idSchema } from '#src/kernel/fields.ts';
import { formerSecretUntil } from '#src/kernel/secret.ts';
import { toIso, toIsoOrNull } from '#src/kernel/time.ts';
import { nameSchema } from '#src/mail/line-schema.ts';
import type { HookRow } from './store.ts';

export const SECRET_HEADER = 'X-Service-Hook-Secret';

const time = z.iso.datetime();

export const hookSchema = z
  .strictObject({
    id: idSchema,
    name: z.string(),
    project_id: idSchema.nullable().describe('of its messages; null: the default project'),
    url: z.url().describe('where it takes messages'),
    previous_secret_until: time
      .nullable()
      .describe('until then the secret before the last rotation is valid'),
    created_at: time,
    last_used_at: time.nullable().describe("to the minute's precision"),
  })
  .meta({ id: 'InboundHook' });

export const hookWithSecret = hookSchema
  .extend({ secret: z.string().describe(`for the header ${SECRET_HEADER}; shown this once`) })
  .meta({ id: 'InboundHookWithSecret' });

export const createHookBody = z
  .strictObject({
    name: nameSchema,
    project_id: idSchema.nullish().describe("of its messages; the practice's default project where absent"),
  })
  .meta({ examples: [{ name: 'Kontaktformular' }] });

export const rotateHookBody = z
  .strictObject({
    revoke_previous: z
      .boolean()
      .default(false)
      .describe('the former secret is not valid any more: for one that has become known'),
  })
  .default({ revoke_previous: false })
  .meta({ examples: [{ revoke_previous: true }] });

/** The fields of a send that can be filled in without knowing the practice. */
export const hookMessage = z
  .strictObject({
    to: sendFields.to,
    subject: sendFields.subject.unwrap(),
    text: sendFields.text.unwrap(),
    message_kind: sendFields.message_kind,
    route: sendFields.route,
    reply_to: sendFields.reply_to,
    tag: sendFields.tag,
    metadata: sendFields.metadata,
  })
  .meta({ id: 'HookMessage' });

export const HOOK_MESSAGE_EXAMPLES = [
  {
    to: 'erika@example.org',
    subject: 'Ihre Anfrage',
    text: 'Wir haben Ihre Anfrage erhalten.',
    message_kind: 'transactional',
  },
];

/** `origin`: of the service. */
export const presentHook = (row: HookRow, origin: string, now: number): z.infer<typeof hookSchema> => ({
  id: row.id,
  name: row.name,
  project_id: row.project_id,
  url: `${origin}/api/public/hooks/${row.id}/send`,
  previous_secret_until: toIsoOrNull(formerSecretUntil(row.former_until, now)),
  created_at: toIso(row.created_at),
  last_used_at: toIsoOrNull(row.last_used_at),
});
