// What happens to custom domains without a request: checks by schedule, mails to the owners, and what a crash or an
// earlier version left behind.
import { describe, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE } from '#src/kernel/time.ts';
import type { Sender } from '#test/support/app.ts';
import { makeOwner, signIn } from '#test/support/people.ts';
import { until } from '#test/support/process.ts';
import { CHECK_JOB, createOwned, type DomainScene, startDomainScene, subjects } from './domain-scene.ts';

const DOMAIN = 'praxis.test';
const OWNER = 'anna@example.org';

/** A domain in use with all its records, its owner told of nothing yet. */
const settled = async () => {
  const scene = await startDomainScene();
  const sender = await createOwned(scene, OWNER);
  await scene.verified(sender, DOMAIN);
  await scene.checkAfter(2 * (DAY / MINUTE));
  expect(await scene.check(sender)).toMatchObject({ ok: true });
  return { ...scene, scene, sender };
};

const forgetLook = ({ app }: DomainScene, { practice }: Sender): void => {
  app.sql(null, 'UPDATE domain_work SET check_at = 0 WHERE tenant_id = ?', practice.id);
};

describe('a pending domain', () => {
  test('is looked at every 15 minutes, and comes into use by itself; the owners are told', async () => {
    const scene = await startDomainScene();
    const sender = await createOwned(scene, OWNER);
    await scene.attach(sender, DOMAIN);
    expect(scene.nextCheckIn(sender)).toBe(0);
    await scene.checkAfter(0);
    expect(scene.nextCheckIn(sender)).toBe(15);
    await scene.publish(sender);
    await scene.checkAfter(14);
    expect(await scene.practice(sender)).toMatchObject({ pending_domain: DOMAIN });
    await scene.checkAfter(1);
    expect(await scene.practice(sender)).toMatchObject({ pending_domain: null, domain: DOMAIN });
    expect(Math.abs((scene.nextCheckIn(sender) ?? 0) - DAY / MINUTE)).toBeLessThanOrEqual(145);
    const [mail, ...others] = await scene.mails(OWNER);
    expect(others).toEqual([]);
    expect(mail?.subject).toBe(`Die Domain ${DOMAIN} ist bestätigt`);
    expect(mail?.text).toContain('http://127.0.0.1');
    expect(mail?.text.replaceAll('\n', ' ')).toContain(
      'Newsletter können von dort ab Tag 3 verschickt werden.',
    );
    expect(mail?.text.replaceAll('\n', ' ')).toContain(
      `mit einem Absender unter ${sender.practice.managed_host}.`,
    );
    const [entry] = scene.app.sql(
      sender.practice.id,
      "SELECT actor_kind, client_address FROM audit WHERE action = 'domain.verify'",
    );
    expect(entry).toEqual({ actor_kind: 'system', client_address: null });
  });

  test('that the schedule and a member look at together comes into use once', async () => {
    const scene = await startDomainScene();
    const sender = await createOwned(scene, OWNER);
    await scene.attach(sender, DOMAIN);
    await scene.publish(sender);
    const [, check] = await Promise.all([scene.checkAfter(0), scene.check(sender)]);
    expect(check).toMatchObject({ pending: false, ok: true });
    const { id } = sender.practice;
    expect(scene.app.sql(id, "SELECT 1 FROM audit WHERE action = 'domain.verify'")).toHaveLength(1);
    expect(scene.app.sql(id, 'SELECT retired_at FROM sending_domains')).toEqual([{ retired_at: null }]);
  });

  test('that a check by a person finds is told to all owners, once, with what its warm-up means', async () => {
    const scene = await startDomainScene();
    const sender = await createOwned(scene, OWNER);
    await scene.attach(sender, DOMAIN);
    await scene.publish(sender);
    expect(await scene.check(sender)).toMatchObject({ pending: false, dkim_verified: true });
    await scene.check(sender);
    await scene.checkAfter(15);
    const mails = await scene.mails(OWNER);
    expect(subjects(mails)).toEqual([`Die Domain ${DOMAIN} ist bestätigt`]);
    expect(mails[0]?.text.replaceAll('\n', ' ')).toContain('ab Tag 3');
  });

  test('is looked at daily after 30 days, until it is asked for again', async () => {
    const scene = await startDomainScene();
    const sender = await scene.app.createSender({ domain: DOMAIN });
    await scene.checkAfter(31 * (DAY / MINUTE));
    expect(scene.nextCheckIn(sender)).toBeGreaterThan(20 * 60);
    await scene.attach(sender, DOMAIN);
    await scene.checkAfter(0);
    expect(scene.nextCheckIn(sender)).toBe(15);
  });

  test('does not keep the one in use from being watched', async () => {
    const { scene, sender, dns, checkAfter, mails } = await settled();
    await scene.attach(sender, 'other.test');
    dns.remove(DOMAIN, 'TXT');
    await checkAfter(DAY / MINUTE);
    for (let look = 0; look < 2; look += 1) await checkAfter(15);
    expect(await scene.practice(sender)).toMatchObject({ domain: DOMAIN, pending_domain: 'other.test' });
    expect(subjects(await mails(OWNER))).toEqual([`DNS-Einträge von ${DOMAIN} stimmen nicht`]);
  });
});

