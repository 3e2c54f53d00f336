// Mail from the world to the mailboxes of tenants: whether and how they receive it, and what was received.
import type { Domains } from '#src/domains/open.ts';
import type { Intake } from '#src/intake/open.ts';
import type { Base, Room } from '#src/kernel/base.ts';
import { createKeyedQueue } from '#src/kernel/concurrency.ts';
import { createAdmission } from './admit.ts';
import { openHooks } from './hooks/open.ts';
import { registerInbound } from './settings.ts';
import { settingsRoutes } from './settings-routes.ts';

const MIB = 1_024 * 1_024;

export type Inbound = ReturnType<typeof openInbound>;

export const openInbound = (base: Base, { receiving }: Domains, intake: Intake) => {
  const { config, limits, storage, clock } = base;
  const { platform, tenants: files } = storage;
  const settings = { storage, clock, queue: createKeyedQueue() };
  const hooks = openHooks(base, intake);
  return {
    /** At RCPT: whether mail to an address at a receiving host is taken. */
    admit: createAdmission({ platform, files, clock, limits }),
    routes: [
      ...settingsRoutes({
        ...settings,
        receiving,
        quotaBytes: () => limits().inbound_mib * MIB,
        retention: () => config().retention.inbound,
      }),
      ...hooks.routes,
    ],
    jobs: hooks.jobs,
    nightly: [
      {
        what: 'practices that receive mail, in the registry',
        run: (id) => registerInbound(settings, id),
      },
    ],
    stop: hooks.stop,
  } satisfies Room & Record<string, unknown>;
};
