// One-click set-up as the three of it see it: the operator who publishes template and key, the owner who is sent to the
// DNS provider, and the provider that verifies the address and applies the template.
// @module-tag debian/bind9-dnsutils
// @module-tag debian/openssl
import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import type { metaSchema, offerSchema, templateSchema } from '#src/domains/domain-connect/routes.ts';
import { type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { type DnsZone, startDnsZone } from '#test/support/dns-zone.ts';

const run = promisify(execFile);
const CLOUDFLARE = 'api.cloudflare.com/client/v4/dns/domainconnect';
const SERVICE = 'mail.example.com';

type Offer = z.infer<typeof offerSchema>;
type Template = z.infer<typeof templateSchema>;
interface Listed {
  readonly records: readonly { readonly purpose: string; readonly name: string; readonly value: string }[];
}

let dns: DnsZone;
let app: TestApp;
let folder: string;
let origin: string;
beforeAll(async () => {
  dns = await startDnsZone();
  folder = await mkdtemp(path.join(tmpdir(), 'domain-connect-'));
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 4_096 });
  const keyFile = path.join(folder, 'domain-connect.key');
  await writeFile(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  origin = 'https://app.example.com';
  app = await startApp({
    config: {
      service: { public_origin: origin },
      dns: {
        resolvers: [dns.address],
        zones: { addresses: ['192.0.2.10'] },
        authoritative: { listen: '127.0.0.1:0' },
      },
      domain_connect: { provider_id: 'example.com', service_id: 'mail', private_key_file: keyFile },
    },
  });
});
afterAll(async () => {
  await app.remove();
  await dns.stop();
  await rm(folder, { recursive: true });
});
beforeEach(() => {
  dns.clear();
  dns.delegate(SERVICE, app.dnsPort ?? 0);
});

const offerTo = async ({ base, token }: Sender, query = ''): Promise<Offer> => {
  const answer = await app.request<Offer>(
    'GET',
    `${base}/domain-connect/cloudflare${query}`,
    undefined,
    token,
  );
  expect(answer.status).toBe(200);
  expect(answer.body.url === null).toBe(!answer.body.available);
  expect(answer.body.reason === null).toBe(answer.body.available);
  return answer.body;
};
const checkDns = async ({ base, token }: Sender) => {
  const answer = await app.request<{ pending: boolean }>('POST', `${base}/check-dns`, undefined, token);
  expect(answer.status).toBe(200);
  return answer.body;
};
const tokensOf = async ({ base, token }: Sender): Promise<string[]> => {
  const { body } = await app.request<Listed>('GET', `${base}/dns-records`, undefined, token);
  return body.records.filter(({ purpose }) => purpose === 'dkim').map(({ name }) => name.split('.')[0] ?? '');
};

let domains = 0;
/** A practice whose domain, or a name below it, is pending, its zone at the provider, and looked at once. */
const pendingAt = async (below = ''): Promise<{ sender: Sender; zone: string; host: string }> => {
  domains += 1;
  const zone = `praxis-${domains}.example`;
  const host = below + zone;
  dns.set(`_domainconnect.${zone}`, 'TXT', CLOUDFLARE);
  const sender = await app.createSender();
  const asked = await app.request('POST', `${sender.base}/custom-domain`, { domain: host }, sender.token);
  expect(asked.status).toBe(200);
  await checkDns(sender);
  return { sender, zone, host };
};

const queryOf = (url: string | null): string => url?.slice(url.indexOf('?') + 1) ?? '';

/** What is at the key's name, as `dig` shows it: the first character-string of each record. */
const publishedParts = async (): Promise<string[]> => {
  const where = ['@127.0.0.1', '-p', String(app.dnsPort)];
  const { stdout } = await run('dig', [...where, '+short', '+norecurse', `_dck1.${SERVICE}`, 'TXT']);
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => /^"([^"]*)"$/.exec(line)?.[1] ?? '');
};

