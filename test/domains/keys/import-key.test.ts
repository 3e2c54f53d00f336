import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { readPrivateKey } from '#src/domains/keys/import-key.ts';
import { AppError } from '#src/kernel/errors.ts';
import { dkimRecord } from '#src/mail/dkim-key.ts';

const rsaOf = (modulusLength: number, publicExponent = 65_537): KeyObject =>
  generateKeyPairSync('rsa', { modulusLength, publicExponent }).privateKey;
const toPem = (key: KeyObject, type: 'pkcs1' | 'pkcs8' | 'sec1' = 'pkcs8'): string =>
  key.export({ type, format: 'pem' }).toString();

const rsa = rsaOf(2_048);
const small = rsaOf(1_024);
const ed25519 = generateKeyPairSync('ed25519').privateKey;

/** The key with another private exponent and other primes' parts: it reads, and signs what nothing verifies. */
const damaged = (): KeyObject => {
  const { d = '', dp = '', dq = '', qi = '' } = rsaOf(2_048).export({ format: 'jwk' });
  return createPrivateKey({ key: { ...rsa.export({ format: 'jwk' }), d, dp, dq, qi }, format: 'jwk' });
};

/** A sound key whose public exponent is as long as its modulus. */
const swapped = (): KeyObject => {
  const jwk = small.export({ format: 'jwk' });
  const { d = '', e = '' } = jwk;
  return createPrivateKey({ key: { ...jwk, e: d, d: e }, format: 'jwk' });
};

const problemOf = (pem: string): string => {
  try {
    readPrivateKey(pem);
  } catch (error) {
    if (error instanceof AppError) return JSON.stringify(error);
    throw error;
  }
  return 'it is taken';
};

describe('a private key', () => {
  test.each([
    ['RSA in PKCS#8', toPem(rsa), rsa, 'rsa-sha256'],
    ['RSA in PKCS#1', toPem(rsa, 'pkcs1'), rsa, 'rsa-sha256'],
    ['RSA of 1,024 bits', toPem(small), small, 'rsa-sha256'],
    [
      'RSA with Windows line ends and text around it',
      `Bag\r\n${toPem(rsa).replaceAll('\n', '\r\n')}\r\n`,
      rsa,
      'rsa-sha256',
    ],
    ['Ed25519', toPem(ed25519), ed25519, 'ed25519-sha256'],
  ] as const)('%s is read', (_, pem, key, algorithm) => {
    expect(readPrivateKey(pem)).toMatchObject({
      algorithm,
      record: dkimRecord(createPublicKey(key), algorithm),
    });
  });

  test.each([
    ['RSA of 768 bits', toPem(rsaOf(768)), '1024 to 4096 bits, not 768'],
    ['RSA of 4,160 bits', toPem(rsaOf(4_160)), '1024 to 4096 bits, not 4160'],
    ['RSA with a small exponent', toPem(rsaOf(1_024, 3)), 'public exponent of 65537'],
    ['RSA with a huge exponent', toPem(swapped()), 'public exponent of 65537 to 2147483647'],
    [
      'an elliptic curve',
      toPem(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey, 'sec1'),
      'RSA or Ed25519',
    ],
    [
      'RSA for PSS only',
      toPem(generateKeyPairSync('rsa-pss', { modulusLength: 2_048 }).privateKey),
      'RSA or Ed25519',
    ],
    ['Ed448', toPem(generateKeyPairSync('ed448').privateKey), 'RSA or Ed25519'],
    [
      'an old encrypted form',
      toPem(rsa, 'pkcs1').replace('\n', '\nProc-Type: 4,ENCRYPTED\n'),
      'without passphrase',
    ],
    ['half a key', toPem(rsa).slice(0, 800), 'as PEM'],
    ['a key whose halves do not belong together', toPem(damaged()), 'is damaged'],
    ['nothing', '', 'as PEM'],
  ])('%s is refused with its reason', (_, pem, says) => {
    const problem = problemOf(pem);
    expect(problem).toContain('invalid_request');
    expect(problem).toContain(says);
    expect(problem).not.toContain('MII');
  });
});
