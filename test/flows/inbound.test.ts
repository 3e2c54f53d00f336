// The listener for mail from the world in the running daemon: its certificate, and what health tells of it.
import { X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createCertificate } from '#test/support/certificate.ts';
import { startDaemon } from '#test/support/daemon.ts';
import { freePort, until } from '#test/support/process.ts';
import { talkTo } from '#test/support/smtp-talk.ts';

test('a renewed certificate is taken on SIGHUP; one that cannot be used is not, and the former one stays', {
  timeout: 60_000,
}, async () => {
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
  const port = await freePort();
  const config = { smtp: { inbound: { listen: `127.0.0.1:${port}` } } };
  const first = await startDaemon({ config });
  const certificate = await readFile(path.join(first.dataDir, 'inbound-certificate.pem'), 'utf8');
  const isServed = async (): Promise<boolean> => {
    const one = await talkTo(port);
    await one.hello();
    await one.startTls(new X509Certificate(certificate).toString());
    const offer = await one.say('EHLO client.example.net');
    one.end();
    return offer?.includes('SMTPUTF8') === true;
  };
  try {
    expect(first.output()).toContain('a self-signed certificate is used');
    expect(await isServed()).toBe(true);
    await first.stop();
    const second = await startDaemon({ config, dataDir: first.dataDir });
    expect(await isServed()).toBe(true);
    await second.stop();
  } finally {
    await first.remove();
  }
});

test('health tells of it to the operator, and to strangers nothing', async () => {
  const port = await freePort();
  const daemon = await startDaemon({ config: { smtp: { inbound: { listen: `127.0.0.1:${port}` } } } });
  try {
    const one = await talkTo(port);
    await one.hello();
    await one.say('MAIL FROM:<>');
    await one.say('RCPT TO:<erika@example.org>');
    const whole = await daemon.request('GET', '/api/admin/health', undefined, daemon.adminToken);
    expect(whole.body).toMatchObject({
      inbound: {
        listening: true,
        connections: 1,
        refused: { relaying: 1, forged: 0 },
        received: 0,
        domain_reports: { taken: 0, not_taken: 0 },
        simulated: 0,
        to_operator: 0,
      },
    });
    expect((await daemon.request('GET', '/healthz')).body).not.toHaveProperty('inbound');
    const meta = await daemon.request('GET', '/api/meta', undefined, daemon.adminToken);
    expect(meta.body).toMatchObject({ features: { inbound: true } });
    one.end();
  } finally {
    await daemon.remove();
  }
});
