import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { DAY } from '#src/kernel/time.ts';
import { ownCertificate } from '#src/operations/certificates/own-certificate.ts';

const HOST = 'mail.example.com';
const YEARS = 365 * DAY;
const directory = (): string => {
  const made = mkdtempSync(path.join(tmpdir(), 'own-certificate-'));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
};

test('is made once, for the host, signed by itself, and kept where only the daemon reads it', () => {
  const data = directory();
  const first = ownCertificate(data, HOST, Date.now());
  const certificate = new X509Certificate(first.cert);
  expect(certificate.checkHost(HOST)).toBe(HOST);
  expect(certificate.verify(certificate.publicKey)).toBe(true);
  expect(ownCertificate(data, HOST, Date.now())).toEqual(first);
  expect(readdirSync(data)).toEqual(['inbound-certificate.pem']);
  expect(statSync(path.join(data, 'inbound-certificate.pem')).mode & 0o777).toBe(0o600);
});

test.each([
  ['it would end in less than five years', HOST, 5 * YEARS + DAY, ''],
  ['the host has another name', 'mx.example.net', 0, ''],
  ['its file is damaged', HOST, 0, 'no certificate'],
])('is made again where %s', (_, host, later, damage) => {
  const data = directory();
  const first = ownCertificate(data, HOST, Date.now());
  if (damage) writeFileSync(path.join(data, 'inbound-certificate.pem'), damage);
  const next = ownCertificate(data, host, Date.now() + later);
  expect(next.cert).not.toBe(first.cert);
  expect(new X509Certificate(next.cert).checkHost(host)).toBe(host);
});
