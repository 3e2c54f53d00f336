// Takes out of the registry what lets no one in any more.

import { credentialStore } from '#src/accounts/entry/token-store.ts';
import type { DurableFile } from '#src/kernel/db/durable-file.ts';
import type { PlatformDb } from '#src/kernel/db/sqlite.ts';
import type { Job } from '#src/kernel/job.ts';
import { type Clock, DAY, HOUR } from '#src/kernel/time.ts';
import { ABSOLUTE_MS, IDLE_MS } from './session-schema.ts';
import { sessionStore } from './sign-in-store.ts';

/** A row is removed this long after its session ended: by then a use noted in memory has been written. */
const REMOVED_AFTER_MS = HOUR;
const REMOVED_AT_ONCE = 1_000;
/** Until then its bearer is answered that the token was revoked; later, that there is none. */
const REVOKED_KEPT_MS = 90 * DAY;
/** Removes ended sessions and codes, and tokens revoked long ago, in bounded transactions. `removeOldCodes`: see SignInCodes.removeOld. */
export const sessionsCleanupJob = (
  platform: DurableFile<PlatformDb>,
  clock: Clock,
  removeOldCodes: (db: PlatformDb, now: number) => boolean,
): Job => {
  const removeOldSessions = (db: PlatformDb, now: number): boolean => {
    const before = now - REMOVED_AFTER_MS;
    return (
      sessionStore(db).removeOld(before - IDLE_MS, before - ABSOLUTE_MS, REMOVED_AT_ONCE) === REMOVED_AT_ONCE
    );
  };
  const removeRevokedTokens = (db: PlatformDb, now: number): boolean =>
    credentialStore(db).removeRevoked(now - REVOKED_KEPT_MS, REMOVED_AT_ONCE) === REMOVED_AT_ONCE;
  return {
    name: 'remove dead sessions and codes',
    schedule: '*/10 * * * *',
    run: async (signal) => {
      for (const removeSome of [removeOldSessions, removeOldCodes, removeRevokedTokens]) {
        let isMore = true;
        while (isMore && !signal.aborted) isMore = await platform.write((db) => removeSome(db, clock.now()));
      }
    },
  };
};
