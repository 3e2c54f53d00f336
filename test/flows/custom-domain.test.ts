// A practice's own domain over HTTP: asked for, proved by the DNS, in use; replaced, taken by another practice, given up.
import { Resolver } from 'node:dns/promises';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { DAY, MINUTE } from '#src/kernel/time.ts';
import { letter, type Refusal, type Sender } from '#test/support/app.ts';
import { createSmtpReceiver, OK } from '#test/support/smtp-receiver.ts';
import { createOwned, type DomainScene, startDomainScene, subjects } from './domain-scene.ts';

const DOMAIN = 'praxis.test';

const sendFrom = ({ app }: DomainScene, { base, token }: Sender, domain: string) =>
  app.request<Refusal>('POST', `${base}/send`, { ...letter, from: `termine@${domain}` }, token);

const post = ({ app }: DomainScene, { base, token }: Sender, path: string, body?: unknown) =>
  app.request<Refusal>('POST', base + path, body, token);

const actionsOf = ({ app }: DomainScene, { practice }: Sender): string[] =>
  app
    .sql<{ action: string }>(
      practice.id,
      "SELECT action FROM audit WHERE action LIKE 'domain.%' ORDER BY seq",
    )
    .map(({ action }) => action);

test('is pending until its DKIM is in the DNS; then mail leaves from it, and the warm-up begins', async () => {
  const scene = await startDomainScene();
  const { app, dns } = scene;
  const sender = await app.createSender();
  const managed = sender.practice.managed_host;
  const attached = await post(scene, sender, '/custom-domain', { domain: 'Praxis.TEST.' });
  expect(attached.status).toBe(200);
  const pending = { pending_domain: DOMAIN, domain: managed, domain_kind: 'managed', warmup: null };
  expect(attached.body).toMatchObject(pending);
  const hint = (attached.body as { hint: string }).hint;
  expect(hint).toContain(`${DOMAIN} begins its warm-up`);
  expect(hint).toContain(
    `marketing mail from it is refused before day 3. Until then send that with a From address on ${managed}.`,
  );

  const { host, kind, pending: isPending, records, inbound } = await scene.records(sender);
  expect({ host, kind, isPending }).toEqual({ host: DOMAIN, kind: 'custom', isPending: true });
  expect(records.filter(({ purpose }) => purpose === 'dkim')).toHaveLength(3);
  expect(inbound.length).toBeGreaterThan(0);

  const refused = await sendFrom(scene, sender, DOMAIN);
  expect(refused).toMatchObject({ status: 422, body: { code: 'dkim_not_verified' } });
  const accepted = await sendFrom(scene, sender, managed);
  expect(accepted.status).toBe(202);

  const before = await scene.check(sender);
  expect(before).toMatchObject({ host: DOMAIN, pending: true, ok: false, dkim_verified: false });
  expect(new Set(before.records.filter(({ required }) => required).map(({ status }) => status))).toEqual(
    new Set(['missing']),
  );
  expect(await scene.practice(sender)).toMatchObject(pending);

  // Two of three prove nothing.
  const [first, ...others] = records.filter(({ purpose }) => purpose === 'dkim');
  dns.publish(others);
  expect(await scene.check(sender)).toMatchObject({ pending: true, dkim_verified: false });
  dns.publish(first ? [first] : []);
  const after = await scene.check(sender);
  expect(after).toMatchObject({ host: DOMAIN, pending: false, dkim_verified: true, ok: false });
  expect(after.hint).toContain(`${DOMAIN} is on day 1 of its warm-up`);
  scene.clock.set(scene.clock.now() + 2 * DAY);
  expect((await scene.check(sender)).hint).toBeNull();
  scene.clock.set(scene.clock.now() - 2 * DAY);
  expect(await scene.practice(sender)).toMatchObject({
    pending_domain: null,
    domain: DOMAIN,
    domain_kind: 'custom',
    default_from: `noreply@${DOMAIN}`,
    warmup: { day: 1, cap: 150 },
  });
  expect((await sendFrom(scene, sender, DOMAIN)).status).toBe(202);
  expect((await sendFrom(scene, sender, managed)).status).toBe(202);

  await scene.publish(sender);
  expect(await scene.check(sender)).toMatchObject({ ok: true, pending: false, conflicts: [] });
  expect(actionsOf(scene, sender)).toEqual(['domain.attach', 'domain.verify']);
  const [entry] = app.sql<{ after_json: string; actor_kind: string }>(
    sender.practice.id,
    "SELECT * FROM audit WHERE action = 'domain.verify'",
  );
  expect(entry?.actor_kind).toBe('team_token');
  expect(JSON.parse(entry?.after_json ?? '')).toMatchObject({ domain: DOMAIN, pending_domain: null });
});

