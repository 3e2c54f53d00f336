// Billing as an owner, the payment provider and the operator meet it: over HTTP, with the provider's own library against a
// stand-in of its API.
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE } from '#src/kernel/time.ts';
import { letter, type Refusal, startApp } from '#test/support/app.ts';
import { join, mailsTo, signIn, systemTenant, unlimitedSignIn } from '#test/support/people.ts';
import {
  type PlayedSession,
  type PlayedSubscription,
  type SignedEvent,
  STRIPE_KEY,
  STRIPE_PRICE,
  STRIPE_WEBHOOK_SECRET,
  startPlayedStripe,
} from '#test/support/played-stripe.ts';
import { until } from '#test/support/process.ts';
import { createTestClock } from '#test/support/storage.ts';

interface Billing {
  readonly plan: string;
  readonly monthly_cap: number;
  readonly used: number;
  readonly share: number;
  readonly thresholds_reached: readonly number[];
  readonly provider: string;
  readonly plans: readonly { readonly plan: string; readonly by: string }[];
  readonly subscription: {
    readonly status: string;
    readonly cancels_at: string | null;
    readonly grace_until: string | null;
  } | null;
}

const NIGHTLY = 'remove what is old';
/** How long a page of the checkout can be paid on. */
const PAGE = 35 * MINUTE;
const WEBHOOK = '/api/public/billing/stripe';

const clock = createTestClock();
const pass = (milliseconds: number): void => clock.set(clock.now() + milliseconds);
const stripe = await startPlayedStripe();
const app = await startApp({
  clock,
  config: {
    ...unlimitedSignIn,
    service: { public_origin: 'https://mail.example.com' },
    billing: stripe.config,
  },
});
afterAll(async () => {
  await app.remove();
  await stripe.stop();
});
beforeEach(() => {
  stripe.failure = () => null;
  stripe.listed = async () => undefined;
});

interface Owned {
  readonly id: string;
  readonly name: string;
  readonly base: string;
  /** Of the owner. */
  readonly email: string;
}
let made = 0;
const owned = async (fields: object = {}): Promise<Owned> => {
  made += 1;
  const email = `owner${made}@example.org`;
  const name = `Praxis ${made}`;
  const { id } = await app.createPractice({ name, owner_email: email, language: 'de', ...fields });
  return { id, name, email, base: `/api/practices/${id}` };
};

const billing = async ({ base }: Owned): Promise<Billing> => {
  const answer = await app.request<Billing>('GET', `${base}/billing`, undefined, app.adminToken);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
};
const begin = ({ base }: Owned, body: unknown = undefined, token = app.adminToken) =>
  app.request<Refusal & { url: string }>('POST', `${base}/billing/checkout`, body, token);
const portal = ({ base }: Owned, token = app.adminToken) =>
  app.request<Refusal & { url: string }>('POST', `${base}/billing/portal`, undefined, token);
const sessionAt = (url: string): PlayedSession => {
  const session = stripe.sessions.find((one) => one.url === url);
  if (!session) throw new Error(`no session at ${url}`);
  return session;
};
const deliver = ({ bytes, signature }: SignedEvent) =>
  app.request<Refusal>('POST', WEBHOOK, bytes, undefined, { 'Stripe-Signature': signature });
const report = async (type: string, object: object): Promise<void> => {
  const answer = await deliver(stripe.event(`customer.subscription.${type}`, object, clock.now()));
  expect(answer.status, answer.text).toBe(200);
};
/** The provider changes it and reports that. */
const change = (subscription: PlayedSubscription, fields: Partial<PlayedSubscription>) =>
  report('updated', stripe.change(subscription.id, fields));
/** On the plan Supporter, paid. */
const subscribed = async (): Promise<{ practice: Owned; subscription: PlayedSubscription }> => {
  const practice = await owned();
  const subscription = stripe.pay(sessionAt((await begin(practice)).body.url), clock.now());
  await report('created', subscription);
  expect((await billing(practice)).plan).toBe('supporter');
  return { practice, subscription };
};
const row = ({ id }: Owned) => app.sql<Record<string, unknown>>(id, 'SELECT * FROM billing');
/** Subjects of the mails about the subscription, once nothing waits. */
const mailsAbout = async ({ id, email }: Owned): Promise<string[]> => {
  await until('the owners are notified', () =>
    app
      .sql<{ notice: string | null }>(id, 'SELECT notice FROM billing')
      .every(({ notice }) => notice === null),
  );
  await until('no notice waits', () => app.sql(null, 'SELECT 1 FROM notices').length === 0);
  await until('all are sent', () => app.sql(systemTenant(app), 'SELECT 1 FROM queue').length === 0);
  return (await mailsTo(app, email))
    .map(({ subject }) => subject)
    .filter((subject) => /Zahlung|Tarif/.test(subject));
};

