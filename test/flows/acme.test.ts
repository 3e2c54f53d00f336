// @module-tag debian/pebble
// Certificates that the daemon gets by itself from a real authority of the protocol, and what clients of its listeners see of them.
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { request } from 'node:https';
import path from 'node:path';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '#test/support/app.ts';
import { type DnsZone, startDnsZone } from '#test/support/dns-zone.ts';
import { type Pebble, startPebble } from '#test/support/pebble.ts';
import { freePort } from '#test/support/process.ts';
import { talkTo } from '#test/support/smtp-talk.ts';

const WEB = 'app.example.com';
const HOST = 'mail.example.com';
const POLICY = 'mta-sts.in.praxis-am-see.send.example.com';

interface Facts {
  readonly status: string;
  readonly certificates: {
    readonly bad: number;
    readonly certificates: readonly {
      readonly name: string;
      readonly state: string;
      readonly expires_at: string | null;
      readonly next_attempt_at: string | null;
      readonly error: string | null;
      readonly hint: string | null;
    }[];
  };
}

let dns: DnsZone;
let pebble: Pebble;
let app: TestApp;
let redirect: number;
let late = 0;
const clock = { now: () => Date.now() + late };
const renew = (of = app) => of.runJob('renew certificates');
const healthOf = async (of = app): Promise<Facts> =>
  (await of.request<Facts>('GET', '/api/admin/health', undefined, of.adminToken)).body;
const certificateOf = async (name: string, of = app) =>
  (await healthOf(of)).certificates.certificates.find((one) => one.name === name);

const ordersOf = (): number => pebble.said().split('Added order').length - 1;

const config = (port: number, more: object = {}) => ({
  service: { public_origin: `https://${WEB}` },
  http: { tls: { listen: '127.0.0.1:0', redirect: `127.0.0.1:${port}` } },
  smtp: { submission: { listen: '127.0.0.1:0', implicit_listen: '127.0.0.1:0' } },
  dns: {
    resolvers: [dns.address],
    zones: { addresses: ['127.0.0.1'] },
    authoritative: { listen: '127.0.0.1:0' },
  },
  tls: {
    acme: {
      directory: pebble.directory,
      ca_file: pebble.caFile,
      agree_to_terms: true,
      email: 'operator@example.net',
      ...more,
    },
  },
});

const shown = async (port: number | null, servername: string): Promise<TLSSocket> => {
  const socket = connectTls({ host: '127.0.0.1', port: port ?? 0, servername, ca: pebble.root });
  await once(socket, 'secureConnect');
  return socket;
};
const serialOf = async (port: number | null, servername: string): Promise<string> => {
  const socket = await shown(port, servername);
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber;
};

const get = (url: string, host: string): Promise<{ status: number | undefined; text: string }> =>
  new Promise((resolve, reject) => {
    request(`https://127.0.0.1:${app.tlsPort}${url}`, {
      ca: pebble.root,
      servername: host,
      headers: { host },
    })
      .on('response', (answer) => {
        let text = '';
        answer.on('data', (chunk: Buffer) => {
          text += chunk.toString();
        });
        answer.on('end', () => resolve({ status: answer.statusCode, text }));
      })
      .on('error', reject)
      .end();
  });

beforeAll(async () => {
  dns = await startDnsZone();
  for (const name of [WEB, 'smtp.example.com']) dns.set(name, 'A', '127.0.0.1');
  redirect = await freePort();
  pebble = await startPebble(dns.address, redirect);
  app = await startApp({ config: config(redirect), clock });
  for (const zone of [HOST, 'send.example.com']) dns.delegate(zone, app.dnsPort ?? 0);
  await app.createPractice({ name: 'Praxis am See' });
});
afterAll(async () => {
  await app.remove();
  await pebble.stop();
  await dns.stop();
});

test('until the first certificate, the own one is shown, and nothing is bad', async () => {
  await expect(shown(app.tlsPort, WEB)).rejects.toThrow(/self.signed/i);
  expect((await healthOf()).status).toBe('ok');
});

test('the web host is checked by HTTP, the mail host by the DNS; HTTPS and submission show them with their chain', async () => {
  await renew();
  expect(await certificateOf(WEB)).toMatchObject({ state: 'ok', error: null });
  expect(await certificateOf(HOST)).toMatchObject({ state: 'ok', error: null });
  expect(dns.asked).toContain(`_acme-challenge.${HOST}`);
  expect(dns.asked).not.toContain(`_acme-challenge.${WEB}`);
  expect((await get('/healthz', WEB)).status).toBe(200);
  const talk = await talkTo(app.submissionPorts.port ?? 0);
  await talk.hello();
  await talk.startTls(pebble.root);
  talk.end();
  await serialOf(app.submissionPorts.implicitPort, HOST);
});

