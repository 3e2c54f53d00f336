// Reading the log on behalf of those who follow it: each event with what it is about, from a place in the log on. A place is
// the number of an event (`seq`): numbers grow in the order in which the file's writers commit, and none is used twice, so
// who has read up to one misses nothing by going on after it.
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';
import type { EventType } from './catalogue.ts';

/** Who reads behind the log and keeps their place in it; the name stands in the files. */
export type FollowerName = 'webhooks' | 'alerts';

/** An event and its message; nulls where it is about none. */
export interface FollowedEvent {
  seq: number;
  id: string;
  type: EventType;
  at: number;
  data_json: string | null;
  /** 0: about no message. */
  message_seq: number;
  recipient_id: number | null;
  recipient: string | null;
  message_id: string | null;
  project_id: string | null;
  project_slug: string | null;
  route_id: string | null;
  route_slug: string | null;
  message_kind: string | null;
  tag: string | null;
  tags_json: string | null;
  metadata_json: string | null;
  settings_json: string | null;
  created_at: number | null;
  scheduled_at: number | null;
}

/** Reads events with what each is about; `where` may name columns of `events`. */
export const followed = (where: string): string =>
  `SELECT events.seq, events.id, events.type, events.at, events.data_json, events.message_seq, events.recipient_id,
     recipients.address AS recipient, messages.id AS message_id,
     messages.project_id, projects.slug AS project_slug, messages.route_id, routes.slug AS route_slug,
     messages.message_kind, messages.tag, messages.tags_json, messages.metadata_json, messages.settings_json,
     messages.created_at, messages.scheduled_at
   FROM events
     LEFT JOIN messages ON messages.seq = events.message_seq
     LEFT JOIN recipients ON recipients.id = events.recipient_id
     LEFT JOIN projects ON projects.id = messages.project_id
     LEFT JOIN routes ON routes.id = messages.route_id
   WHERE ${where}`;

export const followStore = perConnection((db: TenantDb) => {
  const last = db.prepare<[], number>("SELECT seq FROM sqlite_sequence WHERE name = 'events'").pluck();
  const bySeq = db.prepare<[number], FollowedEvent>(followed('events.seq = ?'));
  const after = db.prepare<[number, number], FollowedEvent>(
    followed('events.seq > ? ORDER BY events.seq LIMIT ?'),
  );
  const typesAfter = db.prepare<[number, number], Pick<FollowedEvent, 'seq' | 'type'>>(
    'SELECT seq, type FROM events WHERE seq > ? ORDER BY seq LIMIT ?',
  );
  const cursor = db
    .prepare<[FollowerName], number>('SELECT seq FROM event_cursors WHERE follower = ?')
    .pluck();
  const putCursor = db.prepare<[FollowerName, number]>(
    'INSERT INTO event_cursors (follower, seq) VALUES (?, ?) ON CONFLICT (follower) DO UPDATE SET seq = excluded.seq',
  );
  const removeCursor = db.prepare<[FollowerName]>('DELETE FROM event_cursors WHERE follower = ?');
  return {
    /** The place after all that has been written, also where it has been removed since; 0 in an empty log. */
    last: (): number => last.get() ?? 0,
    event: (seq: number): FollowedEvent | undefined => bySeq.get(seq),
    /** In the order of the log, after the place `seq`. */
    after: (seq: number, limit: number): FollowedEvent[] => after.all(seq, limit),
    /** As `after`, no more than what they are. */
    typesAfter: (seq: number, limit: number): Pick<FollowedEvent, 'seq' | 'type'>[] =>
      typesAfter.all(seq, limit),
    /** How far a follower has read; undefined before its first time. */
    cursor: (follower: FollowerName): number | undefined => cursor.get(follower),
    moveCursor: (follower: FollowerName, seq: number): void => {
      putCursor.run(follower, seq);
    },
    /** It follows no more: whoever comes later begins anew. */
    removeCursor: (follower: FollowerName): void => {
      removeCursor.run(follower);
    },
  };
});
