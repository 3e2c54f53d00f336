// What the columns of a file of suppressions mean, by its head, and what each row says.
import type { NamedPlace } from '#src/feedback/suppressions/place.ts';
import { noteSchema } from '#src/feedback/suppressions/schema.ts';
import type { Address } from '#src/mail/mailbox.ts';
import {
  type SuppressionReason,
  type SuppressionScope,
  suppressionReasons,
  suppressionScopes,
} from '#src/messages/suppression-rules.ts';
import { addressColumns, type Head, mailboxOf, textAt } from './columns.ts';
import { type Leaving, leavingByName } from './leaving.ts';
import { plainName } from './plain.ts';
import type { Reason } from './reasons.ts';
import { isReason, leftOutBy, type StateColumn, statesOf } from './subscriber-line.ts';

const columns = {
  scope: ['scope'],
  project: ['project', 'project_id', 'project_slug'],
  route: ['route', 'route_id', 'route_slug'],
  reason: ['reason'],
  note: ['note'],
} as const;
type Named = keyof typeof columns;

/** Indexes of cells; null: there is no such column. */
export type SuppressionLayout = Readonly<Record<Named, number | null>> & {
  readonly hasHead: boolean;
  readonly addresses: readonly number[];
  /** Who is a subscriber by them is not suppressed: other services write everyone into one file. */
  readonly states: readonly StateColumn[];
  /** What the file's name says of all. */
  readonly leaving: Leaving | null;
};

export const suppressionLayout = (head: Head, fileName: string | null): SuppressionLayout => {
  const plain = head.columns.map(({ heading }) => plainName(heading ?? ''));
  const indexOf = (column: Named): number | null => {
    const index = plain.findIndex((name) => (columns[column] as readonly string[]).includes(name));
    return index === -1 ? null : index;
  };
  return {
    hasHead: head.hasHead,
    addresses: addressColumns(head),
    states: statesOf(head),
    leaving: leavingByName(fileName),
    scope: indexOf('scope'),
    project: indexOf('project'),
    route: indexOf('route'),
    reason: indexOf('reason'),
    note: indexOf('note'),
  };
};

export interface SuppressionLine {
  readonly address: Address;
  /** The place as in the row; a row without any of it takes that of the request. */
  readonly place: NamedPlace;
  readonly reason: SuppressionReason;
  readonly note: string | null;
}

const isScope = (text: string): text is SuppressionScope =>
  (suppressionScopes as readonly string[]).includes(text);
const isOwnReason = (text: string): text is SuppressionReason =>
  (suppressionReasons as readonly string[]).includes(text);

const byLeaving: Readonly<Record<Leaving, SuppressionReason>> = {
  unsubscribe: 'unsubscribe',
  complaint: 'complaint',
  bounce: 'hard_bounce',
  other: 'import',
};

/** The row as a suppression, or why it is none. */
export const readSuppression = (
  cells: readonly string[],
  layout: SuppressionLayout,
): SuppressionLine | Reason => {
  const given = (column: Named): string | undefined => textAt(cells, layout[column]) || undefined;
  const mailbox = mailboxOf(cells, layout.addresses);
  if (isReason(mailbox)) return mailbox;
  const left = leftOutBy(cells, { states: layout.states, leftByName: null });
  const leaving = left?.leaving ?? layout.leaving;
  if (layout.states.length > 0 && leaving === null) return ['not_left'];
  const scope = given('scope')?.toLowerCase();
  if (scope !== undefined && !isScope(scope)) return ['bad_scope'];
  const note = noteSchema.safeParse(given('note') ?? '');
  if (!note.success) return ['bad_note'];
  // Other services use other words; that the address is suppressed is what counts.
  const reason = given('reason')?.toLowerCase() ?? '';
  return {
    address: mailbox.address,
    place: {
      scope,
      project_id: given('project')?.toLowerCase(),
      route_id: given('route')?.toLowerCase(),
    },
    reason: isOwnReason(reason) ? reason : byLeaving[leaving ?? 'other'],
    note: note.data === '' ? null : note.data,
  };
};
