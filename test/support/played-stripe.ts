// A stand-in for Stripe's API, after its documentation: customers, hosted checkout, the customer portal and the list of a
// customer's subscriptions, with idempotency keys, errors in its form, and events under its signature scheme. It fails on demand.
import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

export interface PlayedSubscription {
  readonly id: string;
  readonly object: 'subscription';
  readonly customer: string;
  readonly status: string;
  readonly start_date: number;
  readonly cancel_at: number | null;
  readonly cancel_at_period_end: boolean;
  readonly ended_at: number | null;
  readonly cancellation_details: { readonly reason: string | null };
  readonly metadata: Readonly<Record<string, string>>;
  readonly items: {
    readonly object: 'list';
    readonly data: readonly { readonly id: string; readonly current_period_end: number }[];
  };
  /** Of a card, as the real one names it: nothing here may keep it. */
  readonly default_payment_method: string;
}

export interface PlayedSession {
  readonly id: string;
  readonly url: string;
  readonly customer: string;
  readonly fields: URLSearchParams;
}

/** An event's bytes and its header Stripe-Signature. */
export interface SignedEvent {
  readonly bytes: Buffer;
  readonly signature: string;
}

export interface PlayedStripe {
  /** For `billing`. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly customers: { readonly id: string; readonly metadata: Readonly<Record<string, string>> }[];
  readonly sessions: PlayedSession[];
  readonly subscriptions: PlayedSubscription[];
  /** As `GET /v1/subscriptions`. */
  readonly requests: string[];
  /** Asked for each request: a status to fail with; null: as usual. */
  failure: (request: string) => number | null;
  /** Called before each list of subscriptions is answered, with what it shows already chosen. */
  listed: () => Promise<void>;
  /** The customer pays on the page of that session. */
  pay(session: PlayedSession, at: number): PlayedSubscription;
  /** The subscription as it is from now on. */
  change(id: string, fields: Partial<PlayedSubscription>): PlayedSubscription;
  sign(body: string | Buffer, at: number, secret?: string): SignedEvent;
  /** About a subscription as it is now; `at` in milliseconds. */
  event(type: string, object: object, at: number): SignedEvent;
  stop(): Promise<void>;
}

export const STRIPE_KEY = 'sk_test_igel0123456789';
export const STRIPE_WEBHOOK_SECRET = 'whsec_dachs0123456789';
export const STRIPE_PRICE = 'price_supporter5';
const MONTH_S = 30 * 86_400;

const secondsOf = (milliseconds: number): number => Math.floor(milliseconds / 1_000);

