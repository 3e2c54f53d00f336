// Copies to be forwarded and automatic replies that were in the queue of a restored file: see kernel/held.ts. One that is held is
// pending and has no time.
import type { Held, HoldRestored } from '#src/kernel/held.ts';
import { forwardStore } from './store.ts';

const DISCARDED = 'discarded after a restore; whether it left before is not known';

export const holdForwards: HoldRestored = (db, now) => forwardStore(db).hold(now);

export const heldForwards: Omit<Held, 'expect'> = {
  name: 'forwards',
  count: (db) => forwardStore(db).heldCount(),
  release: (db, now, limit) => forwardStore(db).letGo(now, limit),
  discard: (db, now, limit) => forwardStore(db).discardHeld(DISCARDED, now, limit),
};
