// The checklist, wizard, overview and channel mix of a practice, as the API returns them.
import { z } from 'zod';
import { practiceSchema } from '#src/accounts/tenants/schema.ts';
import { purposes, recordStatuses } from '#src/domains/records/host-check.ts';
import { streams } from '#src/kernel/stream.ts';
import { channels } from '#src/messages/kinds.ts';
import { checkIds } from './rules.ts';

export const goLiveSchema = z
  .strictObject({
    ready: z.boolean().describe('all required checks are passed'),
    safe_mode: z.boolean(),
    live: z
      .boolean()
      .describe('mail to any address is sent: the practice is neither in safe mode nor paused'),
    checks: z.array(
      z.strictObject({
        id: z.enum(checkIds),
        ok: z.boolean(),
        required: z.boolean().describe('false: the check is only advice'),
        title: z.string(),
        hint: z.string().describe('what to do; empty if the check is passed'),
      }),
    ),
  })
  .meta({ id: 'GoLive' });

const stepIds = ['practice', 'legal', 'domain', 'dns', 'token', 'test_message', 'team', 'go_live'] as const;

export const onboardingSchema = z
  .strictObject({
    steps: z.array(
      z.strictObject({
        id: z.enum(stepIds),
        done: z.boolean(),
        optional: z.boolean(),
        title: z.string(),
        hint: z.string(),
        action: z.strictObject({ method: z.enum(['GET', 'POST', 'PATCH']), path: z.string() }),
      }),
    ),
    current: z.enum(stepIds).nullable().describe('the first required step that is not done'),
    complete: z.boolean(),
  })
  .meta({ id: 'Onboarding' });

const practice = practiceSchema.shape;
const share = z.number().nullable().describe('null if nothing was sent');

/** Several reports show these two rates, with the same arithmetic. */
export const rateFields = {
  bounce_rate: z
    .number()
    .nullable()
    .describe('hard bounces divided by sent and refused; null if there is none of these'),
  complaint_rate: z
    .number()
    .nullable()
    .describe('complaints divided by sent and refused less all bounces; null if that is 0'),
};

export const overviewSchema = z
  .strictObject({
    practice: z.strictObject({
      id: practice.id,
      name: practice.name,
      slug: practice.slug,
      created_at: practice.created_at,
    }),
    plan: z.strictObject({
      plan: practice.plan,
      monthly_cap: practice.monthly_cap,
      used: z
        .int()
        .nullable()
        .describe(
          'mails accepted in this UTC month, one per recipient; null for who is limited to projects, for the cap is that of all',
        ),
      share: z.number().nullable().describe('share of the cap; 1 means all of it; null as `used`'),
      resets_at: z.iso.datetime(),
    }),
    sending: z.strictObject({
      status: practice.status,
      pause: practice.pause,
      safe_mode: practice.safe_mode,
    }),
    domain: z.strictObject({
      domain: practice.domain,
      domain_kind: practice.domain_kind,
      pending_domain: practice.pending_domain,
      managed_host: practice.managed_host,
      default_from: practice.default_from,
    }),
    dns: z
      .strictObject({
        host: z.string(),
        pending: z.boolean().describe('the records are those of a domain that is not in use yet'),
        ok: z.boolean().nullable().describe('null: never checked'),
        checked_at: z.iso
          .datetime()
          .nullable()
          .describe('null also for a managed host, whose records the service serves'),
        failing: z.array(
          z.strictObject({
            purpose: z.enum([...purposes, 'apex_mx']),
            type: z.enum(['CNAME', 'MX', 'TXT']),
            name: z.string(),
            status: z.enum([...recordStatuses, 'conflict']),
            hint: z.string(),
          }),
        ),
      })
      .describe('result of the last check'),
    warmup: practice.warmup,
    reputation: z.strictObject({
      days: z.int().describe('number of UTC days, including today'),
      routes: z.array(
        z.strictObject({
          route: z.strictObject({ id: z.uuid(), slug: z.string(), type: z.enum(streams) }),
          sent: z.int().describe('accepted by the upstream'),
          refused: z.int().describe('permanently refused by the upstream, so never sent'),
          delivered: z.int(),
          hard_bounced: z.int(),
          soft_bounced: z.int(),
          complaints: z.int(),
          ...rateFields,
          counts_towards_guardrail: z
            .boolean()
            .nullable()
            .describe(
              'at least 20 were sent or refused in the window, which begins with the last resumption if that is later; null for who is limited to projects, on a route that all projects share',
            ),
        }),
      ),
    }),
    go_live: z.strictObject({
      ready: z.boolean(),
      remaining: z.array(z.enum(checkIds)).describe('required checks that are not passed'),
    }),
  })
  .meta({ id: 'Overview' });

const perChannel = z.record(z.enum(channels), z.int());

export const channelMixSchema = z
  .strictObject({
    days: z.int(),
    from: z.iso.date().describe('first UTC day'),
    to: z.iso.date().describe('last UTC day: today'),
    mails: z.int().describe('accepted mails, one per recipient'),
    channels: z.array(z.strictObject({ channel: z.enum(channels), mails: z.int(), share })),
    per_day: z
      .array(z.strictObject({ day: z.iso.date(), channels: perChannel }))
      .describe('only days with any mail, in order'),
  })
  .meta({ id: 'ChannelMix' });

/** The query of a report over the last days; `most` is the largest number allowed. */
export const daysQuery = (most: number) =>
  z.strictObject({
    days: z.coerce
      .number()
      .int()
      .min(1)
      .max(most)
      .default(30)
      .describe(`how far back, 1 to ${most}`)
      .meta({ examples: [7] }),
  });
