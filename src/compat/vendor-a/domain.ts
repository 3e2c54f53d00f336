// A sending host as vendor A's API shows a domain. Its name is its id. Pure.
import { z } from 'zod';
import type { SendingHost } from '#src/domains/custom/sending-hosts.ts';
import type { RecordPurpose, RecordStatus } from '#src/domains/records/host-check.ts';
import { toIso } from '#src/kernel/time.ts';

const recordStatus = z.enum(['not_started', 'pending', 'verified', 'failed', 'temporary_failure']);

export const listedDomain = z
  .strictObject({
    id: z.string().describe('its name'),
    name: z.string(),
    status: z.enum(['verified', 'pending']),
    created_at: z.iso.datetime(),
    region: z.literal('eu-west-1').describe('always this one: clients know no other of Europe'),
    capabilities: z.strictObject({
      sending: z.enum(['enabled', 'disabled']),
      receiving: z.literal('disabled').describe('mail is received at `in.` and its name'),
    }),
  })
  .meta({ id: 'VendorADomain' });

export const domain = z
  .strictObject({
    object: z.literal('domain'),
    ...listedDomain.shape,
    records: z.array(
      z.strictObject({
        record: z.string().describe('what it is for: `DKIM`, `SPF`, `DMARC`'),
        name: z.string(),
        type: z.enum(['CNAME', 'MX', 'TXT']),
        ttl: z.literal('Auto'),
        status: recordStatus.describe('as last found in the DNS; `not_started`: never looked for'),
        value: z.string(),
        priority: z.int().optional(),
      }),
    ),
  })
  .meta({ id: 'VendorADomainRecords' });

const recordNames: Readonly<Partial<Record<RecordPurpose, string>>> = {
  dkim: 'DKIM',
  dkim_imported: 'DKIM',
  spf: 'SPF',
  mail_from_mx: 'SPF',
  mail_from_spf: 'SPF',
  dmarc: 'DMARC',
  dmarc_subdomain: 'DMARC',
};

const recordStatuses: Readonly<Record<RecordStatus, z.infer<typeof recordStatus>>> = {
  ok: 'verified',
  missing: 'pending',
  mismatch: 'failed',
  multiple: 'failed',
  proxied: 'failed',
  error: 'temporary_failure',
};

export const presentListedDomain = ({ host, pending, since }: SendingHost): z.infer<typeof listedDomain> => ({
  id: host,
  name: host,
  status: pending ? 'pending' : 'verified',
  created_at: toIso(since),
  region: 'eu-west-1',
  capabilities: { sending: pending ? 'disabled' : 'enabled', receiving: 'disabled' },
});

export const presentDomain = (sendingHost: SendingHost): z.infer<typeof domain> => ({
  object: 'domain',
  ...presentListedDomain(sendingHost),
  records: sendingHost.records.flatMap(({ purpose, name, type, value, priority, status }) => {
    const record = recordNames[purpose];
    if (record === undefined) return [];
    const state = status === null ? ('not_started' as const) : recordStatuses[status];
    return [
      {
        record,
        name,
        type,
        ttl: 'Auto' as const,
        status: state,
        value,
        ...(priority === null ? {} : { priority }),
      },
    ];
  }),
});
