// Webhooks: part of the composition root.

import type { Follower } from '#src/followers/following.ts';
import { createRegisterAgain } from '#src/followers/register-again.ts';
import { deliveryRoutes } from '#src/followers/webhooks/delivery-routes.ts';
import { createWebhookDispatcher } from '#src/followers/webhooks/dispatcher.ts';
import { createWebhookNotices } from '#src/followers/webhooks/notices.ts';
import { webhookRoutes } from '#src/followers/webhooks/routes.ts';
import type { WebhookPolicy } from '#src/followers/webhooks/rules.ts';
import { webhookStore } from '#src/followers/webhooks/store.ts';
import type { Config } from '#src/kernel/config/config.ts';
import { deriveKey } from '#src/kernel/seal.ts';
import type { Visitor } from '#src/messages/retention/nightly-job.ts';
import type { FollowerDeps } from './follower-parts.ts';
import type { Part } from './part.ts';

export interface WebhookParts extends Part {
  readonly follower: Follower;
  readonly visitors: readonly Visitor[];
  facts(): Readonly<Record<string, number>>;
}

const policyOf = ({ webhooks }: Config): WebhookPolicy => ({
  waits: webhooks.retry,
  jitter: webhooks.jitter,
  disableAfter: webhooks.disable_after,
});

export const webhookParts = ({
  config,
  storage,
  clock,
  log,
  masterKey,
  telling,
  outbound,
  following,
}: FollowerDeps): WebhookParts => {
  const files = storage.tenants;
  const key = deriveKey(masterKey, 'webhooks');
  const notices = createWebhookNotices(telling);
  const routes = { files, clock, key, outbound, following };
  const dispatcher = createWebhookDispatcher({
    files,
    clock,
    log,
    outbound,
    key,
    policy: () => policyOf(config()),
    wake: (tenantId) => following().wake('webhooks', tenantId),
    tell: notices.tell,
  });
  const registerAgain = createRegisterAgain({
    files,
    following,
    follower: 'webhooks',
    isFollowed: (db) => webhookStore(db).all().length > 0,
  });
  return {
    routes: [...webhookRoutes({ ...routes, dispatcher }), ...deliveryRoutes({ ...routes, dispatcher })],
    jobs: [],
    visitors: [
      { what: 'disabled webhooks whose owners are still to be told', visit: notices.look },
      { what: 'webhooks that the registry does not know of', visit: registerAgain },
    ],
    facts: dispatcher.facts,
    follower: dispatcher.follower,
    stop: async () => {
      await dispatcher.stop(config().shutdown.drain);
      await notices.stop();
    },
  };
};
