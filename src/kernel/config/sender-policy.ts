// Whether the SPF record of the service (RFC 7208), which the return paths of all mail include, names the machines that mail
// leaves by. The relays' own machines are not known here: what can be seen is whether the configuration names any for them.
import { isIP } from 'node:net';
import { isWithin } from '#src/kernel/ip-networks.ts';
import type { ConfigFile } from './schema.ts';

/** Machines behind these reach the world by an address of this site: loopback, private (RFC 1918, 4193), link-local, shared. */
const LOCAL_NETWORKS = [
  ...['127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', '100.64.0.0/10'],
  ...['::1', 'fc00::/7', 'fe80::/10'],
];

type Zones = Pick<ConfigFile['dns']['zones'], 'addresses' | 'spf_addresses' | 'spf_includes'>;

/** `host` as in upstreams[].host. */
export const isLocalRelay = (host: string, serviceHost: string): boolean =>
  host === 'localhost' || host === serviceHost || isWithin(host, LOCAL_NETWORKS);

const isNamed = (host: string, serviceHost: string, zones: Zones): boolean => {
  const listed = [...zones.addresses, ...zones.spf_addresses];
  if (zones.spf_includes.length > 0) return true;
  if (isLocalRelay(host, serviceHost)) return listed.length > 0;
  return isIP(host) === 0 ? zones.spf_addresses.length > 0 : isWithin(host, listed);
};

/** The smtp upstreams for whose machines dns.zones names nothing. */
export const upstreamsOutsideSpf = <U extends { readonly kind: string; readonly host?: string }>(
  upstreams: readonly U[],
  serviceHost: string,
  zones: Zones,
): U[] => upstreams.filter(({ host }) => host !== undefined && !isNamed(host, serviceHost, zones));
