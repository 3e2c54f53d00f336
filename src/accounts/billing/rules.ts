// What follows from the state of a subscription: the plan, the grace time after a failed payment, and what the owners are
// notified of. Only the plans Test and Supporter follow it; the others are the operator's.
import type { Plan } from '#src/accounts/tenants/rules.ts';
import { DAY, HOUR } from '#src/kernel/time.ts';
import type { ProviderSubscription, SubscriptionStatus } from './provider.ts';
import type { BillingRow } from './store.ts';

/** Nothing follows on these: a new subscription takes a new checkout. */
const ended: ReadonlySet<SubscriptionStatus> = new Set(['canceled', 'incomplete_expired']);

/** There is one that the portal is for. */
export const isSubscribed = ({ status }: { readonly status: SubscriptionStatus | null }): boolean =>
  status !== null && !ended.has(status);

const paid: ReadonlySet<SubscriptionStatus> = new Set(['active', 'trialing']);

/** Whether the plan Supporter is paid for at that time, or may still be. */
const isEntitled = (
  status: SubscriptionStatus | null,
  graceUntil: number | null,
  at: number | null,
): boolean =>
  (status !== null && paid.has(status)) || (graceUntil !== null && at !== null && at < graceUntil);

const order: readonly SubscriptionStatus[] = [
  'active',
  'trialing',
  'past_due',
  'unpaid',
  'paused',
  'incomplete',
  'canceled',
  'incomplete_expired',
];

/** The one that counts, in whatever order they come: the best paid one, of several the newest. */
const chooseSubscription = (all: readonly ProviderSubscription[]): ProviderSubscription | undefined =>
  all.toSorted(
    (a, b) =>
      order.indexOf(a.status) - order.indexOf(b.status) ||
      b.startedAt - a.startedAt ||
      (a.id < b.id ? -1 : 1),
  )[0];

/** The practice's among all of its customer. The one that it had and that the provider no longer lists has ended. */
export const subscriptionOf = (
  practiceId: string,
  before: BillingRow,
  all: readonly ProviderSubscription[],
): ProviderSubscription | undefined =>
  chooseSubscription(all.filter((one) => one.practiceId === practiceId)) ??
  all.find(({ id }) => id === before.subscription_id) ??
  (before.subscription_id === null || before.since === null
    ? undefined
    : {
        id: before.subscription_id,
        practiceId,
        status: 'canceled',
        startedAt: before.since,
        currentPeriodEnd: before.current_period_end,
        cancelsAt: before.cancels_at,
        isCancelled: false,
      });

/**
 * Begins with a payment that failed and ends when it is paid, or by its time: the owners were notified of it, so it holds also
 * where the provider gives up earlier. None is left where the subscription is cancelled, or ends after the plan was another.
 */
const graceOf = (
  before: BillingRow,
  found: ProviderSubscription,
  plan: Plan,
  unlessKnown: number,
): number | null => {
  if (paid.has(found.status)) return null;
  if (found.status === 'canceled' && (found.isCancelled || plan !== 'supporter')) return null;
  if (found.status !== 'past_due') return before.grace_until;
  // A new subscription that fails was paid before.
  return (before.subscription_id === found.id ? before.grace_until : null) ?? unlessKnown;
};

export interface Followed {
  readonly row: BillingRow;
  readonly plan: Plan;
}

/** `before` has the same customer. */
export const followSubscription = (
  before: BillingRow,
  found: ProviderSubscription,
  plan: Plan,
  now: number,
  grace: number,
): Followed => {
  const graceUntil = graceOf(before, found, plan, now + grace);
  const isPaid = isEntitled(found.status, graceUntil, now);
  // A plan that the operator gave without a subscription is not taken away by one that ended before.
  const wasPaid = isEntitled(before.status, before.grace_until, before.confirmed_at);
  const next =
    isPaid && plan === 'test' ? 'supporter' : !isPaid && wasPaid && plan === 'supporter' ? 'test' : plan;
  const notice =
    next !== plan && next === 'test'
      ? 'plan_ended'
      : next === 'supporter' && graceUntil !== null && graceUntil !== before.grace_until
        ? 'payment_failed'
        : undefined;
  const isOver = isPaid && graceUntil === null;
  const row: BillingRow = {
    ...before,
    // With another subscription the checkout is over.
    checkout_at: found.id === before.subscription_id ? before.checkout_at : null,
    subscription_id: found.id,
    status: found.status,
    since: found.startedAt,
    current_period_end: found.currentPeriodEnd,
    cancels_at: found.cancelsAt,
    grace_until: graceUntil,
    confirmed_at: now,
    ...(notice === undefined ? {} : { notice, notice_at: now }),
    ...(isOver ? { notice: null, notice_at: null } : {}),
  };
  return { row, plan: next };
};

/** The provider repeats its events for three days; a checkout that was begun is over by then, too. */
const CHECKOUT_MS = 3 * DAY;
/** Less than a day: the nightly round must not find that almost one has passed. */
const ASK_AFTER_MS = 20 * HOUR;

/** Whether the provider is to be asked although it reports nothing: its events may have been lost. */
export const isDue = (row: BillingRow, now: number): boolean => {
  const confirmedAt = row.confirmed_at ?? 0;
  const graceEnded = row.grace_until !== null && confirmedAt < row.grace_until && now >= row.grace_until;
  const isOpen = isSubscribed(row) || (row.checkout_at !== null && now - row.checkout_at < CHECKOUT_MS);
  return graceEnded || (isOpen && now - confirmedAt >= ASK_AFTER_MS);
};
