// What the operator sees of certificates: when each ends, and why there is none or no newer one.
import { X509Certificate } from 'node:crypto';
import { z } from 'zod';
import type { Certificate } from '#src/kernel/certificate.ts';
import { toIsoOrNull } from '#src/kernel/time.ts';
import { type Validity, warnAtOf } from './rules.ts';

/** So many are named: first those with a problem, then those that end soonest. */
const MAX_NAMED = 50;

const states = ['ok', 'expiring', 'expired', 'missing', 'not read'] as const;

export const certificateSchema = z.strictObject({
  name: z.string().describe('the name, or the listener that shows the files'),
  source: z
    .enum(['acme', 'files', 'self-signed'])
    .describe('acme: the service gets it; files: another program does'),
  state: z
    .enum(states)
    .describe(
      'expiring: it ends within 21 days, or a quarter of its time; missing: there was none yet; not read: its files have changed and cannot be used, so the former one is shown',
    ),
  expires_at: z.string().nullable(),
  next_attempt_at: z
    .string()
    .nullable()
    .describe('when the service asks for it again, or for the first time'),
  error: z.string().nullable().describe('why the last attempt failed, as the authority or the DNS said it'),
  hint: z.string().nullable().describe('what to do'),
});
export type CertificateFacts = z.infer<typeof certificateSchema>;

export const healthSchema = z
  .strictObject({
    certificates: z.array(certificateSchema),
    more: z.int().describe(`how many there are beside these ${MAX_NAMED}`),
    bad: z
      .int()
      .describe(
        "how many of the service's own, or in files, end soon, have ended, were not read, or could not be had; names of practices do not count",
      ),
  })
  .describe('the certificates of HTTPS and of the SMTP listeners');

export const validityOf = ({ cert }: Certificate): Validity => {
  const { validFromDate, validToDate } = new X509Certificate(cert);
  return { from: validFromDate.getTime(), to: validToDate.getTime() };
};

export const stateOf = (validity: Validity | null, now: number): CertificateFacts['state'] => {
  if (validity === null) return 'missing';
  if (now > validity.to) return 'expired';
  return now > warnAtOf(validity) ? 'expiring' : 'ok';
};

export const factsOf = (
  name: string,
  source: CertificateFacts['source'],
  validity: Validity | null,
  now: number,
): CertificateFacts => ({
  name,
  source,
  state: stateOf(validity, now),
  expires_at: toIsoOrNull(validity?.to ?? null),
  next_attempt_at: null,
  error: null,
  hint: null,
});

/** What has not failed yet is only new. */
export const isBad = ({ state, error }: CertificateFacts): boolean =>
  state === 'missing' ? error !== null : state !== 'ok';

/** `counted` are those whose state is that of the service. */
export const summaryOf = (
  counted: readonly CertificateFacts[],
  others: readonly CertificateFacts[],
): z.infer<typeof healthSchema> => {
  const all = [...counted, ...others];
  const urgency = (one: CertificateFacts): number => (isBad(one) ? 0 : 1);
  const sorted = [...all].sort(
    (a, b) => urgency(a) - urgency(b) || (a.expires_at ?? '').localeCompare(b.expires_at ?? ''),
  );
  return {
    certificates: sorted.slice(0, MAX_NAMED),
    more: Math.max(0, all.length - MAX_NAMED),
    bad: counted.filter(isBad).length,
  };
};
