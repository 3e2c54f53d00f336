import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { deriveKey, seal, unseal } from '#src/kernel/seal.ts';

const MASTER_KEY_BYTES = 32;

const master = randomBytes(MASTER_KEY_BYTES);
const key = deriveKey(master, 'test');
const plain = Buffer.from('a private key');
const CONTEXT = 'dkim tenant token';

describe('derived keys', () => {
  test('follow from the master key and the purpose', () => {
    expect(deriveKey(master, 'test')).toEqual(key);
    expect(key).toHaveLength(32);
    expect(deriveKey(master, 'tests')).not.toEqual(key);
    expect(deriveKey(randomBytes(MASTER_KEY_BYTES), 'test')).not.toEqual(key);
  });
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
    expect(() => unseal(deriveKey(master, 'other'), sealed, CONTEXT)).toThrow();
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

  test('opens no more when it was cut or lengthened', () => {
    const sealed = seal(key, plain, CONTEXT);
    for (let length = 0; length < sealed.length; length++)
      expect(() => unseal(key, sealed.subarray(0, length), CONTEXT), `${length} bytes`).toThrow();
    expect(() => unseal(key, Buffer.concat([sealed, Buffer.of(0)]), CONTEXT)).toThrow();
  });
});
