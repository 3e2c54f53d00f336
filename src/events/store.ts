// The append-only log in the tenant's file: what happened to whom, written in the transaction that changes the state.
// Followers (webhooks, alerts, the live stream) read it by cursor; nothing is published before it is stored here.
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';
import { newId } from '#src/kernel/id.ts';
import type { OldRows } from '#src/kernel/old-rows.ts';
import type { EventType } from './catalogue.ts';

/** What is known beside type, recipient and time. */
export interface EventData {
  /** The recipient's status after it, if the event by itself would mean another one. */
  readonly status?: string;
  readonly smtp_code?: number | null;
  readonly enhanced_code?: string | null;
  readonly diagnostic?: string | null;
  readonly upstream?: string | null;
  /** The rule that classified a bounce, recognised a machine, or left a complaint uncounted. */
  readonly rule?: string;
  /** Number of our own attempt; absent if it comes from a report. */
  readonly attempt?: number;
  /** The kind of report: `dsn`, `arf`, `auto_reply`, `bounce` (a notice in no standard form), `ses` (a notice of
   * Amazon SES by mail), `http` (an upstream's report). */
  readonly via?: string;
  /** The address from which an open, click or unsubscription came, cut to its network. */
  readonly ip?: string | null;
  readonly user_agent?: string | null;
  /** The link that was followed. */
  readonly url?: string;
  /** A machine opened or followed it. */
  readonly bot?: boolean;
  /** Set on a complaint whose reporter has not proved who they are: it is in no counter, and `rule` says why. */
  readonly counted?: false;
  /** A delay that was published before: followers skip it. */
  readonly repeated?: boolean;
  /** Ids of what blocked the content. */
  readonly content_reasons?: readonly string[];
  /** The list on which the recipient is from now on, or is no longer. */
  readonly list?: { readonly id: string; readonly status: 'active' | 'unsubscribed' };
  /** The suppression that applied to the recipient, or was added or removed. */
  readonly suppression?: {
    readonly id: string;
    readonly address: string | null;
    readonly scope: string;
    readonly project_id: string | null;
    readonly route_id: string | null;
    readonly project_slug: string | null;
    readonly route_slug: string | null;
    readonly reason: string;
  };
  /** The message that caused a suppression. */
  readonly source_message_id?: string;
}

export interface NewEvent {
  readonly type: EventType;
  /** 0 where it is about no message. */
  readonly messageSeq: number;
  /** The mail received that it is about; absent if it is about none. */
  readonly inboundSeq?: number;
  readonly recipientId: number | null;
  readonly at: number;
  readonly data?: EventData;
}

export interface EventRow {
  seq: number;
  id: string;
  type: EventType;
  recipient: string | null;
  /** Id of the mail received that it is about; null where that is no longer kept. */
  inbound_id: string | null;
  at: number;
  data_json: string | null;
}

export interface HeardEvent {
  readonly type: EventType;
  readonly at: number;
  /** True where our own attempt said it; false where a report did. */
  readonly own: boolean;
  /** False: it is in no counter. */
  readonly counted?: boolean;
}

export const oldEvents: OldRows = {
  keptFor: ({ events }) => events,
  scan: `SELECT seq AS key, at, at AS since, coalesce(octet_length(data_json), 0) AS bytes, 0 AS held FROM events
         WHERE seq > ? ORDER BY seq`,
  remove: ['DELETE FROM events WHERE seq = ?'],
};

export const eventStore = perConnection((db: TenantDb) => {
  const insert = db.prepare<[string, number, number | null, number | null, string, number, string | null]>(
    'INSERT INTO events (id, message_seq, recipient_id, inbound_seq, type, at, data_json) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const ofMessage = db.prepare<[number, number, 0 | 1, number], EventRow>(
    `SELECT events.seq, events.id, type, recipients.address AS recipient, inbound_messages.id AS inbound_id, at, data_json
     FROM events LEFT JOIN recipients ON recipients.id = recipient_id
       LEFT JOIN inbound_messages ON inbound_messages.seq = events.inbound_seq
     WHERE events.message_seq = ? AND events.seq > ? AND (? OR events.inbound_seq IS NULL) ORDER BY events.seq LIMIT ?`,
  );
  const ofRecipient = db.prepare<
    [number, number],
    { type: EventType; at: number; attempt: number | null; counted: 0 | null }
  >(
    `SELECT type, at, data_json ->> '$.attempt' AS attempt, data_json ->> '$.counted' AS counted FROM events
     WHERE message_seq = ? AND recipient_id = ? AND inbound_seq IS NULL AND coalesce(data_json ->> '$.bot', 0) = 0 ORDER BY seq`,
  );
  const countOf = db
    .prepare<[number, number, EventType], number>(
      'SELECT count(*) FROM events WHERE message_seq = ? AND recipient_id = ? AND type = ?',
    )
    .pluck();
  const turnedAway = db
    .prepare<[number, number, number], number>(
      `SELECT count(DISTINCT data_json ->> '$.attempt') FROM events
       WHERE message_seq = ? AND recipient_id = ? AND type = 'message.delivery_delayed'
         AND data_json ->> '$.attempt' <= ?
         AND (data_json ->> '$.smtp_code' IS NOT NULL OR data_json ->> '$.upstream' IS NULL)`,
    )
    .pluck();
  // Opens and clicks say when and where a person read; a reply of a server may quote more than the address.
  const reduce = db.prepare<[number, number]>(
    `UPDATE events SET data_json = json_remove(data_json, '$.diagnostic', '$.ip', '$.user_agent', '$.url')
     WHERE message_seq = ? AND recipient_id = ? AND data_json IS NOT NULL`,
  );
  return {
    append: ({ type, messageSeq, recipientId, inboundSeq, at, data }: NewEvent): void => {
      const data_json = data ? JSON.stringify(data) : null;
      insert.run(newId(), messageSeq, recipientId, inboundSeq ?? null, type, at, data_json);
    },
    /** The events of one recipient in their order, without those of machines and the mails received, which may be very many. */
    ofRecipient: (messageSeq: number, recipientId: number): HeardEvent[] =>
      ofRecipient.all(messageSeq, recipientId).map(({ type, at, attempt, counted }) => ({
        type,
        at,
        own: attempt !== null,
        counted: counted === null,
      })),
    /** How many of that type are kept of one recipient, those of machines too. */
    countOf: (messageSeq: number, recipientId: number, type: EventType): number =>
      countOf.get(messageSeq, recipientId, type) ?? 0,
    /** How many of our first `attempts` were deferred, or reached no upstream. */
    turnedAway: (messageSeq: number, recipientId: number, attempts: number): number =>
      turnedAway.get(messageSeq, recipientId, attempts) ?? 0,
    /** The events after `afterSeq`, in the order in which they happened; with `withMail` also the replies that were received. */
    ofMessage: (messageSeq: number, afterSeq: number, limit: number, withMail = true): EventRow[] =>
      ofMessage.all(messageSeq, afterSeq, withMail ? 1 : 0, limit),
    /** Removes from a recipient's events what they say beside what happened when. */
    reduce: (messageSeq: number, recipientId: number): void => {
      reduce.run(messageSeq, recipientId);
    },
  };
});
