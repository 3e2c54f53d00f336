// The listener for mail from the world in the running daemon: its certificate, and what health tells of it.
import { X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { startApp, type TestApp } from '#test/support/app.ts';
import { createCertificate } from '#test/support/certificate.ts';
import { startDaemon } from '#test/support/daemon.ts';
import { startDnsZone } from '#test/support/dns-zone.ts';
import { freePort, until } from '#test/support/process.ts';
import { talkTo } from '#test/support/smtp-talk.ts';

const listening = { smtp: { inbound: { listen: '127.0.0.1:0' } } };

test('a renewed certificate is taken on SIGHUP; one that cannot be used is not, and the former one stays', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'inbound-'));
  const [cert, key] = [path.join(directory, 'mail.crt'), path.join(directory, 'mail.key')];
  const write = async (pem: { certificate: string; key: string }): Promise<void> => {
    await writeFile(cert, pem.certificate);
    await writeFile(key, pem.key);
  };
  const first = createCertificate(['mail.example.com']);
  const next = createCertificate(['mail.example.com']);
  await write(first);
  const port = await freePort();
  const daemon = await startDaemon({
    config: {
      smtp: { inbound: { listen: `127.0.0.1:${port}`, tls: { cert, key } } },
      log: { level: 'info' },
    },
  });
  /** Whether a client that trusts this certificate alone gets through. */
  const isServed = async ({ certificate }: { certificate: string }): Promise<boolean> => {
    const one = await talkTo(port);
    try {
      await one.hello();
      await one.startTls(certificate);
      return true;
    } catch {
      return false;
    } finally {
      one.end();
    }
  };
  try {
    expect(await isServed(first)).toBe(true);
    await write(next);
    daemon.child.kill('SIGHUP');
    await until('the next one is served', () => isServed(next));
    expect(await isServed(first)).toBe(false);

    await writeFile(cert, 'no certificate');
    daemon.child.kill('SIGHUP');
    await until('the log tells of it', () => /not applied|not read again/.test(daemon.output()));
    expect(await isServed(next)).toBe(true);
    expect(await daemon.stop()).toBe(0);
  } finally {
    await daemon.remove();
    await rm(directory, { recursive: true });
  }
});

test('where none is set, a certificate is made at the first start and kept', async () => {
  const first = await startApp({ config: listening });
  const certificate = await readFile(path.join(first.home, 'data/inbound-certificate.pem'), 'utf8');
  const isServed = async ({ inboundPort }: TestApp): Promise<boolean> => {
    const one = await talkTo(inboundPort ?? 0);
    await one.hello();
    await one.startTls(new X509Certificate(certificate).toString());
    const offer = await one.say('EHLO client.example.net');
    one.end();
    return offer?.includes('SMTPUTF8') === true;
  };
  try {
    expect(await isServed(first)).toBe(true);
    await first.stop();
    const second = await startApp({ config: listening, home: first.home });
    try {
      expect(await isServed(second)).toBe(true);
    } finally {
      await second.stop();
    }
  } finally {
    await first.remove();
  }
});

test('postmaster and abuse of a receiving host are the operator’s, until the practice has such an address', async () => {
  const dns = await startDnsZone();
  const app = await startApp({ config: { ...listening, dns: { resolvers: [dns.address] } } });
  try {
    const { id } = await app.createPractice();
    const ask = async (method: string, action: string, body?: unknown) =>
      (
        await app.request<{ host: string; counts: { total: number } }>(
          method,
          `/api/practices/${id}/inbound${action}`,
          body,
          app.adminToken,
        )
      ).body;
    const { host } = await ask('POST', '/enable', {});
    const client = await talkTo(app.inboundPort ?? 0);
    await client.hello();
    const bring = async (): Promise<void> => {
      await client.envelope('eve@example.org', `abuse@${host}`);
      client.write('From: eve@example.org\r\nSubject: spam\r\n\r\nHello\r\n.\r\n');
      expect(await client.reply()).toBe('250 2.0.0 received');
    };
    await bring();
    expect((await ask('GET', '')).counts.total).toBe(0);
    await ask('PATCH', '', { addresses: [{ local_part: 'abuse' }] });
    await bring();
    expect((await ask('GET', '')).counts.total).toBe(1);
    const { body } = await app.request('GET', '/api/admin/health', undefined, app.adminToken);
    expect(body).toMatchObject({ inbound: { received: 1, to_operator: 1 } });
    client.end();
  } finally {
    await app.remove();
    await dns.stop();
  }
});

test('health tells of it to the operator, and to strangers nothing', async () => {
  const app = await startApp({ config: listening });
  try {
    const one = await talkTo(app.inboundPort ?? 0);
    await one.hello();
    await one.say('MAIL FROM:<>');
    await one.say('RCPT TO:<erika@example.org>');
    const whole = await app.request('GET', '/api/admin/health', undefined, app.adminToken);
    expect(whole.body).toMatchObject({
      inbound: {
        listening: true,
        connections: 1,
        refused: { relaying: 1, forged: 0 },
        received: 0,
        domain_reports: { taken: 0, not_taken: 0 },
        simulated: 0,
        to_operator: 0,
        handed_on: 0,
      },
    });
    expect((await app.request('GET', '/healthz')).body).not.toHaveProperty('inbound');
    const meta = await app.request('GET', '/api/meta', undefined, app.adminToken);
    expect(meta.body).toMatchObject({ features: { inbound: true } });
    one.end();
  } finally {
    await app.remove();
  }
});
