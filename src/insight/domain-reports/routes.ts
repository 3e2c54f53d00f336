// The list of reports about a practice's domains, with the reason of each that could not be taken.

import { z } from 'zod';
import { tenantParams } from '#src/accounts/tenants/schema.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { decodeCursor, listOf, listQuery, toPage } from '#src/kernel/list.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { presentDomainReport } from './present.ts';
import { domainReportSchema } from './schema.ts';
import { domainReportStore } from './store.ts';

export const domainReportRoutes = (files: Pick<TenantFiles, 'read'>): Route[] => [
  defineRoute({
    method: 'get',
    path: '/api/practices/{id}/domain-reports',
    tag: 'DNS and deliverability',
    id: 'listDomainReports',
    usedBy: 'programs that watch the reports of receivers',
    summary: 'DMARC and TLS reports of receivers, with why one was not taken',
    description:
      'Receivers mail them to the addresses in the DMARC and TLS-RPT records. What they say is summed up in `deliverability`.',
    stability: 'stable',
    access: 'domain.manage',
    params: tenantParams,
    query: z.strictObject(listQuery),
    responses: {
      200: { description: 'Newest first, as long as events are kept.', body: listOf(domainReportSchema) },
    },
    handle: async ({ params, query: { limit, cursor } }) => {
      const before = decodeCursor(cursor);
      const rows = await files.read(params.id, (db) => domainReportStore(db).list(before, limit + 1));
      return { status: 200, body: toPage(rows, limit, ({ seq }) => seq, presentDomainReport) };
    },
  }),
];
