// A domain in a DNS of its own, mails of it, and the checks as the listener asks them.
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { dkimSign } from 'mailauth/lib/dkim/sign.js';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { createReceivedScan, type ReceivedScan } from '#src/content/scan-received.ts';
import { createChecks } from '#src/inbound/checks/open.ts';
import type { CheckedMail, MailEnvelope } from '#src/inbound/mail.ts';
import type { Config } from '#src/kernel/config/config.ts';
import { createDnsLookup } from '#src/kernel/dns-lookup.ts';
import { dkimRecord } from '#src/mail/dkim-key.ts';
import { type DnsZone, startDnsZone } from '#test/support/dns-zone.ts';
import { createTestClock, type TestClock } from '#test/support/storage.ts';

export const HOST = 'mx.service.test';
export const CLIENT = '192.0.2.10';
export const DOMAIN = 'example.org';

export const noScan: ReceivedScan = createReceivedScan({
  rspamd: null,
  clamd: null,
  onFailure: () => 'pass',
});

export const HEAD = [
  'From: Erika <erika@example.org>',
  'To: praxis@in.service.test',
  'Subject: Frage',
  'Date: Sun, 22 Nov 2026 10:00:00 +0000',
  'Message-ID: <1@example.org>',
  'MIME-Version: 1.0',
  'Content-Type: text/plain; charset=utf-8',
].join('\r\n');
export const BODY = 'Guten Tag,\r\n\r\nwann haben Sie  offen?\r\n';
export const mailOf = (head = HEAD, body = BODY): Buffer => Buffer.from(`${head}\r\n\r\n${body}`);
export const from = (value: string): Buffer => mailOf(HEAD.replace(/^From: .*/, `From: ${value}`));

export const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
export const pemOf = (key: KeyObject): string => String(key.export({ type: 'pkcs8', format: 'pem' }));

export interface SignedBy {
  readonly domain?: string;
  readonly selector?: string;
  readonly key?: KeyObject;
  readonly algorithm?: string;
  readonly maxBodyLength?: number;
}

/** The mail with a DKIM signature on top of it. */
export const signed = async (mail: Buffer, by: SignedBy = {}): Promise<Buffer> => {
  const { domain = DOMAIN, selector = 's1', key = rsa.privateKey, ...rest } = by;
  const signer = { signingDomain: domain, selector, privateKey: pemOf(key), ...rest };
  const { signatures } = await dkimSign(mail, { ...signer, signatureData: [signer] });
  return Buffer.concat([Buffer.from(signatures), mail]);
};

export interface Scene {
  readonly zone: DnsZone;
  readonly clock: TestClock;
  /** With nothing remembered of the mails before. */
  check(content: Buffer, envelope?: Partial<MailEnvelope>, scan?: ReceivedScan): Promise<CheckedMail>;
  /** Checks that remember. */
  checks(scan?: ReceivedScan): (content: Buffer, envelope?: Partial<MailEnvelope>) => Promise<CheckedMail>;
}

/** Before each test: the client has its name, and the domain has a key, and no other records. */
export const useScene = (): Scene => {
  let zone: DnsZone;
  const clock = createTestClock();
  beforeAll(async () => {
    zone = await startDnsZone();
  });
  beforeEach(() => {
    zone.clear();
    zone.set('10.2.0.192.in-addr.arpa', 'PTR', 'client.example.org');
    zone.set('client.example.org', 'A', CLIENT);
    zone.set('s1._domainkey.example.org', 'TXT', dkimRecord(rsa.publicKey, 'rsa-sha256'));
  });
  afterAll(() => zone.stop());
  const checks: Scene['checks'] = (scan = noScan) => {
    const config = () => ({ service: { host: HOST } }) as Config;
    const lookup = createDnsLookup([zone.address], { tryMs: 2_000 });
    const check = createChecks({ config, clock }, scan, lookup);
    return (content, envelope) =>
      check({
        content,
        recipients: ['praxis@in.service.test'],
        envelope: {
          mailFrom: 'erika@example.org',
          clientAddress: CLIENT,
          helo: 'client.example.org',
          protocol: 'ESMTP',
          sessionId: '1',
          ...envelope,
        },
      });
  };
  return {
    get zone() {
      return zone;
    },
    clock,
    checks,
    check: (content, envelope, scan) => checks(scan)(content, envelope),
  };
};
