// Followers of the event log: webhooks, chat alerts, the activity stream.
import { readFileSync } from 'node:fs';
import type { Accounts } from '#src/accounts/open.ts';
import type { Base, Room } from '#src/kernel/base.ts';
import type { Config } from '#src/kernel/config/config.ts';
import { createDnsLookup } from '#src/kernel/dns-lookup.ts';
import { createOutbound } from '#src/kernel/outbound/create-outbound.ts';
import { createLive, usualLimits } from './activity/live.ts';
import { activityRoutes } from './activity/routes.ts';
import { createAlertDispatcher } from './alerts/dispatcher.ts';
import { createAlertNotices } from './alerts/notices.ts';
import { alertRoutes } from './alerts/routes.ts';
import type { AlertPolicy } from './alerts/rules.ts';
import { alertStore } from './alerts/store.ts';
import { createFollowing } from './follow.ts';
import { createRegisterAgain } from './register-again.ts';
import { deliveryRoutes } from './webhooks/delivery-routes.ts';
import { createWebhookDispatcher } from './webhooks/dispatcher.ts';
import { createWebhookNotices } from './webhooks/notices.ts';
import { webhookRoutes } from './webhooks/routes.ts';
import type { WebhookPolicy } from './webhooks/rules.ts';
import { webhookStore } from './webhooks/store.ts';

export interface FollowersOptions {
  /** See LiveLimits.beatMs; the usual where undefined. */
  readonly streamBeatMs?: number | undefined;
}

const webhookPolicy = ({ webhooks }: Config): WebhookPolicy => ({
  waits: webhooks.retry,
  jitter: webhooks.jitter,
  disableAfter: webhooks.disable_after,
});
const alertPolicy = (config: Config): AlertPolicy => ({
  ...webhookPolicy(config),
  gather: config.alerts.gather,
});

/** Throws where the file of certificate authorities cannot be read. */
export const openFollowers = (
  base: Base,
  { ownerNotices }: Accounts,
  { streamBeatMs }: FollowersOptions = {},
) => {
  const { config, storage, clock, log } = base;
  const { platform, tenants: files } = storage;
  const { security, service, dns } = config();
  const stopping = new AbortController();
  const outbound = createOutbound({
    allow: () => config().security.outbound_allow,
    allowHttp: () => config().security.outbound_allow_http,
    timeout: () => config().webhooks.timeout,
    ...(security.outbound_ca_file === undefined
      ? {}
      : { ca: readFileSync(security.outbound_ca_file, 'utf8') }),
    ownOrigin: service.public_origin,
    lookup: createDnsLookup(dns.resolvers, { stopping: stopping.signal }),
  });
  const webhookKey = base.key('webhooks');
  const alertKey = base.key('alerts');
  const webhookNotices = createWebhookNotices(ownerNotices);
  const alertNotices = createAlertNotices(ownerNotices);
  const named = { name: service.name, origin: service.public_origin };
  const webhooks = createWebhookDispatcher({
    files,
    clock,
    log,
    outbound,
    key: webhookKey,
    policy: () => webhookPolicy(config()),
    wake: (tenantId) => following.wake('webhooks', tenantId),
    tell: webhookNotices.tell,
  });
  const alerts = createAlertDispatcher({
    files,
    clock,
    log,
    outbound,
    policy: () => alertPolicy(config()),
    key: alertKey,
    random: Math.random,
    service: named,
    wake: (tenantId) => following.wake('alerts', tenantId),
    tell: alertNotices.tell,
  });
  const following = createFollowing({
    platform,
    files,
    clock,
    log,
    followers: [webhooks.follower, alerts.follower],
  });
  const live = createLive(files, {
    ...usualLimits,
    ...(streamBeatMs === undefined ? {} : { beatMs: streamBeatMs }),
  });
  const shared = { files, clock, outbound, following: () => following };
  const webhookDeps = { ...shared, key: webhookKey, dispatcher: webhooks };
  return {
    routes: [
      ...webhookRoutes(webhookDeps),
      ...deliveryRoutes(webhookDeps),
      ...alertRoutes({ ...shared, key: alertKey, gatherFor: () => config().alerts.gather, service: named }),
      ...activityRoutes({ files, live }),
    ],
    nightly: [
      { what: 'disabled webhooks whose owners are still to be told', run: webhookNotices.look },
      {
        what: 'webhooks that the registry does not know of',
        run: createRegisterAgain({
          files,
          following: () => following,
          follower: 'webhooks',
          isFollowed: (db) => webhookStore(db).all().length > 0,
        }),
      },
      { what: 'alerts whose owners are still to be told', run: alertNotices.look },
      {
        what: 'alerts that the registry does not know of',
        run: createRegisterAgain({
          files,
          following: () => following,
          follower: 'alerts',
          isFollowed: (db) => alertStore(db).all().length > 0,
        }),
      },
    ],
    /** What health shows. */
    facts: () => ({ webhooks: webhooks.facts(), alerts: alerts.facts() }),
    start: () => following.start(),
    /** Ends the live streams, so that their connections can be drained. */
    endStreams: () => live.stop(),
    stop: async () => {
      live.stop();
      await following.stop();
      const { drain } = config().shutdown;
      await Promise.all([webhooks.stop(drain), alerts.stop(drain)]);
      await Promise.all([webhookNotices.stop(), alertNotices.stop()]);
      outbound.stop();
      stopping.abort();
    },
  } satisfies Room & Record<string, unknown>;
};
