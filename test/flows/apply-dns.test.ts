// POST …/inbound/apply-dns: the records for receiving mail are published at the operator's DNS provider, here a stand-in for
// Cloudflare's API, whose records are those of the DNS that the daemon asks.
import { expect, onTestFinished, test } from 'vitest';
import type { Refusal, Sender } from '#test/support/app.ts';
import { refused } from '#test/support/asking.ts';
import {
  failing,
  type PlayedCloudflare,
  PROVIDER_TOKEN,
  startPlayedCloudflare,
} from '#test/support/played-cloudflare.ts';
import { type DomainScene, startDomainScene } from './domain-scene.ts';

const DOMAIN = 'praxis.test';
const ACTIVE = { id: 'z1', name: DOMAIN, status: 'active' };

interface Applied {
  readonly host: string;
  readonly kind: string;
  readonly zone: object | null;
  readonly records: readonly {
    readonly purpose: string;
    readonly action: string;
    readonly status: string;
    readonly hint: string;
  }[];
}
interface Entry {
  readonly action: string;
  readonly after: unknown;
}

const started = async (
  token?: string,
): Promise<{ scene: DomainScene; cloudflare: PlayedCloudflare; sender: Sender }> => {
  const cloudflare = await startPlayedCloudflare(token);
  onTestFinished(() => cloudflare.stop());
  const scene = await startDomainScene({ config: { dns: { provider: cloudflare.config } } });
  cloudflare.zones = [ACTIVE];
  cloudflare.created = ({ type, name, content, priority }) => {
    const value = type === 'TXT' ? content.slice(1, -1) : content;
    scene.dns.set(name, type as 'MX', priority === undefined ? value : `${priority} ${value}`);
  };
  return { scene, cloudflare, sender: await scene.app.createSender() };
};

/** The domain is in use, and nothing for receiving is published. */
const verify = async (scene: DomainScene, sender: Sender, domain = DOMAIN): Promise<void> => {
  await scene.verified(sender, domain);
  for (const name of ['', '_mta-sts.', 'mta-sts.', '_smtp._tls.']) scene.dns.remove(`${name}in.${domain}`);
};
const apply = ({ app }: DomainScene, { base, token }: Sender) =>
  app.request<Applied & Refusal>('POST', `${base}/inbound/apply-dns`, {}, token);
const actionsOf = ({ records }: Applied): Record<string, readonly [action: string, status: string]> =>
  Object.fromEntries(records.map(({ purpose, action, status }) => [purpose, [action, status]]));
const written = ({ requests }: PlayedCloudflare): number =>
  requests.filter((request) => request.startsWith('POST')).length;
const audited = async ({ app }: DomainScene, { base }: Sender): Promise<readonly Entry[]> => {
  const { body } = await app.request<{ data: Entry[] }>('GET', `${base}/audit`, undefined, app.adminToken);
  return body.data.filter(({ action }) => action === 'inbound.apply_dns');
};

test('what lacks is published and found, and applied again it is there', async () => {
  const { scene, cloudflare, sender } = await started();
  await verify(scene, sender);
  const { status, body, text } = await apply(scene, sender);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    host: `in.${DOMAIN}`,
    kind: 'custom',
    zone: { provider: 'Cloudflare', name: DOMAIN },
  });
  expect(actionsOf(body)).toEqual({
    inbound_mx: ['applied', 'ok'],
    mta_sts: ['applied', 'ok'],
    mta_sts_policy: ['applied', 'ok'],
    tls_rpt: ['applied', 'ok'],
  });
  const plain = { ttl: 1, proxied: false };
  expect(cloudflare.records).toEqual([
    { type: 'MX', name: `in.${DOMAIN}`, content: 'mail.example.com', priority: 10, ...plain },
    { type: 'CNAME', name: `_mta-sts.in.${DOMAIN}`, content: '_mta-sts.mail.example.com', ...plain },
    { type: 'CNAME', name: `mta-sts.in.${DOMAIN}`, content: 'mta-sts.mail.example.com', ...plain },
    {
      type: 'TXT',
      name: `_smtp._tls.in.${DOMAIN}`,
      content: '"v=TLSRPTv1; rua=mailto:tls-rpt@mail.example.com"',
      ...plain,
    },
  ]);

  const again = await apply(scene, sender);
  expect(Object.values(actionsOf(again.body))).toEqual(Array(4).fill(['present', 'ok']));
  expect(written(cloudflare)).toBe(4);
  const [entry, ...others] = await audited(scene, sender);
  expect(others).toEqual([]);
  expect(entry?.after).toEqual({
    provider: 'Cloudflare',
    zone: DOMAIN,
    published: cloudflare.records.map(({ name }) => name),
  });
  expect(text + again.text + JSON.stringify(entry)).not.toContain(PROVIDER_TOKEN);
});

