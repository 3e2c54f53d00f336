// What health shows of the upstreams and of the queue.
import { z } from 'zod';
import { healthPart } from '#src/kernel/health.ts';
import { toIsoOrNull } from '#src/kernel/time.ts';
import { undeliveredReasons } from './upstream.ts';

const upstreamSchema = z.object({
  name: z.string(),
  kind: z.string(),
  state: z.enum(['closed', 'open', 'half_open']).describe('of its breaker: open while it is set aside'),
  retry_at: z.iso.datetime().nullable().describe('when it is tried again'),
  delivered_on: z.enum(['dsn', 'accept']).nullable(),
  dsn: z.boolean().nullable().describe('whether it offers delivery notices; without, mail stays `processed`'),
  never_delivered: z
    .enum(undeliveredReasons)
    .nullable()
    .describe('why no mail that it takes becomes `delivered`; null where one may'),
});

const wholeSchema = z.object({
  ...upstreamSchema.shape,
  failures: z.int().describe('in a row, of the upstream itself'),
});

export type UpstreamHealth = z.output<typeof wholeSchema>;

export const relayHealth = (
  upstreams: () => UpstreamHealth[],
  queue: () => { waiting_tenants: number; in_flight: number; next_due_at: number | null },
) => ({
  upstreams: healthPart({
    schema: z.array(wholeSchema),
    now: upstreams,
    state: (all) => (all.every(({ state }) => state === 'closed') ? 'ok' : 'degraded'),
    shown: z.array(upstreamSchema),
  }),
  queue: healthPart({
    schema: z.strictObject({
      waiting_tenants: z.int(),
      in_flight: z.int(),
      next_due_at: z.iso.datetime().nullable(),
    }),
    now: () => {
      const { next_due_at, ...counts } = queue();
      return { ...counts, next_due_at: toIsoOrNull(next_due_at) };
    },
  }),
});