test('GET of check-dns does the same as POST, and both at once are one check', async () => {
  const scene = await startDomainScene();
  const { app, dns } = scene;
  const sender = await app.createSender({ domain: DOMAIN });
  await scene.publish(sender);
  const path = `${sender.base}/check-dns`;
  const before = dns.asked.length;
  const answers = await Promise.all(
    ['GET', 'POST', 'GET', 'POST'].map((method) => app.request(method, path, undefined, sender.token)),
  );
  for (const answer of answers)
    expect(answer).toMatchObject({ status: 200, body: { pending: false, ok: true } });
  expect(new Set(answers.map(({ body }) => body.checked_at)).size).toBe(1);
  const together = dns.asked.length - before;
  await scene.check(sender);
  // One that came when the first check was over would begin another.
  expect(together).toBeLessThan(answers.length * (dns.asked.length - before - together));
  expect(actionsOf(scene, sender)).toEqual(['domain.verify']);
});

test('the DNS is asked 12 times a minute at most', async () => {
  const scene = await startDomainScene();
  const sender = await scene.app.createSender();
  for (let check = 0; check < 12; check += 1) await scene.check(sender);
  expect(await post(scene, sender, '/check-dns')).toMatchObject({
    status: 429,
    body: { code: 'rate_limited', retry_after: 5 },
  });
  const other = await scene.app.createSender();
  await scene.check(other);
});

test('the managed host is right from the start, and restoring it changes nothing', async () => {
  const scene = await startDomainScene();
  const sender = await scene.app.createSender();
  const { managed_host } = sender.practice;
  expect(await scene.check(sender)).toMatchObject({ host: managed_host, kind: 'managed', pending: false });
  const restored = await post(scene, sender, '/restore-managed-domain');
  expect(restored).toMatchObject({ status: 200, body: { domain: managed_host } });
  expect(actionsOf(scene, sender)).toEqual([]);
  expect(scene.nextCheckIn(sender)).toBeNull();
});

