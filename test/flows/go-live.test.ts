// A practice on its way from nothing to real mail: what the checklist names, what going live refuses, and that strangers
// get mail afterwards and not before.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkOf, record } from '#test/insight/facts.ts';
import { type Refusal, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { makeOwner } from '#test/support/people.ts';
import { createSmtpReceiver, type SmtpReceiver } from '#test/support/smtp-receiver.ts';

interface Checklist {
  readonly ready: boolean;
  readonly safe_mode: boolean;
  readonly live: boolean;
  readonly checks: readonly {
    readonly id: string;
    readonly ok: boolean;
    readonly required: boolean;
    readonly title: string;
    readonly hint: string;
  }[];
}

const TESTER = 'tester@example.net';
const STRANGER = 'stranger@example.org';
const HOUR_MS = 3_600_000;
const legal = { street: 'Ring 1', city: 'Berlin', privacy_url: 'https://praxis.example.org/datenschutz' };
const config = {
  service: { public_origin: 'https://mail.example.com' },
  safe_mode: { default: true, allowlist: [TESTER] },
};

let receiver: SmtpReceiver;
let app: TestApp;
beforeAll(async () => {
  receiver = await createSmtpReceiver();
  app = await startApp({ receiver, config });
});
afterAll(async () => {
  await app?.remove();
  await receiver?.stop();
});

const checklist = async ({ base, token }: Sender, of = app): Promise<Checklist> =>
  (await of.request<Checklist>('GET', `${base}/cutover`, undefined, token)).body;
const goLive = ({ base, token }: Sender, of = app) =>
  of.request<Checklist & Refusal>('POST', `${base}/cutover`, undefined, token);
const missingOf = ({ checks }: Checklist): string[] =>
  checks.filter(({ ok, required }) => required && !ok).map(({ id }) => id);
const approve = ({ base }: Sender, approved: boolean) =>
  app.request('POST', `${base}/approval`, { approved }, app.adminToken);
const patchLegal = ({ base, token }: Sender, body: object) =>
  app.request('PATCH', `${base}/compliance`, body, token);
const actionsOf = async ({ base, token }: Sender): Promise<string[]> => {
  const { body } = await app.request<{ data: { action: string }[] }>(
    'GET',
    `${base}/audit?limit=200`,
    undefined,
    token,
  );
  return body.data.map(({ action }) => action);
};
const writeTo = ({ base, token }: Sender, to: string) =>
  app.request<Refusal>('POST', `${base}/send`, { to, subject: 'Ihr Termin', text: 'Am Montag.' }, token);

const testMessage = async (sender: Sender): Promise<void> => {
  await app.untilStatus(sender, await app.send(sender, { to: TESTER }), 'processed');
};

const readySender = async (): Promise<Sender> => {
  const sender = await app.createSender();
  await makeOwner(app, sender.practice.id, 'owner@example.org');
  await patchLegal(sender, legal);
  await testMessage(sender);
  await approve(sender, true);
  return sender;
};

test('from nothing to live', async () => {
  const sender = await app.createSender();
  const expectRefused = async (missing: string[]) => {
    expect(missingOf(await checklist(sender))).toEqual(missing);
    const { status, body } = await goLive(sender);
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'conflict' });
    for (const id of missing) expect(body.hint).toContain(`${id}: `);
    expect(body.error).toBe(`The practice is not ready: ${missing.join(', ')}.`);
  };
  await expectRefused(['legal', 'owner', 'test_message', 'approval']);
  await makeOwner(app, sender.practice.id, 'owner@example.org');
  await expectRefused(['legal', 'test_message', 'approval']);
  await patchLegal(sender, legal);
  await expectRefused(['test_message', 'approval']);
  expect((await writeTo(sender, STRANGER)).body.code).toBe('safe_mode_recipient');
  await testMessage(sender);
  await expectRefused(['approval']);
  await approve(sender, true);

  expect(await checklist(sender)).toMatchObject({ ready: true, safe_mode: true, live: false });
  const { status, body } = await goLive(sender);
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { ready: true, safe_mode: false, live: true },
  });
  const id = await app.send(sender, { to: STRANGER });
  await app.untilStatus(sender, id, 'processed');
  expect(receiver.messages.some(({ recipients }) => recipients[0]?.address === STRANGER)).toBe(true);
  expect((await actionsOf(sender)).filter((action) => action === 'practice.go_live')).toHaveLength(1);
});

test('going live again changes nothing, be it that something is missing meanwhile', async () => {
  const sender = await readySender();
  expect((await goLive(sender)).status).toBe(200);
  await patchLegal(sender, { street: null });
  const { status, body } = await goLive(sender);
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { ready: false, safe_mode: false, live: true },
  });
  expect((await actionsOf(sender)).filter((action) => action === 'practice.go_live')).toHaveLength(1);
});

