// What the columns of a file of subscribers mean, by its head, and what each row says. Pure.
import { exportedColumns, MAX_FIELDS, MAX_VALUE, takenNames } from '#src/audience/subscribers/values.ts';
import type { Address } from '#src/mail/mailbox.ts';
import { withoutInvisibles } from '#src/mail/visible-text.ts';
import { addressColumns, type Column, type Head, mailboxOf, textAt } from './columns.ts';
import {
  type CellState,
  type Leaving,
  leavingByName,
  leavingOf,
  type StateRule,
  stateOf,
} from './leaving.ts';
import { plainName } from './plain.ts';
import type { Reason } from './reasons.ts';

const MAX_NAME = 200;
/** So much of a cell is repeated in a report. */
const MAX_SHOWN = 80;

/** A column that tells whether someone is a subscriber. */
export interface StateColumn {
  readonly index: number;
  readonly heading: string;
  readonly rule: StateRule;
}

/** Indexes of cells. */
export interface SubscriberLayout {
  readonly hasHead: boolean;
  /** The first that has something counts. */
  readonly addresses: readonly number[];
  /** Whose cells are joined. */
  readonly names: readonly number[];
  readonly states: readonly StateColumn[];
  /** The file's name says that those in it have left: the name, and how. */
  readonly leftByName: readonly [name: string, leaving: Leaving] | null;
  /** Other columns, with the names of their values in templates. */
  readonly fields: readonly (readonly [index: number, name: string])[];
}

/** Columns beyond the most that a subscriber can have are passed over. */
const fieldsOf = ({ columns }: Head): SubscriberLayout['fields'] => {
  const isOwn = columns.some(({ heading }) => heading !== null && plainName(heading) === 'consent_id');
  const names = new Set(takenNames);
  return columns
    .filter(({ role }) => role === 'value')
    .map(({ index, heading }) => [index, plainName(heading ?? '') || `column_${index + 1}`] as const)
    .filter(([, name]) => !(isOwn && (exportedColumns as readonly string[]).includes(name)))
    .slice(0, MAX_FIELDS)
    .map(([index, plain]) => {
      let name = plain;
      for (let number = 2; names.has(name); number++) name = `${plain}_${number}`;
      names.add(name);
      return [index, name] as const;
    });
};

export const statesOf = ({ columns }: Head): readonly StateColumn[] =>
  columns.flatMap(({ index, heading, role }) =>
    role === 'status' || role === 'opt_in' || role === 'opt_out'
      ? [{ index, heading: heading ?? String(index + 1), rule: role }]
      : [],
  );

export const subscriberLayout = (head: Head, fileName: string | null): SubscriberLayout => {
  const first = (role: Column['role']): number[] =>
    head.columns
      .filter((column) => column.role === role)
      .slice(0, 1)
      .map(({ index }) => index);
  const [given, family, full] = [first('first_name'), first('last_name'), first('name')];
  // Beside one part alone, `Name` is the other one: `Vorname, Name` and `Name, Surname`.
  const isPlain = head.columns.some(({ heading }) => plainName(heading ?? '') === 'name');
  const parts =
    given.length > 0 && family.length === 0
      ? [...given, ...full]
      : given.length === 0 && family.length > 0 && isPlain
        ? [...full, ...family]
        : [...given, ...family];
  const leaving = leavingByName(fileName);
  return {
    hasHead: head.hasHead,
    addresses: addressColumns(head),
    names: parts.length > 0 ? parts : full,
    states: statesOf(head),
    leftByName: leaving === null ? null : [fileName ?? '', leaving],
    fields: fieldsOf(head),
  };
};

/** Someone who is no subscriber by the file. */
export interface LeftOut {
  readonly reason: Reason;
  /** Null: they have not left, but are not known to be subscribers. */
  readonly leaving: Leaving | null;
}

const strictest: readonly CellState[] = ['left', 'unconfirmed', 'unknown'];

const kindOf = ({ heading, rule }: StateColumn, value: string): Leaving => {
  const kind = leavingOf(rule === 'status' ? value : heading);
  return kind === 'other' ? leavingOf(value) : kind;
};

/** The strictest of what the columns say of the person; null: they are a subscriber. */
export const leftOutBy = (
  cells: readonly string[],
  { states, leftByName }: Pick<SubscriberLayout, 'states' | 'leftByName'>,
): LeftOut | null => {
  let found: { readonly state: CellState; readonly column: StateColumn; readonly value: string } | null =
    null;
  for (const column of states) {
    const value = textAt(cells, column.index);
    const state = stateOf(column.rule, value);
    if (state === 'subscribed') continue;
    if (!found || strictest.indexOf(state) < strictest.indexOf(found.state)) found = { state, column, value };
  }
  if (found?.state !== 'left' && leftByName)
    return { reason: ['left_by_name', leftByName[0]], leaving: leftByName[1] };
  if (!found) return null;
  const { state, column, value } = found;
  return {
    reason: [state as 'left' | 'unconfirmed' | 'unknown', column.heading, value.slice(0, MAX_SHOWN)],
    leaving: state === 'left' ? kindOf(column, value) : null,
  };
};

export interface SubscriberLine {
  readonly address: Address;
  /** Null: the row has none. */
  readonly name: string | null;
  /** The values without those that are empty. */
  readonly data: Readonly<Record<string, string>>;
  /** Null: a subscriber, as far as the file says anything of it. */
  readonly leftOut: LeftOut | null;
}

const oneLine = (text: string): string =>
  withoutInvisibles(text)
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_NAME)
    .toWellFormed();

export const isReason = (read: object): read is Reason => Array.isArray(read);

/** The row as a subscriber, or why it is none. */
export const readSubscriber = (
  cells: readonly string[],
  layout: SubscriberLayout,
): SubscriberLine | Reason => {
  const mailbox = mailboxOf(cells, layout.addresses);
  if (isReason(mailbox)) return mailbox;
  const leftOut = leftOutBy(cells, layout);
  const values = layout.fields
    .map(([index, name]) => [name, textAt(cells, index)] as const)
    .filter(([, value]) => value !== '');
  const long = leftOut === null && values.find(([, value]) => value.length > MAX_VALUE);
  if (long) return ['long_value', long[0], MAX_VALUE];
  const name =
    oneLine(layout.names.map((index) => textAt(cells, index)).join(' ')) || oneLine(mailbox.name ?? '');
  return { address: mailbox.address, name: name || null, data: Object.fromEntries(values), leftOut };
};
