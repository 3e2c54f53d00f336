// Takes what is queued of a cancelled campaign out of the queue, some mails at a time. A mail that is under way either leaves or
// comes back into the queue, so the campaign is looked at until none is left.

import type { Intake } from '#src/intake/open.ts';
import { cancelQueued } from '#src/intake/scheduled.ts';
import { queueStore } from '#src/messages/queue/store.ts';
import { messageStore } from '#src/messages/store.ts';
import { campaignStore } from './store.ts';

/** So many people block the event loop for some ten milliseconds. */
const AT_ONCE = 100;

/** What is left of them: `claimed`, mails under way. */
export const takeOutSome = (
  context: Intake['context'],
  tenantId: string,
  seq: number,
): Promise<'some' | 'claimed' | 'none'> =>
  context.files.write(tenantId, (db) => {
    const rows = queueStore(db).unclaimedOf(seq, AT_ONCE);
    for (const { recipient_id, message_seq, attempts, due_at } of rows) {
      const message = messageStore(db).bySeq(message_seq);
      const recipient = messageStore(db).recipient(recipient_id);
      if (!message || !recipient) throw new Error(`recipient ${recipient_id} is queued, but missing`);
      const dueAt = attempts === 0 ? due_at : message.created_at;
      cancelQueued(db, context, { message, recipients: [recipient], dueAt }, 'the campaign was cancelled');
    }
    if (rows.length > 0) return 'some';
    if (queueStore(db).isAnyOf(seq)) return 'claimed';
    const known = campaignStore(db).bySeq(seq);
    if (known) campaignStore(db).update({ ...known, due_at: null });
    return 'none';
  });
