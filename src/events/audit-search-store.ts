// Reading the audit: newest first, by any combination of filters. One call looks at so many entries at most, because it
// holds up the event loop meanwhile; where it stops, the next one goes on.
import { type AnyDb, perConnection } from '#src/kernel/db/sqlite.ts';
import type { AuditRow } from './audit-store.ts';

export interface AuditFilter {
  /** An action (`member.update`), or a noun (`member`) for all that is done to it. */
  readonly action: string | null;
  readonly actorId: string | null;
  readonly targetId: string | null;
  readonly from: number | null;
  readonly before: number | null;
}

export interface FoundEntries {
  readonly rows: AuditRow[];
  /** Position to go on from; null where nothing older is left. */
  readonly next: number | null;
}

interface Parameters extends AuditFilter {
  readonly start: number;
  readonly end: number;
  readonly limit: number;
}

/** Some 20 ms where none fits. */
const ENTRIES_PER_CALL = 50_000;

export const auditSearchStore = perConnection((db: AnyDb) => {
  const find = db.prepare<Parameters, AuditRow>(
    `SELECT * FROM audit
     WHERE seq < :start AND seq >= :end
       AND (:action IS NULL OR action = :action
         OR substr(action, 1, length(:action) + 1) = :action || '.')
       AND (:actorId IS NULL OR actor_id = :actorId)
       AND (:targetId IS NULL OR target_id = :targetId)
       AND (:from IS NULL OR at >= :from)
       AND (:before IS NULL OR at < :before)
     ORDER BY seq DESC LIMIT :limit`,
  );
  const bounds = db.prepare<[], { oldest: number | null; newest: number | null }>(
    'SELECT (SELECT min(seq) FROM audit) AS oldest, (SELECT max(seq) FROM audit) AS newest',
  );
  return {
    /** At most `limit` of those before position `position`; maybe fewer, even none, though more are left. */
    find: (
      filter: AuditFilter,
      position: number | null,
      limit: number,
      entriesPerCall = ENTRIES_PER_CALL,
    ): FoundEntries => {
      const { oldest, newest } = bounds.get() ?? { oldest: null, newest: null };
      const start = position ?? (newest ?? 0) + 1;
      const end = start - entriesPerCall;
      const rows = find.all({ ...filter, start, end, limit: limit + 1 });
      const last = rows[limit - 1];
      if (rows.length > limit && last) return { rows: rows.slice(0, limit), next: last.seq };
      return { rows, next: oldest !== null && end > oldest ? end : null };
    },
  };
});
