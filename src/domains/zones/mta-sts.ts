// The MTA-STS policy of all hosts that receive mail here (RFC 8461): its text, the id by which others notice a new one,
// and whose policy a web server name stands for. Pure; the DNS records around it are zone-records.ts's.
import { createHash } from 'node:crypto';

export interface MtaStsSettings {
  /** `none`: others are told that there is no policy any more, which they must find to forget the one before (§8.3). */
  readonly mode: 'none' | 'testing' | 'enforce';
  /** Milliseconds. */
  readonly maxAge: number;
}

/** An id is alphanumeric and at most so long (RFC 8461 §3.1). */
const ID_CHARACTERS = 32;
const POLICY_LABEL = 'mta-sts.';
const RECEIVING_LABELS = ['in.', 'bounce.'];

/** The file (RFC 8461 §3.2); without MX in mode none (§8.3). */
export const policyText = (serviceHost: string, { mode, maxAge }: MtaStsSettings): string =>
  [
    'version: STSv1',
    `mode: ${mode}`,
    ...(mode === 'none' ? [] : [`mx: ${serviceHost}`]),
    `max_age: ${Math.floor(maxAge / 1_000)}`,
    '',
  ].join('\r\n');

/** TXT at `_mta-sts.<service host>`: the id is the policy's own hash, so it changes with the policy and at no other time. */
export const policyRecord = (serviceHost: string, settings: MtaStsSettings): string => {
  const hash = createHash('sha256').update(policyText(serviceHost, settings)).digest('hex');
  return `v=STSv1; id=${hash.slice(0, ID_CHARACTERS)}`;
};

export interface PolicyFacts {
  readonly serviceHost: string;
  /** What the registry knows a name as; null where it does not. */
  readonly kindOf: (name: string) => 'managed' | 'custom' | null;
}

/**
 * Whether the policy is served under that host name, lower-case and without port: `mta-sts.` before the service host,
 * a managed host, or `in.` or `bounce.` before a managed host or custom domain.
 */
export const servesPolicy = (host: string, { serviceHost, kindOf }: PolicyFacts): boolean => {
  if (!host.startsWith(POLICY_LABEL)) return false;
  const domain = host.slice(POLICY_LABEL.length);
  if (domain === serviceHost || kindOf(domain) === 'managed') return true;
  const label = RECEIVING_LABELS.find((candidate) => domain.startsWith(candidate));
  return label !== undefined && kindOf(domain.slice(label.length)) !== null;
};
