// Routes of a practice's domain: the records that it needs, checks, the custom domain, the logo, and the zone file.

import { setTimeout as wait } from 'node:timers/promises';
import type { z } from 'zod';
import { practiceSchema, tenantParams } from '#src/accounts/tenants/schema.ts';
import { type PracticeRow, tenantStore } from '#src/accounts/tenants/store.ts';
import { auditStore } from '#src/events/audit-store.ts';
import type { Change } from '#src/kernel/change.ts';
import type { DnsLookup } from '#src/kernel/dns-lookup.ts';
import { createRateCheck, perMinute } from '#src/kernel/rate-limit.ts';
import { defineRoute, type RequestContext, type Route } from '#src/kernel/route.ts';
import { type Speak, say, type Text } from '#src/kernel/say.ts';
import { SECOND, toIso } from '#src/kernel/time.ts';
import type { DomainDeps } from '../domain-deps.ts';
import { adviceIn, withAdvice } from '../records/host-check.ts';
import { apexOf, wantedRecords } from '../records/wanted-records.ts';
import { zoneExport } from '../records/zone-export.ts';
import { attachDomain, restoreManagedDomain } from './attach.ts';
import { checkPractice, prepareSubject, readHost } from './check-practice.ts';
import {
  bimiSchema,
  customDomainBody,
  dnsCheckSchema,
  dnsRecordsSchema,
  domainAnswerSchema,
} from './domain-schema.ts';
import { requireCustomDomain } from './rules.ts';
import { warmupHint } from './warmup-words.ts';

const TAG = 'DNS and deliverability';

/** Lists of records as they are shown. */
const advised = <L extends Readonly<Record<string, readonly { readonly hint: Text }[]>>>(
  speak: Speak,
  lists: L,
) =>
  Object.fromEntries(
    Object.entries(lists).map(([name, list]) => [name, list.map((record) => withAdvice(speak, record))]),
  );

export const domainRoutes = (deps: DomainDeps): Route[] => {
  const requestCheck = createRequestCheck(deps, (id, change) => checkPractice(deps, id, change));
  const hintFor = async (id: string, speak: Speak) => {
    const now = deps.clock.now();
    const hint = await deps.storage.tenants.read(id, (db) => warmupHint(tenantStore(db).practice(), now));
    return hint && adviceIn(speak, hint);
  };
  const check = {
    path: '/api/practices/{id}/check-dns',
    tag: TAG,
    summary: 'Look at the records in the DNS',
    access: 'domain.manage',
    stability: 'stable',
    params: tenantParams,
    responses: { 200: { description: 'What was found.', body: dnsCheckSchema } },
    errors: ['conflict', 'rate_limited'],
    handle: async ({ params }: { params: { id: string } }, { change, speak }: RequestContext) => {
      const verifying = { ...change, action: 'domain.verify' };
      const { kind, pending, checkedAt, check } = await requestCheck(params.id, verifying);
      // The check records its own audit entry, together with the result; callers that share a check share the entry.
      change.recorded = true;
      const { host, ok, dkimVerified: dkim_verified, ...found } = check;
      const { conflicts, records, inbound } = advised(speak, found);
      const head = { host, kind, pending, checked_at: toIso(checkedAt), ok, dkim_verified };
      return {
        status: 200,
        body: { ...head, hint: await hintFor(params.id, speak), conflicts, records, inbound },
      };
    },
  } as const;
  return [
    defineRoute({
      method: 'get',
      path: '/api/practices/{id}/dns-records',
      tag: TAG,
      id: 'listDnsRecords',
      summary: 'Records to publish in the DNS',
      description: 'For the pending custom domain if there is one, else for the domain in use.',
      access: 'authenticated',
      stability: 'stable',
      params: tenantParams,
      responses: { 200: { description: 'The records.', body: dnsRecordsSchema } },
      handle: async ({ params: { id } }, { speak }) => {
        const { facts, pending } = await deps.queue(id, () => prepareSubject(deps, id));
        const { host, ...wanted } = wantedRecords(facts);
        return { status: 200, body: { kind: facts.kind, pending, host, ...advised(speak, wanted) } };
      },
    }),
    defineRoute({
      ...check,
      id: 'checkDns',
      method: 'post',
      audit: 'domain.verify',
      description:
        'Looks everything up again. A pending domain whose DKIM records are found comes into use, and `pending` is false. At most 12 times a minute; a request during a check gets the result of that check.',
    }),
    defineRoute({
      ...check,
      id: 'checkDnsByGet',
      usedBy: 'programs that can only fetch an address',
      method: 'get',
      description: 'Does the same as POST, and changes the domain in use as well.',
    }),
    defineRoute({
      method: 'post',
      path: '/api/practices/{id}/custom-domain',
      tag: TAG,
      id: 'setCustomDomain',
      summary: 'Ask for a custom sending domain',
      description:
        'The domain is pending, and mail leaves as before, until its DKIM records are found; see `dns-records` and `check-dns`. It replaces another pending domain; asking for the domain in use cancels the pending one.',
      access: 'domain.manage',
      audit: 'domain.attach',
      stability: 'stable',
      params: tenantParams,
      body: customDomainBody,
      responses: {
        200: {
          description: 'The practice, and what the domain means for its mail.',
          body: domainAnswerSchema,
        },
      },
      errors: ['conflict'],
      handle: async ({ params, body }, { change, speak }) => {
        const domain = requireCustomDomain(body.domain, deps);
        const practice = await attachDomain(deps, params.id, domain, change);
        return { status: 200, body: { ...practice, hint: await hintFor(params.id, speak) } };
      },
    }),
    defineRoute({
      method: 'post',
      path: '/api/practices/{id}/restore-managed-domain',
      tag: TAG,
      id: 'restoreManagedDomain',
      summary: 'Send from the managed host again',
      description:
        'The custom domain in use and a pending one are given up. Mail already accepted from the custom domain is still sent, signed by its keys.',
      access: 'domain.manage',
      audit: 'domain.restore',
      stability: 'stable',
      params: tenantParams,
      responses: { 200: { description: 'The practice.', body: practiceSchema } },
      handle: async ({ params }, { change }) => ({
        status: 200,
        body: await restoreManagedDomain(deps, params.id, change),
      }),
    }),
    defineRoute({
      method: 'put',
      path: '/api/practices/{id}/bimi',
      tag: TAG,
      id: 'setBimiLogo',
      summary: 'Set the logo that the BIMI record names',
      access: 'domain.manage',
      audit: 'domain.bimi',
      stability: 'stable',
      params: tenantParams,
      body: bimiSchema,
      responses: { 200: { description: 'What the record is made of from now on.', body: bimiSchema } },
      handle: async ({ params, body }, { change }) => ({
        status: 200,
        body: await setBimi(deps, params.id, body, change),
      }),
    }),
  ];
};

