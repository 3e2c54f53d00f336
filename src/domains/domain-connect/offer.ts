// What one-click set-up can do for a host now: a signed address at its DNS provider, or the reason why there is none.
// The owner of the domain opens the address and agrees to the template; the signature prevents other values
// (draft-ietf-dconn-domainconnect, synchronous flow).

import { type KeyObject, sign } from 'node:crypto';
import type { DnsLookup } from '#src/kernel/dns-lookup.ts';
import type { HostReading } from '../custom/check-practice.ts';
import type { DomainDeps } from '../domain-deps.ts';
import type { CheckedRecord } from '../records/host-check.ts';
import { apexOf } from '../records/wanted-records.ts';
import { missingGroups, type TemplateSettings, templateRecords, tokenVariables } from './template.ts';

export interface DomainConnectSettings {
  readonly template: TemplateSettings;
  /** Null if the operator has not set it up. */
  readonly signingKey: SigningKey | null;
  /** TXT records with the public key; empty without a key. */
  readonly keyRecords: readonly { readonly name: string; readonly data: string }[];
}

export interface OfferRequest extends HostReading {
  readonly provider: Provider;
  readonly withInbound: boolean;
  readonly redirectUri: string | null;
}

export interface Offer {
  /** Null exactly if there is a reason. */
  readonly url: string | null;
  readonly reason: string | null;
  readonly provider: string;
  readonly groups: readonly string[];
  readonly byHand: readonly CheckedRecord[];
}

/**
 * The last check may be a day old, and a record that was added since would be overwritten, so the record is looked up
 * again.
 */
const isStillMissing = async (lookup: Pick<DnsLookup, 'txt'>, name: string): Promise<boolean> => {
  const answer = await lookup.txt(name);
  if (answer.kind !== 'found') return answer.kind === 'none';
  return !answer.records.some((strings) => /^v=(?:spf1|DMARC1|TLSRPTv1)\b/i.test(strings.join('')));
};

const stillMissing = async (
  lookup: Pick<DnsLookup, 'txt'>,
  groups: readonly { readonly id: string; readonly texts: readonly string[] }[],
): Promise<string[]> => {
  const asked = await Promise.all(
    groups.map(async ({ id, texts }) => {
      const missing = await Promise.all(texts.map((name) => isStillMissing(lookup, name)));
      return missing.every(Boolean) ? [id] : [];
    }),
  );
  return asked.flat();
};

export const offerFor = async (
  { lookup }: Pick<DomainDeps, 'lookup'>,
  { template, signingKey }: DomainConnectSettings,
  { facts, check, provider, withInbound, redirectUri }: OfferRequest,
): Promise<Offer> => {
  const none = (reason: string, byHand: readonly CheckedRecord[] = []): Offer => ({
    url: null,
    reason,
    provider: provider.name,
    groups: [],
    byHand,
  });
  if (signingKey === null)
    return none('The operator has not set up Domain Connect. Publish the records by hand.');
  if (facts.kind === 'managed')
    return none('The service serves the records of a managed host itself: there is nothing to publish.');
  const tokens = facts.keys.filter(({ imported }) => !imported).map(({ selector }) => selector);
  if (tokens.length !== tokenVariables.length || check === null)
    return none(`The records of ${facts.host} were never checked. Check DNS first.`);
  const zone = apexOf(facts);
  const against = await reasonAgainst(lookup, provider, zone);
  if (against !== null) return none(against);

  const variables = new Map(
    tokenVariables.map((variable, index) => [variable as string, tokens[index] ?? '']),
  );
  const { groups, byHand } = missingGroups(templateRecords(template.serviceHost), facts.host, variables, [
    ...check.records.filter(({ required }) => required),
    ...(withInbound ? check.inbound : []),
  ]);
  const asked = await stillMissing(lookup, groups);
  if (asked.length === 0)
    return none(
      byHand.length === 0 && groups.length === 0
        ? `Nothing is missing: all records of ${facts.host} were found at the last check.`
        : `The missing records of ${facts.host} must be changed by hand. Check DNS says what to do.`,
      byHand,
    );
  const { providerId, serviceId } = template;
  return {
    url: applyUrl(
      {
        syncUx: provider.syncUx,
        providerId,
        serviceId,
        zone,
        host: facts.host,
        variables,
        groups: asked,
        redirectUri,
      },
      signingKey,
    ),
    reason: null,
    provider: provider.name,
    groups: asked,
    byHand,
  };
};

// DNS providers that offer one-click set-up. A TXT in the zone names its provider; the text is only compared, never
// followed.

export interface Provider {
  readonly name: string;
  /** The text of `_domainconnect.<zone>` for zones of this provider. */
  readonly announced: string;
  /** The address that the owner's browser opens. */
  readonly syncUx: string;
}

/** Keyed by the name in the path. Their settings are published at https://<announced>/v2/<zone>/settings. */
export const providers = {
  cloudflare: {
    name: 'Cloudflare',
    announced: 'api.cloudflare.com/client/v4/dns/domainconnect',
    syncUx: 'https://dash.cloudflare.com/domainconnect',
  },
} as const satisfies Readonly<Record<string, Provider>>;

/** Why the zone cannot be set up at the provider; null if it can. */
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

export interface SigningKey {
  /** The label of the key's TXT records below `syncPubKeyDomain`. */
  readonly keyHost: string;
  readonly privateKey: KeyObject;
}

export interface Application {
  /** `https://dash.dns.example/domainconnect` */
  readonly syncUx: string;
  readonly providerId: string;
  readonly serviceId: string;
  /** The zone at the provider. */
  readonly zone: string;
  /** The zone itself, or a name in it. */
  readonly host: string;
  readonly variables: ReadonlyMap<string, string>;
  readonly groups: readonly string[];
  /** The address that the browser opens afterwards. */
  readonly redirectUri: string | null;
}

/**
 * Signs the query as it is sent with RSA-SHA256 (PKCS#1 v1.5), without `key` and `sig`; `sig` is the last parameter.
 */
export const applyUrl = (
  { syncUx, providerId, serviceId, zone, host, variables, groups, redirectUri }: Application,
  { keyHost, privateKey }: SigningKey,
): string => {
  const parameters: [string, string][] = [
    ['domain', zone],
    ...(host === zone ? [] : ([['host', host.slice(0, -zone.length - 1)]] as [string, string][])),
    ...variables,
    ['groupId', groups.join(',')],
    ...(redirectUri === null ? [] : ([['redirect_uri', redirectUri]] as [string, string][])),
  ];
  const query = parameters.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  const signature = sign('sha256', Buffer.from(query), privateKey).toString('base64');
  const path = `v2/domainTemplates/providers/${encodeURIComponent(providerId)}/services/${encodeURIComponent(serviceId)}/apply`;
  return `${syncUx}/${path}?${query}&key=${encodeURIComponent(keyHost)}&sig=${encodeURIComponent(signature)}`;
};
