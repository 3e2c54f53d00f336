// Shapes of records, checks and domains in the API.
import { z } from 'zod';
import { practiceSchema } from '#src/accounts/tenants/schema.ts';
import { httpsUrlSchema } from '#src/kernel/fields.ts';
import { purposes, recordStatuses } from '../records/host-check.ts';

const MAX_DOMAIN = 253;

const host = {
  host: z.string().describe('the host in From that the records are for'),
  kind: z.enum(['managed', 'custom']),
  pending: z.boolean().describe('a custom domain that is not in use yet: its DKIM was not found so far'),
};

export const purposeSchema = z.enum(purposes).meta({ id: 'DnsRecordPurpose' });

const wanted = {
  purpose: purposeSchema,
  type: z.enum(['CNAME', 'MX', 'TXT']),
  name: z.string(),
  value: z
    .string()
    .describe('the record to publish; merged with what was found where only one record is allowed'),
  priority: z.int().nullable().describe('of an MX'),
  required: z.boolean(),
};
const hint = z.string();

export const wantedRecordSchema = z.strictObject({ ...wanted, hint }).meta({ id: 'WantedRecord' });

export const checkedRecordSchema = z
  .strictObject({
    ...wanted,
    status: z
      .enum(recordStatuses)
      .describe('`error`: it could not be found out, or the service does not serve it yet'),
    found: z.array(z.string()),
    hint,
  })
  .meta({ id: 'CheckedRecord' });

export const dnsRecordsSchema = z
  .strictObject({
    ...host,
    records: z.array(wantedRecordSchema),
    inbound: z
      .array(wantedRecordSchema)
      .describe('for receiving mail, and for securing what others send; all optional'),
  })
  .meta({ id: 'DnsRecords' });

const warmup = z
  .string()
  .nullable()
  .describe('that marketing mail from the domain is refused at first, and what to do; null where it is not');

/** The practice, and what its domain means for its mail. */
export const domainAnswerSchema = practiceSchema.extend({ hint: warmup }).meta({ id: 'AttachedDomain' });

export const dnsCheckSchema = z
  .strictObject({
    ...host,
    hint: warmup,
    checked_at: z.iso.datetime(),
    ok: z.boolean().describe('all required records are right, and nothing conflicts'),
    dkim_verified: z.boolean(),
    conflicts: z
      .array(
        z.strictObject({
          purpose: z.literal('apex_mx'),
          type: z.literal('MX'),
          name: z.string(),
          found: z.array(z.string()),
          hint,
        }),
      )
      .describe('what should not be in the DNS'),
    records: z.array(checkedRecordSchema),
    inbound: z.array(checkedRecordSchema),
  })
  .meta({ id: 'DnsCheck' });

export const customDomainBody = z
  .strictObject({
    domain: z.string().max(MAX_DOMAIN).describe('international names in either spelling'),
  })
  .meta({ examples: [{ domain: 'praxis.example' }] });

/** A semicolon would end the tag in the record. */
const addressOf = (extension: string, expected: string) =>
  httpsUrlSchema
    .refine((url) => URL.parse(url)?.pathname.toLowerCase().endsWith(extension), expected)
    .refine((url) => !url.includes(';'), 'expected no semicolon: write it as %3B')
    .nullable();

export const bimiSchema = z
  .strictObject({
    logo_url: addressOf('.svg', 'expected a logo as SVG (.svg)').describe(
      'SVG Tiny PS, by https; null: none',
    ),
    certificate_url: addressOf('.pem', 'expected a certificate as PEM (.pem)').describe(
      'a Verified Mark Certificate or Common Mark Certificate; null as long as there is none',
    ),
  })
  .meta({
    id: 'BimiLogo',
    examples: [{ logo_url: 'https://praxis.example/logo.svg', certificate_url: null }],
  });
