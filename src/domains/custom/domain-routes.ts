// A practice's domain: the records it needs, a look at what the DNS holds, a custom domain, and back to the managed host.

import { tenantParams } from '#src/accounts/tenants/practice-routes.ts';
import { practiceSchema } from '#src/accounts/tenants/schema.ts';
import { defineRoute, type RequestContext, type Route } from '#src/kernel/route.ts';
import { toIso } from '#src/kernel/time.ts';
import type { DomainDeps } from '../domain-deps.ts';
import { wantedRecords } from '../records/wanted-records.ts';
import { attachDomain, restoreManagedDomain } from './attach.ts';
import { setBimi } from './bimi.ts';
import { prepareSubject } from './check-practice.ts';
import { createRequestCheck } from './check-requests.ts';
import { requireCustomDomain } from './custom-domain.ts';
import { bimiSchema, customDomainBody, dnsCheckSchema, dnsRecordsSchema } from './domain-schema.ts';

const TAG = 'DNS and deliverability';

export const domainRoutes = (deps: DomainDeps): Route[] => {
  const requestCheck = createRequestCheck(deps);
  const check = {
    path: '/api/practices/{id}/check-dns',
    tag: TAG,
    summary: 'Look at the records in the DNS',
    access: 'domain.manage',
    stability: 'stable',
    params: tenantParams,
    responses: { 200: { description: 'What was found.', body: dnsCheckSchema } },
    errors: ['conflict', 'rate_limited'],
    handle: async ({ params }: { params: { id: string } }, { change }: RequestContext) => {
      const verifying = { ...change, action: 'domain.verify' };
      const { kind, pending, checkedAt, check } = await requestCheck(params.id, verifying);
      // In the transaction of the result; of one that others asked for as well, by the first of them.
      change.recorded = true;
      const { host, ok, dkimVerified: dkim_verified, conflicts, records, inbound } = check;
      const head = { host, kind, pending, checked_at: toIso(checkedAt), ok, dkim_verified };
      return { status: 200, body: { ...head, conflicts, records, inbound } };
    },
  } as const;
  return [
    defineRoute({
      method: 'get',
      path: '/api/practices/{id}/dns-records',
      tag: TAG,
      summary: 'Records to publish in the DNS',
      description: 'Of the pending custom domain where there is one, else of the domain in use.',
      access: 'authenticated',
      stability: 'stable',
      params: tenantParams,
      responses: { 200: { description: 'The records.', body: dnsRecordsSchema } },
      handle: async ({ params: { id } }) => {
        const { facts, pending } = await deps.queue(id, () => prepareSubject(deps, id));
        return { status: 200, body: { kind: facts.kind, pending, ...wantedRecords(facts) } };
      },
    }),
    defineRoute({
      ...check,
      method: 'post',
      audit: 'domain.verify',
      description:
        'Asks the DNS anew. Where a pending domain has its DKIM records, it comes into use, and `pending` is false. At most 12 times a minute; who asks while a check is under way gets its result.',
    }),
    defineRoute({
      ...check,
      method: 'get',
      description: 'Does the same as POST, a change of the domain in use included.',
    }),
    defineRoute({
      method: 'post',
      path: '/api/practices/{id}/custom-domain',
      tag: TAG,
      summary: 'Ask for a custom sending domain',
      description:
        'It is pending, and mail goes out as before, until its DKIM records are found; see `dns-records` and `check-dns`. Another one takes the place of a pending one; the one in use, asked for again, cancels it.',
      access: 'domain.manage',
      audit: 'domain.attach',
      stability: 'stable',
      params: tenantParams,
      body: customDomainBody,
      responses: { 200: { description: 'The practice.', body: practiceSchema } },
      errors: ['conflict'],
      handle: async ({ params, body }, { change }) => {
        const domain = requireCustomDomain(body.domain, deps);
        return { status: 200, body: await attachDomain(deps, params.id, domain, change) };
      },
    }),
    defineRoute({
      method: 'post',
      path: '/api/practices/{id}/restore-managed-domain',
      tag: TAG,
      summary: 'Send from the managed host again',
      description:
        'Neither a custom domain in use nor a pending one is left. Mail already accepted from the custom domain still goes out, signed by its keys.',
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
