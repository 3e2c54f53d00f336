// The DNS providers whose one-click set-up is offered, and whether a zone lies there: by the TXT that the provider
// keeps in it (draft-ietf-dconn-domainconnect, discovery). What that TXT says is only compared, never followed.
import type { DnsLookup } from '#src/kernel/dns-lookup.ts';

export interface Provider {
  readonly name: string;
  /** What `_domainconnect.<zone>` says of zones there. */
  readonly announced: string;
  /** Where its owner is sent. */
  readonly syncUx: string;
}

/** By the name in the path. Their settings are published at https://<announced>/v2/<zone>/settings. */
export const providers = {
  cloudflare: {
    name: 'Cloudflare',
    announced: 'api.cloudflare.com/client/v4/dns/domainconnect',
    syncUx: 'https://dash.cloudflare.com/domainconnect',
  },
} as const satisfies Readonly<Record<string, Provider>>;

/** Why the zone cannot be set up there; null where it can. */
export const reasonAgainst = async (
  lookup: Pick<DnsLookup, 'txt'>,
  { name, announced }: Provider,
  zone: string,
): Promise<string | null> => {
  const asked = `_domainconnect.${zone}`;
  const answer = await lookup.txt(asked);
  switch (answer.kind) {
    case 'found': {
      const said = answer.records.map((strings) => strings.join('').trim().replace(/\/$/, '').toLowerCase());
      return said.includes(announced)
        ? null
        : `The DNS of ${zone} is run by another provider than ${name}, as ${asked} says.`;
    }
    case 'none':
      return `The DNS of ${zone} does not seem to be run by ${name}: there is no TXT record at ${asked}.`;
    case 'failed':
      return `It could not be found out whether ${name} runs the DNS of ${zone}: the question for ${asked} failed (${answer.reason}). Ask again later.`;
    default:
      return answer satisfies never;
  }
};
