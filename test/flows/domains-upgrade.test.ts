// A start on the files of the release before sending domains had a life of their own: its practices go on sending, signed
// by the keys they had, and their domains come under the care of this one.
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '#src/kernel/id.ts';
import { DAY, HOUR } from '#src/kernel/time.ts';
import { type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { type DnsZone, startDnsZone } from '#test/support/dns-zone.ts';
import { createSmtpReceiver, type SmtpReceiver } from '#test/support/smtp-receiver.ts';
import { type EarlierPractice, writeEarlierRelease } from './earlier-release.ts';

/** The migrations that release knew. */
const FORM = 2;
const SUFFIX = 'send.example.com';
const CUSTOM = 'praxis-custom.example';
const PENDING = 'praxis-pending.example';
const now = Date.now();
const verifiedAt = now - 20 * DAY;

interface Listed {
  readonly host: string;
  readonly kind: string;
  readonly pending: boolean;
  readonly records: readonly {
    readonly purpose: string;
    readonly type: 'CNAME' | 'MX' | 'TXT';
    readonly name: string;
    readonly value: string;
    readonly priority: number | null;
  }[];
}

let dns: DnsZone;
let receiver: SmtpReceiver;
let app: TestApp;
let managed: EarlierPractice;
let custom: EarlierPractice;
let pending: EarlierPractice;
let safe: EarlierPractice;
/** Registry's tokens before the start, by host. */
const tokensBefore = new Map<string, string[]>();
const queued = { managed: newId(), customHost: newId(), customManaged: newId() };

beforeAll(async () => {
  dns = await startDnsZone();
  receiver = await createSmtpReceiver();
  const home = await mkdtemp(path.join(tmpdir(), 'app-'));
  const release = await writeEarlierRelease(home, FORM, now);
  managed = await release.addPractice('managed', [`managed.${SUFFIX}`]);
  custom = await release.addPractice('custom', [`custom.${SUFFIX}`, CUSTOM], {
    custom_domain: CUSTOM,
    custom_verified_at: verifiedAt,
    warmup_started_at: verifiedAt,
  });
  pending = await release.addPractice('pending', [`pending.${SUFFIX}`], { custom_domain: PENDING });
  safe = await release.addPractice('safe', [`safe.${SUFFIX}`], { safe_mode: 1 });
  const anna = 'anna@example.org';
  const processed = { to: [anna, 'bernd@example.org'], status: 'processed', createdAt: now - DAY } as const;
  const waiting = { to: [anna], status: 'queued', createdAt: now } as const;
  release.addMessages(managed, [
    { id: newId(), host: `managed.${SUFFIX}`, ...processed },
    { id: newId(), host: `managed.${SUFFIX}`, ...processed, channel: 'appointments' },
    { id: queued.managed, host: `managed.${SUFFIX}`, ...waiting },
  ]);
  release.addMessages(custom, [
    { id: queued.customHost, host: CUSTOM, ...waiting },
    { id: queued.customManaged, host: `custom.${SUFFIX}`, ...waiting },
  ]);
  const rows = release.registry.prepare<[], { domain: string; token: string }>(
    'SELECT domain, token FROM dkim_tokens ORDER BY domain, position',
  );
  for (const { domain, token } of rows.all())
    tokensBefore.set(domain, [...(tokensBefore.get(domain) ?? []), token]);
  release.close();
  app = await startApp({
    home,
    receiver,
    upstream: { delivered_on: 'accept' },
    config: {
      dns: {
        resolvers: [dns.address],
        zones: { addresses: ['192.0.2.10'] },
        authoritative: { listen: '127.0.0.1:0' },
      },
    },
  });
  dns.delegate('mail.example.com', app.dnsPort ?? 0);
  dns.delegate(SUFFIX, app.dnsPort ?? 0);
});
afterAll(async () => {
  await app.remove();
  await receiver.stop();
  await dns.stop();
});

const recordsOf = async ({ base, token }: Sender): Promise<Listed> => {
  const answer = await app.request<Listed>('GET', `${base}/dns-records`, undefined, token);
  expect(answer.status).toBe(200);
  return answer.body;
};
const practiceOf = async ({ base, token }: Sender) => (await app.request('GET', base, undefined, token)).body;
const dkimOf = ({ host, records }: Listed): string[] =>
  records
    .filter(({ purpose }) => purpose === 'dkim')
    .map(({ name }) => name.slice(0, -`._domainkey.${host}`.length));

/** Who has signed the mail, by keys that the registry serves: `algorithm domain result`. */
const signedBy = async (id: string): Promise<string[]> => {
  const mail = receiver.messages.find(({ content }) => content.includes(`Message-ID: <${id}@`));
  const { results } = await dkimVerify(mail?.content ?? Buffer.alloc(0), {
    resolver: async (name) => {
      const [token] = name.split('.');
      const rows = app.sql<{ record: string }>(null, 'SELECT record FROM dkim_tokens WHERE token = ?', token);
      return rows.map(({ record }) => [record]) as never;
    },
  });
  return results.map(({ algo, signingDomain, status }) => `${algo} ${signingDomain} ${status.result}`);
};

describe('mail', () => {
  test('that waited goes out, signed for the host it is from', async () => {
    await app.untilStatus(managed.sender, queued.managed, 'delivered');
    await app.untilStatus(custom.sender, queued.customHost, 'delivered');
    await app.untilStatus(custom.sender, queued.customManaged, 'delivered');
    const both = (host: string) => [`rsa-sha256 ${host} pass`, `ed25519-sha256 ${host} pass`];
    expect(await signedBy(queued.managed)).toEqual(both(`managed.${SUFFIX}`));
    expect(await signedBy(queued.customHost)).toEqual(both(CUSTOM));
    expect(await signedBy(queued.customManaged)).toEqual(both(`custom.${SUFFIX}`));
  });

  test.each([
    ['the managed host', () => managed, `noreply@managed.${SUFFIX}`],
    ['the verified domain', () => custom, `noreply@${CUSTOM}`],
    ['the managed host while the domain is pending', () => pending, `noreply@pending.${SUFFIX}`],
  ])('that is new goes out from %s, signed', async (_sentence, practice, from) => {
    const { sender } = practice();
    const id = await app.send(sender);
    const sent = await app.untilStatus(sender, id, 'delivered');
    expect(sent.from).toMatchObject({ address: from });
    const host = from.split('@')[1];
    expect(await signedBy(id)).toContain(`rsa-sha256 ${host} pass`);
  });

  test('from the pending domain is refused', async () => {
    const { base, token } = pending.sender;
    const body = { from: `praxis@${PENDING}`, to: 'anna@example.org', subject: 'Termin', text: 'x' };
    const answer = await app.request('POST', `${base}/send`, body, token);
    expect(answer.body).toMatchObject({ code: 'dkim_not_verified' });
  });
});

describe('the practice', () => {
  test('with a verified domain keeps it, and the days of its warm-up', async () => {
    expect(await practiceOf(custom.sender)).toMatchObject({
      domain: CUSTOM,
      domain_kind: 'custom',
      pending_domain: null,
      warmup: { day: 21, started_at: new Date(verifiedAt).toISOString() },
    });
    expect(app.sql(custom.ids.tenant, 'SELECT * FROM sending_domains')).toEqual([
      { name: CUSTOM, attached_at: now, verified_at: verifiedAt, retired_at: null },
    ]);
  });

  test('in safe mode, which only the operator could end, still needs him for it', async () => {
    const isAskedFor = async ({ base, token }: Sender): Promise<boolean> => {
      const { body } = await app.request<{ checks: { id: string; ok: boolean; required: boolean }[] }>(
        'GET',
        `${base}/cutover`,
        undefined,
        token,
      );
      return body.checks.some(({ id, ok, required }) => id === 'approval' && required && !ok);
    };
    expect(await isAskedFor(safe.sender)).toBe(true);
    expect(await isAskedFor(managed.sender)).toBe(false);
  });

  test('with a domain that was only asked for has it pending', async () => {
    expect(await practiceOf(pending.sender)).toMatchObject({
      domain: `pending.${SUFFIX}`,
      domain_kind: 'managed',
      pending_domain: PENDING,
      warmup: null,
    });
    expect(app.sql(pending.ids.tenant, 'SELECT * FROM sending_domains')).toEqual([
      { name: PENDING, attached_at: now, verified_at: null, retired_at: null },
    ]);
  });
});

describe('records and keys', () => {
  test('of hosts with keys are those they had', async () => {
    const ofManaged = await recordsOf(managed.sender);
    expect(ofManaged).toMatchObject({ host: `managed.${SUFFIX}`, kind: 'managed', pending: false });
    expect(dkimOf(ofManaged)).toEqual(tokensBefore.get(`managed.${SUFFIX}`));
    const ofCustom = await recordsOf(custom.sender);
    expect(ofCustom).toMatchObject({ host: CUSTOM, kind: 'custom', pending: false });
    expect(dkimOf(ofCustom)).toEqual(tokensBefore.get(CUSTOM));
    const keys = app.sql(
      custom.ids.tenant,
      'SELECT position, algorithm, role FROM dkim_keys WHERE domain = ? ORDER BY position',
      CUSTOM,
    );
    expect(keys).toEqual([
      { position: 1, algorithm: 'rsa-sha256', role: 'active' },
      { position: 2, algorithm: 'rsa-sha256', role: 'next' },
      { position: 3, algorithm: 'ed25519-sha256', role: 'active' },
    ]);
  });

  test('of the pending domain, which had no keys, are made at the first need, and then stay', async () => {
    expect(tokensBefore.get(PENDING)).toBeUndefined();
    const first = await recordsOf(pending.sender);
    expect(first).toMatchObject({ host: PENDING, kind: 'custom', pending: true });
    expect(dkimOf(first)).toHaveLength(3);
    const again = await recordsOf(pending.sender);
    expect(dkimOf(again)).toEqual(dkimOf(first));
    const served = app.sql<{ token: string }>(
      null,
      'SELECT token FROM dkim_tokens WHERE domain = ? ORDER BY position',
      PENDING,
    );
    expect(served.map(({ token }) => token)).toEqual(dkimOf(first));
  });

  test('published, they bring the pending domain into use', async () => {
    const { sender } = pending;
    dns.publish((await recordsOf(sender)).records);
    const answer = await app.request('POST', `${sender.base}/check-dns`, undefined, sender.token);
    expect(answer.body).toMatchObject({ host: PENDING, pending: false, ok: true });
    expect(await practiceOf(sender)).toMatchObject({ domain: PENDING, warmup: { day: 1 } });
    const id = await app.send(sender);
    await app.untilStatus(sender, id, 'delivered');
    expect(await signedBy(id)).toContain(`rsa-sha256 ${PENDING} pass`);
  });
});

describe('what is looked after by schedule', () => {
  interface Work {
    readonly tenant_id: string;
    readonly check_at: number | null;
    readonly keys_at: number;
  }
  const work = (tenantId: string): Work | undefined =>
    app.sql<Work>(null, 'SELECT * FROM domain_work WHERE tenant_id = ?', tenantId)[0];

  test('is every practice, the service’s own included', () => {
    const without = app.sql(
      null,
      'SELECT id FROM tenants WHERE id NOT IN (SELECT tenant_id FROM domain_work)',
    );
    expect(without).toEqual([]);
    expect(app.sql(null, 'SELECT tenant_id FROM domain_work')).toHaveLength(5);
  });

  test('is found by the first run: a time for those with a domain of their own, none for the others', async () => {
    dns.publish((await recordsOf(custom.sender)).records);
    // As the migration left them; the daemon's own schedule may have come first.
    app.sql(null, 'UPDATE domain_work SET check_at = 0, keys_at = 0');
    await app.runJob('check the DNS records of custom domains');
    expect(work(managed.ids.tenant)?.check_at).toBeNull();
    expect(work(custom.ids.tenant)?.check_at).toBeGreaterThan(now + 12 * HOUR);
    expect(await practiceOf(custom.sender)).toMatchObject({ domain: CUSTOM });
    await app.runJob('look after DKIM keys');
    for (const { ids } of [managed, custom, pending]) expect(work(ids.tenant)?.keys_at).toBeGreaterThan(now);
  });
});

describe('counters', () => {
  const day = Math.floor((now - DAY) / DAY);

  test('of accepted mails are what they were, and have fates from now on', () => {
    const { tenant } = managed.ids;
    const before = app.sql(
      tenant,
      'SELECT accepted, sent, delivered, hard_bounced, soft_bounced, complaints, unsubscribes FROM counters WHERE day = ?',
      day,
    );
    const none = { sent: 0, delivered: 0, hard_bounced: 0, soft_bounced: 0, complaints: 0, unsubscribes: 0 };
    expect(before).toEqual([{ accepted: 4, ...none }]);
    const since = app.sql(
      tenant,
      'SELECT sum(accepted) AS accepted, sum(sent) AS sent, sum(delivered) AS delivered FROM counters WHERE day > ?',
      day,
    );
    // One that waited, and one that is new.
    expect(since).toEqual([{ accepted: 2, sent: 2, delivered: 2 }]);
  });

  test('of channels hold what was accepted before', () => {
    const rows = app.sql(
      managed.ids.tenant,
      'SELECT channel, accepted FROM channel_counters WHERE day = ? ORDER BY channel',
      day,
    );
    expect(rows).toEqual([
      { channel: 'appointments', accepted: 2 },
      { channel: 'transactional', accepted: 2 },
    ]);
  });
});
