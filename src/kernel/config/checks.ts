// Checks keys that depend on each other, and the files they name. Sections with problems of their own are absent here,
// so that the others are still checked in the same run.

import { isWithin } from '#src/kernel/ip-networks.ts';
import { type Stream, streams } from '#src/kernel/stream.ts';
import type { Path } from '#src/kernel/yaml-file.ts';
import { waitsForNotices } from './delivery.ts';
import type { ConfigFile } from './schema.ts';
import { checkAuthorities, checkFile, type Findings } from './secrets.ts';
import { upstreamsOutsideSpf } from './sender-policy.ts';
import { checkTls } from './tls.ts';
import { hostInZone, isLoopback } from './values.ts';

type Sections = Partial<ConfigFile>;

/** Names below service.host that the service's own zone uses. */
const OWN_LABELS = ['dkim', 'spf', 'bounce', 'simulator', 'mta-sts', 'ns1'];

/** 253 (RFC 1035 §2.3.4 as text) less the longest name below: that of a key of a managed host. */
const MAX_ZONE_CHARACTERS = 114;

const hostOf = (url: string): string => new URL(url).hostname.replace(/^\[|\]$/g, '');

const checkService = ({ service }: Sections, { problem, warning }: Findings): void => {
  if (!service) return;
  const { host, managed_suffix, public_origin } = service;
  for (const key of ['host', 'managed_suffix'] as const)
    if (service[key].length > MAX_ZONE_CHARACTERS)
      problem(
        ['service', key],
        `at most ${MAX_ZONE_CHARACTERS} characters, because names of tenants are below it`,
        `${service[key].length}`,
      );
  if (hostInZone(host, managed_suffix))
    problem(
      ['service', 'host'],
      `a host outside service.managed_suffix (${managed_suffix}), whose names belong to tenants`,
      JSON.stringify(host),
    );
  const own = OWN_LABELS.find((label) => hostInZone(managed_suffix, `${label}.${host}`));
  if (own)
    problem(
      ['service', 'managed_suffix'],
      `a zone other than ${own}.${host}, which the service itself uses`,
      JSON.stringify(managed_suffix),
    );
  if (public_origin.startsWith('http:') && !isLoopback(new URL(public_origin).hostname))
    warning(
      ['service', 'public_origin'],
      'not https: messages get no unsubscribe link, and sign-in travels in clear',
    );
};

const checkFiles = ({ smtp, upstreams, scanners, security }: Sections, findings: Findings): void => {
  if (security?.outbound_ca_file !== undefined)
    checkAuthorities(['security', 'outbound_ca_file'], security.outbound_ca_file, findings);
  for (const listener of ['inbound', 'submission'] as const) {
    const tls = smtp?.[listener]?.tls;
    if (!tls) continue;
    checkFile(['smtp', listener, 'tls', 'cert'], tls.cert, false, findings);
    checkFile(['smtp', listener, 'tls', 'key'], tls.key, true, findings);
  }
  for (const [index, upstream] of (upstreams ?? []).entries())
    if (upstream.kind === 'smtp' && upstream.ca_file !== undefined)
      checkAuthorities(['upstreams', index, 'ca_file'], upstream.ca_file, findings);
  if (scanners?.link_blocklist_file !== undefined)
    checkFile(['scanners', 'link_blocklist_file'], scanners.link_blocklist_file, false, findings);
};

const checkUpstreams = ({ upstreams = [] }: Sections, { problem, warning }: Findings): void => {
  const isCarried = (stream: Stream): boolean =>
    upstreams.some(
      ({ for: named }) =>
        named === undefined || (named.practices === undefined && named.streams?.includes(stream)),
    );
  const left = upstreams.length > 0 ? streams.filter((stream) => !isCarried(stream)) : [];
  if (left.length > 0)
    problem(
      ['upstreams'],
      `an upstream without \`for\`, because none is left for ${left.join(' and ')} mail that no upstream names`,
      'none',
    );
  for (const [index, upstream] of upstreams.entries()) {
    const first = upstreams.findIndex(({ name }) => name === upstream.name);
    if (first < index)
      problem(
        ['upstreams', index, 'name'],
        'a name of its own',
        `${JSON.stringify(upstream.name)}, which is upstreams[${first}]`,
      );
    if (upstream.name === 'simulator')
      problem(['upstreams', index, 'name'], 'a name other than that of the mailbox simulator', '"simulator"');
    if (upstream.kind !== 'smtp') continue;
    const { host, tls, user } = upstream;
    const hasPassword = upstream.password_file !== undefined || upstream.password_env !== undefined;
    if (user !== undefined && !hasPassword)
      problem(['upstreams', index, 'user'], 'password_file or password_env beside it', 'neither');
    if (user === undefined && hasPassword) problem(['upstreams', index], 'user beside the password', 'none');
    if (tls === 'none' && !isLoopback(host))
      warning(
        ['upstreams', index, 'tls'],
        `none: everything sent to ${host} travels in clear${hasPassword ? ', except the password, which is not sent at all: signing in will fail' : ''}`,
      );
    if (tls === 'opportunistic' && hasPassword && !isLoopback(host))
      warning(
        ['upstreams', index, 'tls'],
        `opportunistic: an attacker between here and ${host} can read the password`,
      );
  }
};

