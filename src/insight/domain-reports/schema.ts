// What receivers report about a practice's domains, as the API returns it.
import { z } from 'zod';
import { reportFaults } from '#src/mail/domain-report.ts';
import { tlsFailures } from '#src/mail/tls-report.ts';

const mails = z.int();
const passed = z.int().describe('of these: passed DMARC, by DKIM or SPF');

const sumsOfMails = {
  mails,
  passed,
  dkim_passed: z.int().describe('passed by DKIM, aligned with From'),
  spf_passed: z.int().describe('passed by SPF, aligned with From'),
  quarantined: z.int(),
  rejected: z.int(),
};

export const reportedDomainsSchema = z
  .strictObject({
    dmarc: z
      .array(
        z.strictObject({
          domain: z.string().describe('in From of the mails: the sending host, or the domain above it'),
          reports: z.int().describe('taken'),
          last_report_at: z.iso.datetime().nullable(),
          ...sumsOfMails,
          pass_rate: z.number().nullable().describe('`passed` divided by `mails`; null without mails'),
          ours: z
            .strictObject({ mails, passed })
            .describe('from the relay of this service, or signed with a DKIM key of the practice'),
          unknown_sources: z
            .array(
              z.strictObject({
                address: z.string(),
                ...sumsOfMails,
                dkim_domain: z.string().nullable().describe('of a signature, from the last report'),
                spf_domain: z.string().nullable().describe('of MAIL FROM, from the last report'),
              }),
            )
            .describe('who else sends in its name: the ten with the most mail'),
        }),
      )
      .describe('from aggregate reports (RFC 9990)'),
    tls: z
      .array(
        z.strictObject({
          host: z.string().describe('that mail was sent to'),
          reports: z.int().describe('taken'),
          last_report_at: z.iso.datetime().nullable(),
          succeeded: z.int().describe('sessions with TLS as published'),
          failed: z.int(),
          failures: z.array(z.strictObject({ type: z.enum(tlsFailures), sessions: z.int() })),
          days: z.array(z.strictObject({ day: z.iso.date(), succeeded: z.int(), failed: z.int() })),
        }),
      )
      .describe('from reports about TLS (RFC 8460)'),
    not_taken: z
      .int()
      .describe(
        'reports that could not be taken, without those that were not authenticated: GET …/domain-reports says why',
      ),
    problems: z.array(z.string()).describe('what these reports show to be wrong, in English'),
  })
  .meta({ id: 'ReportedDomains' });

export const domainReportSchema = z
  .strictObject({
    id: z.uuid(),
    kind: z.enum(['dmarc', 'tls']),
    domain: z.string().describe('which domain or host of the practice it is about'),
    organisation: z.string().nullable().describe('as it calls itself'),
    report_id: z.string().nullable(),
    begins_at: z.iso.datetime().nullable(),
    ends_at: z.iso.datetime().nullable(),
    sender: z
      .string()
      .nullable()
      .describe(
        'domain in From of the mail that brought it: proved by SPF or DKIM, unless `reason` is `not_authenticated`',
      ),
    received_at: z.iso.datetime(),
    counted: z.int().describe('mails or sessions in it that concern this domain'),
    unreadable: z.int().describe('records left out, because they could not be read'),
    repeats: z.int().describe('how often it came again; it is counted once'),
    taken: z.boolean(),
    reason: z.enum(reportFaults).nullable().describe('why it was not taken'),
    detail: z.string().nullable(),
  })
  .meta({ id: 'DomainReport' });
