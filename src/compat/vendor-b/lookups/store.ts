// Events of all messages of one kind, newest first, each with its message: read by indexes that have only these.
import type { EventType } from '#src/events/catalogue.ts';
import type { EventData } from '#src/events/store.ts';
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';
import type { MessageRow } from '#src/messages/store.ts';

type OfMessage = Pick<
  MessageRow,
  'project_id' | 'route_id' | 'channel' | 'source' | 'tag' | 'subject' | 'from_json'
>;

interface StoredRow extends OfMessage {
  seq: number;
  type: EventType;
  at: number;
  data_json: string | null;
  message_id: string;
  recipient: string;
}

export interface LoggedEvent extends Omit<StoredRow, 'data_json'> {
  readonly data: EventData;
}

export type EventKind = 'returned' | 'opened' | 'clicked';

/** The conditions are written as in the indexes of the migration, because these are not used otherwise. */
const conditions: Readonly<Record<EventKind, string>> = {
  returned: `type IN ('message.hard_bounced', 'message.soft_bounced', 'message.failed', 'message.spam_complaint',
    'message.unsubscribed', 'message.auto_replied')`,
  opened: `type = 'message.opened'`,
  clicked: `type = 'message.clicked'`,
};

const withData = ({ data_json, ...row }: StoredRow): LoggedEvent => ({
  ...row,
  data: data_json === null ? {} : JSON.parse(data_json),
});

export const loggedEventStore = perConnection((db: TenantDb) => {
  const select = (kind: EventKind, place: string): string =>
    `SELECT events.seq, events.type, events.at, events.data_json, recipients.address AS recipient,
       messages.id AS message_id, project_id, route_id, channel, source, tag, subject, from_json
     FROM events ${place}
       CROSS JOIN recipients ON recipients.id = events.recipient_id
       CROSS JOIN messages ON messages.seq = events.message_seq
     WHERE ${conditions[kind]}`;
  const newest = (kind: EventKind) =>
    db.prepare<[before: number, limit: number], StoredRow>(
      `${select(kind, `INDEXED BY events_${kind}`)} AND events.seq < ? ORDER BY events.seq DESC LIMIT ?`,
    );
  const ofMessage = (kind: EventKind) =>
    db.prepare<[message: string, before: number, limit: number], StoredRow>(
      `${select(kind, 'INDEXED BY events_message')} AND events.message_seq = (SELECT seq FROM messages WHERE id = ?)
       AND events.seq < ? ORDER BY events.seq DESC LIMIT ?`,
    );
  const statements = {
    returned: { newest: newest('returned'), ofMessage: ofMessage('returned') },
    opened: { newest: newest('opened'), ofMessage: ofMessage('opened') },
    clicked: { newest: newest('clicked'), ofMessage: ofMessage('clicked') },
  };
  const bySeq = db.prepare<[number], StoredRow>(`${select('returned', '')} AND events.seq = ?`);
  return {
    /** The events of all messages, or of the one with that id. */
    before: (kind: EventKind, messageId: string | null, before: number, limit: number): LoggedEvent[] =>
      (messageId === null
        ? statements[kind].newest.all(before, limit)
        : statements[kind].ofMessage.all(messageId, before, limit)
      ).map(withData),
    returned: (seq: number): LoggedEvent | undefined => {
      const row = bySeq.get(seq);
      return row && withData(row);
    },
  };
});
