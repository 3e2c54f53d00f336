// Messages with all that became of them, written into a practice's file as operations write them: what tens of thousands of
// recipients would take hours for. A daemon that runs meanwhile learns of it with the next thing that it writes there itself.
import path from 'node:path';
import type { EventType } from '#src/events/catalogue.ts';
import type { EventData } from '#src/events/store.ts';
import { eventStore } from '#src/events/store.ts';
import { openSqlite, type TenantDb } from '#src/kernel/db/sqlite.ts';
import { messageStore } from '#src/messages/store.ts';
import { messageRow, textBody } from '#test/support/message-row.ts';

const heard: readonly { readonly type: EventType; readonly data?: EventData }[] = [
  { type: 'message.sent', data: { smtp_code: 250, diagnostic: '2.0.0 Ok', upstream: 'relay', attempt: 1 } },
  { type: 'message.delivered', data: { enhanced_code: '2.0.0', diagnostic: '250 2.0.0 Ok' } },
  { type: 'message.opened', data: { ip: '192.0.2.0', user_agent: 'Mozilla/5.0', bot: false } },
  {
    type: 'message.clicked',
    data: { ip: '192.0.2.0', user_agent: 'Mozilla/5.0', url: 'https://a.example/' },
  },
];
/** Of each message. */
export const EVENTS_EACH = 1 + heard.length;
const TOGETHER = 500;
/** For the daemon's own writes. */
const BUSY_MS = 10_000;

/** `EVENTS_EACH` events for each of so many messages, those of several messages interleaved. */
export const writeEvents = (dataDir: string, practiceId: string, messages: number): void => {
  const file = path.join(dataDir, 'tenants', practiceId, 'tenant.db');
  const db = openSqlite(file, { create: false, busyTimeoutMs: BUSY_MS }) as TenantDb;
  try {
    const route = db.prepare<[], { id: string }>("SELECT id FROM routes WHERE slug = 'outgoing'").get();
    const project = db.prepare<[], { id: string }>('SELECT id FROM projects WHERE is_default = 1').get();
    if (!route || !project) throw new Error('not a practice');
    const places = { project_id: project.id, route_id: route.id };
    const write = db.transaction((from: number, to: number) => {
      const copies = Array.from({ length: to - from }, (_, index) => writeMessage(db, places, from + index));
      for (const { type, data } of heard)
        for (const copy of copies)
          eventStore(db).append({ type, ...copy, at: Date.now(), ...(data ? { data } : {}) });
    });
    for (let from = 0; from < messages; from += TOGETHER) write(from, Math.min(from + TOGETHER, messages));
  } finally {
    db.close();
  }
};

const writeMessage = (
  db: TenantDb,
  places: { readonly project_id: string; readonly route_id: string },
  number: number,
) => {
  const now = Date.now();
  const address = `patient-${number}@example.org`;
  const row = messageRow({
    ...places,
    to: [{ address }],
    at: now,
    tag: 'termin',
    tags_json: '["termin"]',
    metadata_json: JSON.stringify({ patient: String(number) }),
    settings_json: '{"track_opens":true,"track_clicks":true}',
    status: 'clicked',
  });
  const messageSeq = messageStore(db).insert(row, textBody(null));
  const recipientId = messageStore(db).insertRecipient(messageSeq, address, 'to', 'clicked', now).id;
  eventStore(db).append({ type: 'message.created', messageSeq, recipientId: null, at: now });
  return { messageSeq, recipientId };
};
