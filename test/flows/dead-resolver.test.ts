// A resolver that answers nothing: what reception takes, what it asks to come again, and who learns of it.
import { afterEach, expect, test } from 'vitest';
import { type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { type DnsZone, startDnsZone } from '#test/support/dns-zone.ts';
import { until } from '#test/support/process.ts';
import { bounceOf, bring } from '#test/support/reports.ts';
import { createSmtpReceiver } from '#test/support/smtp-receiver.ts';

interface Health {
  readonly status: string;
  readonly inbound: {
    readonly received: number;
    readonly refused_content: Readonly<Record<string, number>>;
  };
  readonly resolver: { readonly state: string; readonly failing_since: string | null };
}

const endings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

const started = async () => {
  const receiver = await createSmtpReceiver();
  endings.push(() => receiver.stop());
  const dns = await startDnsZone();
  endings.push(() => dns.stop());
  const lines: string[] = [];
  const app = await startApp({
    receiver,
    dnsAgainMs: 50,
    onLog: (line) => lines.push(line),
    config: { smtp: { inbound: { listen: '127.0.0.1:0' } }, dns: { resolvers: [dns.address] } },
  });
  endings.push(() => app.remove());
  const sender = await app.createSender();
  await app.request('POST', `${sender.base}/inbound/enable`, {}, sender.token);
  await app.request('PATCH', `${sender.base}/inbound`, { dmarc_action: 'reject' }, sender.token);
  const to = `info@in.${sender.practice.managed_host}`;
  const said = () =>
    lines.map((line) => JSON.parse(line).msg as string).filter((msg) => /resolver/.test(msg));
  return { app, dns, receiver, sender, to, said };
};

const die = (dns: DnsZone, how: 'SERVFAIL' | null): void => {
  // Any name at all.
  dns.fail('', how);
};

const healthOf = async (app: TestApp): Promise<Health> =>
  (await app.request<Health>('GET', '/api/admin/health', undefined, app.adminToken)).body;
const publicStatus = async (app: TestApp): Promise<string> =>
  (await app.request<{ status: string }>('GET', '/healthz')).body.status;

let made = 0;
const letter = (domain: string): string =>
  `From: anna@${domain}\r\nSubject: Frage ${made++}\r\n\r\nGuten Tag\r\n`;

const sentAway = async (app: TestApp, sender: Sender, address: string): Promise<void> => {
  await app.send(sender, { to: address });
  await until('it has left', () => app.sql(sender.practice.id, 'SELECT 1 FROM queue').length === 0);
};

test('mail comes later, is counted, and health and log say why; bounces are taken; it recovers by itself', async () => {
  const { app, dns, receiver, sender, to, said } = await started();
  await sentAway(app, sender, 'unknown@example.net');
  const returnPath = receiver.messages[0]?.mailFrom ?? '';
  expect(await publicStatus(app)).toBe('ok');

  die(dns, 'SERVFAIL');
  for (let mail = 0; mail < 4; mail += 1) {
    const domain = `patient${mail}.example`;
    expect(await bring(app.inboundPort, to, letter(domain), `anna@${domain}`)).toMatch(/^451 4\.7\.1/);
  }
  await until('it is noticed', async () => (await healthOf(app)).status === 'degraded');
  expect(await healthOf(app)).toMatchObject({
    inbound: { received: 0, refused_content: { dns: 4, failed: 0 } },
    resolver: { state: 'failing', failing_since: expect.stringMatching(/^\d{4}-/) },
  });
  expect(await publicStatus(app)).toBe('degraded');
  expect(said()).toEqual([expect.stringContaining('the resolver does not answer')]);

  expect(await bring(app.inboundPort, returnPath, bounceOf('unknown@example.net'))).toMatch(/^250/);
  expect(app.sql(sender.practice.id, 'SELECT status FROM recipients')).toEqual([{ status: 'hard_bounced' }]);

  die(dns, null);
  await until('it is noticed', async () => (await publicStatus(app)) === 'ok');
  expect((await healthOf(app)).resolver).toEqual({ state: 'ok', failing_since: null });
  expect(said()).toEqual([
    expect.stringContaining('the resolver does not answer'),
    expect.stringContaining('the resolver answers again'),
  ]);
  expect(await bring(app.inboundPort, to, letter('friend.example'), 'anna@friend.example')).toMatch(/^250/);
});

test('domains of strangers that fail do not make the resolver look dead', async () => {
  const { app, dns, to, said } = await started();
  dns.fail('broken.example', 'SERVFAIL');
  for (let mail = 0; mail < 8; mail += 1) {
    const domain = `d${mail}.broken.example`;
    expect(await bring(app.inboundPort, to, letter(domain), `anna@${domain}`)).toMatch(/^451/);
  }
  expect(await healthOf(app)).toMatchObject({
    inbound: { refused_content: { dns: 8 } },
    resolver: { state: 'ok' },
  });
  expect(said()).toEqual([]);
});