describe('a record that goes bad', () => {
  test('is told of once, with what should stand there and what does, and once more when it is right again', async () => {
    const { sender, dns, checkAfter, nextCheckIn, mails } = await settled();
    dns.remove(`bounce.${DOMAIN}`, 'MX');
    dns.set(DOMAIN, 'TXT', 'v=spf1 include:spf.other.test -all', 'google-site-verification=x');
    dns.set('spf.other.test', 'TXT', 'v=spf1 ip4:192.0.2.1 -all');
    await checkAfter(1.2 * (DAY / MINUTE));
    expect(nextCheckIn(sender)).toBe(15);
    expect(await mails(OWNER)).toEqual([]);
    await checkAfter(15);
    const [alert, ...more] = await mails(OWNER);
    expect(more).toEqual([]);
    expect(alert?.subject).toBe(`DNS-Einträge von ${DOMAIN} stimmen nicht`);
    expect(alert?.text).toContain(
      `Name: ${DOMAIN}\nTyp: TXT\nSoll: v=spf1 include:spf.other.test include:spf.mail.example.com -all\nGefunden: v=spf1 include:spf.other.test -all`,
    );
    expect(alert?.text).toContain(
      `Name: bounce.${DOMAIN}\nTyp: MX\nSoll: 10 mail.example.com\nGefunden: kein solcher Eintrag`,
    );
    expect(alert?.text).not.toContain('_domainkey');
    expect(nextCheckIn(sender)).toBeGreaterThan(20 * 60);
    for (let look = 0; look < 3; look += 1) await checkAfter(1.2 * (DAY / MINUTE));
    expect(await mails(OWNER)).toHaveLength(1);

    dns.set(`bounce.${DOMAIN}`, 'MX', '10 mail.example.com');
    await checkAfter(1.2 * (DAY / MINUTE));
    const [, recovered] = await mails(OWNER);
    expect(recovered?.subject).toBe(`DNS-Einträge von ${DOMAIN} stimmen wieder`);
    expect(recovered?.text).toContain(`MX bounce.${DOMAIN}`);
    expect(recovered?.text).not.toContain(`TXT ${DOMAIN}`);

    dns.remove(`bounce.${DOMAIN}`, 'MX');
    await checkAfter(1.2 * (DAY / MINUTE));
    await checkAfter(15);
    expect(await mails(OWNER)).toHaveLength(3);
  });

  test('is told of where it should not be there: mail for the domain itself would come here', async () => {
    const { dns, checkAfter, mails } = await settled();
    dns.set(DOMAIN, 'MX', '10 mail.example.com');
    await checkAfter(1.2 * (DAY / MINUTE));
    await checkAfter(15);
    const [alert, ...more] = await mails(OWNER);
    expect(more).toEqual([]);
    expect(alert?.text).toContain(
      `Name: ${DOMAIN}\nTyp: MX\nSoll: kein solcher Eintrag, er ist zu entfernen\nGefunden: 10 mail.example.com`,
    );
    dns.fail(DOMAIN, 'SERVFAIL');
    await checkAfter(1.2 * (DAY / MINUTE));
    expect(await mails(OWNER)).toHaveLength(1);
    dns.fail(DOMAIN, null);
    dns.set(DOMAIN, 'MX', '10 mx.elsewhere.test');
    await checkAfter(15);
    const [, recovered] = await mails(OWNER);
    expect(recovered?.text).toContain(`MX ${DOMAIN}`);
  });

  test('is mailed to every owner in their language, and to no one else', async () => {
    const { app, sender, dns, checkAfter, mails } = await settled();
    const { id } = sender.practice;
    await makeOwner(app, id, 'mary@example.org');
    const mary = await signIn(app, 'mary@example.org');
    await app.request('PATCH', '/api/auth/me', { language: 'en' }, mary.token);
    await app.request(
      'POST',
      `/api/practices/${id}/members`,
      { email: 'guest@example.org', role_id: 'admin' },
      app.adminToken,
    );
    dns.remove(`_dmarc.${DOMAIN}`);
    await checkAfter(1.2 * (DAY / MINUTE));
    await checkAfter(15);
    expect(subjects(await mails(OWNER))).toEqual([`DNS-Einträge von ${DOMAIN} stimmen nicht`]);
    const english = (await mails('mary@example.org')).at(-1);
    expect(english?.subject).toBe(`DNS records of ${DOMAIN} are not right`);
    expect(english?.text).toContain('Found: no such record');
    expect(subjects(await mails('guest@example.org')).join()).not.toContain('DNS');
  });

  test('is not one as long as the name servers fail, unless they do so for a day', async () => {
    const { dns, checkAfter, mails, scene, sender } = await settled();
    dns.fail(DOMAIN, 'SERVFAIL');
    await checkAfter(1.2 * (DAY / MINUTE));
    for (let look = 0; look < 4; look += 1) await checkAfter(15);
    expect(await mails(OWNER)).toEqual([]);
    expect(await scene.practice(sender)).toMatchObject({ domain: DOMAIN });
    dns.fail(DOMAIN, null);
    await checkAfter(15);
    dns.fail(DOMAIN, 'SERVFAIL');
    await checkAfter(1.2 * (DAY / MINUTE));
    await checkAfter(23 * (HOUR / MINUTE));
    expect(await mails(OWNER)).toEqual([]);
    await checkAfter(60);
    const told = await mails(OWNER);
    expect(subjects(told)).toEqual([`DNS-Einträge von ${DOMAIN} stimmen nicht`]);
    expect(told[0]?.text).toContain('nicht festzustellen');
  });

  test('is told of when the owners look themselves, too, but not at the first look', async () => {
    const { scene, sender, dns, clock, mails } = await settled();
    dns.remove(DOMAIN, 'TXT');
    await scene.check(sender);
    await scene.check(sender);
    expect(await mails(OWNER)).toEqual([]);
    clock.set(clock.now() + 10 * MINUTE);
    await scene.check(sender);
    expect(await mails(OWNER)).toHaveLength(1);
  });
});

