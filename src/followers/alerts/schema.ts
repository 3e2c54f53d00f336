// Chat alerts as the API takes and shows them.
import { z } from 'zod';
import { eventCatalogue } from '#src/events/catalogue.ts';
import { disabledReasons } from '#src/followers/disabling.ts';
import { idSchema, lineSchema } from '#src/kernel/fields.ts';
import { languages } from '#src/kernel/language.ts';
import { nearest } from '#src/kernel/nearest.ts';
import { alertEvents, alertKinds, defaultEvents } from './rules.ts';

const MAX_NAME = 100;
/** As many as the guard takes. */
const MAX_URL = 2_048;

const event = z.enum(alertEvents, {
  error: ({ input }) => {
    if (typeof input !== 'string') return undefined;
    if (input in eventCatalogue) return 'alerts do not tell what people do with a mail';
    const meant = nearest(input, alertEvents);
    return `alerts tell of no such event${meant === undefined ? '' : `; did you mean \`${meant}\`?`}`;
  },
});

const events = z
  .array(event)
  .min(1)
  .max(alertEvents.length)
  .refine((names) => new Set(names).size === names.length, 'each event once');

const fields = {
  name: lineSchema(MAX_NAME).describe('for you to tell it from others'),
  kind: z
    .enum(alertKinds)
    .describe(
      '`slack`: incoming webhooks of Slack, and of Mattermost and Rocket.Chat, which take the same form; `teams`: workflows of Microsoft Teams that post an Adaptive Card',
    ),
  url: z
    .string()
    .trim()
    .min(1)
    .max(MAX_URL)
    .describe('public https address that the chat tool gave you for posting; kept as a secret'),
  events,
  language: z.enum(languages),
};

export const createAlertBody = z.strictObject({
  ...fields,
  events: fields.events.default([...defaultEvents]).describe('what it tells of'),
  language: fields.language.optional().describe('of its messages; as Accept-Language says where absent'),
});

export const patchAlertBody = z
  .strictObject({
    name: fields.name,
    url: fields.url,
    events: fields.events.describe('from now on'),
    language: fields.language,
    status: z
      .enum(['active', 'disabled'])
      .describe('`active` begins anew: what happened while it was disabled is not told'),
  })
  .partial()
  .refine((body) => Object.keys(body).length > 0, 'names nothing to change');

const time = z.iso.datetime().nullable();

export const alertSchema = z.strictObject({
  id: idSchema,
  name: z.string(),
  kind: z.enum(alertKinds),
  url: z
    .string()
    .describe(
      'only its beginning: whoever knows all of it may post to your chat (`https://chat.example/hooks/…`)',
    ),
  events: z.array(z.enum(alertEvents)),
  language: z.enum(languages),
  status: z.enum(['active', 'disabled']),
  disabled_reason: z
    .enum(disabledReasons)
    .nullable()
    .describe(
      '`gone`: the chat tool answered 410, or that the webhook, its channel or workspace is no more; `failing`: it took nothing for `webhooks.disable_after`; `manual`: a member, token or the operator did',
    ),
  last_sent_at: time.describe('when the chat tool last took a message'),
  last_error: z
    .string()
    .nullable()
    .describe('why the last attempt failed, with the chat tool’s own words; null after one that did not'),
  created_at: z.iso.datetime(),
});

export const testSchema = z.strictObject({
  delivered: z.boolean(),
  response_status: z.int().nullable().describe('of HTTP; null where there was no answer'),
  error: z.string().nullable(),
});
