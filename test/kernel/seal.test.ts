import { createSecretKey, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { deriveKey, fingerprintOf, type SealingKey, seal, unseal } from '#src/kernel/seal.ts';

const MASTER_KEY_BYTES = 32;

const master = randomBytes(MASTER_KEY_BYTES);
const derived = deriveKey(master, 'test');
const keyOf = (bytes: Buffer): SealingKey => ({ present: createSecretKey(bytes), former: null });
const key = keyOf(derived);
const plain = Buffer.from('a private key');
const CONTEXT = 'dkim tenant token';

describe('derived keys', () => {
  test('follow from the master key and the purpose', () => {
    expect(deriveKey(master, 'test')).toEqual(derived);
    expect(derived).toHaveLength(32);
    expect(deriveKey(master, 'tests')).not.toEqual(derived);
    expect(deriveKey(randomBytes(MASTER_KEY_BYTES), 'test')).not.toEqual(derived);
  });
});

test('a fingerprint says which key it is', () => {
  expect(fingerprintOf(master)).toBe(fingerprintOf(Buffer.from(master)));
  expect(fingerprintOf(master)).toMatch(/^[0-9a-f]{16}$/);
  expect(fingerprintOf(randomBytes(MASTER_KEY_BYTES))).not.toBe(fingerprintOf(master));
});

describe('sealing', () => {
  test.each([0, 1, 15, 16, 17, 4_096])('%d bytes come back', (length) => {
    const bytes = randomBytes(length);
    expect(unseal(key, seal(key, bytes, CONTEXT), CONTEXT)).toEqual(bytes);
  });

  test('never looks the same twice and never shows what it holds', () => {
    const first = seal(key, plain, CONTEXT);
    expect(seal(key, plain, CONTEXT)).not.toEqual(first);
    expect(first.includes(plain)).toBe(false);
  });

  test('opens under no other key and in no other context', () => {
    const sealed = seal(key, plain, CONTEXT);
    expect(() => unseal(keyOf(deriveKey(master, 'other')), sealed, CONTEXT)).toThrow();
    expect(() => unseal(key, sealed, 'dkim tenant token2')).toThrow();
    expect(() => unseal(key, sealed, '')).toThrow();
  });

  test('opens no more when any bit of any byte was changed', () => {
    const sealed = seal(key, plain, CONTEXT);
    for (let index = 0; index < sealed.length; index++) {
      for (let bit = 0; bit < 8; bit++) {
        const changed = Buffer.from(sealed);
        changed[index] = (sealed[index] ?? 0) ^ (1 << bit);
        expect(() => unseal(key, changed, CONTEXT), `byte ${index}, bit ${bit}`).toThrow();
      }
    }
  });

  test('opens under the former key too, but is sealed under the present one', () => {
    const sealed = seal(key, plain, CONTEXT);
    const other = keyOf(deriveKey(master, 'other'));
    const both: SealingKey = { present: other.present, former: key.present };
    expect(unseal(both, sealed, CONTEXT)).toEqual(plain);
    expect(unseal(other, seal(both, plain, CONTEXT), CONTEXT)).toEqual(plain);
    expect(() => unseal(both, sealed, 'dkim tenant token2')).toThrow();
  });

  test('opens no more when it was cut or lengthened', () => {
    const sealed = seal(key, plain, CONTEXT);
    for (let length = 0; length < sealed.length; length++)
      expect(() => unseal(key, sealed.subarray(0, length), CONTEXT), `${length} bytes`).toThrow();
    expect(() => unseal(key, Buffer.concat([sealed, Buffer.of(0)]), CONTEXT)).toThrow();
  });
});
