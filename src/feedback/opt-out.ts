// A report of feedback type `opt-out`: the provider's own button for those who want no more of such mail and do not call it
// spam. It is worth as much as the link in the mail.

import { copyOf, type UnsubscribeKeys, unsubscribe } from '#src/feedback/unsubscribe/unsubscribe.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Received } from './receive.ts';

export const takeOptOut = (
  db: TenantDb,
  recipientId: number,
  keys: UnsubscribeKeys,
  now: number,
): Received => {
  const copy = copyOf(db, recipientId);
  if (copy === null) return 'unknown';
  return unsubscribe(db, copy, 'route', keys, now) ? 'changed' : 'unchanged';
};
