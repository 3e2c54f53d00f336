// Events: the log of each tenant, which its followers read, and the audit.
import type { Base, Room } from '#src/kernel/base.ts';
import { createWorkEngine } from '#src/kernel/work/engine.ts';
import { auditRoutes } from './audit-routes.ts';
import { removeOldAudit } from './audit-store.ts';
import { createFollowing } from './follow.ts';
import { personalData } from './personal-data.ts';
import { createWritten } from './written.ts';

export const openEvents = ({ config, storage, clock, log }: Base) => {
  const { platform, tenants: files } = storage;
  const written = createWritten(platform, clock);
  files.noteWrites(written.notes);
  const following = createFollowing(
    platform,
    files,
    createWorkEngine({ clock, log, mayBegin: files.mayBegin }),
    written,
    clock,
  );
  const settle = async (isLast = false): Promise<void> => {
    await written.settle(isLast);
    await following.noteTimes();
  };
  const auditBefore = () => clock.now() - config().retention.audit;
  return {
    /** Rooms that follow the log use it. */
    following,
    /** Rooms join it whose look at what was written has to be waited for. */
    written,
    forget: written.forget,
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
    jobs: [{ name: 'note which practices rest', schedule: '* * * * *', run: () => settle() }],
    /** The last: nothing is written to a tenant's file any more. */
    stop: async (): Promise<void> => {
      // Where it cannot be written, the next start looks at more files than it must.
      await settle(true).catch((error) =>
        log.warn({ err: error }, 'the registry does not know which practices rest'),
      );
    },
    nightlyRegistry: (signal, pace) => removeOldAudit(platform, auditBefore(), signal, pace),
  } satisfies Room & Record<string, unknown>;
};
