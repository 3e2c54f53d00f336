// The keys of tokens that carry the number of a tenant: in links, return paths and feedback ids. Pure.
import type { KeyObject } from 'node:crypto';

export interface TokenKeys {
  /** The key by which the tokens of the tenant with that number are made. */
  readonly own: (number: number) => KeyObject;
  /** Those of tenants that had that number at their former host, with the number that they have here. */
  readonly brought: (number: number) => readonly { readonly key: KeyObject; readonly number: number }[];
}

/** The number that the token's tenant has here; null where no key is right. `number`: the one in the token. */
export const tenantOfToken = (
  keys: TokenKeys,
  number: number,
  isRight: (key: KeyObject) => boolean,
): number | null =>
  isRight(keys.own(number)) ? number : (keys.brought(number).find(({ key }) => isRight(key))?.number ?? null);
