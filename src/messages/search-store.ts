// Finding messages: newest first, by any combination of filters.
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
  readonly projectId: string | null;
  readonly kind: Kind | null;
  readonly createdFrom: number | null;
  readonly createdBefore: number | null;
}

interface Parameters extends MessageFilter {
  readonly pattern: string | null;
  readonly before: number;
  readonly limit: number;
}

/** LIKE pattern that finds `text` anywhere, taken literally. */
const likePattern = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

export const messageSearchStore = perConnection((db: TenantDb) => {
  const find = db.prepare<Parameters, MessageRow>(
    `SELECT * FROM messages
     WHERE seq < :before
       AND (:tag IS NULL OR EXISTS (SELECT 1 FROM json_each(tags_json) WHERE value = :tag COLLATE NOCASE))
       AND (:status IS NULL OR status = :status)
       AND (:routeId IS NULL OR route_id = :routeId)
       AND (:projectId IS NULL OR project_id = :projectId)
       AND (:kind IS NULL OR message_kind = :kind)
       AND (:createdFrom IS NULL OR created_at >= :createdFrom)
       AND (:createdBefore IS NULL OR created_at < :createdBefore)
       AND (:pattern IS NULL
         OR subject LIKE :pattern ESCAPE '\\'
         OR EXISTS (SELECT 1 FROM json_each(tags_json) WHERE value LIKE :pattern ESCAPE '\\')
         OR EXISTS (SELECT 1 FROM recipients WHERE message_seq = seq AND address LIKE :pattern ESCAPE '\\'))
     ORDER BY seq DESC LIMIT :limit`,
  );
  return {
    /** Those before position `before`. */
    find: (filter: MessageFilter, before: number | null, limit: number): MessageRow[] =>
      find.all({
        ...filter,
        pattern: filter.text === null ? null : likePattern(filter.text),
        before: before ?? Number.MAX_SAFE_INTEGER,
        limit,
      }),
  };
});
