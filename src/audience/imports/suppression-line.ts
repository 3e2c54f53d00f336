// What the columns of a file of suppressions mean, by its first row, and what each row says.

import type { NamedPlace } from '#src/feedback/suppressions/place.ts';
import { noteSchema } from '#src/feedback/suppressions/schema.ts';
import type { Address } from '#src/mail/mailbox.ts';
import {
  type SuppressionReason,
  type SuppressionScope,
  suppressionReasons,
  suppressionScopes,
} from '#src/messages/suppression-rules.ts';
import { addressColumnOf, mailboxAt, plainName, textAt } from './head.ts';

const columns = {
  scope: ['scope'],
  project: ['project', 'project_id', 'project_slug'],
  route: ['route', 'route_id', 'route_slug'],
  reason: ['reason'],
  note: ['note'],
} as const;
type Column = keyof typeof columns;

/** Indexes of cells; null: there is no such column. */
export type SuppressionLayout = Readonly<Record<Column, number | null>> & {
  readonly hasHead: boolean;
  readonly address: number;
};

/** Throws UnreadableFile where the first row neither names a column of addresses nor has an address. */
export const suppressionLayout = (cells: readonly string[]): SuppressionLayout => {
  const { hasHead, address } = addressColumnOf(cells);
  const plain = hasHead ? cells.map(plainName) : [];
  const indexOf = (column: Column): number | null => {
    const index = plain.findIndex((name) => (columns[column] as readonly string[]).includes(name));
    return index === -1 ? null : index;
  };
  const [scope, project, route] = [indexOf('scope'), indexOf('project'), indexOf('route')];
  return { hasHead, address, scope, project, route, reason: indexOf('reason'), note: indexOf('note') };
};

export interface SuppressionLine {
  readonly address: Address;
  /** As in the row; a row without any of it takes that of the request. */
  readonly place: NamedPlace;
  readonly reason: SuppressionReason;
  readonly note: string | null;
}

const isScope = (text: string): text is SuppressionScope =>
  (suppressionScopes as readonly string[]).includes(text);
const isReason = (text: string): text is SuppressionReason =>
  (suppressionReasons as readonly string[]).includes(text);

/** The row as a suppression, or why it is none. */
export const readSuppression = (
  cells: readonly string[],
  layout: SuppressionLayout,
): SuppressionLine | string => {
  const given = (column: Column): string | undefined => textAt(cells, layout[column]) || undefined;
  const mailbox = mailboxAt(cells, layout.address);
  if (typeof mailbox === 'string') return mailbox;
  const scope = given('scope')?.toLowerCase();
  if (scope !== undefined && !isScope(scope)) return 'has a scope that is none of team, project, route';
  const note = noteSchema.safeParse(given('note') ?? '');
  if (!note.success) return 'has a note that is too long or has control characters';
  // Other services use other words; that the address is suppressed is what counts.
  const reason = given('reason')?.toLowerCase() ?? '';
  return {
    address: mailbox.address,
    place: {
      scope,
      project_id: given('project')?.toLowerCase(),
      route_id: given('route')?.toLowerCase(),
    },
    reason: isReason(reason) ? reason : 'import',
    note: note.data === '' ? null : note.data,
  };
};
