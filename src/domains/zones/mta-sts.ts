// The MTA-STS policy of all hosts that receive mail here (RFC 8461): its text, its id, and the names that it is served
// under. Pure.
import { createHash } from 'node:crypto';

export interface MtaStsSettings {
  /**
   * `none` says that there is no policy any more; others must find it to forget the earlier policy (§8.3).
   */
  readonly mode: 'none' | 'testing' | 'enforce';
  /** Milliseconds. */
  readonly maxAge: number;
  /** Other hosts to which mail may come too. */
  readonly also?: readonly string[];
}

/** The longest id; ids are alphanumeric (RFC 8461 §3.1). */
const ID_CHARACTERS = 32;
const POLICY_LABEL = 'mta-sts.';
const RECEIVING_LABELS = ['in.', 'bounce.'];

/** The policy file (RFC 8461 §3.2). Mode none has no MX (§8.3). */
export const policyText = (serviceHost: string, { mode, maxAge, also = [] }: MtaStsSettings): string =>
  [
    'version: STSv1',
    `mode: ${mode}`,
    ...(mode === 'none' ? [] : [serviceHost, ...also].map((host) => `mx: ${host}`)),
    `max_age: ${Math.floor(maxAge / 1_000)}`,
    '',
  ].join('\r\n');

/**
 * The TXT at `_mta-sts.<service host>`. The id is a hash of the policy, so it changes exactly when the policy does.
 */
export const policyRecord = (serviceHost: string, settings: MtaStsSettings): string => {
  const hash = createHash('sha256').update(policyText(serviceHost, settings)).digest('hex');
  return `v=STSv1; id=${hash.slice(0, ID_CHARACTERS)}`;
};

export interface PolicyFacts {
  readonly serviceHost: string;
  /** The kind of a registered name; null for other names. */
  readonly kindOf: (name: string) => 'managed' | 'custom' | null;
}

/**
 * Whether the policy is served under the host name, which is in lower case and without port: `mta-sts.` before the
 * service host, or before `in.` or `bounce.` of a managed host or custom domain: the hosts themselves receive nothing here.
 */
export const servesPolicy = (host: string, { serviceHost, kindOf }: PolicyFacts): boolean => {
  if (!host.startsWith(POLICY_LABEL)) return false;
  const domain = host.slice(POLICY_LABEL.length);
  if (domain === serviceHost) return true;
  const label = RECEIVING_LABELS.find((candidate) => domain.startsWith(candidate));
  return label !== undefined && kindOf(domain.slice(label.length)) !== null;
};
