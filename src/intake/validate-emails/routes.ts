// Checks addresses before anything is sent to them. Nothing is stored, and no mail server is asked for a mailbox.

import { disposableEmailBlocklistSet } from 'disposable-email-domains-js';
import { z } from 'zod';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { suppressionStore } from '#src/feedback/suppressions/store.ts';
import type { Caller } from '#src/kernel/access.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import type { DnsLookup } from '#src/kernel/dns-lookup.ts';
import { idSchema } from '#src/kernel/fields.ts';
import type { TenantKey } from '#src/kernel/keys.ts';
import { createRateCheck, perMinute, type RateCheck } from '#src/kernel/rate-limit.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import type { Clock } from '#src/kernel/time.ts';
import { addressDomain, needsSmtpUtf8 } from '#src/mail/address.ts';
import { parseEmail } from '#src/mail/email.ts';
import type { Address } from '#src/mail/mailbox.ts';
import { addressHash } from '#src/messages/pseudonym.ts';
import {
  type SuppressionFacts,
  suppressionReasons,
  suppressionScopes,
} from '#src/messages/suppression-rules.ts';
import type { Utf8Addresses } from '../intake-context.ts';
import { createMailHosts, type MailHosts } from './mail-hosts.ts';
import { judge, reasons, unreadable, verdicts } from './verdict.ts';

export interface ValidateEmailsDeps {
  readonly files: TenantFiles;
  readonly clock: Clock;
  readonly lookup: Pick<DnsLookup, 'mx' | 'addresses'>;
  readonly suppressionKey: TenantKey;
  /** The simulator receives mail to it, whatever the DNS says. */
  readonly simulatorDomain: string;
  readonly utf8: Utf8Addresses;
}

/** Created once for all calls. */
interface Validator extends ValidateEmailsDeps {
  readonly mailHosts: MailHosts;
  readonly disposable: ReadonlySet<string>;
  readonly limit: RateCheck;
}

const MAX_EMAILS = 1_000;
const MAX_TYPED = 1_000;
const BODY_LIMIT_BYTES = 1_048_576;
/** A form checks one address at a time, a list hundreds: each 25 of a request count as one. */
const ADDRESSES_PER_COUNT = 25;
const COUNTS_PER_MINUTE = 120;

const validateBody = z
  .strictObject({
    emails: z.array(z.string().max(MAX_TYPED)).min(1).max(MAX_EMAILS).describe('bare addresses'),
  })
  .meta({ examples: [{ emails: ['erika@example.org', 'max@example'] }] });

const resultSchema = z
  .strictObject({
    email: z.string().describe('as it was given'),
    address: z.string().nullable().describe('its domain in lower-case A-labels; null where it is no address'),
    verdict: z.enum(verdicts).describe('`unknown`: the DNS did not answer; ask again later'),
    reasons: z
      .array(z.enum(reasons))
      .describe(
        '`no_mail_host`, `null_mx`: the domain takes no mail; `role`: read by several people, or no one',
      ),
    suggestion: z.string().nullable().describe('the address that was probably meant'),
    suppressed: z
      .strictObject({ scope: z.enum(suppressionScopes), reason: z.enum(suppressionReasons) })
      .nullable()
      .describe('what keeps mail of this practice from it'),
  })
  .meta({ id: 'EmailValidation' });
type Result = z.infer<typeof resultSchema>;

/** The widest suppression that concerns what the caller may use. */
const visibleSuppression = (
  db: TenantDb,
  rows: readonly SuppressionFacts[],
  { projects }: Pick<Caller, 'projects'>,
): SuppressionFacts | null => {
  const concerns = ({ scope, project_id, route_id }: SuppressionFacts): boolean => {
    if (projects === null || scope === 'team') return true;
    const project = project_id ?? (route_id && tenantStore(db).route(route_id)?.project_id) ?? null;
    return project === null || projects.has(project);
  };
  return (
    suppressionScopes
      .map((scope) => rows.find((row) => row.scope === scope && concerns(row)))
      .find((row) => row !== undefined) ?? null
  );
};

/** The domain, or one above it. */
const isListed = (domain: string, list: ReadonlySet<string>): boolean => {
  const labels = domain.split('.');
  return labels.slice(0, -1).some((_, index) => list.has(labels.slice(index).join('.')));
};

const validate = async (
  validator: Validator,
  tenantId: string,
  caller: Caller,
  emails: readonly string[],
): Promise<Result[]> => {
  const { files, suppressionKey, mailHosts, disposable, simulatorDomain, limit, utf8 } = validator;
  for (let left = emails.length; left > 0; left -= ADDRESSES_PER_COUNT) limit(tenantId);
  const addresses = emails.map((email) => (parseEmail(email)?.email ?? null) as Address | null);
  const domains = addresses.flatMap((address) => (address === null ? [] : addressDomain(address)));
  if (addresses.some((address) => address !== null && needsSmtpUtf8(address))) await utf8.learn(tenantId);
  const hosts = await mailHosts.ask(domains.filter((domain) => domain !== simulatorDomain));
  return files.read(tenantId, (db) =>
    emails.map((email, index): Result => {
      const address = addresses[index] ?? null;
      if (address === null)
        return { email, address, ...unreadable, reasons: [...unreadable.reasons], suppressed: null };
      const domain = addressDomain(address);
      const rows = suppressionStore(db).ofAddress(addressHash(suppressionKey, tenantId, address));
      const suppression = rows.length === 0 ? null : visibleSuppression(db, rows, caller);
      const {
        verdict,
        reasons: found,
        suggestion,
      } = judge({
        address,
        domain,
        needsSmtpUtf8: needsSmtpUtf8(address) && !utf8.takes(tenantId),
        host: domain === simulatorDomain ? 'takes_mail' : (hosts.get(domain) ?? 'unknown'),
        isDisposable: isListed(domain, disposable),
        suppression,
      });
      const suppressed = suppression && { scope: suppression.scope, reason: suppression.reason };
      return { email, address, verdict, reasons: [...found], suggestion, suppressed };
    }),
  );
};

export const validateEmailsRoutes = (deps: ValidateEmailsDeps): Route[] => {
  const validator: Validator = {
    ...deps,
    mailHosts: createMailHosts(deps),
    disposable: disposableEmailBlocklistSet(),
    limit: createRateCheck(
      deps.clock,
      () => perMinute(COUNTS_PER_MINUTE),
      say`Too many addresses were looked at.`,
    ),
  };
  return [
    defineRoute({
      method: 'post',
      path: '/api/practices/{id}/validate-emails',
      tag: 'Send',
      id: 'validateEmails',
      usedBy: 'programs that check addresses before they store them',
      summary: 'Look at addresses by their form, the DNS and the suppressions; no mail is sent',
      access: 'messages.send',
      audit: { none: 'nothing is changed' },
      stability: 'stable',
      params: z.strictObject({ id: idSchema.describe('the practice') }),
      body: validateBody,
      bodyLimit: BODY_LIMIT_BYTES,
      responses: {
        200: {
          description: 'A result for each, in their order.',
          body: z.strictObject({ results: z.array(resultSchema) }),
        },
      },
      errors: ['forbidden', 'not_found', 'rate_limited'],
      handle: async ({ params, body }, { caller }) => ({
        status: 200,
        body: { results: await validate(validator, params.id, caller, body.emails) },
      }),
    }),
  ];
};
