// The old host's word that a freeze is over and that it has not given the practice up: without it the new host removes nothing that
// waits for that host. Both have the practice's lasting keys, which come with its file, so that either can compute it, after a
// restart too.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { TenantKeys } from '#src/kernel/keys.ts';
import { deriveKey } from '#src/kernel/seal.ts';

/** In base64url: it is sent in the query of a request. */
export const releaseProof = ({ hashes }: TenantKeys, freeze: string): string => {
  const key = deriveKey(Buffer.from(hashes['consent ledger'], 'base64'), 'released freeze');
  return createHmac('sha256', key).update(freeze).digest('base64url');
};

export const isReleaseProof = (keys: TenantKeys, freeze: string, proof: string): boolean => {
  const [expected, given] = [Buffer.from(releaseProof(keys, freeze)), Buffer.from(proof)];
  return expected.length === given.length && timingSafeEqual(expected, given);
};