test.each(['test', 'praxis'])(
  'who is put back into safe mode by the operator leaves it only with a new approval (plan %s)',
  async (plan) => {
    const sender = await readySender();
    await app.request('POST', `${sender.base}/plan`, { plan }, app.adminToken);
    expect((await goLive(sender)).status).toBe(200);
    const safeMode = (enabled: boolean) =>
      app.request('POST', `${sender.base}/safe-mode`, { enabled }, app.adminToken);
    await safeMode(true);
    expect(await goLive(sender)).toMatchObject({
      status: 409,
      body: { hint: expect.stringContaining('The operator has switched safe mode on') },
    });
    expect((await writeTo(sender, STRANGER)).body.code).toBe('safe_mode_recipient');
    await approve(sender, true);
    expect((await goLive(sender)).body).toMatchObject({ safe_mode: false });
    await safeMode(true);
    await safeMode(false);
    expect(missingOf(await checklist(sender))).toEqual(plan === 'test' ? ['approval'] : []);
  },
);

describe('what is missing is named, and safe mode stays on', () => {
  const use = ({ practice }: Sender, domain: string) =>
    app.sql(practice.id, 'UPDATE practice SET custom_domain = ?, custom_verified_at = 1', domain);
  const check = ({ practice }: Sender, ageMs: number, result: object) =>
    app.sql(
      practice.id,
      "INSERT INTO dns_checks (host, checked_at, result_json, standings_json) VALUES (?, ?, ?, '{}')",
      'praxis.example.org',
      Date.now() - ageMs,
      JSON.stringify(result),
    );
  const HOST = 'praxis.example.org';
  const spoil: readonly (readonly [name: string, id: string, part: string, (sender: Sender) => unknown])[] = [
    ['the city', 'legal', 'Missing: city', (sender) => patchLegal(sender, { city: null })],
    ['the approval', 'approval', 'operator', (sender) => approve(sender, false)],
    [
      'an active owner',
      'owner',
      'no active owner',
      ({ practice }) => app.sql(practice.id, "UPDATE members SET status = 'invited'"),
    ],
    [
      'a message that left',
      'test_message',
      'Send one',
      ({ practice }) => app.sql(practice.id, "UPDATE recipients SET status = 'hard_bounced'"),
    ],
    [
      'the verification of a domain',
      'sending_domain',
      'neu.example.org',
      ({ practice }) => app.sql(practice.id, "UPDATE practice SET pending_domain = 'neu.example.org'"),
    ],
    ['a check of the records', 'dns_records', 'not been checked', (sender) => use(sender, HOST)],
    [
      'a fresh check of the records',
      'dns_records',
      'not been checked',
      (sender) => {
        use(sender, HOST);
        check(sender, 49 * HOUR_MS, checkOf([record()]));
      },
    ],
    [
      'a right record',
      'dns_records',
      `TXT ${HOST} (multiple)`,
      (sender) => {
        use(sender, HOST);
        check(sender, HOUR_MS, checkOf([record({ status: 'multiple' })]));
      },
    ],
  ];
  test.each(spoil)('%s: %s', async (_, id, part, spoilIt) => {
    const sender = await readySender();
    expect(missingOf(await checklist(sender))).toEqual([]);
    await spoilIt(sender);
    expect(missingOf(await checklist(sender))).toEqual([id]);
    const { status, body } = await goLive(sender);
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'conflict' });
    expect(body.hint).toMatch(new RegExp(`^${id}: `));
    expect(body.hint).toContain(part);
    expect((await checklist(sender)).safe_mode).toBe(true);
    expect((await writeTo(sender, STRANGER)).body.code).toBe('safe_mode_recipient');
    expect(await actionsOf(sender)).not.toContain('practice.go_live');
  });

  test('records of a custom domain that are right are enough', async () => {
    const sender = await readySender();
    use(sender, HOST);
    check(sender, HOUR_MS, checkOf([record(), record({ required: false, status: 'missing' })]));
    expect((await goLive(sender)).status).toBe(200);
  });
});

test('an installation that only keeps mail, under an address of its own machine, lets nobody go live', async () => {
  const local = await startApp({ config: { safe_mode: { default: true, allowlist: [TESTER] } } });
  try {
    const sender = await local.createSender({ plan: 'supporter' });
    await local.request('PATCH', `${sender.base}/compliance`, legal, sender.token);
    await makeOwner(local, sender.practice.id, 'owner@example.org');
    await local.untilStatus(sender, await local.send(sender, { to: TESTER }), 'processed');
    expect(missingOf(await checklist(sender, local))).toEqual(['public_origin', 'upstream', 'test_message']);
    expect((await goLive(sender, local)).status).toBe(409);
  } finally {
    await local.remove();
  }
});

test('the words are in the language of who asks, those of a refusal too', async () => {
  const sender = await app.createSender();
  const titles = async (language: string): Promise<string[]> => {
    const { body } = await app.request<Checklist>('GET', `${sender.base}/cutover`, undefined, sender.token, {
      'Accept-Language': language,
    });
    return body.checks.map(({ title }) => title);
  };
  expect(await titles('de')).toContain('Testnachricht');
  expect(await titles('en')).toContain('Test message');
  const refusal = await app.request<Refusal>('POST', `${sender.base}/cutover`, undefined, sender.token, {
    'Accept-Language': 'de',
  });
  expect(refusal.body).toMatchObject({
    error: expect.stringMatching(/^Die Praxis ist noch nicht so weit/),
    hint: expect.stringContaining('Es fehlt: Straße'),
  });
});
