// Mail that was in the queue of a restored file: see kernel/held.ts. Recipients who had their copy before the backup are not in the
// queue; a report about one that left later still finds its recipient, and what is released then is not sent again.
import { eventStore } from '#src/events/store.ts';
import type { Held, HoldRestored } from '#src/kernel/held.ts';
import { messageStore } from '#src/messages/store.ts';
import { queueStore } from './store.ts';

const DISCARDED = 'discarded after a restore; whether it left before is not known';

export const holdMail: HoldRestored = (db, now) => queueStore(db).hold(now);

export const heldMail: Omit<Held, 'expect'> = {
  name: 'mails',
  count: (db) => queueStore(db).heldCount(),
  release: (db, now, limit) => queueStore(db).letGo(now, limit),
  discard: (db, now, limit) => {
    const rows = queueStore(db).heldRows(limit);
    for (const { recipient_id: id, message_seq } of rows) {
      queueStore(db).remove(id);
      const known = messageStore(db).recipient(id);
      if (known === undefined) continue;
      const outcome = { smtp_code: null, enhanced_code: null, diagnostic: DISCARDED, upstream: null };
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
        data: { diagnostic: DISCARDED },
      });
    }
    return rows.length;
  },
};
