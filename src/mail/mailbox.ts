// A parsed mailbox (RFC 5322 §3.4). Only the parser in address.ts makes an `Address` of a string.

declare const addressBrand: unique symbol;

/** `local@domain`, the domain in lower-case A-labels (IDNA, RFC 5890), at most 254 octets. */
export type Address = string & { readonly [addressBrand]: true };

export interface Mailbox {
  readonly address: Address;
  /** The decoded display name; absent if there is none. */
  readonly name?: string;
}
