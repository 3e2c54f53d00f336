// Finding messages: newest first, by any combination of filters. One call looks at so many messages at most, because it
// holds up the event loop meanwhile; where it stops, the next one goes on.
import { perConnection, type TenantDb } from '#src/db/sqlite.ts';
import type { Kind } from './kinds.ts';
import type { Status } from './rules.ts';
import type { MessageRow } from './store.ts';

export interface MessageFilter {
  /** Part of a recipient's address, the subject or a tag. */
  readonly text: string | null;
  readonly tag: string | null;
  readonly status: Status | null;
  readonly routeId: string | null;
  /** Ids; null: all. */
  readonly projects: readonly string[] | null;
  readonly kind: Kind | null;
  readonly createdFrom: number | null;
  readonly createdBefore: number | null;
}

interface Parameters extends Omit<MessageFilter, 'projects'> {
  /** JSON array. */
  readonly projectIds: string | null;
  readonly pattern: string | null;
  readonly before: number;
  readonly from: number;
  readonly limit: number;
}

export interface Found {
  readonly rows: MessageRow[];
  /** Where to go on; null where nothing older is left. */
  readonly before: number | null;
}

/** Some 35 ms where each is looked at closely and none fits. */
const MESSAGES_PER_CALL = 50_000;

/** LIKE pattern that finds `text` anywhere, taken literally. */
const likePattern = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

export const messageSearchStore = perConnection((db: TenantDb) => {
  const find = db.prepare<Parameters, MessageRow>(
    `SELECT * FROM messages
     WHERE seq < :before AND seq >= :from
       AND (:tag IS NULL OR EXISTS (SELECT 1 FROM json_each(tags_json) WHERE value = :tag COLLATE NOCASE))
       AND (:status IS NULL OR status = :status)
       AND (:routeId IS NULL OR route_id = :routeId)
       AND (:projectIds IS NULL OR project_id IN (SELECT value FROM json_each(:projectIds)))
       AND (:kind IS NULL OR message_kind = :kind)
       AND (:createdFrom IS NULL OR created_at >= :createdFrom)
       AND (:createdBefore IS NULL OR created_at < :createdBefore)
       AND (:pattern IS NULL
         OR subject LIKE :pattern ESCAPE '\\'
         OR EXISTS (SELECT 1 FROM json_each(tags_json) WHERE value LIKE :pattern ESCAPE '\\')
         OR EXISTS (SELECT 1 FROM recipients WHERE message_seq = seq AND address LIKE :pattern ESCAPE '\\'))
     ORDER BY seq DESC LIMIT :limit`,
  );
  const newest = db.prepare<[], number | null>('SELECT max(seq) FROM messages').pluck();
  return {
    /** At most `limit` of those before position `before`; maybe fewer, even none, though more are left. */
    find: (
      filter: MessageFilter,
      before: number | null,
      limit: number,
      messagesPerCall = MESSAGES_PER_CALL,
    ): Found => {
      const start = before ?? (newest.get() ?? 0) + 1;
      const from = Math.max(0, start - messagesPerCall);
      const pattern = filter.text === null ? null : likePattern(filter.text);
      const { projects, ...rest } = filter;
      const projectIds = projects && JSON.stringify(projects);
      const rows = find.all({ ...rest, projectIds, pattern, before: start, from, limit: limit + 1 });
      const last = rows[limit - 1];
      if (rows.length > limit && last) return { rows: rows.slice(0, limit), before: last.seq };
      return { rows, before: from > 1 ? from : null };
    },
  };
});