test('what the DNS does not show yet is said to come', async () => {
  const { scene, cloudflare, sender } = await started();
  await verify(scene, sender);
  cloudflare.created = () => undefined;
  const { body } = await apply(scene, sender);
  expect(body.records[0]).toMatchObject({ action: 'applied', status: 'missing' });
  expect(body.records[0]?.hint).toContain('published now');
});

test('what is there is never changed: other records of the name are a conflict, the rest is published', async () => {
  const { scene, cloudflare, sender } = await started();
  await verify(scene, sender);
  const mine = [
    { type: 'A', name: `in.${DOMAIN}`, content: '192.0.2.1' },
    { type: 'TXT', name: `in.${DOMAIN}`, content: '"v=spf1 -all"' },
    { type: 'MX', name: `in.${DOMAIN}`, content: 'mail.example.com', priority: 20 },
    { type: 'MX', name: `in.${DOMAIN}`, content: 'mx.other.example', priority: 10 },
    { type: 'A', name: `mta-sts.in.${DOMAIN}`, content: '192.0.2.1' },
    // Without quotes, as it was written by hand.
    { type: 'TXT', name: `_smtp._tls.in.${DOMAIN}`, content: 'v=TLSRPTv1; rua=mailto:tls@praxis.test' },
    { type: 'MX', name: DOMAIN, content: 'mx.other.example', priority: 10 },
  ];
  cloudflare.records.push(...mine);
  const { body } = await apply(scene, sender);
  expect(Object.entries(actionsOf(body)).map(([purpose, [action]]) => [purpose, action])).toEqual([
    ['inbound_mx', 'conflict'],
    ['mta_sts', 'applied'],
    ['mta_sts_policy', 'conflict'],
    ['tls_rpt', 'conflict'],
  ]);
  expect(body.records[0]?.hint).toContain('MX mx.other.example');
  expect(cloudflare.records).toEqual([...mine, expect.objectContaining({ name: `_mta-sts.in.${DOMAIN}` })]);
});

test('records that are there in other spellings are present', async () => {
  const { scene, cloudflare, sender } = await started();
  await verify(scene, sender);
  const text = 'v=TLSRPTv1; rua=mailto:tls-rpt@mail.example.com';
  cloudflare.records.push(
    { type: 'MX', name: `in.${DOMAIN}`, content: 'MAIL.example.com.', priority: 5 },
    { type: 'TXT', name: `_smtp._tls.in.${DOMAIN}`, content: '"unrelated"' },
    { type: 'TXT', name: `_smtp._tls.in.${DOMAIN}`, content: '"also unrelated"' },
    {
      type: 'TXT',
      name: `_smtp._tls.in.${DOMAIN}`,
      content: `"${text.slice(0, 20)}" "${text.slice(20)}"`,
    },
  );
  const { body } = await apply(scene, sender);
  const { inbound_mx, tls_rpt } = actionsOf(body);
  expect([inbound_mx?.[0], tls_rpt?.[0]]).toEqual(['present', 'present']);
});

test('the zone is that of the host or of a parent, and the one that is in use', async () => {
  const { scene, cloudflare, sender } = await started();
  await verify(scene, sender, `post.${DOMAIN}`);
  const named = (id: string, status: string) => ({ id, name: DOMAIN, status });
  cloudflare.zones = [named('a', 'pending'), named('b', 'moved'), named('c', 'active')];
  expect((await apply(scene, sender)).body.zone).toEqual({ provider: 'Cloudflare', name: DOMAIN });
  expect(cloudflare.requests).toContain('POST /zones/c/dns_records');
  cloudflare.zones = [named('a', 'pending')];
  const { hint } = (await apply(scene, sender)).body;
  expect(hint).toContain('registrar');
  cloudflare.zones = [{ id: 't', name: 'test', status: 'active' }];
  const { body } = await apply(scene, sender);
  expect(body).toMatchObject({ code: 'conflict', hint: expect.stringContaining('Zone Read and DNS Edit') });
});

