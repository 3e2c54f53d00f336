// Plan, usage and subscription of a practice as the API shows them.
import { z } from 'zod';
import { monthOf, noticeShares } from '#src/accounts/counters/rules.ts';
import { counterStore } from '#src/accounts/counters/store.ts';
import { type Plan, planNames, plans } from '#src/accounts/tenants/rules.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { waitedFor } from '#src/accounts/waitlist/store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { DAY, toIso, toIsoOrNull } from '#src/kernel/time.ts';
import { subscriptionStatuses } from './provider.ts';
import { isSubscribed } from './rules.ts';
import { type BillingRow, billingStore } from './store.ts';

export const billingProviders = ['none', 'stripe'] as const;
export type ProviderName = (typeof billingProviders)[number];

const ways = ['default', 'checkout', 'waiting_list', 'operator'] as const;

const when = z.iso.datetime();

export const subscriptionSchema = z
  .strictObject({
    status: z
      .enum(subscriptionStatuses)
      .describe('as the provider reports it; past_due: a payment failed and is tried again'),
    since: when,
    current_period_end: when.nullable().describe('until when it is paid, or to be paid'),
    cancels_at: when.nullable().describe('when it ends, because it was cancelled'),
    grace_until: when.nullable().describe('until when the plan is kept although a payment failed'),
  })
  .meta({ id: 'PlanSubscription' });

export const billingSchema = z
  .strictObject({
    plan: z.enum(planNames),
    monthly_cap: z.int(),
    used: z.int().describe('mails accepted in this UTC month, one per recipient'),
    share: z.number().describe('of the cap; 1 is all of it'),
    thresholds_reached: z
      .array(z.int())
      .describe('of 70, 90 and 100 per cent of the cap, those reached this month; owners get a mail at each'),
    resets_at: when,
    provider: z.enum(billingProviders).describe('of payments; none: paid plans are given by the operator'),
    plans: z.array(
      z.strictObject({
        plan: z.enum(planNames),
        monthly_cap: z.int(),
        euro_per_month: z.int().nullable().describe('null: by agreement'),
        by: z
          .enum(ways)
          .describe(
            'how to get it. default: every new practice has it; checkout: POST …/billing/checkout; waiting_list: POST /api/public/waitlist; operator: ask the operator',
          ),
      }),
    ),
    subscription: subscriptionSchema.nullable().describe('to the plan Supporter; null: there was none'),
  })
  .meta({ id: 'Billing' });

const isWaitedFor = (plan: Plan): boolean => (waitedFor as readonly Plan[]).includes(plan);

/** `hasList`: whether the operator has the waiting list on. */
const wayTo = (plan: Plan, provider: ProviderName, hasList: boolean): (typeof ways)[number] => {
  if (plan === 'test') return 'default';
  if (isWaitedFor(plan)) return hasList ? 'waiting_list' : 'operator';
  return provider === 'none' ? 'operator' : 'checkout';
};

const presentSubscription = (row: BillingRow | undefined): z.infer<typeof subscriptionSchema> | null =>
  row === undefined || row.status === null || row.since === null
    ? null
    : {
        status: row.status,
        since: toIso(row.since),
        current_period_end: toIsoOrNull(row.current_period_end),
        cancels_at: isSubscribed(row) ? toIsoOrNull(row.cancels_at) : null,
        grace_until: toIsoOrNull(row.grace_until),
      };

export const presentBilling = (
  db: TenantDb,
  provider: ProviderName,
  hasList: boolean,
  now: number,
): z.infer<typeof billingSchema> => {
  const { plan } = tenantStore(db).practice();
  const cap = plans[plan].monthlyCap;
  const month = monthOf(now);
  const used = counterStore(db).usage(month.name).accepted;
  return {
    plan,
    monthly_cap: cap,
    used,
    share: used / cap,
    thresholds_reached: noticeShares.filter((share) => used * 100 >= cap * share),
    resets_at: toIso(month.nextFirstDay * DAY),
    provider,
    plans: planNames.map((name) => ({
      plan: name,
      monthly_cap: plans[name].monthlyCap,
      euro_per_month: plans[name].euroPerMonth,
      by: wayTo(name, provider, hasList),
    })),
    subscription: presentSubscription(billingStore(db).get()),
  };
};
