// An address as it is shown to someone who may not be its owner, or kept where it cannot be taken out again: enough to be
// recognized by whoever knows it. Pure.
import { domainToUnicode } from 'node:url';
import { addressDomain } from './address.ts';
import type { Address } from './mailbox.ts';

/** `erika.muster@praxis.example` as `e…@praxis.example`; the domain as people write it. */
export const maskAddress = (address: Address): string => {
  const domain = addressDomain(address);
  const local = [...address.slice(0, -domain.length - 1)];
  const shown = local.length > 1 ? local[0] : '';
  return `${shown}…@${domainToUnicode(domain)}`;
};
