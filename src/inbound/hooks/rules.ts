// Whether a secret opens an inbound hook. The work is the same for one that does not exist, so that the time of a refusal does not
// show which hooks do. Pure.
import { timingSafeEqual } from 'node:crypto';
import { formerSecretUntil } from '#src/kernel/secret.ts';
import type { HookKeyRow } from './store.ts';

/** The hash of nothing that could be sent. */
const NOTHING = Buffer.alloc(32);

/** `hash`: of the secret that was sent. */
export const opens = (key: HookKeyRow | undefined, hash: Buffer, now: number): key is HookKeyRow => {
  const isCurrent = timingSafeEqual(hash, key?.hash ?? NOTHING);
  const isFormer = timingSafeEqual(hash, key?.former_hash ?? NOTHING);
  const takesFormer = formerSecretUntil(key?.former_until ?? null, now) !== null;
  return isCurrent || (isFormer && takesFormer);
};
