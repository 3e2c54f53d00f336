// What the daemon says of its parts: part of the composition root.

import type { Health } from '#src/http/service-routes.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import { toIsoOrNull } from '#src/kernel/time.ts';
import type { domainParts } from './domain-parts.ts';
import type { FollowerParts } from './follower-parts.ts';
import type { inboundParts } from './inbound-parts.ts';
import type { scannerParts } from './scanner-parts.ts';
import type { SendingParts } from './sending-parts.ts';
import type { submissionParts } from './submission-parts.ts';

export interface HealthDeps {
  readonly version: string;
  readonly platform: Pick<Storage['platform'], 'broken'>;
  readonly files: Pick<Storage['tenants'], 'stats'>;
  readonly sending: Pick<SendingParts, 'waysOut' | 'dispatcher'>;
  readonly scanners: Pick<ReturnType<typeof scannerParts>, 'health'>;
  readonly domains: Pick<ReturnType<typeof domainParts>, 'dnsFacts'>;
  readonly submission: Pick<ReturnType<typeof submissionParts>, 'facts'>;
  readonly inbound: Pick<ReturnType<typeof inboundParts>, 'facts'>;
  readonly followers: Pick<FollowerParts, 'facts'>;
  readonly draining: () => boolean;
}

/** What health shows of an upstream; the rest of what it says of itself is in the log. */
const UPSTREAM_FACTS = ['name', 'kind', 'state', 'failures', 'retry_at', 'delivered_on', 'dsn'];
const upstreamFacts = (upstream: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(UPSTREAM_FACTS.map((name) => [name, upstream[name] ?? null]));

/** The time it runs is counted from this call. */
export const healthOf = (deps: HealthDeps): (() => Health) => {
  const { version, platform, files, sending, scanners, domains, submission, inbound, followers } = deps;
  const started = performance.now();
  return () => {
    const draining = deps.draining();
    const databases = files.stats();
    const upstreams = sending.waysOut.describe();
    const { waiting_tenants, in_flight, next_due_at } = sending.dispatcher.describe();
    const upstreamsWork = upstreams.every(({ state }) => state === 'closed');
    const scannersWork = scanners.health().every(({ state }) => state !== 'failing');
    const whole = upstreamsWork && scannersWork && databases.broken === 0;
    const status = draining ? 'draining' : platform.broken() ? 'failing' : whole ? 'ok' : 'degraded';
    return {
      ok: !draining && !platform.broken(),
      status,
      version,
      uptime_seconds: Math.round((performance.now() - started) / 1_000),
      databases,
      queue: { waiting_tenants, in_flight, next_due_at: toIsoOrNull(next_due_at) },
      upstreams: upstreams.map(upstreamFacts),
      scanners: scanners.health(),
      dns: domains.dnsFacts(),
      submission: submission.facts(),
      inbound: inbound.facts(),
      ...followers.facts(),
    };
  };
};
