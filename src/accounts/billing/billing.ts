// Billing: what a practice uses of its plan, how it pays for the plan Supporter, and what the payment provider reports. Without a
// provider all of it is there but the paying.
import { z } from 'zod';
import type { OwnerNoticesDeps } from '#src/accounts/mails/outbox.ts';
import { planNames } from '#src/accounts/tenants/rules.ts';
import { tenantParams } from '#src/accounts/tenants/schema.ts';
import type { Base, Room } from '#src/kernel/base.ts';
import { AppError } from '#src/kernel/errors.ts';
import { asItComes } from '#src/kernel/fields.ts';
import { defineRoute } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import { createPages } from './checkout.ts';
import { createConfirm } from './confirm.ts';
import { billingSchema, presentBilling } from './schema.ts';
import { createStripe, stripeEvent } from './stripe.ts';

const TAG = 'Billing';
const KIB = 1_024;
/** Events hold one object of the provider: some kilobytes. */
const EVENT_BYTES = 256 * KIB;

const checkoutBody = z
  .strictObject({ plan: z.enum(planNames).prefault('supporter') })
  .prefault({})
  .meta({ examples: [{ plan: 'supporter' }] });

const eventBody = asItComes(stripeEvent, {
  description: 'An event as the provider sends and signs it. Only the customer that it names is read.',
  examples: [
    {
      id: 'evt_0000',
      object: 'event',
      type: 'customer.subscription.updated',
      data: { object: { object: 'subscription', customer: 'cus_0000' } },
    },
  ],
});

const pageSchema = z.strictObject({ url: z.string().describe("of the payment provider's own page") });

const checkoutOfOther = (plan: string): AppError =>
  new AppError('conflict', say`The plan ${plan} is not sold by checkout.`, {
    hint: say`POST /api/public/waitlist enters an address for termin, praxis and gruppe; the operator assigns them.`,
  });

export const openBilling = (base: Base, ownerNotices: OwnerNoticesDeps) => {
  const { storage, clock, log, config } = base;
  const { provider: name, grace, stripe } = config().billing;
  const hasList = config().service.waiting_list;
  const configured = () => {
    if (stripe === null) return null;
    const provider = createStripe(stripe, log);
    const deps = { ...ownerNotices, provider, grace };
    const following = createConfirm(deps);
    return { provider, ...following, ...createPages(deps, following) };
  };
  const billing = configured();
  const required = () => {
    if (billing) return billing;
    throw new AppError('billing_not_configured', say`Payments are not set up in this service.`, {
      hint: say`The operator has configured no payment provider. Ask the operator for a larger plan.`,
    });
  };

  const routes = [
    defineRoute({
      method: 'get',
      path: '/api/practices/{id}/billing',
      tag: TAG,
      id: 'getBilling',
      summary: 'Plan, usage and subscription',
      access: 'billing.manage',
      stability: 'stable',
      params: tenantParams,
      responses: { 200: { description: 'As last confirmed by the provider.', body: billingSchema } },
      handle: async ({ params }) => ({
        status: 200,
        body: await storage.tenants.read(params.id, (db) => presentBilling(db, name, hasList, clock.now())),
      }),
    }),
    defineRoute({
      method: 'post',
      path: '/api/practices/{id}/billing/checkout',
      tag: TAG,
      id: 'beginCheckout',
      summary: 'Pay for the plan Supporter',
      description:
        "The answer has the address of the payment provider's page. The plan follows once the provider reports the subscription, usually within seconds of the payment. It can be paid on for half an hour; asked again until then, it is the same page.",
      access: 'billing.manage',
      audit: 'billing.checkout',
      stability: 'stable',
      params: tenantParams,
      body: checkoutBody,
      responses: { 200: { description: 'Where the owner pays.', body: pageSchema } },
      errors: ['billing_not_configured', 'conflict'],
      handle: async ({ params, body: { plan } }, { change }) => {
        const { checkout } = required();
        if (plan !== 'supporter') throw checkoutOfOther(plan);
        return { status: 200, body: { url: await checkout(params.id, plan, change) } };
      },
    }),
    defineRoute({
      method: 'post',
      path: '/api/practices/{id}/billing/portal',
      tag: TAG,
      id: 'openBillingPortal',
      summary: 'Change how it is paid, read invoices, cancel',
      access: 'billing.manage',
      audit: 'billing.portal',
      stability: 'stable',
      params: tenantParams,
      responses: { 200: { description: "The payment provider's page for this customer.", body: pageSchema } },
      errors: ['billing_not_configured', 'conflict'],
      handle: async ({ params }, { change }) => ({
        status: 200,
        body: { url: await required().portal(params.id, change) },
      }),
    }),
    defineRoute({
      method: 'post',
      path: '/api/public/billing/stripe',
      tag: TAG,
      id: 'reportBillingEvent',
      summary: 'Report a change of a subscription',
      description:
        'For the payment provider, whose signature is checked. The event only says which customer to ask the provider about, so that a repetition, a late event, and another order change nothing. After any answer but 200 the provider sends it again.',
      access: 'public',
      audit: { none: 'the provider reports; a change of the plan is in the audit by itself' },
      stability: 'stable',
      headers: z.object({
        'Stripe-Signature': z
          .string()
          .describe('`t=<seconds>,v1=<HMAC>`')
          .meta({ examples: ['t=1700000000,v1=5257a869'] }),
      }),
      body: eventBody,
      text: ['application/json'],
      bodyLimit: EVENT_BYTES,
      responses: {
        200: {
          description: 'The subscription was asked for, or the event is about none.',
          body: z.strictObject({ received: z.literal(true) }),
        },
      },
      errors: ['billing_not_configured', 'conflict'],
      handle: async ({ body }, { header }) => {
        const { provider, confirm } = required();
        const bytes = body instanceof Uint8Array ? body : new Uint8Array();
        const customerId = await provider.customerInEvent(
          bytes,
          header('stripe-signature') ?? '',
          clock.now(),
        );
        if (customerId !== null) await confirm(customerId);
        return { status: 200, body: { received: true } };
      },
    }),
  ];

  return {
    routes,
    nightly: billing ? [billing.nightly] : [],
    /** Resolves when mails in the making are in the outbox. */
    stop: async () => billing?.stop(),
  } satisfies Room & Record<string, unknown>;
};
