// What the columns of a file of subscribers mean, by its first row, and what each row says. Pure.

import { exportedColumns, MAX_FIELDS, MAX_VALUE, takenNames } from '#src/audience/subscribers/values.ts';
import { withoutInvisibles } from '#src/mail/address.ts';
import type { Address } from '#src/mail/mailbox.ts';
import { addressColumnOf, mailboxAt, plainName, textAt } from './head.ts';
import { UnreadableFile } from './read-rows.ts';

const MAX_NAME = 200;

const nameColumns: Readonly<Record<'first' | 'last' | 'full', readonly string[]>> = {
  first: ['vorname', 'firstname', 'first_name', 'given_name', 'fname'],
  last: ['nachname', 'familienname', 'lastname', 'last_name', 'surname', 'family_name', 'lname'],
  full: ['name', 'full_name', 'fullname', 'vollstaendiger_name'],
};

/** Indexes of cells. */
export interface SubscriberLayout {
  readonly hasHead: boolean;
  readonly address: number;
  /** Whose cells are joined. */
  readonly names: readonly number[];
  /** What became of the person on the list that was exported; null: the file does not say. */
  readonly status: number | null;
  /** Other columns, with the names of their values in templates. */
  readonly fields: readonly (readonly [index: number, name: string])[];
}

/** Words of this and other services for people who are not, or no longer, on the list that was exported. */
const left: readonly string[] = [
  'unsubscribed',
  'bounced',
  'complained',
  'pending',
  'unconfirmed',
  'cleaned',
  'inactive',
  'abgemeldet',
  'ausgetragen',
  'inaktiv',
  'unbestaetigt',
];

const fieldsOf = (columns: readonly (readonly [number, string])[]): SubscriberLayout['fields'] => {
  if (columns.length > MAX_FIELDS)
    throw new UnreadableFile(
      1,
      `has ${columns.length} columns beside address and name; ${MAX_FIELDS} are the most`,
    );
  const names = new Set(takenNames);
  return columns.map(([index, plain]) => {
    let name = plain;
    for (let number = 2; names.has(name); number++) name = `${plain}_${number}`;
    names.add(name);
    return [index, name] as const;
  });
};

/** Throws UnreadableFile where the first row neither names a column of addresses nor has an address. */
export const subscriberLayout = (cells: readonly string[]): SubscriberLayout => {
  const { hasHead, address } = addressColumnOf(cells);
  if (!hasHead) return { hasHead, address, names: [], status: null, fields: [] };
  const plain = cells.map(plainName);
  const column = (kind: keyof typeof nameColumns): number[] =>
    [plain.findIndex((name) => nameColumns[kind].includes(name))].filter((index) => index >= 0);
  const [first, last, full] = [column('first'), column('last'), column('full')];
  // Where there is no other one, `Name` beside `Vorname` is the last name.
  const parts = last.length === 0 && first.length > 0 ? [...first, ...full] : [...first, ...last];
  const names = parts.length > 0 ? parts : full;
  const isOther = ([index, name]: readonly [number, string]): boolean =>
    name !== '' &&
    index !== address &&
    !names.includes(index) &&
    !(plain.includes('consent_id') && (exportedColumns as readonly string[]).includes(name));
  const status = plain.indexOf('status');
  return {
    hasHead,
    address,
    names,
    status: status === -1 ? null : status,
    fields: fieldsOf([...plain.entries()].filter(isOther)),
  };
};

export interface SubscriberLine {
  readonly address: Address;
  /** Null: the row has none. */
  readonly name: string | null;
  /** Without those that are empty. */
  readonly data: Readonly<Record<string, string>>;
  /** The file says that they are not, or no longer, on the list that it was exported from: as it says it. */
  readonly left: string | null;
}

const oneLine = (text: string): string =>
  withoutInvisibles(text)
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_NAME)
    .toWellFormed();

/** The row as a subscriber, or why it is none. */
export const readSubscriber = (
  cells: readonly string[],
  { address, names, status, fields }: SubscriberLayout,
): SubscriberLine | string => {
  const mailbox = mailboxAt(cells, address);
  if (typeof mailbox === 'string') return mailbox;
  const values = fields
    .map(([index, name]) => [name, textAt(cells, index)] as const)
    .filter(([, value]) => value !== '');
  const long = values.find(([, value]) => value.length > MAX_VALUE);
  if (long) return `has more than ${MAX_VALUE} characters in the column ${long[0]}`;
  const name = oneLine(names.map((index) => textAt(cells, index)).join(' ')) || oneLine(mailbox.name ?? '');
  const stated = textAt(cells, status);
  return {
    address: mailbox.address,
    name: name || null,
    data: Object.fromEntries(values),
    left: left.includes(plainName(stated)) ? stated : null,
  };
};