/** As providers do: parts in order, PEM around them, the query without `key` and `sig`, PKCS#1 v1.5 over SHA-256. */
const isVerified = async (query: string): Promise<boolean> => {
  const parts = (await publishedParts())
    .map((text) => Object.fromEntries(text.split(',').map((field) => [field[0], field.slice(2)])))
    .toSorted((one, other) => Number(one.p) - Number(other.p));
  expect(parts.length).toBeGreaterThan(1);
  expect(parts.every(({ a }) => a === 'RS256')).toBe(true);
  const pem = `-----BEGIN PUBLIC KEY-----\n${parts.map(({ d }) => d).join('')}\n-----END PUBLIC KEY-----\n`;
  const [signed = '', signature = ''] = query.split('&sig=');
  const files = { key: pem, data: signed.replace(/&key=[^&]*$/, ''), sig: '' };
  await writeFile(path.join(folder, 'key.pem'), files.key);
  await writeFile(path.join(folder, 'data'), files.data);
  await writeFile(path.join(folder, 'sig'), Buffer.from(decodeURIComponent(signature), 'base64'));
  const args = ['dgst', '-sha256', '-verify', 'key.pem', '-signature', 'sig', 'data'];
  return run('openssl', args, { cwd: folder }).then(
    () => true,
    () => false,
  );
};

/** What the provider does once the owner has agreed. */
const applyTemplate = async (query: string): Promise<void> => {
  const { body: template } = await app.request<Template>('GET', '/api/public/domain-connect/template');
  const parameters = new URLSearchParams(query);
  const fill = (text: string) => text.replace(/%(\w+)%/g, (_, name: string) => parameters.get(name) ?? '');
  const host = [parameters.get('host') ?? '', parameters.get('domain') ?? ''].filter(Boolean).join('.');
  const groups = parameters.get('groupId')?.split(',') ?? [];
  for (const record of template.records.filter(({ groupId }) => groups.includes(groupId))) {
    const name = record.host === '@' ? host : `${fill(record.host)}.${host}`;
    if (record.type === 'SPFM') dns.set(name, 'TXT', `v=spf1 ${record.spfRules} ~all`);
    else if (record.type === 'TXT') dns.set(name, 'TXT', record.data);
    else if (record.type === 'MX') dns.set(name, 'MX', `${record.priority} ${record.pointsTo}`);
    else dns.set(name, 'CNAME', fill(record.pointsTo));
  }
};

describe('what providers ask for', () => {
  test('the template bears the ids of the configuration and the places of key and redirects', async () => {
    const { status, body } = await app.request<Template>('GET', '/api/public/domain-connect/template');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      providerId: 'example.com',
      serviceId: 'mail',
      providerName: 'Sendwerk',
      syncPubKeyDomain: SERVICE,
      syncRedirectDomain: 'app.example.com',
    });
  });

  test('the public key is in the zone of the service as it is in the answer', async () => {
    const { body } = await app.request<z.infer<typeof metaSchema>>('GET', '/api/public/domain-connect/meta');
    expect(body).toMatchObject({
      provider_id: 'example.com',
      service_id: 'mail',
      available: true,
      key_host: '_dck1',
      sync_pub_key_domain: SERVICE,
      template_url: `${origin}/api/public/domain-connect/template`,
    });
    expect(
      body.public_key_records.every(({ name, type }) => `${type} ${name}` === `TXT _dck1.${SERVICE}`),
    ).toBe(true);
    const values = body.public_key_records.map(({ value }) => value);
    expect((await publishedParts()).toSorted()).toEqual(values.toSorted());
    expect(values.length).toBe(4);
  });
});