describe('after a crash', () => {
  test('between the claim and the file of the winner, the next look goes on', async () => {
    const scene = await startDomainScene();
    const first = await createOwned(scene, OWNER);
    const second = await createOwned(scene, 'bernd@example.org', 'Praxis am Ring');
    await scene.verified(first, DOMAIN);
    await scene.attach(second, DOMAIN);
    await scene.publish(second);
    // The registry has the claim, and nothing else was written.
    scene.app.sql(null, 'UPDATE domains SET tenant_id = ? WHERE name = ?', second.practice.id, DOMAIN);
    forgetLook(scene, first);
    forgetLook(scene, second);
    await scene.checkAfter(0);
    expect(await scene.practice(second)).toMatchObject({ domain: DOMAIN, pending_domain: null });
    expect(await scene.practice(first)).toMatchObject({ domain: first.practice.managed_host });
    expect(subjects(await scene.mails(OWNER))).toEqual([
      `Die Domain ${DOMAIN} gehört nicht mehr zu „Praxis am Markt“`,
    ]);
    expect(subjects(await scene.mails('bernd@example.org'))).toEqual([`Die Domain ${DOMAIN} ist bestätigt`]);
    expect(scene.nextCheckIn(first)).toBeNull();
  });

  test('is not lost if the registry knows no owner of the domain', async () => {
    const { app, scene, sender } = await settled();
    app.sql(null, 'DELETE FROM domains WHERE name = ?', DOMAIN);
    forgetLook(scene, sender);
    await scene.checkAfter(0);
    expect(await scene.practice(sender)).toMatchObject({ domain: DOMAIN });
  });

  test('between the mail and the file that says it was written, it is not written again', async () => {
    const { app, sender, dns, checkAfter, mails } = await settled();
    const { id } = sender.practice;
    dns.remove(DOMAIN, 'TXT');
    await checkAfter(1.2 * (DAY / MINUTE));
    const before = app.sql<{ standings_json: string }>(id, 'SELECT standings_json FROM dns_checks');
    await checkAfter(15);
    expect(await mails(OWNER)).toHaveLength(1);
    app.sql(id, 'UPDATE dns_checks SET standings_json = ? WHERE host = ?', before[0]?.standings_json, DOMAIN);
    app.sql(null, 'UPDATE domain_work SET check_at = 0 WHERE tenant_id = ?', id);
    await checkAfter(15);
    expect(await mails(OWNER)).toHaveLength(1);
    // It was told all the same: nothing follows.
    await checkAfter(1.2 * (DAY / MINUTE));
    expect(await mails(OWNER)).toHaveLength(1);
  });

  test('between the file and the registry, a pending domain’s tokens are served from the next look on', async () => {
    const scene = await startDomainScene();
    const sender = await scene.app.createSender({ domain: DOMAIN });
    const { id } = sender.practice;
    scene.app.sql(null, 'DELETE FROM dkim_tokens WHERE domain = ?', DOMAIN);
    scene.app.sql(id, 'UPDATE dkim_keys SET published_at = NULL WHERE domain = ?', DOMAIN);
    await scene.checkAfter(0);
    await scene.publish(sender);
    expect(await scene.check(sender)).toMatchObject({ pending: false, dkim_verified: true });
  });
});

