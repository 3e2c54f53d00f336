// The scores of messages, for the export, in pages by their key.
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Kind } from '#src/messages/kinds.ts';
import { messageOrderStore } from '#src/messages/order-store.ts';
import type { Status } from '#src/messages/rules.ts';

export interface ScoreRow {
  seq: number;
  id: string;
  at: number;
  route_id: string;
  project_id: string;
  message_kind: Kind;
  subject: string;
  score: number | null;
  status: Status;
}

export const scoreStore = perConnection((db: TenantDb) => {
  const scores = db.prepare<[number, number], ScoreRow>(
    `SELECT seq, id, created_at AS at, route_id, project_id, message_kind, subject, score, status
     FROM messages WHERE seq > ? ORDER BY seq LIMIT ?`,
  );
  return {
    /** The place before the first message of `at` or later. */
    before: (at: number): number => messageOrderStore(db).firstSince(at) - 1,
    /** Oldest first, after that place. */
    after: (place: number, limit: number): ScoreRow[] => scores.all(place, limit),
  };
});
