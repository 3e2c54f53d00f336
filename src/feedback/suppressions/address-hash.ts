// Finds a suppressed address also after the address itself has been erased: by an HMAC, which cannot be computed from a list
// of addresses without the installation's key, and which differs between tenants.
import { createHmac, type KeyObject } from 'node:crypto';
import { addressKey } from '#src/mail/address.ts';
import type { Address } from '#src/mail/mailbox.ts';

/** 32 bytes. `key` is derived for this purpose only. */
export const suppressionHash = (key: KeyObject, tenantId: string, address: Address): Buffer =>
  createHmac('sha256', key)
    .update(`suppression|1|${tenantId}|${addressKey(address)}`)
    .digest();
