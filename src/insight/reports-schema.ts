// Deliverability and placement as the API shows them.
import { z } from 'zod';
import { recordStatuses } from '#src/domains/records/host-check.ts';
import { riskLevels } from '#src/intake/content/subject-risk.ts';
import { statuses } from '#src/messages/rules.ts';
import { providers } from './providers.ts';
import { channelMixSchema } from './schema.ts';

const recordType = z.enum(['CNAME', 'MX', 'TXT']);

export const mechanismSchema = z.strictObject({
  status: z
    .enum([...recordStatuses, 'unchecked'])
    .describe('of its worst record; `error`: it could not be found out'),
  source: z.enum(['service', 'dns']).describe('`service`: a managed host, whose records the service serves'),
  hint: z.string(),
  records: z.array(
    z.strictObject({
      type: recordType,
      name: z.string(),
      value: z.string().describe('what should stand there'),
      priority: z.int().nullable(),
      required: z.boolean(),
      status: z.enum(recordStatuses),
      found: z.array(z.string()),
      hint: z.string(),
    }),
  ),
});

export const subjectRiskSchema = z.strictObject({
  sampled: z.int().describe('messages looked at: the newest, 1,000 at most'),
  average_score: z.number().nullable().describe('0 to 100; null where there was none'),
  levels: z.strictObject({ low: z.int(), medium: z.int(), high: z.int() }).describe('messages of each level'),
  rules: z
    .array(
      z.strictObject({
        id: z.string(),
        messages: z.int(),
        share: z.number().describe('of those looked at'),
        why: z.string(),
        advice: z.string(),
      }),
    )
    .describe('what was found, the most frequent first'),
});

const worstSubject = z.strictObject({
  subject: z.string(),
  messages: z.int(),
  score: z.int(),
  level: z.enum(riskLevels),
  rules: z.array(z.string()),
});

export const placementSchema = z.strictObject({
  days: z.int(),
  subject_risk: subjectRiskSchema,
  worst_subjects: z.array(worstSubject).optional().describe('only with permission `messages.view`'),
  recipients_sampled: z.int().describe('recipients looked at: the newest, 10,000 at most'),
  providers: z.array(
    z.strictObject({
      provider: z.enum(providers).describe('by the domain of the address'),
      recipients: z.int(),
      waiting: z.int(),
      delayed: z.int(),
      processed: z.int().describe('taken by the upstream; nothing was heard since'),
      delivered: z.int(),
      bounced: z.int().describe('hard and soft'),
      failed: z.int().describe('given up'),
      complaints: z.int().describe('of those delivered'),
    }),
  ),
  testers: z
    .array(
      z.strictObject({
        tester: z.string(),
        last: z
          .strictObject({
            status: z.enum(statuses),
            smtp_code: z.int().nullable(),
            enhanced_code: z.string().nullable(),
            at: z.iso.datetime(),
          })
          .nullable()
          .describe('null: none of the recipients looked at'),
      }),
    )
    .describe("the operator's seed addresses, with the newest mail to each"),
});

export const deliverabilitySchema = z.strictObject({
  host: z.string(),
  kind: z.enum(['managed', 'custom']),
  pending: z.boolean().describe('of a domain that is not in use yet'),
  checked_at: z.iso.datetime().nullable().describe('when the DNS was last asked; here it is not'),
  records_url: z.string(),
  dkim: mechanismSchema,
  spf: mechanismSchema,
  dmarc: z.strictObject({
    ...mechanismSchema.shape,
    policy: z.string().nullable().describe('as found: `none`, `quarantine`, `reject`'),
  }),
  bimi: z.strictObject({
    ...mechanismSchema.shape,
    logo_url: z.string().nullable(),
    certificate_url: z.string().nullable(),
    effective: z.boolean().describe('it stands, and DMARC is enforced'),
  }),
  mail_from: z.strictObject({ ...mechanismSchema.shape, domain: z.string().describe('of the return path') }),
  inbound: z.strictObject({
    ...mechanismSchema.shape,
    host: z.string(),
    mx: z.string(),
    guidance: z.string(),
  }),
  mta_sts: mechanismSchema.describe('with the records for TLS reports'),
  conflicts: z
    .array(
      z.strictObject({
        type: recordType,
        name: z.string(),
        found: z.array(z.string()),
        hint: z.string(),
      }),
    )
    .describe('what should not be there'),
  channel_mix: channelMixSchema,
  subject_risk: subjectRiskSchema,
  public_origin: z.strictObject({
    origin: z.string(),
    https: z.boolean(),
    reachable: z
      .boolean()
      .describe('the service answers there, asked by itself within the last five minutes'),
    checked_at: z.iso.datetime(),
    error: z.string().nullable(),
  }),
  impressum: z.strictObject({ complete: z.boolean(), missing: z.array(z.string()) }),
});
