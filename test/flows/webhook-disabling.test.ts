// How a webhook is disabled because its address fails, what its owners are told of that, and how nothing is lost by it.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { MINUTE, SECOND } from '#src/kernel/time.ts';
import { type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { asking } from '#test/support/asking.ts';
import { type HttpsReceiver, type Script, startHttpsReceiver } from '#test/support/https-receiver.ts';
import { mailsTo, makeOwner, signIn, systemTenant, unlimitedSignIn } from '#test/support/people.ts';
import { until } from '#test/support/process.ts';
import { createTestClock, type TestClock } from '#test/support/storage.ts';

interface Delivery {
  readonly id: string;
  readonly status: string;
  readonly attempts: number;
  readonly error: string | null;
  readonly response_excerpt: string | null;
}
interface Entry {
  readonly action: string;
  readonly actor: { readonly kind: string };
  readonly target: object;
  readonly before: unknown;
  readonly after: unknown;
}

let clock: TestClock;
let app: TestApp;
let receiver: HttpsReceiver;
let sender: Sender;
let owners: { readonly de: string; readonly en: string };
let id: string;
/** `/api/practices/<id>/webhooks/<id>`. */
let hook: string;
const { call, list } = asking(() => ({ app, token: sender.token }));

beforeAll(async () => {
  clock = createTestClock(Date.now());
  receiver = await startHttpsReceiver({ plain: true });
  app = await startApp({
    clock,
    config: {
      ...unlimitedSignIn,
      security: { outbound_allow: ['127.0.0.0/8'], outbound_allow_http: true },
      webhooks: { retry: ['30s', '30s', '30s', '30s'], jitter: 0, disable_after: '1m' },
    },
  });
});
afterAll(async () => {
  await app?.remove();
  await receiver?.stop();
});

let made = 0;
beforeEach(async () => {
  made += 1;
  receiver.setAnswer({});
  sender = await app.createSender({ name: 'Praxis Dr. Müller' });
  owners = { de: `inhaberin${made}@example.org`, en: `owner${made}@example.org` };
  for (const owner of Object.values(owners)) await makeOwner(app, sender.practice.id, owner);
  const { token } = await signIn(app, owners.en);
  await call('PATCH', '/api/auth/me', { language: 'en' }, token);
  const events = ['suppression.added', 'suppression.removed'];
  const fields = { name: 'Warenwirtschaft', url: receiver.url(`/${made}`), events };
  id = (await call('POST', `${sender.base}/webhooks`, fields)).body.id;
  hook = `${sender.base}/webhooks/${id}`;
});

/** Resolves with the suppression's id. */
const suppress = async (name: string): Promise<string> =>
  (await call('POST', `${sender.base}/suppression`, { address: `${name}@example.org` })).body.id;
const webhook = async () => (await call('GET', hook)).body;
const deliveries = async (): Promise<readonly Delivery[]> =>
  (await list<Delivery>(`${hook}/deliveries`)).toReversed();
const untilDisabled = () => until('it is disabled', async () => (await webhook()).status === 'disabled');
/** Says how often this test's webhook was asked, by which it is known that an attempt's outcome has been stored. */
const failing: Script = ({ path }) => ({
  status: 500,
  body: String(receiver.requests.filter((request) => request.path === path).length),
});
/** One attempt of the only delivery more. */
const untilAttempted = (attempts: number) =>
  until(`attempt ${attempts}`, async () => (await deliveries())[0]?.response_excerpt === String(attempts));
/** To whom what was told of webhooks, once nothing waits. */
const told = async (owner: string) => {
  const isTold = () =>
    app.sql(sender.practice.id, 'SELECT 1 FROM webhooks WHERE disabled_told = 0').length === 0;
  await until('it is told', isTold);
  await until('no notice waits', () => app.sql(null, 'SELECT 1 FROM notices').length === 0);
  await until('all are sent', () => app.sql(systemTenant(app), 'SELECT 1 FROM queue').length === 0);
  return (await mailsTo(app, owner)).filter(({ subject }) => subject.includes('Warenwirtschaft'));
};
const addresses = () =>
  receiver.requests
    .filter(({ path }) => path === `/${made}`)
    .map(({ body }) => JSON.parse(body.toString()))
    .map(({ event, data }) => `${event} ${data.address}`);

describe('an address that answers 410', () => {
  beforeEach(async () => {
    receiver.setAnswer({ status: 410 });
    await suppress('a');
    await untilDisabled();
  });

  test('disables at once, and the delivery has failed', async () => {
    expect(await webhook()).toMatchObject({ status: 'disabled', disabled_reason: 'gone' });
    const [one] = await deliveries();
    expect(one).toMatchObject({ status: 'failed', attempts: 1, error: 'answered 410' });
  });

  test('is notified to every owner in their language, once', async () => {
    const [[german], [english]] = [await told(owners.de), await told(owners.en)];
    expect(german?.subject).toBe('Der Webhook „Warenwirtschaft“ von „Praxis Dr. Müller“ ist abgeschaltet');
    expect(german?.text).toContain('Seine Adresse hat geantwortet, dass es sie nicht mehr gibt.');
    expect(german?.text).toContain('Der letzte Fehler: answered 410');
    expect(english?.subject).toBe('The webhook “Warenwirtschaft” of “Praxis Dr. Müller” has been disabled');
    expect(english?.text).toContain('Its address answered that it no longer exists.');
  });

  test('is notified once, also where a crash left it open whether it was', async () => {
    expect(await told(owners.de)).toHaveLength(1);
    app.sql(sender.practice.id, 'UPDATE webhooks SET disabled_told = 0');
    await app.runJob('remove what is old');
    expect(await told(owners.de)).toHaveLength(1);
    expect(await told(owners.en)).toHaveLength(1);
  });

  test('is in the audit as the service’s own change', async () => {
    const entries = await list<Entry>(`${sender.base}/audit`, app.adminToken);
    const entry = entries.find(({ action }) => action === 'webhook.disable');
    expect(entry).toMatchObject({
      actor: { kind: 'system' },
      target: { type: 'webhook', id },
      before: { status: 'active', disabled_reason: null },
      after: { status: 'disabled', disabled_reason: 'gone' },
    });
  });

  test('and again after it was enabled: the owners are notified again', async () => {
    expect(await told(owners.de)).toHaveLength(1);
    clock.set(clock.now() + SECOND);
    await call('PATCH', hook, { status: 'active' });
    await suppress('b');
    await untilDisabled();
    expect(await told(owners.de)).toHaveLength(2);
  });
});

describe('an address that fails', () => {
  test('for the time that is configured, without a success in between, disables', async () => {
    receiver.setAnswer(failing);
    const first = clock.now();
    await suppress('a');
    await untilAttempted(1);
    expect(await webhook()).toMatchObject({
      status: 'active',
      failing_since: new Date(first).toISOString(),
    });
    clock.set(first + MINUTE - 1);
    await call('POST', `${hook}/deliveries/${(await deliveries())[0]?.id}/replay`);
    await untilAttempted(2);
    expect((await webhook()).status).toBe('active');
    clock.set(first + MINUTE);
    await call('POST', `${hook}/deliveries/${(await deliveries())[0]?.id}/replay`);
    await untilDisabled();
    expect(await webhook()).toMatchObject({ disabled_reason: 'failing' });
    const [mail] = await told(owners.en);
    expect(mail?.text).toContain('Its address has not accepted any event since');
    expect(mail?.text).toContain('The last error: answered 500');
  });

  test('and then succeeds starts again', async () => {
    receiver.setAnswer(failing);
    const first = clock.now();
    await suppress('a');
    await untilAttempted(1);
    receiver.setAnswer({});
    await suppress('b');
    await until('it succeeds', async () => (await webhook()).failing_since === null);
    clock.set(first + 2 * MINUTE);
    receiver.setAnswer(failing);
    await suppress('c');
    await until('it fails', async () => (await webhook()).failing_since !== null);
    expect(await webhook()).toMatchObject({
      status: 'active',
      failing_since: new Date(first + 2 * MINUTE).toISOString(),
    });
  });

  test('and is then another one starts again', async () => {
    receiver.setAnswer(failing);
    await suppress('a');
    await untilAttempted(1);
    const { body } = await call('PATCH', hook, { url: receiver.url(`/${made}`, 'localhost') });
    expect(body).toMatchObject({ status: 'active', failing_since: null });
  });
});

describe('while it is disabled', () => {
  test('by hand notifies no one, and nothing is sent', async () => {
    await call('PATCH', hook, { status: 'disabled' });
    await suppress('a');
    await until('it has failed', async () => (await deliveries())[0]?.status === 'failed');
    expect((await deliveries())[0]).toMatchObject({ attempts: 0, error: 'the webhook was disabled' });
    expect(addresses()).toEqual([]);
    expect(await told(owners.de)).toEqual([]);
  });

  test('nothing is lost: a replay since then brings what was missed, in order', async () => {
    receiver.setAnswer({ status: 410 });
    await suppress('gone');
    await untilDisabled();
    receiver.setAnswer({});
    const since = (await deliveries())[0];
    const from = new Date(clock.now()).toISOString();
    clock.set(clock.now() + SECOND);
    const again = await suppress('a');
    await call('DELETE', `${sender.base}/suppression/${again}`);
    await suppress('a');
    await suppress('b');
    await until('all have failed', async () => {
      const all = await deliveries();
      return all.length === 5 && all.every(({ status }) => status === 'failed');
    });
    const before = addresses().length;
    expect((await call('POST', `${hook}/replay`, { since: from })).status).toBe(409);
    expect((await call('PATCH', hook, { status: 'active' })).body).toMatchObject({
      status: 'active',
      disabled_reason: null,
    });
    const { body } = await call('POST', `${hook}/replay`, { since: from });
    expect(body).toEqual({ replayed: 5, more: false });
    await until('all are delivered', async () =>
      (await deliveries()).every(({ status }) => status === 'delivered'),
    );
    const brought = addresses().slice(before);
    expect(brought.filter((one) => one.endsWith(' a@example.org'))).toEqual([
      'suppression.added a@example.org',
      'suppression.removed a@example.org',
      'suppression.added a@example.org',
    ]);
    expect(brought.toSorted()).toEqual(
      [
        'suppression.added gone@example.org',
        'suppression.added a@example.org',
        'suppression.removed a@example.org',
        'suppression.added a@example.org',
        'suppression.added b@example.org',
      ].toSorted(),
    );
    expect((await deliveries())[0]?.id).toBe(since?.id);
  });
});
