// Whether a domain takes mail, by its DNS (RFC 5321 §5.1, RFC 7505): no server is asked whether a mailbox exists.
// Answers are kept for some minutes, so that a list of one company's addresses costs one lookup.

import { limitConcurrency } from '#src/kernel/concurrency.ts';
import type { DnsLookup } from '#src/kernel/dns-lookup.ts';
import { type Clock, MINUTE, SECOND } from '#src/kernel/time.ts';

/** `null_mx`: it declares that it takes none. `unknown`: the DNS did not answer in time, or not to the point. */
export type MailHost = 'takes_mail' | 'none' | 'null_mx' | 'unknown';

export interface MailHosts {
  /** A host that is not known after some seconds is `unknown`. Never rejects. */
  ask(domains: Iterable<string>): Promise<ReadonlyMap<string, MailHost>>;
}

export interface MailHostsOptions {
  readonly lookup: Pick<DnsLookup, 'mx' | 'addresses'>;
  readonly clock: Clock;
  /** ms, for all of one call. */
  readonly patienceMs?: number;
}

/** Lookups of all calls together: others use the resolver too. */
const ASKED_AT_ONCE = 32;
const PATIENCE_MS = 15 * SECOND;
const KEPT_MS = 10 * MINUTE;
/** So many hosts take some 10 MB. */
const MAX_KEPT = 50_000;

const ask = async ({ mx, addresses }: MailHostsOptions['lookup'], domain: string): Promise<MailHost> => {
  const found = await mx(domain);
  if (found.kind === 'failed') return 'unknown';
  if (found.kind === 'found') {
    // RFC 7505 §3: the root must be the only exchange.
    return found.records.every(({ exchange }) => exchange === '') ? 'null_mx' : 'takes_mail';
  }
  if (!found.nameExists) return 'none';
  // RFC 5321 §5.1: without MX the host of that name is meant.
  const host = await addresses(domain);
  if (host.kind === 'failed') return 'unknown';
  return host.kind === 'found' ? 'takes_mail' : 'none';
};

interface KnownHost {
  readonly host: MailHost;
  readonly until: number;
}

interface PendingLookup {
  readonly answer: Promise<MailHost>;
  /** Each aborts once its caller no longer waits. */
  readonly askers: AbortSignal[];
}

export const createMailHosts = ({ lookup, clock, patienceMs = PATIENCE_MS }: MailHostsOptions): MailHosts => {
  const inPlace = limitConcurrency(ASKED_AT_ONCE);
  const kept = new Map<string, KnownHost>();
  const pending = new Map<string, PendingLookup>();

  const keep = (domain: string, host: MailHost): void => {
    if (host === 'unknown') return;
    kept.delete(domain);
    kept.set(domain, { host, until: clock.now() + KEPT_MS });
    const [oldest] = kept.keys();
    if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
  };
  const find = (domain: string, isOver: AbortSignal): Promise<MailHost> => {
    const known = kept.get(domain);
    if (known && known.until > clock.now()) return Promise.resolve(known.host);
    const joined = pending.get(domain);
    if (joined) {
      joined.askers.push(isOver);
      return joined.answer;
    }
    // A lookup that no caller waits for any more is left out.
    const askers = [isOver];
    const found = inPlace(async () =>
      askers.every(({ aborted }) => aborted) ? 'unknown' : ask(lookup, domain),
    );
    const answer = found.then((host) => {
      keep(domain, host);
      pending.delete(domain);
      return host;
    });
    pending.set(domain, { answer, askers });
    return answer;
  };

  return {
    ask: async (domains) => {
      const answers = new Map<string, MailHost>();
      const asked = [...new Set(domains)];
      const over = new AbortController();
      const { promise: patience, resolve: end } = Promise.withResolvers<void>();
      const timer = setTimeout(end, patienceMs);
      const all = Promise.all(
        asked.map(async (domain) => {
          answers.set(domain, await find(domain, over.signal));
        }),
      );
      await Promise.race([all, patience]);
      clearTimeout(timer);
      over.abort();
      return new Map(asked.map((domain) => [domain, answers.get(domain) ?? 'unknown']));
    },
  };
};
