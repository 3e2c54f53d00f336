// Rates per route and how near the guardrail each is, as the API shows them.
import { z } from 'zod';
import { streams } from '#src/kernel/stream.ts';
import { daysQuery, rateFields } from './schema.ts';

const LONGEST_DAYS = 90;

export const ratesQuery = z.strictObject({
  ...daysQuery(LONGEST_DAYS).shape,
  route: z.string().max(63).toLowerCase().optional().describe('UUID or slug: of this route only'),
});

const counts = {
  accepted: z.int().describe('mails, one a recipient'),
  sent: z.int().describe('taken by the upstream'),
  refused: z.int().describe('for good by the upstream: never sent'),
  delivered: z.int().describe('as far as the upstream tells'),
  hard_bounced: z.int(),
  soft_bounced: z.int(),
  complaints: z.int(),
  unsubscribes: z.int(),
  opens: z.int().describe('recipients who opened, machines not counted'),
  clicks: z.int().describe('recipients who followed a link, machines not counted'),
};

const share = z.number().nullable();
const ofDelivered =
  'by delivered, or by sent where less than half of it is told delivered; null where there is none';

const guardrailSchema = z.strictObject({
  window_from: z.iso.datetime().describe('30 UTC days, today among them, or since the last resumption'),
  min_messages: z.int().describe('with fewer it does not pause'),
  bounce_limit: z.number(),
  complaint_limit: z.number(),
  messages: z.int().describe('sent and refused'),
  deliveries: z.int().describe('delivered, or sent where less than half of it is told delivered'),
  hard_bounced: z.int(),
  complaints: z.int(),
  ...rateFields,
  hard_bounces_left: z
    .int()
    .describe(
      'so many more pause, were nothing else sent; with fewer than `min_messages`: at the last of those',
    ),
  complaints_left: z.int().describe('likewise'),
  state: z
    .enum(['ok', 'watch', 'paused'])
    .describe('`watch`: half of a limit is reached; `paused`: this route has paused the practice'),
});

export const ratesSchema = z.strictObject({
  days: z.int(),
  from: z.iso.date().describe('first UTC day'),
  to: z.iso.date().describe('last UTC day: today'),
  routes: z.array(
    z.strictObject({
      route: z.strictObject({ id: z.uuid(), slug: z.string(), type: z.enum(streams) }),
      ...counts,
      ...rateFields,
      open_rate: share.describe(`opens ${ofDelivered}`),
      click_rate: share.describe(`clicks ${ofDelivered}`),
      guardrail: guardrailSchema,
    }),
  ),
  per_day: z
    .array(z.strictObject({ day: z.iso.date(), ...counts }))
    .describe('of these routes together, days with any, in their order'),
});