describe('the address', () => {
  test('is verified by the published key, and with anything changed it is not', async () => {
    const { sender, zone } = await pendingAt();
    const { url, groups, provider } = await offerTo(sender);
    expect(provider).toBe('Cloudflare');
    expect(url).toMatch(
      /^https:\/\/dash\.cloudflare\.com\/domainconnect\/v2\/domainTemplates\/providers\/example\.com\/services\/mail\/apply\?/,
    );
    const query = queryOf(url);
    const names = query.split('&').map((parameter) => parameter.split('=')[0]);
    expect(names).toEqual(['domain', 't1', 't2', 't3', 'groupId', 'key', 'sig']);
    const parameters = new URLSearchParams(query);
    expect(parameters.get('domain')).toBe(zone);
    expect(parameters.get('key')).toBe('_dck1');
    expect(['t1', 't2', 't3'].map((name) => parameters.get(name))).toEqual(await tokensOf(sender));
    expect(parameters.get('groupId')).toBe(groups.join());
    expect(groups).toEqual(['dkim', 'spf', 'mail_from_mx', 'mail_from_spf', 'dmarc']);
    expect(await isVerified(query)).toBe(true);
    expect(await isVerified(query.replace(zone, 'praxis-x.example'))).toBe(false);
    expect(await isVerified(query.replace('%2Cdmarc', ''))).toBe(false);
    expect(await isVerified(query.replace('&key=', '&t4=x&key='))).toBe(false);
  });

  test('brings a pending domain into use once the provider has applied it', async () => {
    const { sender, host } = await pendingAt();
    await applyTemplate(queryOf((await offerTo(sender)).url));
    expect(await checkDns(sender)).toMatchObject({ host, pending: false, ok: true, dkim_verified: true });
    expect(await offerTo(sender)).toMatchObject({
      groups: [],
      by_hand: [],
      reason: expect.stringMatching(/^Nothing is missing/),
    });
  });

  test('of a name below the zone names both, and leaves the records of the zone to be done by hand', async () => {
    const { sender, zone, host } = await pendingAt('news.');
    const { url, groups, by_hand } = await offerTo(sender);
    const parameters = new URLSearchParams(queryOf(url));
    expect([parameters.get('domain'), parameters.get('host')]).toEqual([zone, 'news']);
    expect(groups).toEqual(['dkim', 'mail_from_mx', 'mail_from_spf', 'dmarc']);
    expect(by_hand.map(({ purpose, name }) => `${purpose} ${name}`)).toEqual([
      `spf ${zone}`,
      `dmarc _dmarc.${zone}`,
    ]);
    expect(await isVerified(queryOf(url))).toBe(true);
    await applyTemplate(queryOf(url));
    expect(await checkDns(sender)).toMatchObject({ host, pending: false, ok: false, dkim_verified: true });
    for (const { name, value } of by_hand) dns.set(name, 'TXT', value);
    expect(await checkDns(sender)).toMatchObject({ ok: true });
  });

  test('asks for incoming mail on demand only', async () => {
    const { sender } = await pendingAt();
    const { groups } = await offerTo(sender, '?inbound=true');
    expect(groups).toEqual([
      'dkim',
      'spf',
      'mail_from_mx',
      'mail_from_spf',
      'dmarc',
      'inbound_mx',
      'mta_sts',
      'mta_sts_policy',
      'tls_rpt',
    ]);
  });

  test('leads back to the service only', async () => {
    const { sender } = await pendingAt();
    const back = `${origin}/domains?practice=${sender.practice.id}&step=2`;
    const { url } = await offerTo(sender, `?redirect_uri=${encodeURIComponent(back)}`);
    expect(new URLSearchParams(queryOf(url)).get('redirect_uri')).toBe(back);
    expect(await isVerified(queryOf(url))).toBe(true);
    const others = [
      'https://evil.example/',
      `${origin}.evil.example/`,
      `${origin}@evil.example/`,
      `http://app.example.com/`,
      'javascript:alert(1)',
      `${origin}:444/`,
      'app.example.com/',
    ];
    for (const other of others) {
      const target = `${sender.base}/domain-connect/cloudflare?redirect_uri=${encodeURIComponent(other)}`;
      const answer = await app.request('GET', target, undefined, sender.token);
      expect(answer.body, other).toMatchObject({
        code: 'invalid_request',
        fields: [{ path: 'query.redirect_uri' }],
      });
    }
  });
});