describe('what is asked for while another is pending or in use', () => {
  test('the same again keeps its tokens; another one replaces it; the one in use cancels it', async () => {
    const scene = await startDomainScene();
    const sender = await scene.app.createSender();
    await scene.attach(sender, DOMAIN);
    const tokens = (await scene.records(sender)).records;
    await scene.attach(sender, DOMAIN);
    expect((await scene.records(sender)).records).toEqual(tokens);
    await scene.attach(sender, 'other.test');
    expect(await scene.practice(sender)).toMatchObject({ pending_domain: 'other.test' });
    expect((await sendFrom(scene, sender, DOMAIN)).body.code).toBe('from_not_allowed');
    await scene.attach(sender, DOMAIN);
    expect((await scene.records(sender)).records).toEqual(tokens);

    await scene.publish(sender);
    await scene.check(sender);
    await scene.attach(sender, 'other.test');
    expect(await scene.practice(sender)).toMatchObject({ domain: DOMAIN, pending_domain: 'other.test' });
    expect((await sendFrom(scene, sender, DOMAIN)).status).toBe(202);
    await scene.attach(sender, DOMAIN);
    expect(await scene.practice(sender)).toMatchObject({ domain: DOMAIN, pending_domain: null });
    const retired = scene.app.sql(
      sender.practice.id,
      "SELECT 1 FROM sending_domains WHERE name = 'other.test' AND retired_at IS NOT NULL",
    );
    expect(retired).toHaveLength(1);
  });

  test('the new one, once proved, takes the place of the old; each has its own warm-up', async () => {
    const scene = await startDomainScene();
    const { clock } = scene;
    const sender = await scene.app.createSender();
    await scene.verified(sender, DOMAIN);
    clock.set(clock.now() + 4 * DAY);
    expect(await scene.practice(sender)).toMatchObject({ warmup: { day: 5 } });
    await scene.verified(sender, 'other.test');
    expect(await scene.practice(sender)).toMatchObject({ domain: 'other.test', warmup: { day: 1 } });
    expect((await sendFrom(scene, sender, DOMAIN)).body).toMatchObject({
      code: 'from_not_allowed',
      allowed: ['other.test', sender.practice.managed_host],
    });
    await scene.verified(sender, DOMAIN);
    expect(await scene.practice(sender)).toMatchObject({ domain: DOMAIN, warmup: { day: 5 } });
  });

  test('ten domains are remembered', async () => {
    const scene = await startDomainScene();
    const sender = await scene.app.createSender({ domain: 'd0.test' });
    for (let number = 1; number < 10; number += 1) await scene.attach(sender, `d${number}.test`);
    const refused = await post(scene, sender, '/custom-domain', { domain: 'd10.test' });
    expect(refused).toMatchObject({ status: 409, body: { code: 'conflict' } });
    await scene.attach(sender, 'd3.test');
    expect(await scene.practice(sender)).toMatchObject({ pending_domain: 'd3.test' });
  });

  test('what cannot be a sending domain is refused, when asked for and at the creation of a practice', async () => {
    const scene = await startDomainScene();
    const sender = await scene.app.createSender();
    const counts = scene.app.rowCounts(sender.practice.id);
    const refusal = { status: 400, body: { code: 'invalid_request', fields: [{ path: 'body.domain' }] } };
    const { adminToken } = scene.app;
    for (const domain of [
      'mail.example.com',
      'x.send.example.com',
      'co.uk',
      '192.0.2.1',
      'localhost',
      'a..b',
      'gmail.com',
      'https://www.praxis.test/kontakt',
    ]) {
      expect(await post(scene, sender, '/custom-domain', { domain }), domain).toMatchObject(refusal);
      const fields = { name: 'Praxis', domain };
      const created = await scene.app.request('POST', '/api/practices', fields, adminToken);
      expect(created, domain).toMatchObject(refusal);
    }
    expect(scene.app.rowCounts(sender.practice.id)).toEqual(counts);
  });
});

test('mail under way leaves from the host it was accepted for, signed by its keys, after a switch and a restore', async () => {
  const receiver = await createSmtpReceiver({ mail: '451 4.3.0 Not now' });
  onTestFinished(() => receiver.stop());
  const config = { queue: { retry: ['1s'], then_every: '1s', jitter: 0 } };
  const scene = await startDomainScene({ receiver, config });
  const { app, clock } = scene;
  const sender = await app.createSender();
  const managed = sender.practice.managed_host;
  const fromManaged = await app.send(sender);
  await scene.verified(sender, DOMAIN);
  const fromCustom = await app.send(sender);
  const restored = await post(scene, sender, '/restore-managed-domain');
  expect(restored.body).toMatchObject({ domain: managed, domain_kind: 'managed', warmup: null });
  expect((await sendFrom(scene, sender, DOMAIN)).body.code).toBe('from_not_allowed');

  // An attempt still under way would be put off beyond the day that is skipped here.
  await Promise.all([fromManaged, fromCustom].map((id) => app.untilStatus(sender, id, 'delivery_delayed')));
  receiver.setBehaviour({ dot: OK });
  clock.set(clock.now() + DAY);
  await app.send(sender);
  await Promise.all([fromManaged, fromCustom].map((id) => app.untilStatus(sender, id, 'processed')));
  const resolver = new Resolver();
  resolver.setServers([scene.dns.address]);
  const verifyOf = async (host: string) => {
    const own = receiver.messages.filter(({ content }) => content.includes(`noreply@${host}`));
    const verified = await Promise.all(
      own.map(({ content }) =>
        dkimVerify(content, {
          resolver: async (name: string, type: string) => {
            const target = type === 'TXT' && (await resolver.resolveCname(name).catch(() => null))?.[0];
            return resolver.resolve(target || name, type) as never;
          },
        }),
      ),
    );
    return verified.flatMap(({ results }) =>
      results.map(({ signingDomain, status }) => `${signingDomain} ${status.result}`),
    );
  };
  expect(new Set(await verifyOf(managed))).toEqual(new Set([`${managed} pass`]));
  expect(new Set(await verifyOf(DOMAIN))).toEqual(new Set([`${DOMAIN} pass`]));
});

