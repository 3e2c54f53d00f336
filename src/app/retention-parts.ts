// What is removed when it is old enough, and what else is done for every practice once a night: part of the composition
// root.

import { registryStore } from '#src/accounts/tenants/registry-store.ts';
import { removeOldAudit } from '#src/events/audit-retention.ts';
import { isToBeTold } from '#src/feedback/reputation/pause.ts';
import { removeExpiredAnswers } from '#src/intake/expired-answers.ts';
import { nightlyJob, type Visitor } from '#src/messages/retention/nightly-job.ts';
import { removeOld } from '#src/messages/retention/remove-old.ts';
import { retentionRoutes } from '#src/messages/retention/routes.ts';
import type { FeedbackPartsDeps } from './feedback-parts.ts';
import type { Part } from './part.ts';

export const retentionParts = (deps: FeedbackPartsDeps): Part => {
  const { config, storage, clock, sending } = deps;
  const { platform, tenants: files } = storage;
  const keep = () => config().retention;
  const auditBefore = () => clock.now() - keep().audit;

  const visitors: readonly Visitor[] = [
    {
      what: 'audit',
      visit: (id, signal, pace) =>
        removeOldAudit(
          { read: (work) => files.read(id, work), write: (work) => files.write(id, work) },
          auditBefore(),
          signal,
          pace,
        ),
    },
    {
      what: 'pauses whose owners are still to be told',
      visit: async (id) => {
        if (await files.read(id, isToBeTold)) sending.received.guardrail.tell(id);
      },
    },
    {
      what: 'answers under idempotency keys',
      visit: (id, signal, pace) => removeExpiredAnswers(files, id, clock.now(), signal, pace),
    },
    {
      what: 'content and events',
      visit: (id, signal, pace) =>
        removeOld(id, { files, installation: keep(), now: clock.now(), pace }, signal),
    },
    { what: 'search index', visit: (id) => sending.indexer.look(id) },
    ...deps.visitors,
  ];
  return {
    routes: retentionRoutes({ files, clock, installation: keep }),
    jobs: [
      nightlyJob({
        files,
        listTenants: (after, limit) => platform.read((db) => registryStore(db).listAll(after, limit)),
        registry: (signal, pace) => removeOldAudit(platform, auditBefore(), signal, pace),
        visitors,
      }),
    ],
    stop: async () => {},
  };
};
