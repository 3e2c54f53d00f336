// Publishes the records for receiving mail at the operator's DNS provider, over HTTP.
import { z } from 'zod';
import { tenantParams } from '#src/accounts/tenants/schema.ts';
import { checkedRecordSchema } from '#src/domains/custom/domain-schema.ts';
import type { Domains } from '#src/domains/open.ts';
import { recordActions } from '#src/domains/providers/apply-records.ts';
import { withAdvice } from '#src/domains/records/host-check.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { toIso } from '#src/kernel/time.ts';

const appliedSchema = z
  .strictObject({
    host: z.string().describe('where mail is received'),
    kind: z.enum(['managed', 'custom']),
    zone: z
      .strictObject({ provider: z.string(), name: z.string() })
      .nullable()
      .describe('where the records are; null of a managed host'),
    checked_at: z.iso.datetime(),
    records: z
      .array(
        checkedRecordSchema
          .extend({
            action: z
              .enum(recordActions)
              .describe(
                '`applied`: published now; `present`: it was there; `conflict`: something else is there, and was left as it is; `served`: the service publishes it itself',
              ),
          })
          .meta({ id: 'AppliedRecord' }),
      )
      .describe('with what a look into the DNS found after it'),
  })
  .meta({ id: 'AppliedRecords' });

export const applyDnsRoute = ({ applyRecords }: Pick<Domains['receiving'], 'applyRecords'>): Route =>
  defineRoute({
    method: 'post',
    path: '/api/practices/{id}/inbound/apply-dns',
    tag: 'Inbound mail',
    id: 'applyInboundDns',
    summary: 'Publish the records for receiving mail',
    description:
      'Where the zone of the custom domain in use is at `dns_provider`, see GET …/inbound. What lacks is added; nothing that is there is changed or removed, and the MX of the domain itself stays as it is. A managed host needs nothing. At most 12 times a minute.',
    access: 'inbound.manage',
    audit: 'inbound.apply_dns',
    stability: 'stable',
    params: tenantParams,
    body: z
      .strictObject({})
      .optional()
      .meta({ examples: [{}] }),
    responses: { 200: { description: 'What became of each record.', body: appliedSchema } },
    errors: ['conflict', 'rate_limited'],
    handle: async ({ params: { id } }, { change, speak }) => {
      const { checkedAt, records, ...rest } = await applyRecords(id, change);
      // Callers that ask at the same time share one run and its entries.
      change.recorded = true;
      const shown = records.map((record) => ({ ...withAdvice(speak, record), found: [...record.found] }));
      return { status: 200, body: { ...rest, checked_at: toIso(checkedAt), records: shown } };
    },
  });
