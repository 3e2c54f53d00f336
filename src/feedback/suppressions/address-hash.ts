// How a suppressed address is found again once the address itself has been erased: by an HMAC that nobody can make from
// a list of addresses without the installation's key, and that says nothing across tenants.
import { createHmac, type KeyObject } from 'node:crypto';
import { addressKey } from '#src/mail/address.ts';
import type { Address } from '#src/mail/mailbox.ts';

/** 32 bytes. `key` is derived for this alone. */
export const suppressionHash = (key: KeyObject, tenantId: string, address: Address): Buffer =>
  createHmac('sha256', key)
    .update(`suppression|1|${tenantId}|${addressKey(address)}`)
    .digest();
