// What came back of messages, for the export, in pages by its key.
import type { EventType } from '#src/events/catalogue.ts';
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';
import { eventOrderStore } from '#src/messages/order-store.ts';

/** What came back of a message: bounces and other events. */
export interface ReturnedRow {
  seq: number;
  id: string;
  type: EventType;
  at: number;
  data_json: string | null;
  message_id: string;
  /** A keyed hash once the address is no longer kept. */
  address: string | null;
  route_id: string;
  project_id: string;
  tag: string | null;
  campaign_id: string | null;
}

export const returnedStore = perConnection((db: TenantDb) => {
  // The condition is that of the index, so that each page ends soon.
  const returned = db.prepare<[number, number], ReturnedRow>(
    `SELECT events.seq, events.id, events.type, events.at, events.data_json, messages.id AS message_id, recipients.address,
       messages.route_id, messages.project_id, messages.tag, campaigns.id AS campaign_id
     FROM events
       CROSS JOIN messages ON messages.seq = events.message_seq
       LEFT JOIN recipients ON recipients.id = events.recipient_id
       LEFT JOIN campaigns ON campaigns.seq = messages.campaign_seq
     WHERE events.type IN ('message.hard_bounced', 'message.soft_bounced', 'message.failed', 'message.spam_complaint',
       'message.unsubscribed', 'message.auto_replied') AND events.seq > ?
     ORDER BY events.seq LIMIT ?`,
  );
  return {
    /** The place before the first event of `at` or later. */
    beforeEvents: (at: number): number => eventOrderStore(db).firstSince(at) - 1,
    /** Oldest first, after that place. */
    returned: (after: number, limit: number): ReturnedRow[] => returned.all(after, limit),
  };
});
