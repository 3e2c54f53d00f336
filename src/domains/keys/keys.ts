// Makes, seals and opens the DKIM keys of a sending host. A host has three tokens: an RSA key that signs, an RSA key
// that waits for the rotation, and an Ed25519 key for the second signature.

import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject, randomBytes } from 'node:crypto';
import { limitConcurrency } from '#src/kernel/concurrency.ts';
import type { SealingKey } from '#src/kernel/seal.ts';
import { seal, unseal } from '#src/kernel/seal.ts';
import type { SealedPlace } from '#src/kernel/sealed-place.ts';
import type { DkimSigner } from '#src/mail/dkim-key.ts';
import { dkimRecord } from '#src/mail/dkim-key.ts';
import type { DkimKeyRow } from '../store.ts';

const RSA_BITS = 2_048;
/** 120 bits, so that a tenant's token cannot be guessed. */
const TOKEN_CHARS = 24;
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';

export interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

export type GenerateKeyPair = (algorithm: DkimSigner['algorithm']) => Promise<KeyPair>;

export const generateDkimKeyPair: GenerateKeyPair = (algorithm) =>
  new Promise((resolve, reject) => {
    const done = (error: Error | null, publicKey: KeyObject, privateKey: KeyObject): void =>
      error ? reject(error) : resolve({ publicKey, privateKey });
    if (algorithm === 'rsa-sha256') generateKeyPair('rsa', { modulusLength: RSA_BITS }, done);
    else generateKeyPair('ed25519', {}, done);
  });

/**
 * Making an RSA key occupies a thread of the pool and most of a CPU; answers to clients wait for threads that sync.
 */
const PAIRS_AT_A_TIME = 2;

/** Limits how many pairs are made at a time, for all callers together. */
export const fewAtATime = (generate: GenerateKeyPair): GenerateKeyPair => {
  const inTurn = limitConcurrency(PAIRS_AT_A_TIME);
  return (algorithm) => inTurn(() => generate(algorithm));
};

/** Algorithm and role of each token of a new host, by position. */
const tokenPlan = [
  { algorithm: 'rsa-sha256', role: 'active' },
  { algorithm: 'rsa-sha256', role: 'next' },
  { algorithm: 'ed25519-sha256', role: 'active' },
] as const;

export interface NewDkimKey extends DkimKeyRow {
  /** The TXT at the token's target. */
  readonly record: string;
}

type KeyName = Pick<DkimKeyRow, 'domain' | 'token' | 'position'>;

const newToken = (): string => Array.from(randomBytes(TOKEN_CHARS), (byte) => BASE32[byte & 31]).join('');

/** The name under which verifiers look up the key (RFC 6376 §3.6.2.1). */
export const keyName = ({ token, domain }: Pick<DkimKeyRow, 'token' | 'domain'>): string =>
  `${token}._domainkey.${domain}`;

/** Tokens are unique; imported selectors are unique only within their host. */
export const sealingContext = (tenantId: string, { domain, token, position }: KeyName): string =>
  position === 0 ? `imported dkim ${tenantId} ${domain} ${token}` : `dkim ${tenantId} ${token}`;

export const sealedKeys: SealedPlace = {
  table: 'dkim_keys',
  keys: ['domain', 'token'],
  column: 'sealed_key',
  purpose: 'dkim keys',
  with: ['position'],
  boundTo: ({ domain, token, position }, tenantId) =>
    sealingContext(tenantId, { domain: String(domain), token: String(token), position: Number(position) }),
};

/** Makes a new key for a token. Neither stores nor publishes it. */
export const renewKey = async (
  tenantId: string,
  row: DkimKeyRow,
  sealingKey: SealingKey,
  now: number,
  generatePair: GenerateKeyPair,
): Promise<DkimKeyRow> => {
  const { privateKey } = await generatePair(row.algorithm);
  const plain = privateKey.export({ type: 'pkcs8', format: 'der' });
  return {
    ...row,
    role: 'next',
    sealed_key: seal(sealingKey, plain, sealingContext(tenantId, row)),
    created_at: now,
    published_at: null,
    activated_at: null,
    retired_at: null,
  };
};

export const createHostKeys = async (
  tenantId: string,
  domain: string,
  sealingKey: SealingKey,
  now: number,
  generatePair: GenerateKeyPair,
): Promise<NewDkimKey[]> =>
  Promise.all(
    tokenPlan.map(async ({ algorithm, role }, index) => {
      const token = newToken();
      const { publicKey, privateKey } = await generatePair(algorithm);
      const plain = privateKey.export({ type: 'pkcs8', format: 'der' });
      return {
        token,
        domain,
        algorithm,
        role,
        position: index + 1,
        sealed_key: seal(sealingKey, plain, sealingContext(tenantId, { domain, token, position: index + 1 })),
        created_at: now,
        // Published together with the host: no one sees the host before the registry has both.
        published_at: now,
        activated_at: role === 'active' ? now : null,
        retired_at: null,
        record: dkimRecord(publicKey, algorithm),
      };
    }),
  );

/** Unseals and parses a key. Throws if it was sealed under another master key or for another tenant. */
export const openKey = (tenantId: string, row: DkimKeyRow, sealingKey: SealingKey): DkimSigner => ({
  algorithm: row.algorithm,
  domain: row.domain,
  selector: row.token,
  privateKey: createPrivateKey({
    key: unseal(sealingKey, row.sealed_key, sealingContext(tenantId, row)),
    format: 'der',
    type: 'pkcs8',
  }),
});

/** The record of a withdrawn token (RFC 6376 §3.6.1). */
export const REVOKED_RECORD = 'v=DKIM1; p=';

/** The TXT that verifiers must find. */
export const recordOf = (tenantId: string, row: DkimKeyRow, sealingKey: SealingKey): string =>
  row.role === 'revoked'
    ? REVOKED_RECORD
    : dkimRecord(createPublicKey(openKey(tenantId, row, sealingKey).privateKey), row.algorithm);
