// Whether receivers accept the machines of a relay as senders, by the SPF record of this service (RFC 7208): each public address
// that the relay's name has is tried as a receiver would, by mailauth.

import type { Lookup, ZoneLookup } from '#src/kernel/dns-lookup.ts';
import { type DnsResolver, resolverOf } from '#src/kernel/dns-resolver.ts';
import { type CheckedSet, failures, plainAddress } from './zone-check.ts';

export interface SenderRecord {
  /** `spf.<service host>` */
  readonly name: string;
  readonly text: string;
  /** Whether it includes the records of others, whose machines are not known here. */
  readonly includesOthers: boolean;
}

const resolverFor = (lookup: ZoneLookup, { name: own, text }: SenderRecord): DnsResolver => {
  const resolve = resolverOf(lookup);
  return async (name, type) =>
    type === 'TXT' && name.toLowerCase() === own ? [[text]] : resolve(name, type);
};

const remedy =
  'Set dns.zones.spf_includes to the SPF domain that the relay’s provider names, or dns.zones.spf_addresses to the addresses it sends from.';

/** Never rejects. `addresses` are those that its mail leaves from, where they are known without the DNS. */
export const checkRelaySenders = async (
  lookup: ZoneLookup,
  upstream: string,
  host: string,
  addresses: readonly string[] | null,
  record: SenderRecord,
): Promise<CheckedSet> => {
  const set = { type: 'SPF', name: `${upstream} (${host})`, values: ['pass'], required: true } as const;
  const answer: Lookup<string> = addresses
    ? { kind: 'found', records: addresses }
    : await lookup.addresses(host);
  if (answer.kind === 'failed') return { ...set, status: 'error', found: [], hint: failures[answer.reason] };
  const known = answer.kind === 'found' ? answer.records.map(plainAddress) : [];
  if (known.length === 0) {
    const hint = addresses
      ? `No address is known that its mail leaves from. ${remedy}`
      : 'The name has no address.';
    return { ...set, status: 'missing', found: [], hint };
  }
  const { spf } = await import('mailauth/lib/spf/index.js');
  const results = await Promise.all(
    known.map(async (ip) => {
      const { status } = await spf({
        sender: `postmaster@${record.name}`,
        ip,
        helo: record.name,
        mta: 'receiver.invalid',
        resolver: resolverFor(lookup, record),
      });
      return { ip, result: String(status.result), comment: status.comment || '' };
    }),
  );
  const found = results.map(({ ip, result }) => `${ip} ${result}`);
  if (results.every(({ result }) => result === 'pass')) return { ...set, status: 'ok', found, hint: '' };
  const broken = results.find(({ result }) => /error$/.test(result));
  if (broken) return { ...set, status: 'wrong', found, hint: `${record.text}: ${broken.comment}` };
  if (!record.includesOthers) return { ...set, status: 'wrong', found, hint: remedy };
  const hint = `Right where this relay sends from other machines than those its name leads to, and the includes name them. Otherwise: ${remedy}`;
  return { ...set, required: false, status: 'wrong', found, hint };
};
