// The secrets of a webhook, and the signatures of its deliveries, by which a receiver sees that a delivery comes from here and is
// no old one that is replayed: our own signature, and the one of Standard Webhooks, which libraries verify. Both cover the bytes
// of the body and the time of the attempt. Secrets and addresses are sealed in the tenant's file, each bound to its webhook.

import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import type { SealingKey } from '#src/kernel/seal.ts';
import { seal, unseal } from '#src/kernel/seal.ts';
import { formerSecretUntil } from '#src/kernel/secret.ts';

/** Standard Webhooks asks for 24 to 64 bytes behind that prefix, as base64. */
const SECRET_BYTES = 32;
const PREFIX = 'whsec_';

export const makeSecret = (): string => `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;

export type What = 'secret' | 'url';

export const contextOf = (what: What, webhookId: string): string => `webhook ${what} ${webhookId}`;

/** `key` is derived for the purpose `webhooks`. */
export const sealFor = (key: SealingKey, what: What, webhookId: string, plain: string): Buffer =>
  seal(key, Buffer.from(plain), contextOf(what, webhookId));

/** Throws where it was sealed for another webhook, or under another key. */
export const openFor = (key: SealingKey, what: What, webhookId: string, sealed: Buffer): string =>
  unseal(key, sealed, contextOf(what, webhookId)).toString();

/** Those that sign now. */
export const openSecrets = (
  key: SealingKey,
  sealed: {
    readonly id: string;
    readonly sealed_secret: Buffer;
    readonly sealed_former: Buffer | null;
    readonly former_until: number | null;
  },
  now: number,
): SigningSecrets => ({
  current: openFor(key, 'secret', sealed.id, sealed.sealed_secret),
  former:
    sealed.sealed_former !== null && formerSecretUntil(sealed.former_until, now) !== null
      ? openFor(key, 'secret', sealed.id, sealed.sealed_former)
      : null,
});

/** The header fields of a delivery, with what each says. The reference and /openapi.yaml are made from this list. */
export const deliveryHeaders = {
  'Content-Type': '`application/json`',
  'X-Service-Event': 'name of the event',
  'X-Service-Timestamp': 'time of this attempt, unix seconds',
  'X-Service-Signature':
    'lower-case hex HMAC-SHA256 over `<timestamp>.<raw body>`; its key is the whole secret as text, `whsec_` included',
  'X-Service-Signature-Previous':
    'the same with the secret before the last rotation; only for 24 hours after it',
  'User-Agent': '`service-webhooks/1.0`',
  'webhook-id': 'id of the delivery, the same at each attempt (Standard Webhooks)',
  'webhook-timestamp': 'as `X-Service-Timestamp` (Standard Webhooks)',
  'webhook-signature':
    '`v1,` and base64 HMAC-SHA256 over `<id>.<timestamp>.<raw body>`; its key is what the secret’s base64 after `whsec_` stands for. For 24 hours after a rotation a second one with the former secret follows, after a space (Standard Webhooks)',
} as const;

type DeliveryHeader = keyof typeof deliveryHeaders;
/** The field that only some deliveries have. */
export const OPTIONAL_HEADER = 'X-Service-Signature-Previous' satisfies DeliveryHeader;

export interface ToSign {
  /** The id of the delivery, without a dot. */
  readonly id: string;
  readonly event: string;
  /** The bytes that are sent: up to some megabytes, which are made from text once, and copied for no signature. */
  readonly body: Buffer | string;
  /** The time of this attempt in ms. */
  readonly now: number;
}

/** The secrets as the tenant was shown them: `whsec_` and base64. */
export interface SigningSecrets {
  readonly current: string;
  /** The one before the last rotation, while it signs too. */
  readonly former: string | null;
}

interface Keys {
  readonly own: KeyObject;
  readonly standard: KeyObject;
}
interface SigningKeys {
  readonly current: Keys;
  readonly former: Keys | null;
}

/** Key objects: node takes four times as long with the bare bytes. */
const keysOf = (secret: string): Keys => ({
  own: createSecretKey(Buffer.from(secret)),
  standard: createSecretKey(Buffer.from(secret.slice(PREFIX.length), 'base64')),
});

/** The deliveries that are claimed at a time share their secrets. */
const made = new WeakMap<SigningSecrets, SigningKeys>();
const signingKeys = (secrets: SigningSecrets): SigningKeys => {
  const { current, former } = secrets;
  const keys = made.get(secrets) ?? {
    current: keysOf(current),
    former: former === null ? null : keysOf(former),
  };
  made.set(secrets, keys);
  return keys;
};

const ownSignature = ({ own }: Keys, timestamp: string, body: Buffer | string): string =>
  createHmac('sha256', own).update(`${timestamp}.`).update(body).digest('hex');

const standardSignature = ({ standard }: Keys, { id, body }: ToSign, timestamp: string): string =>
  `v1,${createHmac('sha256', standard).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;

/** All header fields of one attempt at a delivery, but for those of HTTP itself. */
export const signedHeaders = (delivery: ToSign, secrets: SigningSecrets): Record<string, string> => {
  const { id, event, body, now } = delivery;
  const { current, former } = signingKeys(secrets);
  const timestamp = String(Math.floor(now / 1000));
  const all = former === null ? [current] : [current, former];
  return {
    'Content-Type': 'application/json',
    'X-Service-Event': event,
    'X-Service-Timestamp': timestamp,
    'X-Service-Signature': ownSignature(current, timestamp, body),
    ...(former === null ? {} : { [OPTIONAL_HEADER]: ownSignature(former, timestamp, body) }),
    'User-Agent': 'service-webhooks/1.0',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': all.map((keys) => standardSignature(keys, delivery, timestamp)).join(' '),
  } satisfies Partial<Record<DeliveryHeader, string>>;
};
