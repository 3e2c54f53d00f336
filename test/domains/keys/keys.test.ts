import { createPublicKey, sign, verify } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createHostKeys, generateDkimKeyPair, openKey } from '#src/domains/keys/keys.ts';
import { testSealingKey } from '#test/support/keys.ts';

const sealingKey = testSealingKey(1);
const HOST = 'praxis.send.example.com';
const keys = await createHostKeys('tenant-1', HOST, sealingKey, 5, generateDkimKeyPair);

/** The key in a published record, as a verifier would take it (RFC 6376 §3.6.1, RFC 8463 §3). */
const publishedKey = (record: string) => {
  const bytes = Buffer.from(/ p=(\S+)$/.exec(record)?.[1] ?? '', 'base64');
  const der = record.includes('k=ed25519')
    ? Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), bytes])
    : bytes;
  return createPublicKey({ key: der, format: 'der', type: 'spki' });
};

describe('the keys of a new host', () => {
  test('are an RSA key that signs, one that waits, and an Ed25519 key', () => {
    expect(keys.map(({ position, algorithm, role }) => `${position} ${algorithm} ${role}`)).toEqual([
      '1 rsa-sha256 active',
      '2 rsa-sha256 next',
      '3 ed25519-sha256 active',
    ]);
    for (const key of keys) expect(key).toMatchObject({ domain: HOST, created_at: 5 });
  });

  test('have tokens of their own that are DNS labels and cannot be guessed', () => {
    for (const { token } of keys) expect(token).toMatch(/^[a-z2-7]{24}$/);
    expect(new Set(keys.map(({ token }) => token)).size).toBe(3);
  });

  test('are RSA keys of 2,048 bits', () => {
    const details = keys.slice(0, 2).map(({ record }) => publishedKey(record).asymmetricKeyDetails);
    expect(details.map((detail) => detail?.modulusLength)).toEqual([2_048, 2_048]);
  });

  test.each(keys)('number $position: what it signs is verified by its record', (key) => {
    const data = Buffer.from('a message');
    const digest = key.algorithm === 'rsa-sha256' ? 'sha256' : null;
    const { privateKey, ...signer } = openKey('tenant-1', key, sealingKey);
    expect(signer).toEqual({ algorithm: key.algorithm, domain: HOST, selector: key.token });
    expect(verify(digest, data, publishedKey(key.record), sign(digest, data, privateKey))).toBe(true);
  });
});

describe('a sealed key', () => {
  const [key] = keys;
  if (!key) throw new Error('no key was made');

  test('shows nothing of the private key', () => {
    const der = openKey('tenant-1', key, sealingKey).privateKey.export({ type: 'pkcs8', format: 'der' });
    expect(key.sealed_key.includes(der.subarray(-64))).toBe(false);
  });

  test.each([
    ['for another tenant', 'tenant-2', key, sealingKey],
    ['under another token', 'tenant-1', { ...key, token: 'a'.repeat(24) }, sealingKey],
    ['under another master key', 'tenant-1', key, testSealingKey(2)],
  ])('does not open %s', (_, tenantId, row, usedKey) => {
    expect(() => openKey(tenantId, row, usedKey)).toThrow();
  });
});
