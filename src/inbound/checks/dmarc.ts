// DMARC (RFC 9989, and records of RFC 7489) by mailauth: the record of the author's domain is found first, because mail of most
// domains without one needs nothing more, and what SPF and DKIM proved is compared with it then.
import type { DnsResolver } from '#src/kernel/dns-resolver.ts';
import type { Clock } from '#src/kernel/time.ts';
import type { AuthResult, MailAuth } from '../mail.ts';
import type { Authors } from './authors.ts';
import { authResult } from './client.ts';
import { createRecent, FAILED_KEPT_MS, inTime, KEPT_MS } from './recent.ts';

/** A record is found by up to eight questions, one after the other. */
const WALK_MS = 5_000;

type Dmarc = MailAuth['dmarc'];
const UNKNOWN: Dmarc = { result: 'temperror', domain: null, policy: null };
type Policy = NonNullable<Dmarc['policy']>;
/** Domains that SPF and DKIM prove. */
interface Identifiers {
  readonly spf: readonly string[];
  readonly dkim: readonly string[];
}

const NO_IDENTIFIERS: Identifiers = { spf: [], dkim: [] };

const policyIn = (text: string | undefined): Policy | null =>
  text === 'none' || text === 'quarantine' || text === 'reject' ? text : null;

/** The identifiers with that result. */
const identifiersWith = ({ spf, dkim }: Pick<MailAuth, 'spf' | 'dkim'>, wanted: AuthResult): Identifiers => ({
  spf: spf.domain !== null && spf.result === wanted ? [spf.domain] : [],
  dkim: dkim.filter(({ result, domain }) => domain !== '' && result === wanted).map(({ domain }) => domain),
});
const isEmpty = ({ spf, dkim }: Identifiers): boolean => spf.length === 0 && dkim.length === 0;

export interface DmarcCheck {
  /** Finds the record, so that `judge` need not wait for it. */
  find(authors: Authors): Promise<unknown>;
  judge(authors: Authors, proved: Pick<MailAuth, 'spf' | 'dkim'>): Promise<Dmarc>;
}

export const createDmarcCheck = (resolver: DnsResolver, clock: Clock): DmarcCheck => {
  const recent = createRecent<Dmarc>(clock, ({ result }) =>
    result === 'temperror' ? FAILED_KEPT_MS : KEPT_MS,
  );

  const ask = async ({ addresses, fields }: Authors, { spf, dkim }: Identifiers): Promise<Dmarc> => {
    try {
      const { evaluateDmarc } = await import('mailauth/lib/dmarc/index.js');
      const { response } = await evaluateDmarc({
        headerFrom: [...addresses],
        fromFields: fields,
        spfDomains: [...spf],
        dkimDomains: dkim.map((domain) => ({ domain })),
        resolver,
      });
      if (response === false) return { result: 'permerror', domain: null, policy: null };
      const { status, policy } = response;
      return {
        result: authResult(status.result),
        domain: status.header?.from ?? null,
        policy: policyIn(policy),
      };
    } catch {
      return UNKNOWN;
    }
  };
  const evaluate = (authors: Authors, identifiers: Identifiers): Promise<Dmarc> => {
    const domains = new Set(authors.addresses.map((address) => address.slice(address.lastIndexOf('@') + 1)));
    const key = JSON.stringify([authors.fields, [...domains], identifiers]);
    return recent(key, () => inTime(ask(authors, identifiers), WALK_MS, UNKNOWN));
  };

  return {
    find: (authors) => evaluate(authors, NO_IDENTIFIERS),
    judge: async (authors, proved) => {
      const unproved = await evaluate(authors, NO_IDENTIFIERS);
      if (unproved.result !== 'fail') return unproved;
      const passing = identifiersWith(proved, 'pass');
      const { result } = isEmpty(passing) ? unproved : await evaluate(authors, passing);
      if (result !== 'fail') return { ...unproved, result };
      // What could not be found out might have passed.
      const doubtful = identifiersWith(proved, 'temperror');
      const isCertain = isEmpty(doubtful) || (await evaluate(authors, doubtful)).result === 'fail';
      return isCertain ? unproved : { ...unproved, result: 'temperror' };
    },
  };
};