test('keys and account are sealed, readable for the daemon alone, and outlive a restart', async () => {
  const folder = path.join(app.home, 'data', 'certificates');
  const files = readdirSync(folder);
  expect(files.toSorted()).toEqual(
    ['_account.sealed', 'attempts.json', `${WEB}.sealed`, `${HOST}.sealed`].toSorted(),
  );
  for (const file of files) {
    expect(statSync(path.join(folder, file)).mode & 0o777).toBe(0o600);
    expect(readFileSync(path.join(folder, file), 'latin1')).not.toMatch(/PRIVATE|BEGIN/);
  }
  const [before, orders] = [await serialOf(app.tlsPort, WEB), ordersOf()];
  await app.stop();
  app = await startApp({ config: config(redirect), clock, home: app.home });
  for (const zone of [HOST, 'send.example.com']) dns.delegate(zone, app.dnsPort ?? 0);
  await renew();
  expect(await serialOf(app.tlsPort, WEB)).toBe(before);
  expect(ordersOf()).toBe(orders);
});

test('plain HTTP leads to HTTPS, also for a stranger’s Host, and takes nothing', async () => {
  const plain = `http://127.0.0.1:${app.redirectPort}`;
  const at = (method: string, url: string) => fetch(plain + url, { method, redirect: 'manual' });
  const led = await at('GET', '/login?next=1');
  expect([led.status, led.headers.get('location')]).toEqual([307, `https://${WEB}/login?next=1`]);
  expect((await at('POST', '/api/practices')).status).toBe(403);
  expect((await at('GET', '/.well-known/acme-challenge/AAAAAAAAAAAAAAAAAAAAAAAA')).status).toBe(404);
  const asked = await app.request('GET', '/.well-known/acme-challenge/AAAAAAAAAAAAAAAAAAAAAAAA');
  expect(asked.status).toBe(404);
});

test('a name of the registry gets a certificate once it was asked for; a stranger’s name gets none', async () => {
  const orders = ordersOf();
  for (const name of ['stranger.example.org', POLICY])
    await expect(shown(app.tlsPort, name)).rejects.toThrow(/altnames/i);
  await renew();
  expect(ordersOf()).toBe(orders + 1);
  await serialOf(app.tlsPort, POLICY);
  await expect(shown(app.tlsPort, 'stranger.example.org')).rejects.toThrow(/altnames/i);
  expect(await certificateOf('stranger.example.org')).toBeUndefined();
});

test('a certificate is renewed while the daemon runs: connections stay, later ones see the new one', async () => {
  const before = await serialOf(app.submissionPorts.implicitPort, HOST);
  const open = await shown(app.tlsPort, HOST);
  const ends = Date.parse((await certificateOf(HOST))?.expires_at ?? '');
  late = (ends - Date.now()) * 0.6;
  await renew();
  expect(await serialOf(app.submissionPorts.implicitPort, HOST)).toBe(before);
  late = (ends - Date.now()) * 0.7;
  await renew();
  late = 0;
  expect(await serialOf(app.submissionPorts.implicitPort, HOST)).not.toBe(before);
  expect(await serialOf(app.tlsPort, HOST)).not.toBe(before);
  open.write(`GET /healthz HTTP/1.1\r\nHost: ${WEB}\r\n\r\n`);
  expect(String(await once(open, 'data'))).toContain('HTTP/1.1 200');
  open.destroy();
});

test('what the authority refuses is said in health with what to do, and not asked for again at once', async () => {
  // Its plain listener is not where the authority looks.
  const other = await startApp({
    config: config(0, { challenge: 'http-01', names: ['smtp.example.com', 'elsewhere.example.com'] }),
    clock,
  });
  dns.set('elsewhere.example.com', 'A', '127.0.0.9');
  dns.delegate(HOST, other.dnsPort ?? 0);
  try {
    const orders = ordersOf();
    await renew(other);
    // Each of the names that lead here; the other is not asked for at all.
    expect(ordersOf()).toBe(orders + 3);
    const refused = await certificateOf('smtp.example.com', other);
    expect(refused).toMatchObject({ state: 'missing', hint: expect.stringContaining('Port 80') });
    expect(refused?.error).toMatch(/404/);
    const wait = Date.parse(refused?.next_attempt_at ?? '') - Date.now();
    expect(wait).toBeGreaterThan(3_500_000);
    expect((await certificateOf('elsewhere.example.com', other))?.error).toContain('127.0.0.9');
    expect((await healthOf(other)).status).toBe('degraded');
    await renew(other);
    expect(ordersOf()).toBe(orders + 3);
  } finally {
    dns.delegate(HOST, app.dnsPort ?? 0);
    await other.remove();
  }
});

test('good nonces that the authority rejected were asked for again', () => {
  // A nonce is fetched for each request; a repetition takes that of the refusal.
  const count = (line: RegExp): number => pebble.said().match(line)?.length ?? 0;
  expect(count(/POST \//g)).toBeGreaterThan(count(/HEAD \/nonce-plz/g));
});
