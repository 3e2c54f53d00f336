// What the daemon says of its parts.
import type { Accounts } from '#src/accounts/open.ts';
import type { Domains } from '#src/domains/open.ts';
import type { openFollowers } from '#src/followers/open.ts';
import type { Health } from '#src/http/service-routes.ts';
import type { Inbound } from '#src/inbound/open.ts';
import type { Intake } from '#src/intake/open.ts';
import type { Base } from '#src/kernel/base.ts';
import { PLATFORM_FILE } from '#src/kernel/db/file-states.ts';
import { toIsoOrNull } from '#src/kernel/time.ts';
import type { Relay } from '#src/relay/open.ts';
import type { openSmtp } from '#src/smtp/open.ts';

interface Rooms {
  readonly accounts: Accounts;
  readonly domains: Domains;
  readonly relay: Relay;
  readonly intake: Intake;
  readonly followers: ReturnType<typeof openFollowers>;
  readonly inbound: Inbound;
  readonly smtp: ReturnType<typeof openSmtp>;
}

/** What health shows of an upstream; the rest of what it says of itself is in the log. */
const UPSTREAM_FACTS = [
  'name',
  'kind',
  'state',
  'failures',
  'retry_at',
  'delivered_on',
  'dsn',
  'never_delivered',
];
const upstreamFacts = (upstream: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(UPSTREAM_FACTS.map((name) => [name, upstream[name] ?? null]));

/** The time it runs is counted from this call. */
export const healthOf = (base: Base, rooms: Rooms): (() => Health) => {
  const { storage } = base;
  const { tenants: files } = storage;
  const started = performance.now();
  return () => {
    const draining = base.draining();
    const states = storage.states.counts();
    const broken = Object.values(states).reduce((sum, count) => sum + count);
    const databases = { ...files.stats(), broken, states, strays: rooms.accounts.strays() };
    const disk = storage.space();
    const platformFault = storage.states.of(PLATFORM_FILE);
    const isFailing = platformFault !== undefined || disk.state === 'full' || disk.state === 'failing';
    const { upstreams, queue } = rooms.relay.describe();
    const scanners = rooms.intake.scanners.health();
    const smtp = rooms.smtp.facts();
    const { state: resolverState, since } = rooms.inbound.dnsHealth();
    const resolver = { state: resolverState, failing_since: toIsoOrNull(since) };
    const isWhole =
      (smtp.inbound === null || resolver.state === 'ok') &&
      upstreams.every(({ state }) => state === 'closed') &&
      scanners.every(({ state }) => state !== 'failing') &&
      broken === 0 &&
      disk.state === 'ok';
    return {
      ok: !draining && !isFailing,
      status: draining ? 'draining' : isFailing ? 'failing' : isWhole ? 'ok' : 'degraded',
      version: base.version,
      uptime_seconds: Math.round((performance.now() - started) / 1_000),
      registry: platformFault?.state ?? 'ok',
      databases,
      disk,
      queue: {
        waiting_tenants: queue.waiting_tenants,
        in_flight: queue.in_flight,
        next_due_at: toIsoOrNull(queue.next_due_at),
      },
      upstreams: upstreams.map(upstreamFacts),
      scanners,
      dns: rooms.domains.dnsFacts(),
      ...smtp,
      inbound: smtp.inbound && { ...smtp.inbound, resolver },
      ...rooms.followers.facts(),
    };
  };
};
