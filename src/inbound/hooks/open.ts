// Inbound hooks: addresses by which other programs send for a practice with nothing but a secret.

import type { Intake } from '#src/intake/open.ts';
import { type Base, CUT_OFF_MS, type Room } from '#src/kernel/base.ts';
import { createKeyedQueue } from '#src/kernel/concurrency.ts';
import { createLastUsed, lastUsedJob } from '#src/kernel/credentials.ts';
import { hookRoutes } from './routes.ts';
import { hookSendRoute } from './send-route.ts';
import { hookStore } from './store.ts';

export const openHooks = (base: Base, { accept }: Pick<Intake, 'accept'>) => {
  const { config, storage, clock, log, simulatorDomain } = base;
  const lastUsed = createLastUsed('inbound hooks', clock, (tenantId, uses) =>
    storage.tenants.write(tenantId, (db) => {
      for (const [id, at] of uses) hookStore(db).touch(id, at);
    }),
  );
  const origin = config().service.public_origin;
  return {
    routes: [
      ...hookRoutes({ storage, clock, queue: createKeyedQueue(), origin }, accept, simulatorDomain),
      hookSendRoute(base, accept, lastUsed),
    ],
    jobs: [lastUsedJob('note when inbound hooks were used', lastUsed)],
    stop: () =>
      lastUsed
        .flush(AbortSignal.timeout(CUT_OFF_MS))
        .catch((error) => log.warn({ err: error }, 'the last use was not noted')),
  } satisfies Room & Record<string, unknown>;
};
