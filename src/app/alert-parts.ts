// Chat alerts: part of the composition root.

import { createAlertDispatcher } from '#src/followers/alerts/dispatcher.ts';
import { createAlertNotices } from '#src/followers/alerts/notices.ts';
import { alertRoutes } from '#src/followers/alerts/routes.ts';
import type { AlertPolicy } from '#src/followers/alerts/rules.ts';
import { alertStore } from '#src/followers/alerts/store.ts';
import type { Follower } from '#src/followers/following.ts';
import { createRegisterAgain } from '#src/followers/register-again.ts';
import type { Config } from '#src/kernel/config/config.ts';
import { deriveKey } from '#src/kernel/seal.ts';
import type { Visitor } from '#src/messages/retention/nightly-job.ts';
import type { FollowerDeps } from './follower-parts.ts';
import type { Part } from './part.ts';

export interface AlertParts extends Part {
  readonly follower: Follower;
  readonly visitors: readonly Visitor[];
  facts(): Readonly<Record<string, number>>;
}

const policyOf = ({ alerts, webhooks }: Config): AlertPolicy => ({
  gather: alerts.gather,
  waits: webhooks.retry,
  jitter: webhooks.jitter,
  disableAfter: webhooks.disable_after,
});

export const alertParts = (deps: FollowerDeps): AlertParts => {
  const { config, storage, clock, log, masterKey, telling, outbound, following } = deps;
  const { name, public_origin: origin } = config().service;
  const files = storage.tenants;
  const key = deriveKey(masterKey, 'alerts');
  const service = { name, origin };
  const notices = createAlertNotices(telling);
  const { follower, facts, stop } = createAlertDispatcher({
    files,
    clock,
    log,
    outbound,
    policy: () => policyOf(config()),
    key,
    random: Math.random,
    service,
    wake: (tenantId) => following().wake('alerts', tenantId),
    tell: notices.tell,
  });
  const registerAgain = createRegisterAgain({
    files,
    following,
    follower: 'alerts',
    isFollowed: (db) => alertStore(db).all().length > 0,
  });
  return {
    follower,
    facts,
    routes: alertRoutes({
      files,
      clock,
      outbound,
      following,
      key,
      gatherFor: () => config().alerts.gather,
      service,
    }),
    jobs: [],
    visitors: [
      { what: 'alerts whose owners are still to be told', visit: notices.look },
      { what: 'alerts that the registry does not know of', visit: registerAgain },
    ],
    stop: async () => {
      await stop(config().shutdown.drain);
      await notices.stop();
    },
  };
};
