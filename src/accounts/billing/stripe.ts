// Stripe as the payment provider, by its own library: hosted Checkout and customer portal, signed webhook events. The library is
// loaded at the first use, because it takes 20 MB. It sends no measurements, follows no redirect, which would take the key elsewhere,
// and tries nothing again: who asked does.
import type Stripe from 'stripe';
import { z } from 'zod';
import type { Config } from '#src/kernel/config/config.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Log } from '#src/kernel/log.ts';
import { say, type Text } from '#src/kernel/say.ts';
import { MINUTE, SECOND } from '#src/kernel/time.ts';
import { unfit, validate } from '#src/kernel/validate.ts';
import { type BillingProvider, type ProviderSubscription, subscriptionStatuses } from './provider.ts';

type StripeConfig = NonNullable<Config['billing']['stripe']>;

/** The time for a whole exchange, to the last byte of the answer. */
const TIMEOUT_MS = 10 * SECOND;
const RETRY_AFTER_S = 30;
/** How old a signature may be. */
const TOLERANCE_S = (5 * MINUTE) / SECOND;
/** A customer has one, and perhaps a few that have ended. */
const MAX_SUBSCRIPTIONS = 100;
/** The key of the practice's id in a subscription's metadata. */
const PRACTICE_ID = 'practice_id';

/** What a status that is new would mean for the plan is not guessed: the state stays as it was. */
const knownStatus = z.enum(subscriptionStatuses);

const milliseconds = (seconds: number | null | undefined): number | null =>
  seconds == null ? null : seconds * SECOND;

const present = (subscription: Stripe.Subscription): ProviderSubscription => {
  const periodEnd = subscription.items.data[0]?.current_period_end;
  return {
    id: subscription.id,
    practiceId: subscription.metadata[PRACTICE_ID] ?? null,
    status: knownStatus.parse(subscription.status),
    startedAt: subscription.start_date * SECOND,
    currentPeriodEnd: milliseconds(periodEnd),
    cancelsAt: milliseconds(subscription.cancel_at ?? (subscription.cancel_at_period_end ? periodEnd : null)),
    isCancelled: subscription.cancellation_details?.reason === 'cancellation_requested',
  };
};

/** What is read of an event; the provider names the customer in each that is about one. */
export const stripeEvent = z.object({
  id: z.string(),
  type: z.string(),
  data: z.object({ object: z.object({ customer: z.string().nullish() }) }),
});

const required = (url: string | null): string => {
  if (url === null) throw new Error('the provider made a page without an address');
  return url;
};

/** What it cannot do with our request, however often it is sent. */
const REFUSALS: ReadonlySet<string> = new Set([
  'StripeInvalidRequestError',
  'StripeAuthenticationError',
  'StripePermissionError',
]);

/** The texts of the library may show parts of keys, so they go nowhere. */
const refusalOf = (error: unknown, log: Log): AppError => {
  const { name, type, statusCode, code, requestId } = error as Partial<Stripe.errors.StripeError>;
  log.warn(
    { type: type ?? name, status: statusCode, code, request: requestId },
    'the payment provider fails a request',
  );
  return type !== undefined && REFUSALS.has(type)
    ? new AppError('conflict', say`The payment provider refuses the request.`, {
        hint: say`That is for the operator: the log names the reason; key and price are in \`billing.stripe\` of the configuration.`,
      })
    : new AppError('unavailable', say`The payment provider cannot be reached, or failed.`, {
        extra: { retry_after: RETRY_AFTER_S },
      });
};

/** Whether a customer was deleted at the provider, or is of another account there. */
const isOfNoCustomer = (error: unknown): boolean => {
  const { code, param } = error as Partial<Stripe.errors.StripeError>;
  return code === 'resource_missing' && param === 'customer';
};

const unsigned = (message: Text): AppError => unfit([{ path: 'headers.stripe-signature', message }]);

export const createStripe = (
  { api_base, price, secretKey, webhookSecret }: StripeConfig,
  log: Log,
): BillingProvider => {
  const { protocol, hostname, port } = new URL(api_base);
  const load = async (): Promise<Stripe> => {
    const { default: Library } = await import('stripe');
    return new Library(secretKey.reveal(), {
      protocol: protocol === 'http:' ? 'http' : 'https',
      host: hostname,
      port: port || (protocol === 'http:' ? 80 : 443),
      timeout: TIMEOUT_MS,
      maxNetworkRetries: 0,
      telemetry: false,
      httpClient: Library.createFetchHttpClient((...[url, init]: Parameters<typeof fetch>) =>
        fetch(url, { ...init, redirect: 'error' }),
      ),
    });
  };
  let loading: Promise<Stripe> | undefined;
  const library = (): Promise<Stripe> => {
    loading ??= load();
    return loading;
  };

  const call = async <T>(work: (stripe: Stripe) => Promise<T>, ofNoCustomer?: T): Promise<T> => {
    const stripe = await library();
    try {
      return await work(stripe);
    } catch (error) {
      if (ofNoCustomer !== undefined && isOfNoCustomer(error)) return ofNoCustomer;
      throw refusalOf(error, log);
    }
  };

  return {
    createCustomer: ({ id, slug }, former) =>
      call(async ({ customers }) => {
        const fields = { description: slug, metadata: { [PRACTICE_ID]: id } };
        return (await customers.create(fields, { idempotencyKey: `customer-${id}-${former ?? 'first'}` })).id;
      }),
    checkout: ({ customerId, practiceId, returnUrl, key, expiresAt }) =>
      call<string | null>(async ({ checkout }) => {
        const session = await checkout.sessions.create(
          {
            mode: 'subscription',
            customer: customerId,
            line_items: [{ price: price.supporter, quantity: 1 }],
            subscription_data: { metadata: { [PRACTICE_ID]: practiceId } },
            // The page there waits for the event of the payment.
            success_url: `${returnUrl}?paid=1`,
            cancel_url: returnUrl,
            expires_at: Math.floor(expiresAt / SECOND),
          },
          { idempotencyKey: key },
        );
        return required(session.url);
      }, null),
    portal: (customerId, returnUrl) =>
      call<string | null>(async ({ billingPortal }) => {
        const session = await billingPortal.sessions.create({ customer: customerId, return_url: returnUrl });
        return required(session.url);
      }, null),
    customerInEvent: async (bytes, signature, now) => {
      const { webhooks } = await library();
      let event: unknown;
      try {
        event = webhooks.constructEvent(
          Buffer.from(bytes),
          signature,
          webhookSecret.reveal(),
          TOLERANCE_S,
          undefined,
          now,
        );
      } catch {
        throw unsigned(
          say`expected a signature of these bytes by the webhook secret, from the last 5 minutes`,
        );
      }
      return validate(stripeEvent, event, 'body').data.object.customer ?? null;
    },
    subscriptions: (customerId) =>
      call(async ({ subscriptions }) => {
        const wanted = { customer: customerId, status: 'all', limit: MAX_SUBSCRIPTIONS } as const;
        return (await subscriptions.list(wanted)).data.map(present);
      }, []),
  };
};