test('a service that stops waits for no name server', async () => {
  const { app, attach, dns } = await startDomainScene();
  const sender = await app.createSender();
  await attach(sender, DOMAIN);
  dns.fail(DOMAIN, 'silence');
  const answer = app.request('POST', `${sender.base}/check-dns`, undefined, sender.token);
  await until('the DNS is asked', () => dns.asked.some((name) => name.endsWith(DOMAIN)));
  await app.stop();
  // A lookup that ends without an answer, after 7 s, is a finding, with 200.
  expect(await answer).toMatchObject({ status: 503, body: { code: 'unavailable' } });
});

test('a domain asked for of an earlier version, which had no keys, gets them', async () => {
  const scene = await startDomainScene();
  const sender = await scene.app.createSender({ domain: DOMAIN });
  const { id } = sender.practice;
  scene.app.sql(null, 'DELETE FROM dkim_tokens WHERE domain = ?', DOMAIN);
  scene.app.sql(id, 'DELETE FROM dkim_keys WHERE domain = ?', DOMAIN);
  scene.app.sql(null, 'UPDATE domain_work SET check_at = 0');
  const { records } = await scene.publish(sender);
  expect(records.filter(({ purpose }) => purpose === 'dkim')).toHaveLength(3);
  await scene.app.runJob(CHECK_JOB);
  expect(await scene.practice(sender)).toMatchObject({ domain: DOMAIN, pending_domain: null });
});

test('what was found is kept of hosts in question only', async () => {
  const { scene, sender, app } = await settled();
  const hosts = () =>
    app.sql<{ host: string }>(sender.practice.id, 'SELECT host FROM dns_checks').map(({ host }) => host);
  expect(hosts()).toEqual([DOMAIN]);
  await scene.attach(sender, 'other.test');
  await scene.check(sender);
  expect(hosts().toSorted()).toEqual(['other.test', DOMAIN]);
  await scene.publish(sender);
  await scene.check(sender);
  expect(hosts()).toEqual(['other.test']);
  await app.request('POST', `${sender.base}/restore-managed-domain`, undefined, sender.token);
  expect(hosts()).toEqual([]);
  expect(scene.nextCheckIn(sender)).toBeNull();
});
