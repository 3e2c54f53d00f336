// A mailbox (RFC 5322 §3.4): what an address is once it has been parsed. An `Address` is a string that has passed
// the parser of address.ts; nothing else may be one.

declare const addressBrand: unique symbol;

/** `local@domain`, the domain in lower-case A-labels (IDNA, RFC 5890), at most 254 octets. */
export type Address = string & { readonly [addressBrand]: true };

export interface Mailbox {
  readonly address: Address;
  /** Display name, decoded; absent where there is none. */
  readonly name?: string;
}