describe('the way to the plan Supporter', () => {
  test('leads over the page of the provider, and its event changes plan and cap', async () => {
    const practice = await owned();
    expect(await billing(practice)).toMatchObject({
      plan: 'test',
      monthly_cap: 200,
      used: 0,
      share: 0,
      thresholds_reached: [],
      provider: 'stripe',
      plans: [
        { plan: 'test', monthly_cap: 200, euro_per_month: 0, by: 'default' },
        { plan: 'supporter', monthly_cap: 1_000, euro_per_month: 5, by: 'checkout' },
        { plan: 'termin', monthly_cap: 5_000, euro_per_month: null, by: 'waiting_list' },
        { plan: 'praxis', monthly_cap: 20_000, euro_per_month: null, by: 'waiting_list' },
        { plan: 'gruppe', monthly_cap: 100_000, euro_per_month: null, by: 'waiting_list' },
      ],
      subscription: null,
    });
    const owner = (await signIn(app, practice.email)).token;
    const begun = await begin(practice, { plan: 'supporter' }, owner);
    expect(begun.status, begun.text).toBe(200);
    const session = sessionAt(begun.body.url);
    expect(Object.fromEntries(session.fields)).toEqual({
      mode: 'subscription',
      customer: session.customer,
      'line_items[0][price]': STRIPE_PRICE,
      'line_items[0][quantity]': '1',
      'subscription_data[metadata][practice_id]': practice.id,
      success_url: `https://mail.example.com/app/${practice.id}/billing?paid=1`,
      cancel_url: `https://mail.example.com/app/${practice.id}/billing`,
      expires_at: String(Math.floor((clock.now() + PAGE) / 1_000)),
    });
    expect((await billing(practice)).plan).toBe('test');

    const subscription = stripe.pay(session, clock.now());
    await report('created', subscription);
    expect(await billing(practice)).toMatchObject({
      plan: 'supporter',
      monthly_cap: 1_000,
      subscription: { status: 'active', cancels_at: null, grace_until: null },
    });
    const { body: entries } = await app.request<{ data: readonly object[] }>(
      'GET',
      `${practice.base}/audit`,
      undefined,
      owner,
    );
    expect(entries.data.slice(0, 2)).toMatchObject([
      {
        action: 'practice.plan',
        actor: { kind: 'system' },
        before: { plan: 'test' },
        after: { plan: 'supporter' },
      },
      { action: 'billing.checkout', actor: { kind: 'member', name: practice.email } },
    ]);
    const page = await portal(practice, owner);
    expect(page.body.url).toMatch(/^https:\/\/billing\.stripe\.com\/p\/session\//);
  });

  test('is one page as long as that can be paid on, and one customer for ever', async () => {
    const practice = await owned();
    const [first, second] = await Promise.all([begin(practice), begin(practice)]);
    expect(second.body).toEqual(first.body);
    pass(PAGE - 1);
    expect((await begin(practice)).body).toEqual(first.body);
    pass(1);
    expect(Number(sessionAt(first.body.url).fields.get('expires_at')) * 1_000).toBeLessThanOrEqual(
      clock.now(),
    );
    const later = await begin(practice);
    expect(later.body).not.toEqual(first.body);
    expect(sessionAt(later.body.url).customer).toBe(sessionAt(first.body.url).customer);
  });

  test('is not open to who has a subscription, also where its event is still on its way', async () => {
    const { practice } = await subscribed();
    const again = await begin(practice);
    expect(again).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect(again.body.hint).toContain('billing/portal');

    const other = await owned();
    stripe.pay(sessionAt((await begin(other)).body.url), clock.now());
    expect((await begin(other)).status).toBe(409);
    expect((await billing(other)).plan).toBe('supporter');
  });

  test('leads to no other plan, and from none that the operator gave', async () => {
    const practice = await owned();
    const wanted = await begin(practice, { plan: 'praxis' });
    expect(wanted).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect(wanted.body.hint).toContain('/api/public/waitlist');
    const given = await owned({ plan: 'praxis' });
    expect(await begin(given)).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect(await portal(given)).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect((await begin(practice, { plan: 'supporter', card: '4242' })).status).toBe(400);
  });

  test('shows what is used and which thresholds are reached', async () => {
    const practice = await owned();
    app.sql(
      practice.id,
      'INSERT INTO monthly_usage (month, accepted, own_domain) VALUES (?, 181, 0)',
      new Date(clock.now()).toISOString().slice(0, 7),
    );
    expect(await billing(practice)).toMatchObject({ used: 181, share: 0.905, thresholds_reached: [70, 90] });
  });
});

describe('events of the provider', () => {
  test('may come again, late and in any order: the present state counts', async () => {
    const { practice, subscription } = await subscribed();
    const created = stripe.event('customer.subscription.created', subscription, clock.now());
    const failing = stripe.change(subscription.id, { status: 'past_due' });
    const failed = stripe.event('customer.subscription.updated', failing, clock.now());
    const ended = stripe.change(subscription.id, { status: 'canceled', ended_at: 1 });
    const deleted = stripe.event('customer.subscription.deleted', ended, clock.now());
    for (const event of [deleted, created, created, failed, deleted, created])
      expect((await deliver(event)).status).toBe(200);
    expect(await billing(practice)).toMatchObject({
      plan: 'test',
      subscription: { status: 'canceled', grace_until: null },
    });
    // Once, whatever came after it.
    expect(await mailsAbout(practice)).toEqual([`Für „${practice.name}“ gilt wieder der Tarif Test`]);
  });

  test('overtake each other without an older answer of the provider winning', async () => {
    const { practice, subscription } = await subscribed();
    const other = await subscribed();
    const { promise, resolve } = Promise.withResolvers<void>();
    stripe.listed = () => promise;
    const asked = stripe.requests.length;
    const first = report('updated', subscription);
    await until('the provider is asked', () => stripe.requests.length > asked);
    stripe.listed = async () => undefined;
    const second = change(subscription, { status: 'canceled' });
    // By then the second one has been answered, too, where it does not wait for the first.
    for (const one of [other.subscription, other.subscription]) await report('updated', one);
    resolve();
    await Promise.all([first, second]);
    expect((await billing(practice)).subscription?.status).toBe('canceled');
  });

  test('of a former subscription leave the present one as it is', async () => {
    const { practice, subscription } = await subscribed();
    const ended = stripe.change(subscription.id, { status: 'canceled' });
    const next = stripe.pay(sessionAt((await begin(practice)).body.url), clock.now() + MINUTE);
    for (const one of [next, ended, next, ended]) await report('updated', one);
    expect(await billing(practice)).toMatchObject({
      plan: 'supporter',
      subscription: { status: 'active' },
    });
  });

  const subjectOf = (subscription: PlayedSubscription) =>
    JSON.stringify({ id: 'evt_1', object: 'event', type: 'x', data: { object: subscription } });
  test.each<[string, (subscription: PlayedSubscription) => SignedEvent]>([
    ['with another secret', (one) => stripe.sign(subjectOf(one), clock.now(), 'whsec_forged0123456789')],
    ['without a signature', (one) => ({ ...stripe.sign(subjectOf(one), clock.now()), signature: '' })],
    ['from six minutes ago', (one) => stripe.sign(subjectOf(one), clock.now() - 6 * MINUTE)],
    [
      'of other bytes',
      (one) => ({ ...stripe.sign(subjectOf(one), clock.now()), bytes: Buffer.from(`${subjectOf(one)} `) }),
    ],
    ['that is no JSON', () => stripe.sign('customer=cus_1', clock.now())],
    ['that is no event', () => stripe.sign('null', clock.now())],
  ])('%s are refused, and the provider is not asked', async (_, forge) => {
    const { practice, subscription } = await subscribed();
    const before = row(practice);
    const forged = forge(stripe.change(subscription.id, { status: 'canceled' }));
    const asked = stripe.requests.length;
    expect(await deliver(forged)).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    expect(stripe.requests).toHaveLength(asked);
    expect(row(practice)).toEqual(before);
  });

  test('of large bodies are refused unread', async () => {
    const answer = await deliver(stripe.sign('x'.repeat(300_000), clock.now()));
    expect(answer).toMatchObject({ status: 413, body: { code: 'body_too_large' } });
  });

  test.each<[string, (mine: PlayedSubscription, other: Owned) => Partial<PlayedSubscription>]>([
    ['of another practice', (_, other) => ({ metadata: { practice_id: other.id } })],
    ['of no practice here', () => ({ metadata: { practice_id: '019f0000-0000-7000-8000-000000000000' } })],
    ['without a practice', () => ({ metadata: {} })],
  ])('about a subscription %s change nothing, and are not asked for again', async (_, fields) => {
    const { practice, subscription } = await subscribed();
    const other = await subscribed();
    await change(other.subscription, { status: 'canceled' });
    await mailsAbout(other.practice);
    const [before, beforeOther] = [row(practice), row(other.practice)];
    await change(subscription, fields(subscription, other.practice));
    expect(row(practice)).toEqual(before);
    expect(row(other.practice)).toEqual(beforeOther);
    expect((await billing(other.practice)).plan).toBe('test');
  });

  test('about nothing that is known here are taken', async () => {
    const sent = stripe.event('payout.paid', { object: 'payout' }, clock.now());
    expect((await deliver(sent)).status).toBe(200);
  });

  test('do not change a plan that the operator gave', async () => {
    const { practice, subscription } = await subscribed();
    await app.request('POST', `${practice.base}/plan`, { plan: 'praxis' }, app.adminToken);
    await change(subscription, { status: 'past_due' });
    await change(subscription, { status: 'canceled' });
    expect((await billing(practice)).plan).toBe('praxis');
    await app.request('POST', `${practice.base}/plan`, { plan: 'supporter' }, app.adminToken);
    await report('deleted', subscription);
    expect((await billing(practice)).plan).toBe('supporter');
    expect(await mailsAbout(practice)).toEqual([]);
  });
});

describe('a payment that fails', () => {
  test('leaves the plan for the grace time, and the owners get one mail; paid, all is as before', async () => {
    const { practice, subscription } = await subscribed();
    await change(subscription, { status: 'past_due' });
    const { plan, subscription: failing } = await billing(practice);
    expect(plan).toBe('supporter');
    expect(Date.parse(failing?.grace_until ?? '')).toBe(clock.now() + 14 * DAY);
    pass(3 * DAY);
    await report('updated', subscription);
    expect((await billing(practice)).subscription?.grace_until).toBe(failing?.grace_until);
    expect(await mailsAbout(practice)).toEqual([`Die Zahlung für „${practice.name}“ ist fehlgeschlagen`]);
    const page = await portal(practice);
    expect(page.status, page.text).toBe(200);
    await change(subscription, { status: 'active' });
    expect(await billing(practice)).toMatchObject({ plan: 'supporter', subscription: { grace_until: null } });
  });

  test('ends the plan in the night after the grace time; paid later, it is back', async () => {
    const { practice, subscription } = await subscribed();
    await change(subscription, { status: 'past_due' });
    expect(await mailsAbout(practice)).toHaveLength(1);
    pass(13 * DAY);
    await app.runJob(NIGHTLY);
    expect((await billing(practice)).plan).toBe('supporter');
    pass(12 * HOUR);
    await report('updated', subscription);
    pass(12 * HOUR + MINUTE);
    await app.runJob(NIGHTLY);
    await app.runJob(NIGHTLY);
    expect(await billing(practice)).toMatchObject({
      plan: 'test',
      monthly_cap: 200,
      subscription: { status: 'past_due' },
    });
    expect(await mailsAbout(practice)).toEqual([
      `Die Zahlung für „${practice.name}“ ist fehlgeschlagen`,
      `Für „${practice.name}“ gilt wieder der Tarif Test`,
    ]);
    expect((await begin(practice)).status).toBe(409);
    await change(subscription, { status: 'active' });
    expect((await billing(practice)).plan).toBe('supporter');
  });

  test.each(['unpaid', 'canceled'])(
    'leaves the plan as long as the mail says, also where the provider gives up earlier: %s',
    async (status) => {
      const { practice, subscription } = await subscribed();
      await change(subscription, { status: 'past_due' });
      const graceUntil = (await billing(practice)).subscription?.grace_until;
      pass(3 * DAY);
      await change(subscription, { status, cancellation_details: { reason: 'payment_failed' } });
      expect(await billing(practice)).toMatchObject({
        plan: 'supporter',
        subscription: { status, grace_until: graceUntil },
      });
      expect(await mailsAbout(practice)).toHaveLength(1);
      pass(11 * DAY);
      await app.runJob(NIGHTLY);
      expect((await billing(practice)).plan).toBe('test');
      expect(await mailsAbout(practice)).toHaveLength(2);
      const last = (await mailsTo(app, practice.email)).at(-1);
      expect(last?.text).toContain('weil er nicht bezahlt ist');
    },
  );

  test('ends the plan at once where the owner cancels', async () => {
    const { practice, subscription } = await subscribed();
    await change(subscription, { status: 'past_due' });
    await change(subscription, {
      status: 'canceled',
      cancellation_details: { reason: 'cancellation_requested' },
    });
    expect(await billing(practice)).toMatchObject({ plan: 'test', subscription: { grace_until: null } });
  });

  test('has one grace time until it is paid', async () => {
    const { practice, subscription } = await subscribed();
    await change(subscription, { status: 'past_due' });
    const graceUntil = (await billing(practice)).subscription?.grace_until;
    pass(15 * DAY);
    for (const status of ['unpaid', 'past_due']) {
      await change(subscription, { status });
      expect(await billing(practice)).toMatchObject({
        plan: 'test',
        subscription: { status, grace_until: graceUntil },
      });
    }
    await change(subscription, { status: 'active' });
    await change(subscription, { status: 'past_due' });
    expect(await billing(practice)).toMatchObject({
      plan: 'supporter',
      subscription: { grace_until: new Date(clock.now() + 14 * DAY).toISOString() },
    });
  });

  test('is mailed with a link to the page of the subscription', async () => {
    const { practice, subscription } = await subscribed();
    await change(subscription, { status: 'past_due' });
    await mailsAbout(practice);
    await change(subscription, {
      status: 'canceled',
      cancellation_details: { reason: 'cancellation_requested' },
    });
    await mailsAbout(practice);
    for (const { text } of (await mailsTo(app, practice.email)).slice(-2))
      expect(text).toContain(`\nhttps://mail.example.com/app/${practice.id}/billing\n`);
  });
});

test('a cancellation leaves the plan until the provider ends it', async () => {
  const { practice, subscription } = await subscribed();
  const end = Math.floor((clock.now() + 20 * DAY) / 1_000);
  await change(subscription, { cancel_at: end, cancel_at_period_end: true });
  expect(await billing(practice)).toMatchObject({
    plan: 'supporter',
    subscription: { status: 'active', cancels_at: new Date(end * 1_000).toISOString() },
  });
  await change(subscription, { status: 'canceled' });
  expect(await billing(practice)).toMatchObject({ plan: 'test', subscription: { cancels_at: null } });
  expect((await begin(practice)).status).toBe(200);
});

describe('a provider that fails', () => {
  test.each<[string, number]>([
    ['by an error of its own', 500],
    ['by taking no more', 429],
  ])('%s: 503 and nothing is stored', async (_, status) => {
    const practice = await owned();
    stripe.failure = () => status;
    const refused = await begin(practice);
    expect(refused).toMatchObject({ status: 503, body: { code: 'unavailable', retry_after: 30 } });
    stripe.failure = (request) => (request === 'POST /v1/checkout/sessions' ? status : null);
    expect((await begin(practice)).status).toBe(503);
    expect(row(practice)).toEqual([]);
    stripe.failure = () => null;
    expect((await begin(practice)).status).toBe(200);
    // That of the attempt before.
    const own = stripe.customers.filter(({ metadata }) => metadata.practice_id === practice.id);
    expect(own).toHaveLength(1);
  });

  test('gets its event again, which then counts', async () => {
    const { practice, subscription } = await subscribed();
    const event = stripe.event(
      'customer.subscription.deleted',
      stripe.change(subscription.id, { status: 'canceled' }),
      clock.now(),
    );
    stripe.failure = () => 500;
    expect((await deliver(event)).status).toBe(503);
    expect((await billing(practice)).plan).toBe('supporter');
    stripe.failure = () => null;
    expect((await deliver(event)).status).toBe(200);
    expect((await billing(practice)).plan).toBe('test');
  });

  test('or loses an event is asked in the night', async () => {
    const { practice, subscription } = await subscribed();
    const late = await owned();
    stripe.pay(sessionAt((await begin(late)).body.url), clock.now());
    stripe.change(subscription.id, { status: 'canceled' });
    pass(DAY);
    stripe.failure = () => 500;
    await app.runJob(NIGHTLY);
    const plans = () => Promise.all([practice, late].map(async (one) => (await billing(one)).plan));
    expect(await plans()).toEqual(['supporter', 'test']);
    stripe.failure = () => null;
    pass(DAY);
    await app.runJob(NIGHTLY);
    expect(await plans()).toEqual(['test', 'supporter']);
    const before = [row(practice), row(late)];
    pass(MINUTE);
    await app.runJob(NIGHTLY);
    expect([row(practice), row(late)]).toEqual(before);
  });
});

describe('a provider that', () => {
  test('refuses to answer about some customers is asked about the others', async () => {
    for (const _ of [1, 2, 3]) await subscribed();
    const { practice, subscription } = await subscribed();
    stripe.change(subscription.id, { status: 'canceled' });
    pass(DAY);
    let refused = 0;
    stripe.failure = () => {
      refused += 1;
      return refused <= 3 ? 403 : null;
    };
    await app.runJob(NIGHTLY);
    expect((await billing(practice)).plan).toBe('test');
  });

  test('no longer has the customer ends its plan, and a checkout makes another customer', async () => {
    const { practice, subscription } = await subscribed();
    const gone = stripe.customers.findIndex(({ id }) => id === subscription.customer);
    stripe.customers.splice(gone, 1);
    pass(DAY);
    await app.runJob(NIGHTLY);
    expect(await billing(practice)).toMatchObject({ plan: 'test', subscription: { status: 'canceled' } });
    expect(await portal(practice)).toMatchObject({ status: 409, body: { code: 'conflict' } });
    const begun = await begin(practice);
    expect(begun.status, begun.text).toBe(200);
    expect(sessionAt(begun.body.url).customer).not.toBe(subscription.customer);
    await report('created', stripe.pay(sessionAt(begun.body.url), clock.now()));
    expect((await billing(practice)).plan).toBe('supporter');
  });

  test('no longer lists the subscription has ended it', async () => {
    const { practice, subscription } = await subscribed();
    const gone = stripe.subscriptions.findIndex(({ id }) => id === subscription.id);
    stripe.subscriptions.splice(gone, 1);
    pass(DAY);
    await app.runJob(NIGHTLY);
    expect((await billing(practice)).plan).toBe('test');
    expect(row(practice)).toMatchObject([{ status: 'canceled', confirmed_at: clock.now() }]);
  });
});

describe('who may', () => {
  test('is the owner alone', async () => {
    const practice = await owned();
    const admin = (await join(app, practice.id, `admin${made}@example.org`, { role_id: 'admin' })).token;
    for (const token of [await app.createToken(practice.id), admin])
      for (const [method, path] of [
        ['GET', 'billing'],
        ['POST', 'billing/checkout'],
        ['POST', 'billing/portal'],
      ] as const)
        expect(await app.request(method, `${practice.base}/${path}`, undefined, token)).toMatchObject({
          status: 403,
          body: { code: 'forbidden', permission: 'billing.manage' },
        });
  });

  test('sees that payments are set up', async () => {
    const { body } = await app.request('GET', '/api/meta', undefined, app.adminToken);
    expect(body).toMatchObject({ features: { billing: true } });
  });
});

test('nothing of cards and keys is kept', async () => {
  const { practice, subscription } = await subscribed();
  await report('updated', subscription);
  const tables = app.sql<{ name: string }>(
    practice.id,
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'search%'",
  );
  const kept = JSON.stringify(tables.map(({ name }) => app.sql(practice.id, `SELECT * FROM ${name}`)));
  for (const secret of ['pm_card_visa_4242', STRIPE_KEY, STRIPE_WEBHOOK_SECRET])
    expect(kept).not.toContain(secret);
});

describe('without a provider', () => {
  test('plan and usage are there, and the rest is refused with a hint', async () => {
    await using stack = new AsyncDisposableStack();
    const bare = await startApp({ config: unlimitedSignIn });
    stack.defer(() => bare.remove());
    const sender = await bare.createSender();
    await bare.send(sender, letter);
    const { body } = await bare.request<Billing>('GET', `${sender.base}/billing`, undefined, bare.adminToken);
    expect(body).toMatchObject({ plan: 'test', used: 1, provider: 'none', subscription: null });
    expect(body.plans.find(({ plan }) => plan === 'supporter')?.by).toBe('operator');
    for (const path of [`${sender.base}/billing/checkout`, `${sender.base}/billing/portal`, WEBHOOK]) {
      const refused = await bare.request<Refusal>('POST', path, undefined, bare.adminToken);
      expect(refused).toMatchObject({ status: 409, body: { code: 'billing_not_configured' } });
      expect(refused.body.hint).toContain('operator');
    }
    const meta = await bare.request('GET', '/api/meta', undefined, sender.token);
    expect(meta.body).toMatchObject({ features: { billing: false } });
  });
});
