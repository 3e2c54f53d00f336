// The records of a practice's host as a zone file, for the import of a DNS provider.
import { setTimeout as wait } from 'node:timers/promises';
import { tenantParams } from '#src/accounts/tenants/practice-routes.ts';
import type { DnsLookup } from '#src/kernel/dns-lookup.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { SECOND } from '#src/kernel/time.ts';
import type { DomainDeps } from '../domain-deps.ts';
import { readHost } from './host-reading.ts';
import { apexOf, wantedRecords } from './wanted-records.ts';
import { zoneExport } from './zone-export.ts';

/** RFC 4027 */
const ZONE_TYPE = 'text/dns';
/** The name servers are shown only because a zone file must name some: not worth a longer wait. */
const NAMESERVERS_MS = 2 * SECOND;

const nameserversOf = async ({ ns }: Pick<DnsLookup, 'ns'>, apex: string): Promise<readonly string[]> => {
  const patience = new AbortController();
  const late = wait(NAMESERVERS_MS, undefined, { signal: patience.signal }).catch(() => undefined);
  const answer = await Promise.race([ns(apex), late]);
  patience.abort();
  return answer?.kind === 'found' ? answer.records : [];
};

export const exportRoutes = (deps: DomainDeps): Route[] => [
  defineRoute({
    method: 'get',
    path: '/api/practices/{id}/dns-records/cloudflare-zone',
    tag: 'DNS and deliverability',
    summary: 'The records to publish as a zone file',
    description:
      'For the import that DNS providers offer. Left out, and explained in comments, is what stands only once at a name and was found there at the last check: an import would add a second one.',
    access: 'authenticated',
    stability: 'stable',
    params: tenantParams,
    responses: { 200: { description: 'The zone file (RFC 1035 §5), ASCII.', body: ZONE_TYPE } },
    handle: async ({ params: { id } }) => {
      const { facts, check } = await readHost(deps, id);
      const apex = apexOf(facts);
      const body = zoneExport({
        apex,
        serviceHost: facts.serviceHost,
        kind: facts.kind,
        wanted: wantedRecords(facts),
        hasLogo: facts.bimi.logoUrl !== null,
        check,
        nameservers: facts.kind === 'custom' ? await nameserversOf(deps.lookup, apex) : [],
        serial: Math.floor(deps.clock.now() / SECOND),
      });
      return {
        status: 200,
        body,
        contentType: ZONE_TYPE,
        headers: { 'Content-Disposition': `attachment; filename="${apex}.zone"` },
      };
    },
  }),
];