export async function startPlayedStripe(): Promise<PlayedStripe> {
  const directory = mkdtempSync(join(tmpdir(), 'stripe-'));
  const keyFile = join(directory, 'key');
  const secretFile = join(directory, 'webhook');
  writeFileSync(keyFile, STRIPE_KEY, { mode: 0o600 });
  writeFileSync(secretFile, STRIPE_WEBHOOK_SECRET, { mode: 0o600 });
  let made = 0;
  const nextId = (prefix: string): string => {
    made += 1;
    return `${prefix}_${String(made).padStart(14, '0')}`;
  };
  const answered = new Map<string, { readonly fields: string; readonly answer: object }>();

  const refused = (status: number, error: object) => ({ status, answer: { error } });
  const missing = (what: string, id: string | null, param: string) =>
    refused(400, {
      type: 'invalid_request_error',
      code: 'resource_missing',
      message: `No such ${what}: '${id}'`,
      param,
    });
  const knows = (id: string | null): boolean => played.customers.some((one) => one.id === id);

  const createCustomer = (fields: URLSearchParams): object => {
    const metadata = { practice_id: fields.get('metadata[practice_id]') ?? '' };
    const customer = { id: nextId('cus'), object: 'customer', email: null, livemode: false, metadata };
    played.customers.push(customer);
    return customer;
  };
  const createSession = (fields: URLSearchParams): object => {
    const id = nextId('cs_test');
    const url = `https://checkout.stripe.com/c/pay/${id}`;
    const customer = fields.get('customer') ?? '';
    played.sessions.push({ id, url, customer, fields });
    return { id, object: 'checkout.session', mode: 'subscription', status: 'open', customer, url };
  };

  const answerTo = async (
    said: string,
    fields: URLSearchParams,
  ): Promise<{ status: number; answer: object }> => {
    const customer = fields.get('customer');
    const ok = (answer: object) => ({ status: 200, answer });
    switch (said) {
      case 'POST /v1/customers':
        return ok(createCustomer(fields));
      case 'POST /v1/checkout/sessions':
        if (!knows(customer)) return missing('customer', customer, 'customer');
        if (fields.get('line_items[0][price]') !== STRIPE_PRICE)
          return missing('price', fields.get('line_items[0][price]'), 'line_items[0][price]');
        return ok(createSession(fields));
      case 'POST /v1/billing_portal/sessions': {
        if (!knows(customer)) return missing('customer', customer, 'customer');
        const url = `https://billing.stripe.com/p/session/${nextId('bps')}`;
        return ok({ object: 'billing_portal.session', customer, url, return_url: fields.get('return_url') });
      }
      case 'GET /v1/subscriptions': {
        if (!knows(customer)) return missing('customer', customer, 'customer');
        const data = played.subscriptions.filter((one) => one.customer === customer).toReversed();
        await played.listed();
        return ok({ object: 'list', url: '/v1/subscriptions', has_more: false, data });
      }
      default:
        return refused(404, {
          type: 'invalid_request_error',
          message: `Unrecognized request URL (${said}).`,
        });
    }
  };

  const once = async (request: IncomingMessage, said: string, fields: URLSearchParams) => {
    const key = request.headers['idempotency-key'];
    if (typeof key !== 'string') return answerTo(said, fields);
    const before = answered.get(key);
    if (before && before.fields !== fields.toString())
      return refused(400, {
        type: 'idempotency_error',
        message: 'Keys for idempotent requests can only be used with the same parameters.',
      });
    if (before) return { status: 200, answer: before.answer };
    const result = await answerTo(said, fields);
    if (result.status === 200) answered.set(key, { fields: fields.toString(), answer: result.answer });
    return result;
  };

  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '', 'http://localhost');
    const said = `${request.method} ${url.pathname}`;
    played.requests.push(said);
    const fields = request.method === 'GET' ? url.searchParams : new URLSearchParams(await text(request));
    const failure = played.failure(said);
    const isKnown = request.headers.authorization === `Bearer ${STRIPE_KEY}`;
    const { status, answer } = !isKnown
      ? refused(401, { type: 'invalid_request_error', message: 'Invalid API Key provided: sk_test_****6789' })
      : failure !== null
        ? refused(failure, { type: 'api_error', message: 'Something went wrong.' })
        : await once(request, said, fields);
    response
      .writeHead(status, { 'Content-Type': 'application/json', 'Request-Id': nextId('req') })
      .end(JSON.stringify(answer));
  };

  const server = createServer((request, response) => void respond(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const played: PlayedStripe = {
    config: {
      provider: 'stripe',
      stripe: {
        secret_key_file: keyFile,
        webhook_secret_file: secretFile,
        api_base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        price: { supporter: STRIPE_PRICE },
      },
    },
    customers: [],
    sessions: [],
    subscriptions: [],
    requests: [],
    failure: () => null,
    listed: async () => undefined,
    pay: ({ customer, fields }, at) => {
      const subscription: PlayedSubscription = {
        id: nextId('sub'),
        object: 'subscription',
        customer,
        status: 'active',
        start_date: secondsOf(at),
        cancel_at: null,
        cancel_at_period_end: false,
        ended_at: null,
        cancellation_details: { reason: null },
        metadata: { practice_id: fields.get('subscription_data[metadata][practice_id]') ?? '' },
        items: { object: 'list', data: [{ id: nextId('si'), current_period_end: secondsOf(at) + MONTH_S }] },
        default_payment_method: 'pm_card_visa_4242',
      };
      played.subscriptions.push(subscription);
      return subscription;
    },
    change: (id, fields) => {
      const index = played.subscriptions.findIndex((one) => one.id === id);
      const changed = { ...played.subscriptions[index], ...fields } as PlayedSubscription;
      played.subscriptions[index] = changed;
      return changed;
    },
    sign: (body, at, secret = STRIPE_WEBHOOK_SECRET) => {
      const bytes = Buffer.from(body);
      const time = secondsOf(at);
      const mac = createHmac('sha256', secret).update(`${time}.`).update(bytes).digest('hex');
      return { bytes, signature: `t=${time},v1=${mac}` };
    },
    event: (type, object, at) =>
      played.sign(
        JSON.stringify({
          id: nextId('evt'),
          object: 'event',
          api_version: '2026-10-28.endive',
          created: secondsOf(at),
          type,
          data: { object },
        }),
        at,
      ),
    stop: async () => {
      rmSync(directory, { recursive: true });
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return played;
}
