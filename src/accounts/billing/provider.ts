// What billing asks of a payment provider. Cards and addresses are entered on the provider's own pages: what comes back here is
// the state of a subscription, and nothing about how it is paid.

/** `past_due`: a payment failed and is tried again. `unpaid`, `canceled`, `incomplete_expired`: nothing more is tried. */
export const subscriptionStatuses = [
  'incomplete',
  'incomplete_expired',
  'trialing',
  'active',
  'past_due',
  'canceled',
  'unpaid',
  'paused',
] as const;
export type SubscriptionStatus = (typeof subscriptionStatuses)[number];

/** Times in milliseconds. */
export interface ProviderSubscription {
  readonly id: string;
  /** Noted at the checkout; null where the subscription was not made by one of ours. */
  readonly practiceId: string | null;
  readonly status: SubscriptionStatus;
  readonly startedAt: number;
  readonly currentPeriodEnd: number | null;
  readonly cancelsAt: number | null;
  /** Whether its end was asked for; payments that failed end one, too. */
  readonly isCancelled: boolean;
}

export interface Checkout {
  readonly customerId: string;
  readonly practiceId: string;
  /** The address to which the provider's page leads in the end. */
  readonly returnUrl: string;
  /** Checkouts under one key are one: the second has the address of the first. */
  readonly key: string;
  /** When nothing can be paid on the page any more; at least half an hour ahead. */
  readonly expiresAt: number;
}

/**
 * Each call ends within seconds. They reject with `unavailable` where the provider cannot be reached or fails, and with `conflict`
 * where it refuses, which is for the operator to put right.
 */
export interface BillingProvider {
  /**
   * The same customer for the same practice, also where the answer to an earlier call was lost. `former`: the practice's customer
   * that the provider no longer has.
   */
  createCustomer(
    practice: { readonly id: string; readonly slug: string },
    former: string | undefined,
  ): Promise<string>;
  /** Address of a page on which the plan Supporter is paid for; null where the provider no longer has the customer. */
  checkout(wanted: Checkout): Promise<string | null>;
  /** Address of a page on which the customer changes how it is paid, reads invoices and cancels; null as at `checkout`. */
  portal(customerId: string, returnUrl: string): Promise<string | null>;
  /**
   * The customer that an event is about; null where it is about none. Throws `invalid_request` unless the provider has signed these
   * bytes within the last minutes.
   */
  customerInEvent(bytes: Uint8Array, signature: string, now: number): Promise<string | null>;
  /** All of a customer, also those that have ended, as they are now; none where the provider no longer has the customer. */
  subscriptions(customerId: string): Promise<readonly ProviderSubscription[]>;
}