const NOT_IN_SPF =
  'the SPF record of this service names no machine of it, so that receivers see its mail as forged: set dns.zones.spf_includes to the SPF domain that its provider names, or dns.zones.spf_addresses to its addresses';

const checkSenderPolicy = ({ service, upstreams, dns }: Sections, { warning }: Findings): void => {
  if (!service || !upstreams || !dns) return;
  for (const upstream of upstreamsOutsideSpf(upstreams, service.host, dns.zones))
    warning(['upstreams', upstreams.indexOf(upstream)], NOT_IN_SPF);
};

/** Names and addresses that no one owns, for examples (RFC 2606 §3, RFC 5737, RFC 3849). */
const EXAMPLE_NAME = /(?:^|[@.])example(?:\.(?:com|net|org))?$/;
const EXAMPLE_NETWORKS = ['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '2001:db8::/32'];
const isExample = (text: string): boolean => EXAMPLE_NAME.test(text) || isWithin(text, EXAMPLE_NETWORKS);

/** The example file is meant to be changed, and the service would start with its names and be reached by no one. */
const checkExampleNames = ({ service, upstreams = [], dns, smtp }: Sections, { warning }: Findings): void => {
  const zones = dns?.zones;
  const used: [Path, string | readonly string[] | undefined][] = [
    [['service', 'public_origin'], service && hostOf(service.public_origin)],
    [['service', 'host'], service?.host],
    [['service', 'managed_suffix'], service?.managed_suffix],
    ...upstreams.map((one, index): [Path, string | undefined] => [
      ['upstreams', index, 'host'],
      one.kind === 'smtp' ? one.host : undefined,
    ]),
    [['dns', 'zones', 'addresses'], zones?.addresses],
    [['dns', 'zones', 'spf_includes'], zones?.spf_includes],
    [['dns', 'zones', 'spf_addresses'], zones?.spf_addresses],
    [['dns', 'zones', 'nameservers'], zones?.nameservers],
    [['dns', 'zones', 'hostmaster'], zones?.hostmaster],
    [['smtp', 'inbound', 'postmaster'], smtp?.inbound?.postmaster],
  ];
  for (const [path, value] of used) {
    const left = [value ?? []].flat().filter(isExample);
    if (left.length > 0) warning(path, `${left.join(', ')} is from the example: set your own`);
  }
};

/** Under an https origin the service is meant for others, and what the capture mailbox gets reaches none of them. */
const checkCapture = ({ service, upstreams = [] }: Sections, { warning }: Findings): void => {
  if (!service?.public_origin.startsWith('https:')) return;
  for (const [index, { kind, name, for: named }] of upstreams.entries())
    if (kind === 'capture' && named === undefined)
      warning(
        ['upstreams', index],
        `${name} keeps mail on this machine and delivers none, although service.public_origin is https: set an smtp upstream instead`,
      );
};

const checkSecurity = ({ dns, security }: Sections, { warning }: Findings): void => {
  if (dns?.authoritative && dns.zones.addresses.length === 0)
    warning(
      ['dns', 'zones', 'addresses'],
      'none given: service.host and its name server get no A or AAAA record',
    );
  if (security && security.outbound_allow.length > 0)
    warning(
      ['security', 'outbound_allow'],
      `webhooks and alerts may reach ${security.outbound_allow.join(', ')}`,
    );
  if (security?.outbound_allow_http)
    warning(['security', 'outbound_allow_http'], 'webhooks and alerts may use http, unencrypted');
};

/** Numbers tell strangers how much is sent, and by whom it leaves. */
const checkMetrics = ({ metrics }: Sections, { warning }: Findings): void => {
  const { listen, token_file, token_env } = metrics ?? {};
  if (listen && !isLoopback(listen.host) && token_file === undefined && token_env === undefined)
    warning(
      ['metrics', 'listen'],
      'others can reach it and there is no token: whoever does may read the metrics; set token_file',
    );
};

const checkProviders = ({ dns, billing }: Sections, { problem }: Findings): void => {
  const used: [Path, string | undefined][] = [
    [['dns', 'provider', 'api'], dns?.provider?.api],
    [['billing', 'stripe', 'api_base'], billing?.stripe?.api_base],
  ];
  for (const [path, api] of used)
    if (api?.startsWith('http:') && !isLoopback(hostOf(api)))
      problem(path, 'an https address, because the token goes there', JSON.stringify(api));
};

/**
 * clamd knows neither users nor TLS, and rspamd's worker has no password, so content for them is readable on the way.
 */
const checkScanners = ({ scanners, smtp }: Sections, { problem, warning }: Findings): void => {
  const { rspamd, clamd } = scanners ?? {};
  const clear = 'content travels to it in clear; use one on this machine';
  if (rspamd?.url.startsWith('http:') && !isLoopback(hostOf(rspamd.url)))
    warning(['scanners', 'rspamd', 'url'], clear);
  if (clamd && !clamd.address.startsWith('/') && !isLoopback(hostOf(`http://${clamd.address}`)))
    warning(['scanners', 'clamd', 'address'], clear);
  for (const [path, { dnsbl = [] } = {}] of [
    [['scanners'], scanners],
    [['smtp', 'inbound'], smtp?.inbound],
  ] as const)
    for (const [index, zone] of dnsbl.entries())
      if (dnsbl.indexOf(zone) < index)
        problem([...path, 'dnsbl', index], 'each list once', JSON.stringify(zone));
};

const checkInbound = (
  { service, smtp, tls, upstreams = [] }: Sections,
  { problem, warning }: Findings,
): void => {
  const inbound = smtp?.inbound;
  if (smtp && !inbound && upstreams.some(({ kind }) => kind === 'smtp'))
    warning(
      ['smtp', 'inbound'],
      `none: bounces, complaints and replies to what is sent have no listener, and no one learns of them${upstreams.some(waitsForNotices) ? '; no mail is ever `delivered`, because delivery notices would come in there' : ''}`,
    );
  if (!inbound) return;
  if (!inbound.tls && tls && !tls.acme)
    warning(
      ['smtp', 'inbound', 'tls'],
      'none: a self-signed certificate is used, and servers that ask for a valid one (MTA-STS, DANE) deliver nothing; set tls.acme, or cert and key to the files of a certificate for service.host',
    );
  const host = inbound.postmaster?.split('@').at(-1) ?? '';
  const own = [service?.host, service?.managed_suffix].find((zone) => zone && hostInZone(host, zone));
  if (own)
    problem(
      ['smtp', 'inbound', 'postmaster'],
      `an address outside ${own}: what is sent there would come back here`,
      JSON.stringify(inbound.postmaster),
    );
};

const checkSubmission = ({ smtp, tls }: Sections, { problem, warning }: Findings): void => {
  const submission = smtp?.submission;
  if (!submission) return;
  const { listen, implicit_listen } = submission;
  const hasCertificate = (submission.tls ?? smtp?.inbound?.tls ?? tls?.acme) !== undefined;
  if (!listen && !implicit_listen)
    problem(['smtp', 'submission'], 'listen or implicit_listen, or both', 'neither');
  if (hasCertificate) return;
  if (implicit_listen)
    problem(
      ['smtp', 'submission', 'implicit_listen'],
      'tls beside it or at smtp.inbound, or tls.acme',
      'none',
    );
  warning(
    ['smtp', 'submission'],
    'no certificate, neither here nor at smtp.inbound, and no tls.acme: clients can sign in from this machine only',
  );
};

export const checkSections = (sections: Sections, findings: Findings): void => {
  checkService(sections, findings);
  checkFiles(sections, findings);
  checkUpstreams(sections, findings);
  checkSenderPolicy(sections, findings);
  checkCapture(sections, findings);
  checkExampleNames(sections, findings);
  checkSecurity(sections, findings);
  checkProviders(sections, findings);
  checkMetrics(sections, findings);
  checkScanners(sections, findings);
  checkInbound(sections, findings);
  checkSubmission(sections, findings);
  checkTls(sections, findings);
};
