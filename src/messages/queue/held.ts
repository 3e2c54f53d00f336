// Mail that was in the queue of a restored file: see kernel/held.ts. Recipients who had their copy before the backup are not in the
// queue; a report about one that left later still finds its recipient, and what is released then is not sent again.
import type { Held, HoldRestored } from '#src/kernel/held.ts';
import { discard } from './discard.ts';
import { queueStore } from './store.ts';

const DISCARDED = 'discarded after a restore; whether it left before is not known';

export const holdMail: HoldRestored = (db, now) => queueStore(db).hold(now);

export const heldMail: Omit<Held, 'expect'> = {
  name: 'mails',
  count: (db) => queueStore(db).heldCount(),
  release: (db, now, limit) => queueStore(db).letGo(now, limit),
  discard: (db, now, limit) => discard(db, queueStore(db).heldRows(limit), DISCARDED, now),
};
