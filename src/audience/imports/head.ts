// The first row of a file that is imported: a head line in German or English, or already an address. Pure.
import { withoutGuard } from '#src/kernel/csv.ts';
import { AddressError, parseAddress, withoutInvisibles } from '#src/mail/address.ts';
import type { Mailbox } from '#src/mail/mailbox.ts';
import { UnreadableFile } from './read-rows.ts';

const MAX_PLAIN_NAME = 40;

const umlauts: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss' };

/** A head's cell as a name of letters, digits and `_`, by which columns are found and templates name their values. */
export const plainName = (cell: string): string =>
  withoutInvisibles(cell)
    .normalize('NFC')
    .toLowerCase()
    .replace(/[äöüß]/g, (letter) => umlauts[letter] ?? letter)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .replace(/^(?=\d)/, '_')
    .slice(0, MAX_PLAIN_NAME);

/** Also the names that other services and address books use. The first one that is there counts: `Adresse` may be a street. */
const addressNames: readonly string[] = [
  'email',
  'e_mail',
  'email_address',
  'e_mail_address',
  'emailadresse',
  'email_adresse',
  'e_mail_adresse',
  'mail',
  'mailadresse',
  'recipient',
  'address',
  'adresse',
];

/** Throws UnreadableFile where there is neither. */
export const addressColumnOf = (
  cells: readonly string[],
): { readonly hasHead: boolean; readonly address: number } => {
  const address = cells.findIndex((cell) => cell.includes('@'));
  if (address >= 0) return { hasHead: false, address };
  const names = cells.map(plainName);
  const known = addressNames.find((name) => names.includes(name));
  if (known === undefined) throw new UnreadableFile(1, 'names no column `email` or `address`');
  return { hasHead: true, address: names.indexOf(known) };
};

/** The text of a cell; empty where the row is too short. */
export const textAt = (cells: readonly string[], index: number | null): string =>
  index === null ? '' : withoutGuard(cells[index] ?? '');

/** The mailbox in a cell, or why it is none. */
export const mailboxAt = (cells: readonly string[], index: number): Mailbox | string => {
  const typed = textAt(cells, index).replace(/^mailto:\s*/i, '');
  if (typed === '') return 'has no address';
  try {
    return parseAddress(typed);
  } catch (error) {
    if (error instanceof AddressError) return error.message;
    throw error;
  }
};
