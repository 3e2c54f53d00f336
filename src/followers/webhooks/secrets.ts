// What signs the deliveries of a webhook, and where they go: sealed in the tenant's file, each bound to the webhook and to what
// it is.
import { randomBytes } from 'node:crypto';
import { seal, unseal } from '#src/kernel/seal.ts';
import { DAY } from '#src/kernel/time.ts';
import type { SigningSecrets } from './sign.ts';

/** Standard Webhooks asks for 24 to 64 bytes behind that prefix, as base64. */
const SECRET_BYTES = 32;
const PREFIX = 'whsec_';

export const makeSecret = (): string => `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;

type What = 'secret' | 'url';

const context = (what: What, webhookId: string): string => `webhook ${what} ${webhookId}`;

/** `key` is derived for the purpose `webhooks`. */
export const sealFor = (key: Buffer, what: What, webhookId: string, plain: string): Buffer =>
  seal(key, Buffer.from(plain), context(what, webhookId));

/** Throws where it was sealed for another webhook, or under another key. */
export const openFor = (key: Buffer, what: What, webhookId: string, sealed: Buffer): string =>
  unseal(key, sealed, context(what, webhookId)).toString();

export interface SealedSecrets {
  readonly id: string;
  readonly sealed_secret: Buffer;
  readonly sealed_former: Buffer | null;
  readonly former_until: number | null;
}

/** For so long receivers have time to take over the new one. */
export const FORMER_SIGNS_MS = DAY;

/** Until when the former one signs; null where it does not. A clock that was set back does not make it sign for longer. */
export const formerUntil = (
  { sealed_former, former_until }: Pick<SealedSecrets, 'sealed_former' | 'former_until'>,
  now: number,
): number | null =>
  sealed_former !== null &&
  former_until !== null &&
  former_until > now &&
  former_until <= now + FORMER_SIGNS_MS
    ? former_until
    : null;

/** Those that sign now. */
export const openSecrets = (key: Buffer, sealed: SealedSecrets, now: number): SigningSecrets => ({
  current: openFor(key, 'secret', sealed.id, sealed.sealed_secret),
  former:
    sealed.sealed_former !== null && formerUntil(sealed, now) !== null
      ? openFor(key, 'secret', sealed.id, sealed.sealed_former)
      : null,
});
