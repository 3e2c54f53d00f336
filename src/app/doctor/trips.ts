// Checks 20 and 21: a message and a bounce through each relay, by a running daemon.
import { tenantStore } from '#src/accounts/tenants/store.ts';
import type { Base } from '#src/kernel/base.ts';
import { createDnsLookup } from '#src/kernel/dns-lookup.ts';
import { MINUTE } from '#src/kernel/time.ts';
import type { Sign } from '#src/messages/compose/dkim.ts';
import { skipped, type Verdict } from '#src/operations/doctor/finding.ts';
import { bounceVerdict, roundTripVerdicts } from '#src/operations/doctor/relay-rules.ts';
import type { Check } from '#src/operations/doctor/run.ts';
import type { SignersOf } from '#src/relay/claim.ts';
import type { Upstream } from '#src/relay/upstream.ts';
import type { ExpectedMail } from '#src/smtp/expected-mail.ts';
import { bounceTrip, roundTrip, type TripDeps } from './round-trip.ts';

export interface TripParts {
  readonly waitForMail: ExpectedMail['wait'];
  readonly signersOf: SignersOf;
  readonly sign: Sign;
  readonly upstreamNamed: (name: string) => Upstream | undefined;
  /** See TripDeps.patience. */
  readonly tripPatienceMs?: number | undefined;
}

const WITHIN_MS = 4 * MINUTE;

export const tripChecks = (
  { config, storage, clock, systemTenantId }: Base,
  { waitForMail, signersOf, sign, upstreamNamed, tripPatienceMs: patience }: TripParts,
): Check[] => {
  const senderOf = async (): Promise<TripDeps['sender'] | null> => {
    const tenantId = systemTenantId();
    if (tenantId === null) return null;
    return storage.tenants.read(tenantId, (db) => {
      const host = tenantStore(db).practice().managed_host;
      return { tenantId, host, signers: signersOf(db, tenantId, host) };
    });
  };
  const through = async (
    signal: AbortSignal,
    trip: (upstream: Upstream, deps: TripDeps) => Promise<readonly Verdict[]>,
  ): Promise<Verdict | readonly Verdict[]> => {
    const { upstreams, smtp, service, dns } = config();
    if (!smtp.inbound)
      return skipped('nothing listens for mail from the world (smtp.inbound), so nothing can come back');
    const relays = upstreams.flatMap(({ kind, name }) =>
      kind === 'smtp' ? (upstreamNamed(name) ?? []) : [],
    );
    if (relays.length === 0) return skipped('no mail leaves: no SMTP upstream is configured');
    const sender = await senderOf();
    if (sender === null) return skipped('the daemon is starting');
    const deps: TripDeps = {
      waitForMail,
      serviceHost: service.host,
      sender,
      sign,
      lookup: createDnsLookup(dns.resolvers, { stopping: signal }),
      now: clock.now,
      patience,
    };
    return (await Promise.all(relays.map((upstream) => trip(upstream, deps)))).flat();
  };
  return [
    {
      name: 'round trip',
      within: WITHIN_MS,
      run: (signal) =>
        through(signal, async (upstream, deps) => roundTripVerdicts(await roundTrip(upstream, deps, signal))),
    },
    {
      name: 'bounce trip',
      within: WITHIN_MS,
      run: (signal) =>
        through(signal, async (upstream, deps) => [bounceVerdict(await bounceTrip(upstream, deps, signal))]),
    },
  ];
};
