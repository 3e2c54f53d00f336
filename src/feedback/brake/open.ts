// The outbreak brake as the rooms use it: see rules.ts.

import { utcDay } from '#src/accounts/counters/rules.ts';
import type { Accounts } from '#src/accounts/open.ts';
import type { Base, NightlyTask } from '#src/kernel/base.ts';
import type { Job } from '#src/kernel/job.ts';
import { DAY } from '#src/kernel/time.ts';
import type { Messages } from '#src/messages/open.ts';
import { createBrake } from './brake.ts';
import { createTokenCounts } from './counts.ts';
import { createBrakeNotices } from './notices.ts';
import { brakeRoutes } from './routes.ts';
import { APPROVED_KEPT_DAYS, WINDOW_DAYS } from './rules.ts';
import { brakeStore } from './store.ts';

export const openBrake = (
  base: Base,
  { ownerNotices, operator }: Pick<Accounts, 'ownerNotices' | 'operator'>,
  queue: Messages['queue'],
) => {
  const { storage, clock, limits } = base;
  const files = storage.tenants;
  const counts = createTokenCounts();
  const notices = createBrakeNotices(ownerNotices, operator);
  const brake = createBrake({ counts, limits, notify: notices.run });
  const write = (signal?: AbortSignal): Promise<void> =>
    counts.write(files, clock.now(), (db, tokenId) => brake.markOf(db, tokenId, clock.now()), signal);
  const job: Job = { name: 'note what tokens sent', schedule: '*/5 * * * *', run: write };
  const nightly: NightlyTask = {
    what: 'what tokens sent, and owners who are not notified of a slowed one',
    run: async (id) => {
      const now = clock.now();
      const today = utcDay(now);
      // A week more than is looked at: when a token was first used counts too.
      const old = [today - WINDOW_DAYS - 7, today - APPROVED_KEPT_DAYS, now - DAY] as const;
      const found = await files.read(id, (db) => ({
        isAnyOld: brakeStore(db).isAnyOld(...old),
        isUntold: brakeStore(db).untold().length > 0,
      }));
      if (found.isAnyOld) await files.write(id, (db) => brakeStore(db).removeOld(...old));
      if (found.isUntold) notices.run(id);
    },
  };
  return {
    brake,
    job,
    nightly,
    routes: brakeRoutes(base, brake, notices.run, queue),
    forget: counts.forget,
    /** Writes what was counted; what cannot be written in time is forgotten. */
    write,
    stopNotices: notices.stop,
  };
};
