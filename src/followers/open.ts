// Followers of the event log: webhooks, chat alerts, the activity stream.

import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Accounts } from '#src/accounts/open.ts';
import type { Following } from '#src/events/follow.ts';
import type { Base, Room } from '#src/kernel/base.ts';
import type { Config } from '#src/kernel/config/config.ts';
import { createDnsLookup } from '#src/kernel/dns-lookup.ts';
import { healthPart } from '#src/kernel/health.ts';
import { createOutbound } from '#src/kernel/outbound/create-outbound.ts';
import { practiceUrlAt } from '#src/messages/published-event.ts';
import { createLive, usualLimits } from './activity/live.ts';
import { activityRoutes } from './activity/routes.ts';
import { openAlertQueue } from './alerts/queue.ts';
import { alertRoutes } from './alerts/routes.ts';
import type { AlertPolicy } from './alerts/rules.ts';
import { webhookDuration } from './metrics.ts';
import { createFollowerNotices } from './owner-notices.ts';
import { personalData } from './personal-data.ts';
import { sealed } from './sealed.ts';
import { deliveryRoutes } from './webhooks/delivery-routes.ts';
import { oldDeliveries } from './webhooks/delivery-store.ts';
import { eventsDescription } from './webhooks/described.ts';
import { openWebhookQueue, type WholeMail } from './webhooks/queue.ts';
import { webhookRoutes } from './webhooks/routes.ts';
import type { WebhookPolicy } from './webhooks/rules.ts';

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
  following: Following,
  { streamBeatMs, wholeMail }: { readonly streamBeatMs?: number | undefined; readonly wholeMail: WholeMail },
) => {
  const { config, storage, clock, log } = base;
  const { tenants: files } = storage;
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
  const practiceUrl = practiceUrlAt(service.public_origin);
  const notices = createFollowerNotices(ownerNotices);
  const shared = { files, clock, log, outbound, following, notifyOwners: notices.wake };
  const webhookDeps = { ...shared, key: base.key('webhooks'), practiceUrl };
  const alertDeps = {
    ...shared,
    key: base.key('alerts'),
    service: { name: service.name, origin: service.public_origin },
  };
  const requests = webhookDuration();
  const deliveries = openWebhookQueue({
    ...webhookDeps,
    wholeMail,
    policy: () => webhookPolicy(config()),
    requests,
  });
  const alerts = openAlertQueue({ ...alertDeps, policy: () => alertPolicy(config()), random: Math.random });
  const live = createLive(files, practiceUrl, {
    ...usualLimits,
    ...(streamBeatMs === undefined ? {} : { beatMs: streamBeatMs }),
  });
  return {
    personalData,
    oldRows: [oldDeliveries],
    sealed,
    /** The descriptions of the API have it. */
    described: eventsDescription,
    routes: [
      ...webhookRoutes(webhookDeps, deliveries),
      ...deliveryRoutes(webhookDeps, deliveries, practiceUrl),
      ...alertRoutes({ ...alertDeps, gatherFor: () => config().alerts.gather }),
      ...activityRoutes({ files, live, practiceUrl }),
    ],
    nightly: [{ what: 'disabled webhooks and alerts whose owners are not notified', run: notices.look }],
    health: {
      webhooks: healthPart({
        schema: z.object({
          in_flight: z.int().describe('requests in flight'),
          waiting: z.int().describe('deliveries about to be sent; the others wait in the files'),
          unsettled: z.int().describe('sent, but what came of them could not be stored yet'),
        }),
        now: deliveries.facts,
      }),
      alerts: healthPart({
        schema: z.object({
          in_flight: z.int().describe('messages to chat tools in flight'),
          waiting_tenants: z.int().describe('practices whose next message waits for a place'),
        }),
        now: alerts.facts,
      }),
    },
    metrics: [requests.metric],
    /** Ends the live streams, so that their connections can be drained. */
    endStreams: () => live.stop(),
    /** Once the log is followed no more. */
    stop: async () => {
      await notices.stop();
      outbound.stop();
      stopping.abort();
    },
  } satisfies Room & Record<string, unknown>;
};
