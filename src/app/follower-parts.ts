// What tells others of events: webhooks, chat alerts, the live stream. Part of the composition root.
import { readFileSync } from 'node:fs';
import type { OwnerNoticesDeps } from '#src/accounts/mails/tell-owners.ts';
import { createFollowing } from '#src/followers/follow.ts';
import type { Following } from '#src/followers/following.ts';
import type { Config } from '#src/kernel/config/config.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import { createDnsLookup } from '#src/kernel/dns-lookup.ts';
import type { Log } from '#src/kernel/log.ts';
import { createOutbound } from '#src/kernel/outbound/create-outbound.ts';
import type { Outbound } from '#src/kernel/outbound/outbound.ts';
import type { Clock } from '#src/kernel/time.ts';
import type { Visitor } from '#src/messages/retention/nightly-job.ts';
import { activityParts } from './activity-parts.ts';
import { alertParts } from './alert-parts.ts';
import type { Part } from './part.ts';
import { webhookParts } from './webhook-parts.ts';

export interface FollowerPartsDeps {
  /** As it is now. */
  readonly config: () => Config;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly log: Log;
  /** Keys for each purpose are derived from it. */
  readonly masterKey: Buffer;
  readonly telling: OwnerNoticesDeps;
  /** See LiveLimits.beatMs; the usual where absent. */
  readonly streamBeatMs: number | undefined;
}

export interface FollowerDeps extends FollowerPartsDeps {
  readonly outbound: Outbound;
  /** Those below are woken by it. */
  readonly following: () => Pick<Following, 'hold' | 'wake'>;
}

export interface FollowerParts extends Part {
  start(): Promise<void>;
  /** Ends the live streams, so that their connections can be drained. */
  endStreams(): void;
  /** Of the nightly round. */
  readonly visitors: readonly Visitor[];
  /** What health shows. */
  facts(): Readonly<Record<string, unknown>>;
}

export const followerParts = (deps: FollowerPartsDeps): FollowerParts => {
  const { config, storage, clock, log } = deps;
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
  const shared: FollowerDeps = { ...deps, outbound, following: () => following };
  const webhooks = webhookParts(shared);
  const alerts = alertParts(shared);
  const activity = activityParts(shared);
  const following = createFollowing({
    platform: storage.platform,
    files: storage.tenants,
    clock,
    log,
    followers: [webhooks.follower, alerts.follower],
  });
  return {
    routes: [...webhooks.routes, ...alerts.routes, ...activity.routes],
    jobs: [],
    visitors: [...webhooks.visitors, ...alerts.visitors],
    facts: () => ({ webhooks: webhooks.facts(), alerts: alerts.facts() }),
    start: () => following.start(),
    endStreams: () => activity.endStreams(),
    stop: async () => {
      activity.endStreams();
      await following.stop();
      await Promise.all([webhooks.stop(), alerts.stop()]);
      outbound.stop();
      stopping.abort();
    },
  };
};
