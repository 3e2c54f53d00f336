// Whose mail it is by its From (RFC 9989 §5.3.1). What a person reads there must not be missed: where From cannot be read by the
// syntax of addresses, each text with an @ in it counts, so that DMARC has more than one author and does not pass. Pure.
import { AddressError } from '#src/mail/address.ts';
import { readMailboxes } from '#src/mail/address-field.ts';
import { type Field, isCut } from '#src/mail/field-block.ts';

/** Honest mail has one, and with two DMARC does not pass. */
const MAX_FIELDS = 2;
const LOOKS_LIKE_ADDRESS = /[^\s<>(),;:"@]{1,64}@[^\s<>(),;:"@\\]{1,253}/g;

export interface Authors {
  /** In lower case, each once. */
  readonly addresses: readonly string[];
  /** How often there is a From, or may be. */
  readonly fields: number;
}

const addressesIn = (value: string): string[] => {
  const text = Buffer.from(value, 'latin1').toString('utf8');
  try {
    return readMailboxes(text).map(({ address }) => address);
  } catch (error) {
    if (!(error instanceof AddressError)) throw error;
    return text.match(LOOKS_LIKE_ADDRESS) ?? [];
  }
};

/** `head` with one character for each octet, and `fields` what is in it. */
export const authorsOf = (head: string, fields: readonly Field[]): Authors => {
  const from = fields.filter(({ name }) => name === 'from');
  const addresses = from.slice(0, MAX_FIELDS).flatMap(({ value }) => addressesIn(value));
  return {
    addresses: [...new Set(addresses.map((address) => address.toLowerCase()))],
    // Behind what is read, there may be any From.
    fields: isCut(head, fields) ? MAX_FIELDS : from.length,
  };
};