test('a managed host needs nothing, and the provider is not asked', async () => {
  const { scene, cloudflare, sender } = await started();
  const { status, body } = await apply(scene, sender);
  expect([status, body.kind, body.zone]).toEqual([200, 'managed', null]);
  expect(Object.values(actionsOf(body))).toEqual(Array(4).fill(['served', 'ok']));
  expect(cloudflare.requests).toEqual([]);
});

test('a domain that is not proved to be the practice’s is not touched', async () => {
  const { scene, cloudflare, sender } = await started();
  await scene.attach(sender, DOMAIN);
  await refused('conflict', apply(scene, sender));
  expect(cloudflare.requests).toEqual([]);
});

test('without a provider it is off, with words on what to do instead', async () => {
  const scene = await startDomainScene();
  const sender = await scene.app.createSender();
  await verify(scene, sender);
  const { body } = await apply(scene, sender);
  expect(body).toMatchObject({ code: 'conflict', hint: expect.stringContaining('`dns.provider`') });
});

test('a token that the provider refuses is said to be the operator’s business', async () => {
  const { scene, cloudflare, sender } = await started('another-token-0123456789');
  await verify(scene, sender);
  const ways = [
    null,
    failing(400, 6_003, 'Invalid request headers'),
    failing(401, 1_000, 'Invalid API Token'),
    failing(403, 10_000, 'Authentication error'),
  ];
  for (const way of ways) {
    cloudflare.failure = () => way;
    const { body, text } = await apply(scene, sender);
    expect(body).toMatchObject({ code: 'conflict', hint: expect.stringContaining('operator') });
    expect(text).not.toContain('another-token');
  }
});

test('what the provider refuses or fails at is said, and a repetition goes on from there', async () => {
  const { scene, cloudflare, sender } = await started();
  await verify(scene, sender);
  const atRecords = (failure: ReturnType<typeof failing>) => (request: string) =>
    request.startsWith('POST') && cloudflare.records.length >= 1 ? failure : null;

  cloudflare.failure = atRecords(failing(429, 971, 'Please wait.', { 'Retry-After': '17' }));
  const limited = await apply(scene, sender);
  expect([limited.status, limited.body.retry_after]).toEqual([503, 17]);
  expect(cloudflare.records).toHaveLength(1);
  expect(await audited(scene, sender)).toMatchObject([{ after: { published: [`in.${DOMAIN}`] } }]);

  cloudflare.failure = atRecords({ status: 502, body: '<html>Bad gateway</html>' });
  await refused('unavailable', apply(scene, sender));
  cloudflare.failure = atRecords(failing(400, 1_004, 'DNS Validation Error'));
  expect((await apply(scene, sender)).body).toMatchObject({
    code: 'conflict',
    error: expect.stringContaining('"DNS Validation Error" (1004)'),
  });
  cloudflare.failure = atRecords(failing(400, 81_058, 'An identical record already exists.'));
  expect((await apply(scene, sender)).status).toBe(200);
  cloudflare.failure = () => ({
    status: 301,
    headers: { Location: `${cloudflare.config.api}/elsewhere` },
    body: '',
  });
  await refused('unavailable', apply(scene, sender));
  expect(cloudflare.requests).not.toContain('GET /elsewhere');

  cloudflare.failure = () => null;
  const { body } = await apply(scene, sender);
  expect(actionsOf(body).inbound_mx?.[0]).toBe('present');
  expect(actionsOf(body).mta_sts?.[0]).toBe('applied');
});

test('it is limited, also where nothing is to be published', async () => {
  const { scene, sender } = await started();
  const answers = await Promise.all([apply(scene, sender), apply(scene, sender)]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  for (let count = 0; count < 11; count += 1) await apply(scene, sender);
  await refused('rate_limited', apply(scene, sender));
});