// Checks on request: a practice has one at a time, callers that ask meanwhile share it, and their rate is limited,
// because each check loads name servers of others.

const PER_MINUTE = 12;

type Check<T> = (tenantId: string, change: Change) => Promise<T>;

/** The audit names the caller that started the check. Rejects with `rate_limited` and as `check`. */
export const createRequestCheck = <T>({ clock }: Pick<DomainDeps, 'clock'>, check: Check<T>): Check<T> => {
  const take = createRateCheck(
    clock,
    () => perMinute(PER_MINUTE),
    say`The DNS of this practice was checked too often.`,
  );
  const underWay = new Map<string, Promise<T>>();

  const begin = (tenantId: string, change: Change): Promise<T> => {
    take(tenantId);
    const checking = check(tenantId, change).finally(() => underWay.delete(tenantId));
    underWay.set(tenantId, checking);
    return checking;
  };

  return async (tenantId, change) => underWay.get(tenantId) ?? begin(tenantId, change);
};

// The logo that the practice's BIMI record names.

type Bimi = z.infer<typeof bimiSchema>;

const presentBimi = ({ bimi_logo_url, bimi_certificate_url }: PracticeRow): Bimi => ({
  logo_url: bimi_logo_url,
  certificate_url: bimi_certificate_url,
});

/** Resolves with the new values. */
export const setBimi = (
  { storage, clock }: Pick<DomainDeps, 'storage' | 'clock'>,
  tenantId: string,
  { logo_url, certificate_url }: Bimi,
  change: Change,
): Promise<Bimi> =>
  storage.tenants.write(tenantId, (db) => {
    const store = tenantStore(db);
    const before = store.practice();
    store.updatePractice({ ...before, bimi_logo_url: logo_url, bimi_certificate_url: certificate_url });
    const after = presentBimi(store.practice());
    const target = { type: 'practice', id: tenantId };
    auditStore(db).record(change, { target, before: presentBimi(before), after }, clock.now());
    return after;
  });

// Records as a zone file, for the import that DNS providers offer.

/** RFC 4027. */
const ZONE_TYPE = 'text/dns';
/** A zone file must name some name servers; the real ones are not worth a longer wait. */
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
    id: 'exportDnsZone',
    summary: 'The records to publish as a zone file',
    description:
      'For the import that DNS providers offer. A record that may exist only once and was found at the last check is left out, with a comment: an import would add a second one.',
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