describe('records that stand', () => {
  test('SPF and DMARC found at the check are left to their owner', async () => {
    const { sender, zone } = await pendingAt();
    dns.set(zone, 'TXT', 'site-verification=1', 'v=spf1 a -all');
    dns.set(`_dmarc.${zone}`, 'TXT', 'v=DMARC1; p=reject; aspf=s');
    await checkDns(sender);
    const { groups, by_hand } = await offerTo(sender);
    expect(groups).toEqual(['dkim', 'mail_from_mx', 'mail_from_spf']);
    expect(by_hand).toMatchObject([
      { purpose: 'spf', value: `v=spf1 a include:spf.${SERVICE} -all` },
      { purpose: 'dmarc', value: 'v=DMARC1; p=reject; aspf=r' },
    ]);
  });

  test('so are those that came after the check, and those that cannot be asked for', async () => {
    const { sender, zone } = await pendingAt();
    dns.set(`_dmarc.${zone}`, 'TXT', 'v=DMARC1; p=reject');
    dns.fail(`bounce.${zone}`, 'SERVFAIL');
    expect((await offerTo(sender)).groups).toEqual(['dkim', 'spf', 'mail_from_mx']);
    dns.fail(`bounce.${zone}`, null);
  });

  test('another TXT at the same name is none of them', async () => {
    const { sender, zone } = await pendingAt();
    dns.set(zone, 'TXT', 'site-verification=1');
    expect((await offerTo(sender)).groups).toContain('spf');
  });
});

describe('there is no address, and a reason', () => {
  const reasonFor = async (sender: Sender): Promise<string | null> => {
    const { available, reason } = await offerTo(sender);
    expect(available).toBe(false);
    return reason;
  };

  test('for a managed host', async () =>
    expect(await reasonFor(await app.createSender())).toMatch(/managed host/));

  test('before the first check', async () => {
    const sender = await app.createSender();
    await app.request('POST', `${sender.base}/custom-domain`, { domain: 'early.example' }, sender.token);
    dns.set('_domainconnect.early.example', 'TXT', CLOUDFLARE);
    expect(await reasonFor(sender)).toMatch(/Check DNS first/);
  });

  test('where the zone is at another provider', async () => {
    const { sender, zone } = await pendingAt();
    dns.set(`_domainconnect.${zone}`, 'TXT', 'domainconnect.other.example');
    expect(await reasonFor(sender)).toMatch(/run by another provider than Cloudflare/);
  });

  test('where the zone announces none', async () => {
    const { sender, zone } = await pendingAt();
    dns.remove(`_domainconnect.${zone}`);
    expect(await reasonFor(sender)).toMatch(/does not seem to be run by Cloudflare/);
  });

  test('where the DNS does not say: that is not taken for a no', async () => {
    const { sender, zone } = await pendingAt();
    dns.fail(`_domainconnect.${zone}`, 'SERVFAIL');
    expect(await reasonFor(sender)).toMatch(/could not be found out.*\(servfail\)\. Ask again later\.$/);
    dns.fail(`_domainconnect.${zone}`, null);
  });

  test('if everything that is missing must be changed by hand', async () => {
    const { sender, zone } = await pendingAt();
    await applyTemplate(queryOf((await offerTo(sender)).url));
    dns.set(`_dmarc.${zone}`, 'TXT', 'v=DMARC1; p=none; aspf=s');
    await checkDns(sender);
    expect(await reasonFor(sender)).toMatch(/changed by hand/);
    expect((await offerTo(sender)).by_hand).toMatchObject([{ purpose: 'dmarc' }]);
  });

  test('where the operator has not set it up; template and meta say what it would be', async () => {
    const other = await startApp();
    try {
      const sender = await other.createSender();
      const { body } = await other.request<Offer>(
        'GET',
        `${sender.base}/domain-connect/cloudflare`,
        undefined,
        sender.token,
      );
      expect(body).toMatchObject({
        available: false,
        url: null,
        reason: expect.stringMatching(/not set up/),
      });
      const meta = await other.request('GET', '/api/public/domain-connect/meta');
      expect(meta.body).toMatchObject({
        provider_id: SERVICE,
        service_id: 'email',
        available: false,
        key_host: null,
        public_key_records: [],
      });
      const template = await other.request('GET', '/api/public/domain-connect/template');
      expect(template.body).toMatchObject({ providerId: SERVICE, serviceId: 'email' });
    } finally {
      await other.remove();
    }
  });
});
