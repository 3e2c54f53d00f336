// Chat alerts as the API takes and shows them, and as the audit keeps them.

import { z } from 'zod';
import { eventCatalogue } from '#src/events/catalogue.ts';
import { disabledReasons } from '#src/followers/disabling.ts';
import { idSchema } from '#src/kernel/fields.ts';
import { memberLanguages } from '#src/kernel/language.ts';
import { nearest } from '#src/kernel/nearest.ts';
import { wholeBut } from '#src/kernel/record-version.ts';
import { say } from '#src/kernel/say.ts';
import type { SealingKey } from '#src/kernel/seal.ts';
import { seal, unseal } from '#src/kernel/seal.ts';
import { maskUrl, urlFingerprint } from '#src/kernel/secret.ts';
import { toIso, toIsoOrNull } from '#src/kernel/time.ts';
import { because } from '#src/kernel/validate.ts';
import { lineSchema } from '#src/mail/line-schema.ts';
import { alertEvents, alertKinds, defaultEvents } from './rules.ts';
import type { AlertRow } from './store.ts';

const MAX_NAME = 100;
/** The guard takes as many characters. */
const MAX_URL = 2_048;

const event = z
  .enum(alertEvents, {
    error: ({ input }) => {
      if (typeof input !== 'string') return undefined;
      if (input in eventCatalogue) return 'alerts do not report what people do with a mail';
      const meant = nearest(input, alertEvents);
      return because(
        meant === undefined
          ? say`alerts report no such event`
          : say`alerts report no such event; did you mean \`${meant}\`?`,
      );
    },
  })
  .meta({ id: 'AlertEvent' });

const events = z
  .array(event)
  .min(1)
  .max(alertEvents.length)
  .refine((names) => new Set(names).size === names.length, 'each event once');

const fields = {
  name: lineSchema(MAX_NAME).describe('your name for it'),
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
  language: z.enum(memberLanguages),
};

export const createAlertBody = z
  .strictObject({
    ...fields,
    events: fields.events
      .default([...defaultEvents])
      .describe('what it reports; `inbound.received` also needs `inbound.view`'),
    language: fields.language.optional().describe('of its messages; as Accept-Language says where absent'),
  })
  .meta({ examples: [{ name: 'Empfang', kind: 'slack', url: 'https://chat.example/hooks/T0/B0' }] });

export const patchAlertBody = z
  .strictObject({
    name: fields.name,
    url: fields.url,
    events: fields.events.describe('from now on'),
    language: fields.language,
    status: z
      .enum(['active', 'disabled'])
      .describe('`active` starts from nothing: what happened while it was disabled is not reported'),
  })
  .partial()
  .refine((body) => Object.keys(body).length > 0, 'names nothing to change')
  .meta({ examples: [{ status: 'disabled' }] });

const time = z.iso.datetime().nullable();

export const alertSchema = z
  .strictObject({
    id: idSchema,
    name: z.string(),
    kind: z.enum(alertKinds),
    url: z
      .string()
      .describe(
        'only its beginning: the whole address lets anyone post to your chat (`https://chat.example/hooks/…`)',
      ),
    events: z.array(z.enum(alertEvents)),
    language: z.enum(memberLanguages),
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
  })
  .meta({ id: 'Alert' });

export const testSchema = z.strictObject({
  delivered: z.boolean(),
  response_status: z.int().nullable().describe('of HTTP; null where there was no answer'),
  error: z.string().nullable(),
});

export const presentAlert = (row: AlertRow, key: SealingKey): z.infer<typeof alertSchema> => ({
  id: row.id,
  name: row.name,
  kind: row.kind,
  url: maskUrl(openUrl(key, row)),
  events: JSON.parse(row.events_json),
  language: row.language,
  status: row.status,
  disabled_reason: row.disabled_reason,
  last_sent_at: toIsoOrNull(row.last_sent_at),
  last_error: row.last_error,
  created_at: toIso(row.created_at),
});

/** What people write of it: it is disabled by itself too. */
export const alertVersion = wholeBut<z.infer<typeof alertSchema>>(
  'status',
  'disabled_reason',
  'last_sent_at',
  'last_error',
);

/** Another address that begins alike is a change too. */
export const auditedAlert = (row: AlertRow, key: SealingKey) => {
  const { last_sent_at: _, last_error: __, ...record } = presentAlert(row, key);
  return { ...record, url_fingerprint: urlFingerprint(key, openUrl(key, row)) };
};

/** `key` is 32 bytes, derived for alerts alone. Bound to the alert of that id. */
export const sealUrl = (key: SealingKey, id: string, url: string): Buffer => seal(key, Buffer.from(url), id);

/** Throws where it was sealed under another key or for another alert. */
export const openUrl = (key: SealingKey, { id, sealed_url }: { id: string; sealed_url: Buffer }): string =>
  unseal(key, sealed_url, id).toString();
