// The rates of each route, and how near it is to the guardrail's limits, as the API returns them.
import { z } from 'zod';
import { countFields } from '#src/accounts/counters/export-table.ts';
import { streams } from '#src/kernel/stream.ts';
import { daysQuery, rateFields } from './schema.ts';

const LONGEST_DAYS = 90;

export const ratesQuery = z.strictObject({
  ...daysQuery(LONGEST_DAYS).shape,
  route: z.string().max(63).toLowerCase().optional().describe('UUID or slug: of this route only'),
});

const share = z.number().nullable();
const ofDelivered = 'divided by sent and refused less all bounces; null if that is 0';

export const guardrailSchema = z.strictObject({
  window_from: z.iso
    .datetime()
    .describe('the window is 30 UTC days including today, or begins with the last resumption'),
  min_messages: z.int().describe('with fewer messages the guardrail does not pause'),
  bounce_limit: z.number(),
  complaint_limit: z.number(),
  messages: z.int().describe('sent and refused'),
  deliveries: z.int().describe('sent and refused, less all bounces'),
  hard_bounced: z.int(),
  complaints: z.int(),
  ...rateFields,
  hard_bounces_left: z
    .int()
    .describe(
      'how many more would pause if nothing else were sent; with fewer than `min_messages`: once that number is reached',
    ),
  complaints_left: z.int().describe('the same for complaints'),
  state: z
    .enum(['ok', 'watch', 'paused'])
    .describe('`watch`: half of a limit is reached; `paused`: this route has paused the practice'),
});

export const ratesSchema = z
  .strictObject({
    days: z.int(),
    from: z.iso.date().describe('first UTC day'),
    to: z.iso.date().describe('last UTC day: today'),
    routes: z.array(
      z.strictObject({
        route: z.strictObject({ id: z.uuid(), slug: z.string(), type: z.enum(streams) }),
        ...countFields,
        ...rateFields,
        open_rate: share.describe(`opens ${ofDelivered}`),
        click_rate: share.describe(`clicks ${ofDelivered}`),
        guardrail: guardrailSchema
          .nullable()
          .describe('null for who is limited to projects, on a route that all projects share'),
      }),
    ),
    per_day: z
      .array(z.strictObject({ day: z.iso.date(), ...countFields }))
      .describe('sums of these routes; only days with any mail, in order'),
  })
  .meta({ id: 'Rates' });
