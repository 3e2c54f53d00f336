// Webhooks and their deliveries as the API takes and shows them, and the body of a delivery. The body is composed at each attempt
// out of what never changes, so that one id always has the same bytes.
import { z } from 'zod';
import { eventTypes, TEST_EVENT } from '#src/events/catalogue.ts';
import { disabledReasons } from '#src/followers/disabling.ts';
import { idSchema } from '#src/kernel/fields.ts';
import { listQuery } from '#src/kernel/list.ts';
import { nearest } from '#src/kernel/nearest.ts';
import { say } from '#src/kernel/say.ts';
import { toIso } from '#src/kernel/time.ts';
import { because } from '#src/kernel/validate.ts';
import { lineSchema } from '#src/mail/line-schema.ts';
import type { PublishedEvent } from '#src/messages/published-event.ts';
import type { WebhookRow } from './store.ts';

const MAX_NAME = 100;
/** The guard lets no longer one pass. */
const MAX_URL = 2_048;

/** Read together, in a millisecond. */
export const HEALTH_DELIVERIES = 1_000;

export const inboundMails = ['small', 'whole'] as const;
export const webhookStatuses = ['active', 'disabled'] as const;
export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const;

/** A test goes to the webhook it is asked for, whether that names it or not. */
export const subscribable = [...eventTypes, TEST_EVENT] as const;

const eventName = z
  .enum(subscribable, {
    error: ({ input }) => {
      if (typeof input !== 'string') return undefined;
      const meant = nearest(input, subscribable);
      return because(
        meant === undefined
          ? say`no such event; /reference lists them`
          : say`no such event; did you mean \`${meant}\`?`,
      );
    },
  })
  .meta({ id: 'WebhookEvent' });

const isEachOnce = (events: readonly string[]): boolean => new Set(events).size === events.length;

const given = {
  name: lineSchema(MAX_NAME),
  url: z.string().trim().min(1).max(MAX_URL).describe('public HTTPS address that events are POSTed to'),
  events: z
    .array(eventName)
    .min(1)
    .max(subscribable.length)
    .refine(isEachOnce, 'name each event once')
    .describe('names of the events that it gets; `inbound.received` also needs `inbound.view`'),
};
const inboundMail = z
  .enum(inboundMails)
  .describe(
    'of `inbound.received`: links only, or `whole`: the mail as JSON in `data.mail`. Who gives that, or changes the address or the events of a webhook that has it, needs `inbound.view` and `messages.view_content`, and no token that expires or is limited to addresses',
  );

export const createWebhookBody = z
  .strictObject({ ...given, inbound_mail: inboundMail.default('small') })
  .meta({
    examples: [
      {
        name: 'Praxissoftware',
        url: 'https://praxis.example/ereignisse',
        events: ['message.delivered', 'message.hard_bounced'],
      },
    ],
  });

export const patchWebhookBody = z
  .strictObject({
    ...given,
    inbound_mail: inboundMail,
    status: z
      .enum(webhookStatuses)
      .describe('`active` enables it again; while it is `disabled` its events become failed deliveries'),
  })
  .partial()
  .refine((body) => Object.keys(body).length > 0, 'name what is to be changed')
  .meta({ examples: [{ events: ['message.hard_bounced'] }] });

export const rotateBody = z
  .strictObject({
    revoke_previous: z
      .boolean()
      .default(false)
      .describe('the former secret signs no more from now on: for one that has become known'),
  })
  .default({ revoke_previous: false })
  .meta({ examples: [{ revoke_previous: true }] });

export const replayBody = z
  .strictObject({
    since: z.iso.datetime({ offset: true }).describe('of the failure; as far back as deliveries are kept'),
    until: z.iso
      .datetime({ offset: true })
      .optional()
      .describe('failures at this time or later are left alone; until now where absent'),
  })
  .meta({ examples: [{ since: '2026-11-20T08:00:00Z' }] });

export const deliveriesQuery = z.strictObject({
  ...listQuery,
  status: z.enum(deliveryStatuses).optional(),
  event: eventName.optional(),
});

const time = z.iso.datetime();

