// Who waits for a plan: entered by anyone, removed by the operator.

import { auditStore } from '#src/events/audit-store.ts';
import type { Change } from '#src/kernel/change.ts';
import type { DurableFile } from '#src/kernel/db/durable-file.ts';
import type { PlatformDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { newId } from '#src/kernel/id.ts';
import type { RateCheck } from '#src/kernel/rate-limit.ts';
import { type Clock, HOUR, SECOND } from '#src/kernel/time.ts';
import type { Joining } from './schema.ts';
import { waitlistStore } from './store.ts';

export interface WaitlistDeps {
  readonly platform: DurableFile<PlatformDb>;
  readonly limitEmail: RateCheck;
  readonly clock: Clock;
}

/** A flood fills no disk: some 300 MB at the most. */
export const MAX_ENTRIES = 100_000;
const FULL_RETRY_SECONDS = HOUR / SECOND;

/**
 * Nothing tells whether the address stood there already, not even a full list. Throws `rate_limited` and `unavailable`.
 */
export const joinWaitlist = async (deps: WaitlistDeps, joining: Joining): Promise<void> => {
  const { email, emailKey } = joining.email;
  deps.limitEmail(emailKey);
  await deps.platform.write((db) => {
    const store = waitlistStore(db);
    if (store.count() >= MAX_ENTRIES)
      throw new AppError('unavailable', 'The waiting list is full.', {
        extra: { retry_after: FULL_RETRY_SECONDS },
      });
    const now = deps.clock.now();
    store.note({
      id: newId(),
      email_key: emailKey,
      email,
      name: joining.name ?? null,
      plan: joining.plan,
      note: joining.note ?? null,
      created_at: now,
      asked_at: now,
    });
  });
};

/** Throws `not_found`. */
export const removeFromWaitlist = (deps: WaitlistDeps, id: string, change: Change): Promise<void> =>
  deps.platform.write((db) => {
    const entry = waitlistStore(db).get(id);
    if (!entry) throw new AppError('not_found', 'There is no such entry.');
    waitlistStore(db).remove(id);
    // Whoever is removed may have asked for it: the audit, kept for years, names no address.
    const before = { plan: entry.plan };
    auditStore(db).record(
      change,
      { target: { type: 'waitlist_entry', id }, before, after: null },
      deps.clock.now(),
    );
  });
