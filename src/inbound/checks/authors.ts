// Whose mail it is by its From (RFC 9989 §5.3.1). What lists show is read here too: if it was read in another way than what DMARC and
// the rules on senders ask about, a mail could show an address that was not checked. Pure.
import { MAX_WRITTEN_MAILBOXES, type WrittenMailbox, writtenMailboxes } from '#src/mail/address-field.ts';
import { type Field, type Header, isCut, isCutValue } from '#src/mail/field-block.ts';

export interface Authors {
  /** The addresses in lower case, each once; empty for an author whose address cannot be known. */
  readonly addresses: readonly string[];
  /** How often there is a From, or may be. */
  readonly fields: number;
}

/** What has no @ is the part of a name before a comma that should be in quotes, if there is an author beside. */
const authorsAmong = (written: readonly WrittenMailbox[]): readonly WrittenMailbox[] => {
  const authors = written.filter(({ address, name = '' }) => `${address}${name}`.includes('@'));
  return authors.length > 0 ? authors : written.slice(0, 1);
};

export const firstAuthor = (fields: readonly Field[]): WrittenMailbox | null =>
  authorsAmong(writtenMailboxes(fields, 'from'))[0] ?? null;

export const authorsOf = ({ octets, shown }: Header): Authors => {
  const written = writtenMailboxes(shown, 'from');
  const addresses = authorsAmong(written).map(({ address }) => address.toLowerCase());
  // Behind what is read, there may be any From.
  const own = shown.filter(({ name }) => name === 'from');
  const isWhole = !own.some(({ value }) => isCutValue(value)) && written.length < MAX_WRITTEN_MAILBOXES;
  return {
    addresses: [...new Set(addresses)],
    fields: isWhole && !isCut(octets, shown) ? own.length : 2,
  };
};
