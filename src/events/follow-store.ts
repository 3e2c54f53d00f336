// Reading the log for its followers: each event with what it is about, after a cursor. A cursor is the number of an event
// (`seq`): numbers grow in the order in which the file's writers commit, and none is used twice, so a follower that
// continues after its cursor misses nothing.
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';
import type { EventType } from './catalogue.ts';

/** The names are stored in the files. `replies` keeps no cursor: `forwards` reads the log for both. */
export type FollowerName = 'webhooks' | 'alerts' | 'forwards' | 'replies' | 'audience';

/** An event with its message and its mail received; nulls if it is about none. */
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
  /** The mail received that it is about. */
  inbound_seq: number | null;
  /** `FollowedMail`; null also where the mail is no longer kept. */
  inbound_json: string | null;
}

/** What events say of a mail received. */
export interface FollowedMail {
  readonly id: string;
  readonly from: { readonly address: string; readonly name?: string } | null;
  readonly to: readonly string[];
  readonly received_at: number;
  readonly size_bytes: number;
  readonly auth: Readonly<Record<'spf' | 'dmarc' | 'arc', { readonly result: string }>> & {
    readonly dkim: readonly { readonly result: string }[];
  };
  readonly spam: { readonly verdict: string; readonly score: number | null };
  readonly thread_id: string;
}

const RECEIVED_MAIL = `CASE WHEN inbound_messages.seq IS NOT NULL THEN json_object(
     'id', inbound_messages.id, 'from', json(inbound_messages.from_json), 'to', json(inbound_messages.recipients_json),
     'received_at', inbound_messages.received_at, 'size_bytes', inbound_messages.size_bytes,
     'auth', json(inbound_messages.auth_json), 'spam', json(inbound_messages.spam_json),
     'thread_id', inbound_messages.thread_id) END`;

/** A query of events with what each is about; `where` may name columns of `events`. */
export const followed = (where: string): string =>
  `SELECT events.seq, events.id, events.type, events.at, events.data_json, events.message_seq, events.recipient_id,
     recipients.address AS recipient, messages.id AS message_id,
     messages.project_id, projects.slug AS project_slug, messages.route_id, routes.slug AS route_slug,
     messages.message_kind, messages.tag, messages.tags_json, messages.metadata_json, messages.settings_json,
     messages.created_at, messages.scheduled_at, events.inbound_seq, ${RECEIVED_MAIL} AS inbound_json
   FROM events
     LEFT JOIN messages ON messages.seq = events.message_seq
     LEFT JOIN recipients ON recipients.id = events.recipient_id
     LEFT JOIN projects ON projects.id = messages.project_id
     LEFT JOIN routes ON routes.id = messages.route_id
     LEFT JOIN inbound_messages ON inbound_messages.seq = events.inbound_seq
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
    /** The cursor after all events, also those that have been removed since; 0 in an empty log. */
    last: (): number => last.get() ?? 0,
    event: (seq: number): FollowedEvent | undefined => bySeq.get(seq),
    /** The events after the cursor, in the order of the log. */
    after: (seq: number, limit: number): FollowedEvent[] => after.all(seq, limit),
    /** The types alone of the events after the cursor. */
    typesAfter: (seq: number, limit: number): Pick<FollowedEvent, 'seq' | 'type'>[] =>
      typesAfter.all(seq, limit),
    /** Undefined before the follower has read anything. */
    cursor: (follower: FollowerName): number | undefined => cursor.get(follower),
    moveCursor: (follower: FollowerName, seq: number): void => {
      putCursor.run(follower, seq);
    },
    /** The follower has ended; a later one begins without a cursor. */
    removeCursor: (follower: FollowerName): void => {
      removeCursor.run(follower);
    },
  };
});
