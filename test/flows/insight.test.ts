// What a practice is shown of itself: overview, wizard, deliverability, channel mix, placement; and that who is limited to
// projects sees the mail of theirs only.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import type { deliverabilitySchema, placementSchema } from '#src/insight/reports-schema.ts';
import type { channelMixSchema, onboardingSchema, overviewSchema } from '#src/insight/schema.ts';
import { said } from '#src/kernel/say.ts';
import { DAY } from '#src/kernel/time.ts';
import { checkOf, record } from '#test/insight/facts.ts';
import { type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { asking, refused } from '#test/support/asking.ts';
import { join, unlimitedSignIn } from '#test/support/people.ts';
import { freePort } from '#test/support/process.ts';
import { createSmtpReceiver, type SmtpReceiver } from '#test/support/smtp-receiver.ts';
import { createTestClock, type TestClock } from '#test/support/storage.ts';

const TODAY = Date.UTC(2026, 10, 28, 12);
const HOST = 'praxis.example.org';

let receiver: SmtpReceiver;
let app: TestApp;
let clock: TestClock;
let sender: Sender;
/** Of a second project, with what it may send and see. */
let limited: Sender;
const { call } = asking(() => ({ app, token: sender.token }));
const ask = async <Body>(what: string, { base, token } = sender): Promise<Body> => {
  const { status, body, text } = await call<Body>('GET', `${base}/${what}`, undefined, token);
  if (status !== 200) throw new Error(text);
  return body;
};
const overview = (of = sender) => ask<z.infer<typeof overviewSchema>>('overview', of);
const channelMix = (days: number, of = sender) =>
  ask<z.infer<typeof channelMixSchema>>(`channel-mix?days=${days}`, of);
const placement = (days: number, of = sender) =>
  ask<z.infer<typeof placementSchema>>(`placement?days=${days}`, of);
const deliverability = (of = sender) => ask<z.infer<typeof deliverabilitySchema>>('deliverability', of);
/** Resolves once it has its end. */
const deliver = async (of: Sender, status: Parameters<TestApp['untilStatus']>[2], fields: object) =>
  app.untilStatus(of, await app.send(of, { ...fields }), status);

beforeAll(async () => {
  receiver = await createSmtpReceiver({
    rcpt: ({ address }) => {
      if (address.startsWith('unknown')) return '550 5.1.1 User unknown';
      return address.startsWith('full') ? '552 5.2.2 Mailbox full' : '250 2.1.5 Ok';
    },
  });
  clock = createTestClock(TODAY - 40 * DAY);
  const port = await freePort();
  app = await startApp({
    receiver,
    upstream: { delivered_on: 'accept' },
    clock,
    config: {
      service: { public_origin: `http://127.0.0.1:${port}` },
      http: { listen: `127.0.0.1:${port}` },
      dns: { zones: { addresses: ['192.0.2.10'] } },
      safe_mode: { placement_testers: ['seed@gmail.com', '@seeds.example'] },
    },
  });
  sender = await app.createSender();
  const { body: project } = await call('POST', `${sender.base}/projects`, { name: 'Recall' });
  await call('POST', `${sender.base}/routes`, { name: 'Own', type: 'transactional', project_id: project.id });
  const { body: other } = await call('POST', `${sender.base}/projects`, { name: 'Other' });
  await call('POST', `${sender.base}/routes`, { name: 'Foreign', type: 'marketing', project_id: other.id });
  const token = await app.createToken(sender.practice.id, { scope: 'project', project_id: project.id });
  limited = { ...sender, token };

  // Long ago, then lately, then today.
  await deliver(sender, 'delivered', { to: 'old@gmail.com', subject: 'Sie haben gewonnen' });
  clock.set(TODAY - 29 * DAY);
  await deliver(sender, 'hard_bounced', { to: 'unknown@web.de', subject: 'Ihr Termin' });
  clock.set(TODAY);
  await deliver(sender, 'delivered', { to: ['seed@gmail.com', 'a@icloud.com'], subject: 'AW: Ihr Termin' });
  await deliver(sender, 'delivered', { to: 'a@t-online.de', message_kind: 'termin' });
  await deliver(limited, 'soft_bounced', {
    to: 'full@gmx.de',
    message_kind: 'recall',
    subject: 'Kostenlos!!',
  });
  await app.completeLegal(sender.practice.id);
  await deliver(limited, 'delivered', { to: 'news@example.org', route: 'broadcast' });
  // Without it the checklist has something to tell.
  app.sql(
    sender.practice.id,
    'UPDATE practice SET legal_street = NULL, legal_city = NULL, legal_privacy_url = NULL',
  );
  await deliver(sender, 'delivered', { to: 'success@simulator.mail.example.com' });
});
afterAll(async () => {
  await app?.remove();
  await receiver?.stop();
});

test('reports that cost everybody time are made 30 times a minute for a practice at most', async () => {
  const busy = await app.createSender();
  const ask = (path: string) => app.request('GET', `${busy.base}/${path}`, undefined, busy.token);
  for (let report = 0; report < 30; report += 1)
    expect((await ask(report % 2 === 0 ? 'placement' : 'deliverability')).status).toBe(200);
  for (const path of ['placement', 'deliverability'])
    expect(await ask(path)).toMatchObject({ status: 429, body: { code: 'rate_limited', retry_after: 2 } });
  expect((await ask('overview')).status).toBe(200);
  expect((await placement(1)).days).toBe(1);
});

describe('the overview', () => {
  test('tells usage, sending and domain', async () => {
    const { practice, plan, sending, domain, dns, warmup, go_live } = await overview();
    expect(practice).toMatchObject({ id: sender.practice.id, slug: sender.practice.slug });
    expect(plan).toEqual({
      plan: 'test',
      monthly_cap: 200,
      used: 5,
      share: 0.025,
      resets_at: '2026-12-01T00:00:00.000Z',
    });
    expect(sending).toEqual({ status: 'active', pause: null, safe_mode: false });
    const host = sender.practice.managed_host;
    expect(domain).toMatchObject({ domain: host, domain_kind: 'managed', pending_domain: null });
    expect(dns).toEqual({ host, pending: false, ok: true, checked_at: null, failing: [] });
    expect(warmup).toBeNull();
    expect(go_live).toEqual({ ready: false, remaining: ['legal', 'public_origin', 'owner', 'approval'] });
  });

  test('tells the reputation of the last 30 days per route, and no rate where nothing was sent', async () => {
    const { days, routes } = (await overview()).reputation;
    expect(days).toBe(30);
    const none = { refused: 0, delivered: 0, hard_bounced: 0, soft_bounced: 0, complaints: 0 };
    const rows = Object.fromEntries(routes.map(({ route, ...counts }) => [route.slug, counts]));
    expect(rows.outgoing).toEqual({
      ...none,
      sent: 3,
      refused: 2,
      delivered: 3,
      hard_bounced: 1,
      soft_bounced: 1,
      bounce_rate: 1 / 5,
      complaint_rate: 0,
      counts_towards_guardrail: false,
    });
    expect(rows.broadcast).toMatchObject({ ...none, sent: 1, delivered: 1, bounce_rate: 0 });
    expect(rows.own).toEqual({
      ...none,
      sent: 0,
      bounce_rate: null,
      complaint_rate: null,
      counts_towards_guardrail: false,
    });
  });

  test('the guardrail looks at a route from 20 messages on', async () => {
    const add = (sent: number) =>
      app.sql(
        sender.practice.id,
        "UPDATE counters SET sent = sent + ? WHERE route_id = (SELECT id FROM routes WHERE slug = 'broadcast')",
        sent,
      );
    const counts = async () =>
      (await overview()).reputation.routes.find(({ route }) => route.slug === 'broadcast');
    add(18);
    expect(await counts()).toMatchObject({ sent: 19, counts_towards_guardrail: false });
    add(1);
    expect(await counts()).toMatchObject({ sent: 20, counts_towards_guardrail: true });
    add(-19);
  });

  test('shows who is limited to a project its routes and the shared ones', async () => {
    const slugs = async (of: Sender) =>
      (await overview(of)).reputation.routes.map(({ route }) => route.slug).toSorted();
    expect(await slugs(sender)).toEqual(['broadcast', 'foreign', 'outgoing', 'own']);
    expect(await slugs(limited)).toEqual(['broadcast', 'outgoing', 'own']);
  });
});

describe('the channel mix', () => {
  test('counts accepted mails per channel and day, the simulator’s left out', async () => {
    const mix = await channelMix(30);
    expect(mix).toMatchObject({ days: 30, from: '2026-10-30', to: '2026-11-28', mails: 6 });
    expect(mix.channels).toEqual([
      { channel: 'termin', mails: 1, share: 1 / 6 },
      { channel: 'recall', mails: 1, share: 1 / 6 },
      { channel: 'newsletter', mails: 1, share: 1 / 6 },
      { channel: 'transactional', mails: 3, share: 1 / 2 },
      { channel: 'other', mails: 0, share: 0 },
    ]);
    const none = { termin: 0, recall: 0, newsletter: 0, transactional: 0, other: 0 };
    expect(mix.per_day).toEqual([
      { day: '2026-10-30', channels: { ...none, transactional: 1 } },
      { day: '2026-11-28', channels: { ...none, termin: 1, recall: 1, newsletter: 1, transactional: 2 } },
    ]);
  });

  const ranges: readonly (readonly [days: number, mails: number])[] = [
    [1, 5],
    [29, 5],
    [40, 6],
    [41, 7],
    [400, 7],
  ];
  test.each(ranges)('of %i days is of %i mails', async (days, mails) => {
    expect((await channelMix(days)).mails).toBe(mails);
  });

  test('is of the projects of who asks', async () => {
    const { mails, channels } = await channelMix(400, limited);
    expect(mails).toBe(2);
    expect(channels.filter(({ mails }) => mails > 0)).toEqual([
      { channel: 'recall', mails: 1, share: 0.5 },
      { channel: 'newsletter', mails: 1, share: 0.5 },
    ]);
  });

  test('has no shares where nothing was sent', async () => {
    const fresh = await app.createSender();
    const { mails, channels, per_day } = await channelMix(30, fresh);
    expect({ mails, per_day }).toEqual({ mails: 0, per_day: [] });
    expect(channels.every(({ share }) => share === null)).toBe(true);
  });
});

describe('placement', () => {
  test('rates the subjects of those days, and shows the worst', async () => {
    const { subject_risk, worst_subjects } = await placement(30);
    expect(subject_risk).toMatchObject({
      sampled: 6,
      levels: { low: 5, medium: 1, high: 0 },
      rules: expect.arrayContaining([expect.objectContaining({ id: 'false_reply', messages: 1 })]),
    });
    expect(worst_subjects?.map(({ subject }) => subject)).toEqual(['Kostenlos!!', 'AW: Ihr Termin']);
    expect((await placement(90)).worst_subjects?.map(({ subject }) => subject)).toContain(
      'Sie haben gewonnen',
    );
  });

  test('counts what became of mail at each receiver', async () => {
    const { recipients_sampled, providers } = await placement(30);
    expect(recipients_sampled).toBe(6);
    const came = Object.fromEntries(
      providers.map(({ provider, recipients, delivered, bounced }) => [
        provider,
        { recipients, delivered, bounced },
      ]),
    );
    const one = { recipients: 1, delivered: 1, bounced: 0 };
    const none = { recipients: 0, delivered: 0, bounced: 0 };
    const bounced = { recipients: 1, delivered: 0, bounced: 1 };
    expect(came).toEqual({
      gmail: one,
      microsoft: none,
      yahoo: none,
      gmx_webde: { recipients: 2, delivered: 0, bounced: 2 },
      t_online: one,
      icloud: one,
      other: one,
    });
    const ofProject = Object.fromEntries(
      (await placement(90, limited)).providers.map(({ provider, ...counts }) => [provider, counts]),
    );
    expect(ofProject.gmx_webde).toMatchObject(bounced);
    expect(ofProject.gmail).toMatchObject(none);
  });

  test('shows the last mail to each seed address', async () => {
    expect((await placement(30)).testers).toEqual([
      {
        tester: 'seed@gmail.com',
        last: {
          status: 'delivered',
          smtp_code: 250,
          enhanced_code: expect.any(String),
          at: expect.any(String),
        },
      },
      { tester: '@seeds.example', last: null },
    ]);
  });

  test('names no subjects to who may not see messages, nor those of other projects', async () => {
    expect((await placement(90, limited)).worst_subjects?.map(({ subject }) => subject)).toEqual([
      'Kostenlos!!',
    ]);
    expect((await placement(90, limited)).subject_risk.sampled).toBe(2);
  });
});

test('who may see figures and no messages is told no subjects', async () => {
  const own = await startApp({ config: unlimitedSignIn });
  try {
    const practice = await own.createSender({ plan: 'praxis' });
    const id = await own.send(practice, { subject: 'Sie haben gewonnen' });
    await own.untilStatus(practice, id, 'processed');
    const role = await own.request<{ id: string }>(
      'POST',
      `${practice.base}/roles`,
      { name: 'Zahlen', permissions: ['stats.view'] },
      own.adminToken,
    );
    const { token } = await join(own, practice.practice.id, 'zahlen@example.org', { role_id: role.body.id });
    const { status, body, text } = await own.request('GET', `${practice.base}/placement`, undefined, token);
    expect(status).toBe(200);
    expect(body).not.toHaveProperty('worst_subjects');
    expect(text).not.toContain('gewonnen');
    expect(body).toMatchObject({ subject_risk: { sampled: 1, levels: { medium: 1 } } });
    for (const kind of ['stats', 'campaigns', 'bounces', 'scores']) {
      const file = await own.request('GET', `${practice.base}/exports/bi?kind=${kind}`, undefined, token);
      if (kind === 'stats' || kind === 'campaigns') expect(file.status).toBe(200);
      else expect(file.body).toMatchObject({ code: 'forbidden', permission: 'messages.view' });
    }
  } finally {
    await own.remove();
  }
});

const outOfRange: readonly string[] = [
  'channel-mix?days=0',
  'channel-mix?days=401',
  'channel-mix?days=1.5',
  'placement?days=91',
  'deliverability?days=91',
  'placement?days=x',
];
test.each(outOfRange)('%s is refused', async (what) => {
  await refused('invalid_request', call('GET', `${sender.base}/${what}`));
});

describe('the wizard', () => {
  test('leads on, in the language of who asks', async () => {
    const fresh = await app.createSender();
    const wizard = async (language: string) => {
      const headers = { 'Accept-Language': language };
      const target = `${fresh.base}/onboarding`;
      return (
        await app.request<z.infer<typeof onboardingSchema>>('GET', target, undefined, fresh.token, headers)
      ).body;
    };
    const { steps, current, complete } = await wizard('en');
    expect(steps.filter(({ done }) => done).map(({ id }) => id)).toEqual([
      'practice',
      'dns',
      'token',
      'go_live',
    ]);
    expect({ current, complete }).toEqual({ current: 'legal', complete: false });
    const { method, path } = steps.find(({ id }) => id === current)?.action ?? { method: '', path: '' };
    const legal = { street: 'Ring 1', city: 'Berlin', privacy_url: 'https://a.example.org/' };
    expect((await call(method, path, legal, fresh.token)).status).toBe(200);
    expect(await wizard('de')).toMatchObject({ current: 'test_message' });
    expect((await wizard('de')).steps[1]?.title).toBe('Impressum eintragen');
  });
});

describe('deliverability', () => {
  test('of a managed host is the service’s business', async () => {
    const found = await deliverability();
    expect(found).toMatchObject({ host: sender.practice.managed_host, kind: 'managed', checked_at: null });
    for (const part of ['dkim', 'spf', 'dmarc', 'mail_from', 'inbound', 'mta_sts'] as const)
      expect(found[part]).toMatchObject({ status: 'ok', source: 'service' });
    expect(found.bimi).toMatchObject({ source: 'service', effective: false });
    expect(found.records_url).toBe(`${sender.base}/dns-records`);
    expect((await call('GET', found.records_url)).status).toBe(200);
  });

  test('is not right where the SPF record of the service does not name the relay', async () => {
    const elsewhere = await startApp({
      config: {
        upstreams: [
          { name: 'relay', kind: 'smtp', host: 'smtp.relay.test' },
          { name: 'of-others', kind: 'smtp', host: 'smtp.relay.test', for: { practices: ['others'] } },
        ],
      },
    });
    try {
      const { practice, token, base } = await elsewhere.createSender();
      const { body } = await elsewhere.request<z.infer<typeof deliverabilitySchema>>(
        'GET',
        `${base}/deliverability`,
        undefined,
        token,
      );
      for (const part of ['spf', 'mail_from'] as const)
        expect(body[part]).toMatchObject({ status: 'mismatch', source: 'service' });
      expect(body.mail_from).toMatchObject({
        domain: `bounce.${practice.managed_host}`,
        hint: expect.stringContaining('does not name the servers that mail leaves by (relay)'),
      });
      expect(body.dkim.status).toBe('ok');
    } finally {
      await elsewhere.remove();
    }
  });

  test('asks whether the service answers under its own address', async () => {
    const { public_origin } = await deliverability();
    expect(public_origin).toEqual({
      origin: app.origin,
      https: false,
      reachable: true,
      checked_at: new Date(TODAY).toISOString(),
      error: null,
    });
  });

  test('has mix, risk and Impressum beside it, of the projects of who asks', async () => {
    const { channel_mix, subject_risk, impressum } = await deliverability(limited);
    expect(channel_mix).toEqual(await channelMix(30, limited));
    expect(subject_risk.sampled).toBe(2);
    expect(impressum).toEqual({ complete: false, missing: ['street', 'city', 'privacy_url'] });
  });

  test('of a custom domain is what the last check found', async () => {
    const fresh = await app.createSender();
    const id = fresh.practice.id;
    app.sql(id, 'UPDATE practice SET custom_domain = ?, custom_verified_at = 1', HOST);
    expect(await deliverability(fresh)).toMatchObject({
      host: HOST,
      kind: 'custom',
      pending: false,
      checked_at: null,
      dkim: { status: 'unchecked', source: 'dns' },
    });
    const check = checkOf(
      [
        record({ purpose: 'dkim', type: 'CNAME', name: `t1._domainkey.${HOST}` }),
        record({ purpose: 'dkim', type: 'CNAME', name: `t2._domainkey.${HOST}`, status: 'proxied' }),
        record({ status: 'multiple', found: ['v=spf1 -all', 'v=spf1 mx -all'], hint: said('Merge them.') }),
        record({ purpose: 'mail_from_mx', type: 'MX', name: `bounce.${HOST}`, status: 'error' }),
        record({ purpose: 'mail_from_spf', name: `bounce.${HOST}` }),
        record({ purpose: 'dmarc', name: `_dmarc.${HOST}`, found: ['v=DMARC1; p=quarantine'] }),
        record({ purpose: 'bimi', name: `default._bimi.${HOST}`, required: false }),
      ],
      {
        inbound: [record({ purpose: 'inbound_mx', type: 'MX', required: false, status: 'missing' })],
        conflicts: [
          {
            purpose: 'apex_mx',
            type: 'MX',
            name: HOST,
            found: ['10 mail.example.com'],
            hint: said('Remove it.'),
          },
        ],
      },
    );
    app.sql(
      id,
      "INSERT INTO dns_checks (host, checked_at, result_json, standings_json) VALUES (?, ?, ?, '{}')",
      HOST,
      TODAY - 1_000,
      JSON.stringify(check),
    );
    const found = await deliverability(fresh);
    expect(found).toMatchObject({
      checked_at: new Date(TODAY - 1_000).toISOString(),
      dkim: { status: 'proxied', records: [{ status: 'ok' }, { status: 'proxied' }] },
      spf: {
        status: 'multiple',
        hint: 'Merge them.',
        records: [{ found: ['v=spf1 -all', 'v=spf1 mx -all'] }],
      },
      dmarc: { status: 'ok', policy: 'quarantine' },
      bimi: { status: 'ok', effective: true },
      mail_from: { status: 'error', domain: `bounce.${HOST}` },
      inbound: { status: 'missing', host: `in.${HOST}`, mx: '10 mail.example.com' },
      mta_sts: { status: 'unchecked' },
      conflicts: [{ name: HOST, hint: 'Remove it.' }],
    });
    expect((await overview(fresh)).dns).toMatchObject({
      host: HOST,
      ok: false,
      failing: [
        { purpose: 'dkim', name: `t2._domainkey.${HOST}`, status: 'proxied' },
        { purpose: 'spf', status: 'multiple', hint: 'Merge them.' },
        { purpose: 'mail_from_mx', status: 'error' },
        { purpose: 'apex_mx', status: 'conflict', hint: 'Remove it.' },
      ],
    });
  });

  test('speaks of the pending domain while there is one', async () => {
    const fresh = await app.createSender();
    app.sql(fresh.practice.id, 'UPDATE practice SET pending_domain = ?', HOST);
    expect(await deliverability(fresh)).toMatchObject({ host: HOST, pending: true });
    expect((await overview(fresh)).dns).toMatchObject({ host: HOST, pending: true, ok: null });
  });
});
