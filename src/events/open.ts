// Events: the log of each tenant, which its followers read, and the audit.
import type { Base, Room } from '#src/kernel/base.ts';
import { createWorkEngine } from '#src/kernel/work/engine.ts';
import { auditRoutes } from './audit-routes.ts';
import { removeOldAudit } from './audit-store.ts';
import { createFollowing } from './follow.ts';
import { personalData } from './personal-data.ts';

export const openEvents = ({ config, storage, clock, log }: Base) => {
  const { platform, tenants: files } = storage;
  const following = createFollowing(
    platform,
    files,
    createWorkEngine({ clock, log, mayBegin: files.mayBegin }),
  );
  const auditBefore = () => clock.now() - config().retention.audit;
  return {
    /** Rooms that follow the log use it. */
    following,
    personalData,
    registers: following.registers,
    reopened: following.reopened,
    routes: auditRoutes(storage),
    nightly: [
      {
        what: 'audit',
        run: (id, signal, pace) =>
          removeOldAudit(
            { read: (work) => files.read(id, work), write: (work) => files.write(id, work) },
            auditBefore(),
            signal,
            pace,
          ),
      },
      { what: 'followers that the registry does not know', run: following.registerAgain },
    ],
    nightlyRegistry: (signal, pace) => removeOldAudit(platform, auditBefore(), signal, pace),
  } satisfies Room & Record<string, unknown>;
};