export const webhookSchema = z
  .strictObject({
    id: idSchema,
    name: z.string(),
    url: z.string(),
    events: z.array(z.enum(subscribable)),
    inbound_mail: z.enum(inboundMails),
    status: z.enum(webhookStatuses),
    disabled_reason: z
      .enum(disabledReasons)
      .nullable()
      .describe(
        '`gone`: the address answered 410; `failing`: it took nothing for days; `manual`: a member, token or the operator did',
      ),
    failing_since: time.nullable().describe('the first failure since the last success'),
    previous_secret_until: time
      .nullable()
      .describe('until then the secret before the last rotation signs too'),
    created_at: time,
  })
  .meta({ id: 'Webhook' });

export const webhookWithSecret = webhookSchema
  .extend({
    secret: z.string().describe('signs what is delivered; shown this once'),
  })
  .meta({ id: 'WebhookWithSecret' });

export const deliverySchema = z
  .strictObject({
    id: idSchema.describe('of the envelope, and `webhook-id`; stays at a replay'),
    event: z.enum(subscribable),
    event_id: idSchema.nullable().describe('null of a test, and of an event that is no longer kept'),
    message_id: idSchema.nullable().describe('null where the event is about no message'),
    attempts: z.int().describe('those of all replays together'),
    status: z.enum(deliveryStatuses),
    response_status: z.int().nullable().describe('of the last attempt; null where there was no answer'),
    response_excerpt: z.string().nullable().describe('the first KiB of the last answer'),
    error: z.string().nullable().describe('why the last attempt failed'),
    next_attempt_at: time
      .nullable()
      .describe('null also while an earlier one of the same message is to go first'),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'Delivery' });

export const deliveryWithBody = deliverySchema
  .extend({
    body: z
      .string()
      .nullable()
      .describe(
        'as it is sent, but for a whole mail in `data.mail`; null where the event, or its mail, is no longer kept',
      ),
  })
  .meta({ id: 'DeliveryWithBody' });

export const webhookHealthSchema = z
  .strictObject({
    deliveries: z
      .int()
      .describe(`the newest ones, ${HEALTH_DELIVERIES} at most; those that are pending among them`),
    delivered: z.int(),
    failed: z.int().describe('given up'),
    success_rate: z
      .number()
      .nullable()
      .describe('delivered divided by delivered and failed; null if there is none'),
    last_success_at: time.nullable().describe('among these deliveries, as `last_failure_at`'),
    last_failure_at: time.nullable().describe('also of an attempt that is followed by others'),
    last_error: z.string().nullable().describe('since the last success; null where nothing failed since'),
    waiting: z.int().describe('pending deliveries, also older ones; 10,000 at most'),
    oldest_waiting_since: time.nullable(),
  })
  .meta({ id: 'WebhookHealth' });

export const replayedSchema = z.strictObject({
  replayed: z.int().describe('deliveries that are pending again'),
  more: z.boolean().describe('whether others are left: ask again'),
});

const deliveryId = z
  .uuid()
  .describe('of the delivery, as `webhook-id`: the same at each attempt and each replay')
  .meta({ id: 'DeliveryID' });
const eventTime = z.iso.datetime().describe('when it happened').meta({ id: 'EventTime' });

/** What is around the `data` of every event. */
export const envelopeSchema = <Data extends z.ZodType>(event: string, data: Data) =>
  z.strictObject({
    id: deliveryId,
    event: z.literal(event).describe('name of the event'),
    timestamp: eventTime,
    data,
  });

export const testDataSchema = z.strictObject({
  webhook_id: z.uuid(),
  webhook_name: z.string(),
});

/** `id`: of the delivery, UUID. */
export const envelopeOf = (id: string, { event, timestamp, data }: PublishedEvent): string =>
  JSON.stringify({ id, event, timestamp, data });

export const testEnvelope = (id: string, webhook: Pick<WebhookRow, 'id' | 'name'>, at: number): string => {
  const data: z.infer<typeof testDataSchema> = { webhook_id: webhook.id, webhook_name: webhook.name };
  return envelopeOf(id, { event: TEST_EVENT, timestamp: toIso(at), data });
};
