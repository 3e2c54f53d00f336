// Followers of the event log: webhooks, chat alerts, the activity stream.
import { readFileSync } from 'node:fs';
import type { Accounts } from '#src/accounts/open.ts';
import type { Base, Room } from '#src/kernel/base.ts';
import type { Config } from '#src/kernel/config/config.ts';
import { createDnsLookup } from '#src/kernel/dns-lookup.ts';
import { createOutbound } from '#src/kernel/outbound/create-outbound.ts';
import { practiceUrlAt } from '#src/messages/published-event.ts';
import { createWorkEngine } from '#src/work/engine.ts';
import { createLive, usualLimits } from './activity/live.ts';
import { activityRoutes } from './activity/routes.ts';
import { openAlertQueue } from './alerts/queue.ts';
import { alertRoutes } from './alerts/routes.ts';
import type { AlertPolicy } from './alerts/rules.ts';
import { createFollowing } from './follow.ts';
import { createFollowerNotices } from './owner-notices.ts';
import { deliveryRoutes } from './webhooks/delivery-routes.ts';
import { openWebhookQueue, type WholeMail } from './webhooks/queue.ts';
import { webhookRoutes } from './webhooks/routes.ts';
import type { WebhookPolicy } from './webhooks/rules.ts';

export type Followers = ReturnType<typeof openFollowers>;

export interface FollowersOptions {
  /** See LiveLimits.beatMs; the usual where undefined. */
  readonly streamBeatMs?: number | undefined;
  readonly wholeMail: WholeMail;
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
  { streamBeatMs, wholeMail }: FollowersOptions,
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
  const following = createFollowing({ platform, files, work: createWorkEngine({ clock, log }) });
  const practiceUrl = practiceUrlAt(service.public_origin);
  const notices = createFollowerNotices(ownerNotices);
  const shared = { files, clock, log, outbound, following, notifyOwners: notices.wake };
  const webhookDeps = { ...shared, key: base.key('webhooks'), practiceUrl };
  const alertDeps = {
    ...shared,
    key: base.key('alerts'),
    service: { name: service.name, origin: service.public_origin },
  };
  const deliveries = openWebhookQueue({ ...webhookDeps, wholeMail, policy: () => webhookPolicy(config()) });
  const alerts = openAlertQueue({ ...alertDeps, policy: () => alertPolicy(config()), random: Math.random });
  const live = createLive(files, practiceUrl, {
    ...usualLimits,
    ...(streamBeatMs === undefined ? {} : { beatMs: streamBeatMs }),
  });
  return {
    /** For followers of rooms above. */
    following,
    routes: [
      ...webhookRoutes({ ...webhookDeps, deliveries }),
      ...deliveryRoutes({ ...webhookDeps, deliveries }),
      ...alertRoutes({ ...alertDeps, gatherFor: () => config().alerts.gather }),
      ...activityRoutes({ files, live, practiceUrl }),
    ],
    nightly: [
      { what: 'disabled webhooks and alerts whose owners are not notified', run: notices.look },
      { what: 'webhooks and alerts that the registry does not know', run: following.registerAgain },
    ],
    /** What health shows. */
    facts: () => {
      const { in_flight, waiting, unsettled } = deliveries.facts();
      const { in_flight: alertsInFlight, waiting_tenants } = alerts.facts();
      return {
        webhooks: { in_flight, waiting, unsettled },
        alerts: { in_flight: alertsInFlight, waiting_tenants },
      };
    },
    start: () => following.start(),
    /** Ends the live streams, so that their connections can be drained. */
    endStreams: () => live.stop(),
    /** Waits for attempts in flight, `patience` ms at the most. */
    stop: async (patience: number) => {
      live.stop();
      await following.stop(patience);
      await notices.stop();
      outbound.stop();
      stopping.abort();
    },
  } satisfies Room & Record<string, unknown>;
};