test('another practice that publishes its records wins the domain; the one that had it is told, and needs new tokens', async () => {
  const scene = await startDomainScene();
  const { app, dns } = scene;
  const first = await createOwned(scene, 'anna@example.org');
  const second = await createOwned(scene, 'bernd@example.org', 'Praxis am Ring');
  await scene.verified(first, DOMAIN);
  const lost = (await scene.records(first)).records.filter(({ purpose }) => purpose === 'dkim');

  // Asking for it takes nothing from anybody.
  await scene.attach(second, DOMAIN);
  expect(await scene.check(second)).toMatchObject({ pending: true, dkim_verified: false });
  expect(await scene.practice(first)).toMatchObject({ domain: DOMAIN });

  await scene.publish(second);
  expect(await scene.check(second)).toMatchObject({ pending: false, dkim_verified: true });
  expect(await scene.practice(second)).toMatchObject({ domain: DOMAIN });
  expect(await scene.practice(first)).toMatchObject({
    domain: first.practice.managed_host,
    pending_domain: null,
    warmup: null,
  });
  expect((await sendFrom(scene, first, DOMAIN)).body.code).toBe('from_not_allowed');
  expect((await sendFrom(scene, second, DOMAIN)).status).toBe(202);
  const told = await scene.mails('anna@example.org');
  expect(subjects(told)).toEqual([`Die Domain ${DOMAIN} gehört nicht mehr zu „Praxis am Markt“`]);
  expect(told[0]?.text).toContain(first.practice.managed_host);
  expect(subjects(await scene.mails('bernd@example.org'))).toEqual([`Die Domain ${DOMAIN} ist bestätigt`]);
  expect(actionsOf(scene, first)).toEqual(['domain.attach', 'domain.verify', 'domain.lose']);

  // What it signed can still be verified; its old records, still in the zone, prove nothing any more.
  for (const { name, value } of lost) {
    const token = name.split('.')[0] ?? '';
    expect(app.sql(null, 'SELECT 1 FROM dkim_tokens WHERE token = ?', token)).toHaveLength(1);
    dns.set(name, 'CNAME', value);
  }
  await scene.attach(first, DOMAIN);
  const again = (await scene.records(first)).records.filter(({ purpose }) => purpose === 'dkim');
  expect(again).toHaveLength(3);
  for (const { name } of again) expect(lost.map((record) => record.name)).not.toContain(name);
  expect(await scene.check(first)).toMatchObject({ pending: true, dkim_verified: false });
  expect(await scene.practice(second)).toMatchObject({ domain: DOMAIN });

  await scene.publish(first);
  expect(await scene.check(first)).toMatchObject({ pending: false });
  expect(await scene.practice(second)).toMatchObject({ domain: second.practice.managed_host });
  expect(subjects(await scene.mails('bernd@example.org')).toSorted()).toEqual([
    `Die Domain ${DOMAIN} gehört nicht mehr zu „Praxis am Ring“`,
    `Die Domain ${DOMAIN} ist bestätigt`,
  ]);
});

