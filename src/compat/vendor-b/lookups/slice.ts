// A slice of a list of events, with what a caller may see of it.
import { type Caller, mayUseProject } from '#src/kernel/access.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { ROWS_PER_SLICE, type Slice } from './page.ts';
import { type EventKind, type LoggedEvent, loggedEventStore } from './store.ts';

interface Wanted {
  readonly kind: EventKind;
  /** Null: of all messages. */
  readonly messageId: string | null;
  readonly caller: Caller;
  readonly isWanted: (row: LoggedEvent) => boolean;
  /** Nothing older is wanted. */
  readonly from?: number | null;
}

/** A slice of events of the caller's projects, without those of machines. */
export const sliceOfEvents = (
  db: TenantDb,
  { kind, messageId, caller, isWanted, from = null }: Wanted,
  before: number | null,
): Slice<LoggedEvent> => {
  const rows = loggedEventStore(db).before(
    kind,
    messageId,
    before ?? Number.MAX_SAFE_INTEGER,
    ROWS_PER_SLICE,
  );
  const last = rows.at(-1);
  const isEnd = last === undefined || rows.length < ROWS_PER_SLICE || (from !== null && last.at < from);
  return {
    items: rows.filter((row) => !row.data.bot && mayUseProject(caller, row.project_id) && isWanted(row)),
    next: isEnd ? null : last.seq,
  };
};
