// The address at the DNS provider under which the owner of a domain agrees to the template, signed so that nobody else
// can make one with other values (draft-ietf-dconn-domainconnect, synchronous flow).
import { type KeyObject, sign } from 'node:crypto';

export interface SigningKey {
  /** Label of its TXT records below `syncPubKeyDomain`. */
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
  /** Where the browser goes afterwards. */
  readonly redirectUri: string | null;
}

/** RSA-SHA256 (PKCS#1 v1.5) over the query as it is sent, without `key` and `sig`; `sig` is the last parameter. */
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