test('records of earlier days prove nothing against another practice, for who asked again before it came either', async () => {
  const scene = await startDomainScene();
  const { clock } = scene;
  const first = await createOwned(scene, 'anna@example.org');
  const second = await scene.app.createSender();
  await scene.verified(first, DOMAIN);
  await post(scene, first, '/restore-managed-domain');
  await scene.attach(first, DOMAIN);
  const old = (await scene.records(first)).records;
  clock.set(clock.now() + MINUTE);

  // The records of the first one still stand in the zone.
  await scene.verified(second, DOMAIN);
  expect(await scene.check(first)).toMatchObject({ pending: true, dkim_verified: false });
  expect(await scene.practice(second)).toMatchObject({ domain: DOMAIN });
  const names = (await scene.records(first)).records.map(({ name }) => name);
  for (const { name } of old.filter(({ purpose }) => purpose === 'dkim')) expect(names).not.toContain(name);
  expect(await scene.practice(first)).toMatchObject({ pending_domain: DOMAIN });

  // Its new ones stay the same, and prove it.
  await scene.checkAfter(15);
  expect((await scene.records(first)).records.map(({ name }) => name)).toEqual(names);
  await scene.publish(first);
  expect(await scene.check(first)).toMatchObject({ pending: false });
  expect(await scene.practice(second)).toMatchObject({ domain: second.practice.managed_host });
});

test('records of a domain that was asked for and left prove nothing against who was proved since; its new ones stay', async () => {
  const scene = await startDomainScene();
  const { app, clock } = scene;
  const [first, second] = [await app.createSender(), await app.createSender()];
  await scene.attach(first, DOMAIN);
  await scene.publish(first);
  await scene.attach(first, 'other.test');
  clock.set(clock.now() + MINUTE);
  await scene.verified(second, DOMAIN);
  clock.set(clock.now() + MINUTE);

  const tokens = () => app.sql(first.practice.id, 'SELECT token FROM dkim_keys WHERE domain = ?', DOMAIN);
  for (const domain of [DOMAIN, 'other.test', DOMAIN]) {
    await scene.attach(first, domain);
    expect(tokens()).toHaveLength(6);
  }
  expect(await scene.check(first)).toMatchObject({ host: DOMAIN, pending: true, dkim_verified: false });
  expect(await scene.practice(second)).toMatchObject({ domain: DOMAIN });
});

test('a logo is named by the BIMI record; what is no https address of an SVG is refused', async () => {
  const scene = await startDomainScene();
  const sender = await scene.app.createSender({ domain: DOMAIN });
  const put = (body: object) => scene.app.request('PUT', `${sender.base}/bimi`, body, sender.token);
  const logo_url = 'https://praxis.test/logo.svg';
  const certificate_url = 'https://praxis.test/mark.pem';
  const bimi = async () =>
    (await scene.records(sender)).records.find(({ purpose }) => purpose === 'bimi')?.value;
  expect(await put({ logo_url, certificate_url: null })).toMatchObject({ status: 200, body: { logo_url } });
  expect(await bimi()).toContain(`l=${logo_url}`);
  expect(await bimi()).not.toContain('a=');
  await put({ logo_url, certificate_url });
  expect(await bimi()).toContain(`a=${certificate_url}`);
  const bad = [
    'http://praxis.test/logo.svg',
    'https://praxis.test/logo.png',
    'https://praxis.test/a;l=b.svg',
    'x',
  ];
  for (const url of bad) expect((await put({ logo_url: url, certificate_url: null })).status, url).toBe(400);
  expect(await put({ logo_url: bad[0], certificate_url: null })).toMatchObject({
    body: {
      fields: [{ path: 'body.logo_url', message: 'expected an https address with a full domain name' }],
    },
  });
  expect(await bimi()).toContain(`l=${logo_url}`);
  expect((await put({ logo_url: null, certificate_url: null })).status).toBe(200);
  expect(actionsOf(scene, sender)).toEqual(['domain.bimi', 'domain.bimi', 'domain.bimi']);
});
