// The reports on deliverability and inbox placement that the API returns.
import { z } from 'zod';
import { riskLevels } from '#src/content/subject-risk.ts';
import { recordStatuses } from '#src/domains/records/host-check.ts';
import { statusSchema } from '#src/messages/schema.ts';
import { reportedDomainsSchema } from './domain-reports/schema.ts';
import { channelMixSchema } from './schema.ts';

const recordType = z.enum(['CNAME', 'MX', 'TXT']);

export const mechanismSchema = z
  .strictObject({
    status: z
      .enum([...recordStatuses, 'unchecked'])
      .describe('status of its worst record; `error`: the DNS lookup failed'),
    source: z
      .enum(['service', 'dns'])
      .describe('`service`: a managed host, whose records the service serves'),
    hint: z.string(),
    records: z.array(
      z.strictObject({
        type: recordType,
        name: z.string(),
        value: z.string().describe('the expected value'),
        priority: z.int().nullable(),
        required: z.boolean(),
        status: z.enum(recordStatuses),
        found: z.array(z.string()),
        hint: z.string(),
      }),
    ),
  })
  .meta({ id: 'Mechanism' });

export const subjectRiskSchema = z
  .strictObject({
    sampled: z.int().describe('how many messages were rated: the newest, at most 1,000'),
    average_score: z.number().nullable().describe('0 to 100; null if there was no message'),
    levels: z
      .strictObject({ low: z.int(), medium: z.int(), high: z.int() })
      .describe('messages of each level'),
    rules: z
      .array(
        z.strictObject({
          id: z.string(),
          messages: z.int(),
          share: z.number().describe('share of the rated messages'),
          why: z.string(),
          advice: z.string(),
        }),
      )
      .describe('the rules that matched, most frequent first'),
  })
  .meta({ id: 'SubjectRisk' });

const worstSubject = z.strictObject({
  subject: z.string(),
  messages: z.int(),
  score: z.int(),
  level: z.enum(riskLevels),
  rules: z.array(z.string()),
});

/** The large mailbox providers; `other` includes a customer's own domain that one of them hosts. */
export const providers = ['gmail', 'microsoft', 'yahoo', 'gmx_webde', 't_online', 'icloud', 'other'] as const;
export type Provider = (typeof providers)[number];

export const placementSchema = z
  .strictObject({
    days: z.int(),
    subject_risk: subjectRiskSchema,
    worst_subjects: z.array(worstSubject).optional().describe('only with permission `messages.view`'),
    recipients_sampled: z.int().describe('how many recipients were counted: the newest, at most 10,000'),
    providers: z.array(
      z.strictObject({
        provider: z.enum(providers).describe('by the domain of the address'),
        recipients: z.int(),
        waiting: z.int(),
        delayed: z.int(),
        processed: z.int().describe('accepted by the upstream, and nothing was reported since'),
        delivered: z.int(),
        bounced: z.int().describe('hard and soft'),
        failed: z.int().describe('no further attempt is made'),
        complaints: z.int().describe('complaints among those delivered'),
      }),
    ),
    testers: z
      .array(
        z.strictObject({
          tester: z.string(),
          last: z
            .strictObject({
              status: statusSchema,
              smtp_code: z.int().nullable(),
              enhanced_code: z.string().nullable(),
              at: z.iso.datetime(),
            })
            .nullable()
            .describe('null: none of the counted recipients'),
        }),
      )
      .describe("the operator's seed addresses, with the newest mail to each"),
  })
  .meta({ id: 'Placement' });

export const deliverabilitySchema = z
  .strictObject({
    host: z.string(),
    kind: z.enum(['managed', 'custom']),
    pending: z.boolean().describe('the report is about a domain that is not in use yet'),
    checked_at: z.iso
      .datetime()
      .nullable()
      .describe('when the records were last checked; this call does not check them'),
    records_url: z.string(),
    dkim: mechanismSchema,
    spf: mechanismSchema,
    dmarc: z.strictObject({
      ...mechanismSchema.shape,
      policy: z.string().nullable().describe('the published policy: `none`, `quarantine` or `reject`'),
    }),
    bimi: z.strictObject({
      ...mechanismSchema.shape,
      logo_url: z.string().nullable(),
      certificate_url: z.string().nullable(),
      effective: z.boolean().describe('the record is right, and DMARC is enforced'),
    }),
    mail_from: z.strictObject({
      ...mechanismSchema.shape,
      domain: z.string().describe('domain of the return path'),
    }),
    inbound: z.strictObject({
      ...mechanismSchema.shape,
      host: z.string(),
      mx: z.string(),
      guidance: z.string(),
    }),
    mta_sts: mechanismSchema.describe('includes the record for TLS reports'),
    conflicts: z
      .array(
        z.strictObject({
          type: recordType,
          name: z.string(),
          found: z.array(z.string()),
          hint: z.string(),
        }),
      )
      .describe('records that should not exist'),
    domain_reports: reportedDomainsSchema
      .nullable()
      .describe('what receivers report of these days; null for who is limited to projects'),
    channel_mix: channelMixSchema,
    subject_risk: subjectRiskSchema,
    public_origin: z.strictObject({
      origin: z.string(),
      https: z.boolean(),
      reachable: z
        .boolean()
        .describe('the service answers there; it checked this within the last five minutes'),
      checked_at: z.iso.datetime(),
      error: z.string().nullable(),
    }),
    impressum: z.strictObject({ complete: z.boolean(), missing: z.array(z.string()) }),
  })
  .meta({ id: 'Deliverability' });
