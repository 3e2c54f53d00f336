// The event log as this room reads it, and the numbers of campaigns that follow from it.
import type { EventType } from '#src/events/catalogue.ts';
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Channel, Kind } from '#src/messages/kinds.ts';

/** An event about a recipient of a message. */
export interface LoggedEvent {
  seq: number;
  type: EventType;
  at: number;
  data_json: string | null;
  message_seq: number;
  /** Null where the message is gone. */
  message_id: string | null;
  recipient_id: number | null;
  /** Null where the recipient is gone. */
  recipient: string | null;
  message_kind: Kind | null;
  channel: Channel | null;
  campaign_seq: number | null;
  source: string | null;
  /** 1: its copy has what tells of opens or clicks. */
  is_tracked: 0 | 1;
}

export const logStore = perConnection((db: TenantDb) => {
  const event = db.prepare<[number], LoggedEvent>(
    `SELECT events.seq, events.type, events.at, events.data_json, events.message_seq, events.recipient_id,
       messages.id AS message_id,
       recipients.address AS recipient, messages.message_kind, messages.channel, messages.campaign_seq,
       messages.source, coalesce(recipients.is_untracked = 0
         AND (settings_json ->> '$.track_opens' OR settings_json ->> '$.track_clicks'), 0) AS is_tracked
     FROM events LEFT JOIN messages ON messages.seq = events.message_seq
       LEFT JOIN recipients ON recipients.id = events.recipient_id
     WHERE events.seq = ?`,
  );
  /** */
  const isRepeated = db
    .prepare<[number, number | null, EventType, number, string | null, string | null], number>(
      `SELECT 1 FROM events
       WHERE message_seq = ? AND recipient_id = ? AND type = ? AND seq < ? AND (? IS NULL OR data_json ->> '$.url' = ?)
         AND coalesce(data_json ->> '$.bot', 0) = 0 LIMIT 1`,
    )
    .pluck();
  const countLink = db.prepare<[number, string, number]>(
    `INSERT INTO campaign_links (campaign_seq, url, clicks, recipients) VALUES (?, ?, 1, ?)
     ON CONFLICT DO UPDATE SET clicks = clicks + 1, recipients = recipients + excluded.recipients`,
  );
  const setSent = db.prepare<[number, number]>(
    'UPDATE confirmation_mails SET sent_at = ? WHERE message_seq = ? AND sent_at IS NULL',
  );
  const setAsked = db.prepare<[number, number]>(
    `UPDATE subscribers SET asked_at = max(asked_at, ?)
     WHERE seq = (SELECT subscriber_seq FROM confirmation_mails WHERE message_seq = ?)`,
  );
  return {
    event: (seq: number): LoggedEvent | undefined => event.get(seq),
    /** Whether a person's earlier event of that type is about the same recipient; with `url` at the same link. */
    isRepeated: ({ message_seq, recipient_id, type, seq }: LoggedEvent, url: string | null = null): boolean =>
      isRepeated.get(message_seq, recipient_id, type, seq, url, url) !== undefined,
    countLink: (campaignSeq: number, url: string, isFirst: boolean): void => {
      countLink.run(campaignSeq, url, isFirst ? 1 : 0);
    },
    /** A relay took the confirmation mail: from now on its subscriber has time to answer. */
    setSent: (messageSeq: number, at: number): void => {
      setSent.run(at, messageSeq);
      setAsked.run(at, messageSeq);
    },
  };
});
