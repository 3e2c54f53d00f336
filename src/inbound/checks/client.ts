// What the connection and the envelope prove: SPF (RFC 7208) of MAIL FROM, or of HELO for the null sender, and whether the client's
// address has a name that leads back to it (iprev, RFC 8601 §3).
import { type ResolvedLookup, resolverOf } from '#src/kernel/dns-resolver.ts';
import { ipv6Groups } from '#src/kernel/ip-address.ts';
import type { Clock } from '#src/kernel/time.ts';
import { domainName } from '#src/mail/address.ts';
import type { AuthResult, MailAuth, MailEnvelope } from '../mail.ts';
import { createRecent, FAILED_KEPT_MS, KEPT_MS } from './recent.ts';

/** RFC 7208 §4.6.4 asks for at least 20 s where a client waits; a stranger's name servers must not hold up a place so long. */
const SPF_MS = 4_000;
/** RFC 8601 §3: there should be a bound. */
const MAX_NAMES = 5;

const results: ReadonlySet<string> = new Set<AuthResult>([
  'none',
  'pass',
  'fail',
  'softfail',
  'neutral',
  'policy',
  'temperror',
  'permerror',
]);
/** A word of the library that RFC 8601 does not know is a fault of ours. */
export const authResult = (word: string): AuthResult =>
  results.has(word) ? (word as AuthResult) : 'temperror';

/** One notation for each address. */
const plain = (address: string): string =>
  address.includes(':') ? ipv6Groups(address.split('%', 1)[0] ?? '').join(':') : address;

/** The domain of MAIL FROM, else of HELO; null where it is no domain name. */
const spfDomain = ({ mailFrom, helo }: MailEnvelope): string | null =>
  domainName(mailFrom === '' ? helo : mailFrom.slice(mailFrom.lastIndexOf('@') + 1));

interface SpfOfSender {
  readonly result: AuthResult;
  /**
   * The sender for whom alone the result holds, because of the macros `%{l}` and `%{s}` (RFC 7208 §7.2); null: it is that of
   * the domain.
   */
  readonly onlyOf: string | null;
}

export interface ClientChecks {
  spf(envelope: MailEnvelope): Promise<MailAuth['spf']>;
  iprev(clientAddress: string): Promise<MailAuth['iprev']>;
}

export const createClientChecks = (
  lookup: ResolvedLookup,
  serviceHost: string,
  clock: Clock,
): ClientChecks => {
  const keptMs = ({ result }: { readonly result: AuthResult }): number =>
    result === 'temperror' ? FAILED_KEPT_MS : KEPT_MS;
  const recentSpf = createRecent<SpfOfSender>(clock, keptMs);
  const recentName = createRecent<MailAuth['iprev']>(clock, keptMs);
  const resolve = resolverOf(lookup);

  const evaluate = async (envelope: MailEnvelope, domain: string): Promise<SpfOfSender> => {
    const { mailFrom, helo } = envelope;
    let onlyOf: string | null = null;
    try {
      const { spf } = await import('mailauth/lib/spf/index.js');
      const { status } = await spf({
        sender: mailFrom === '' ? '' : `${mailFrom.slice(0, mailFrom.lastIndexOf('@'))}@${domain}`,
        ip: envelope.clientAddress,
        helo,
        mta: serviceHost,
        maxElapsedTime: SPF_MS,
        resolver: async (name, type) => {
          const found = await resolve(name, type);
          if (type === 'TXT' && /%\{[sl]/i.test(found.flat().join(''))) onlyOf = mailFrom;
          return found;
        },
      });
      return { result: authResult(status.result), onlyOf };
    } catch {
      return { result: 'temperror', onlyOf };
    }
  };

  const leadsBack = async (name: string, address: string): Promise<AuthResult> => {
    const answer = await lookup.addresses(name);
    if (answer.kind === 'failed') return 'temperror';
    const isOne = answer.kind === 'found' && answer.records.some((one) => plain(one) === plain(address));
    return isOne ? 'pass' : 'fail';
  };

  const nameOf = async (address: string): Promise<MailAuth['iprev']> => {
    const answer = await lookup.reverse(address);
    if (answer.kind === 'failed') return { result: 'temperror', name: null };
    if (answer.kind === 'none') return { result: 'permerror', name: null };
    const names = answer.records.slice(0, MAX_NAMES).filter((name) => domainName(name) !== null);
    const found = await Promise.all(names.map((name) => leadsBack(name, address)));
    const right = names[found.indexOf('pass')];
    if (right !== undefined) return { result: 'pass', name: right };
    return { result: found.includes('temperror') ? 'temperror' : 'fail', name: null };
  };

  return {
    spf: async (envelope) => {
      const domain = spfDomain(envelope);
      if (domain === null) return { result: 'none', domain };
      const key = `${envelope.clientAddress} ${domain} ${envelope.helo}`;
      const found = await recentSpf(key, () => evaluate(envelope, domain));
      const isOfOther = found.onlyOf !== null && found.onlyOf !== envelope.mailFrom;
      const { result } = isOfOther ? await evaluate(envelope, domain) : found;
      return { result, domain };
    },
    iprev: (address) => recentName(address, () => nameOf(address)),
  };
};
