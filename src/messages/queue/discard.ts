// Takes mail out of the queue for good, because a person wants that it does not leave: it is failed, with the reason.
import { eventStore } from '#src/events/store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { messageStore } from '#src/messages/store.ts';
import { type QueueRow, queueStore } from './store.ts';

/** `why` is the diagnostic of each recipient. Returns how many there were. */
export const discard = (
  db: TenantDb,
  rows: readonly Pick<QueueRow, 'recipient_id' | 'message_seq'>[],
  why: string,
  now: number,
): number => {
  for (const { recipient_id: id, message_seq } of rows) {
    queueStore(db).remove(id);
    const known = messageStore(db).recipient(id);
    if (known === undefined) continue;
    const outcome = { smtp_code: null, enhanced_code: null, diagnostic: why, upstream: null };
    const { attempts } = known;
    messageStore(db).updateRecipient(message_seq, {
      id,
      status: 'failed',
      attempts,
      ...outcome,
      updated_at: now,
    });
    eventStore(db).append({
      type: 'message.failed',
      messageSeq: message_seq,
      recipientId: id,
      at: now,
      data: { diagnostic: why },
    });
  }
  return rows.length;
};
