// Takes a copy out of the queue, because its message may not be sent to the recipient any more.
import { type EventData, eventStore } from '#src/events/store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { messageStore } from '#src/messages/store.ts';
import { type QueueRow, queueStore } from './store.ts';

/** `data` says by what. */
export const withdraw = (
  db: TenantDb,
  { recipient_id, message_seq }: Pick<QueueRow, 'recipient_id' | 'message_seq'>,
  data: Pick<EventData, 'suppression' | 'list'>,
  now: number,
): void => {
  queueStore(db).remove(recipient_id);
  messageStore(db).setRecipientStatus(message_seq, recipient_id, 'suppressed', now);
  eventStore(db).append({
    type: 'message.suppressed',
    messageSeq: message_seq,
    recipientId: recipient_id,
    at: now,
    data,
  });
};
