// Keyed hashes in the place of what a message's row says of people, once its retention period is over. In one practice the same
// text has the same pseudonym. That of an address is the hash by which suppressions know it, so a person who unsubscribes
// by an old link, or is reported late, is suppressed all the same.
import { createHmac } from 'node:crypto';
import type { TenantKey } from '#src/kernel/keys.ts';
import { addressKey } from '#src/mail/address.ts';
import type { Address } from '#src/mail/mailbox.ts';

/** No address begins with this, for it has an @. */
const PSEUDONYM = /^#[A-Za-z0-9_-]{43}$/;

export const isPseudonym = (text: string): boolean => PSEUDONYM.test(text);

const written = (hash: Buffer): string => `#${hash.toString('base64url')}`;

/** 32 bytes, also of an address that is a pseudonym already. `key` is that of `Base.key('suppressions')`. */
export const addressHash = (key: TenantKey, tenantId: string, address: Address): Buffer =>
  isPseudonym(address)
    ? Buffer.from(address.slice(1), 'base64url')
    : createHmac('sha256', key(tenantId))
        .update(`suppression|1|${tenantId}|${addressKey(address)}`)
        .digest();

export const addressPseudonym = (key: TenantKey, tenantId: string, address: Address): string =>
  written(addressHash(key, tenantId, address));

/** The pseudonym of a subject, tag or value; an empty text stays empty. */
export const textPseudonym = (key: TenantKey, tenantId: string, text: string): string =>
  text === ''
    ? ''
    : written(createHmac('sha256', key(tenantId)).update(`text|1|${tenantId}|${text}`).digest());
