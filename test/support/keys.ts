// Keys for tests: of an installation, and such as rooms are given.
import { createSecretKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Keys, keysOf, lastingKeysOf, type TenantKey } from '#src/kernel/keys.ts';
import type { SealingKey } from '#src/kernel/seal.ts';
import type { TokenKeys } from '#src/mail/token-keys.ts';

const secret = (byte: number) => createSecretKey(Buffer.alloc(32, byte));

export const testSealingKey = (byte: number): SealingKey => ({ present: secret(byte), former: null });

export const testTenantKey = (byte: number): TenantKey => {
  const key = secret(byte);
  return () => key;
};

export const testTokenKeys = (byte: number): TokenKeys => {
  const key = secret(byte);
  return { own: () => key, brought: () => [] };
};

/** Those of an installation whose master key has never changed. */
export const keysBy = (master: Buffer): Keys =>
  keysOf({ present: master, former: null, lasting: lastingKeysOf(master) });

export const masterKeyIn = (home: string): Buffer =>
  Buffer.from(readFileSync(path.join(home, 'master.key'), 'utf8').trim(), 'base64');

/** Those of the daemon in that directory. */
export const keysIn = (home: string): Keys['key'] => keysBy(masterKeyIn(home)).key;
