// The part of the consent ledger: its routes, what follows a confirmation mail, and the retention of what is said of clients.
import type { AudienceContext, Part } from '#src/audience/context.ts';
import { removeRows } from '#src/messages/retention/remove-old.ts';
import { clientPeriods } from './ledger.ts';
import { mailsTask, removeUnsent } from './mails-task.ts';
import { consentRoutes } from './routes.ts';
import { consentStore } from './store.ts';

export const openConsent = (context: AudienceContext): Part => {
  const { files, clock, ledger } = context;
  return {
    routes: consentRoutes(context),
    tasks: [mailsTask(context)],
    nightly: [
      removeUnsent(context),
      {
        what: 'clients in the consent ledger',
        run: async (tenantId, signal, pace) => {
          const now = clock.now();
          const periods = await files.read(tenantId, (db) => clientPeriods(db, ledger.kept()));
          for (const name of ['ip', 'user_agent'] as const)
            await removeRows(
              tenantId,
              {
                after: (db, seq) => consentStore(db).openedAfter(name, seq),
                remove: (db, seqs) => consentStore(db).close(name, seqs),
              },
              now - periods[name],
              { files, now, pace },
              signal,
            );
        },
      },
    ],
  };
};
