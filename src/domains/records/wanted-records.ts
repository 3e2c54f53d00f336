// The records that a sending host publishes: DKIM (RFC 6376), SPF of apex and return path (RFC 7208), DMARC (RFC 9989),
// BIMI, and for mail to the host MX, MTA-STS (RFC 8461) and TLS reports (RFC 8460). Lists, checks, the zone export and
// the operator's zones all take their texts from here. An MX on the apex is never asked for, because it would take the
// domain's own mail away. Pure.

import { nothing, say, type Text } from '#src/kernel/say.ts';
import { organizationalDomain } from '#src/mail/organizational-domain.ts';
import type { HostFacts, WantedRecord, WantedRecords } from './host-check.ts';

const MX_PRIORITY = 10;

const KEEP_UNPROXIED = say`Publish it as a plain CNAME: switch a proxy ("DNS only" at some providers) off for this name.`;

const SERVED_HERE = say`This service publishes it itself: there is nothing for you to do.`;

/**
 * The name that has SPF and DMARC for the whole domain. For a managed host that is the host itself: the names above
 * belong to the operator.
 */
export const apexOf = ({ host, kind }: Pick<HostFacts, 'host' | 'kind'>): string =>
  kind === 'managed' ? host : (organizationalDomain(host) ?? host);

type Place = Pick<WantedRecord, 'purpose' | 'name' | 'value'> & { readonly hint?: Text };

const wanted =
  (type: WantedRecord['type']) =>
  (
    { purpose, name, value, hint = type === 'CNAME' ? KEEP_UNPROXIED : nothing }: Place,
    required: boolean,
  ): WantedRecord => ({
    purpose,
    type,
    name,
    value,
    priority: type === 'MX' ? MX_PRIORITY : null,
    required,
    hint,
  });

const cname = wanted('CNAME');
const txt = wanted('TXT');
const mx = wanted('MX');

const keyRecords = ({ host, serviceHost, keys }: HostFacts): WantedRecord[] =>
  keys.map(({ selector, record, imported }) => {
    const name = `${selector}._domainkey.${host}`;
    return imported
      ? txt({ purpose: 'dkim_imported', name, value: record }, true)
      : cname({ purpose: 'dkim', name, value: dkimTarget(selector, serviceHost) }, true);
  });

const bimiRecord = ({ host, bimi }: HostFacts): WantedRecord => {
  const certificate = bimi.certificateUrl === null ? '' : ` a=${bimi.certificateUrl};`;
  return txt(
    {
      purpose: 'bimi',
      name: `default._bimi.${host}`,
      value: `v=BIMI1; l=${bimi.logoUrl ?? `https://${host}/logo.svg`};${certificate}`,
      hint:
        bimi.logoUrl === null
          ? say`Optional. Put the address of your own logo (SVG Tiny PS, by https) in place of the one shown; leave a= out until you have a certificate.`
          : say`Optional. It has an effect only with a DMARC policy of quarantine or reject.`,
    },
    false,
  );
};

/**
 * How others secure mail to `receiver`. The policy is a CNAME, so that a change of it needs no change here.
 */
const transportRecords = (receiver: string, serviceHost: string): WantedRecord[] => [
  cname({ purpose: 'mta_sts', name: `_mta-sts.${receiver}`, value: mtaStsTarget(serviceHost) }, false),
  cname(
    { purpose: 'mta_sts_policy', name: `mta-sts.${receiver}`, value: mtaStsPolicyTarget(serviceHost) },
    false,
  ),
  txt({ purpose: 'tls_rpt', name: `_smtp._tls.${receiver}`, value: tlsReportText(serviceHost) }, false),
];

const hintedFor = (kind: HostFacts['kind'], records: readonly WantedRecord[]): readonly WantedRecord[] =>
  kind === 'managed' ? records.map((record) => ({ ...record, hint: SERVED_HERE })) : records;

/** The host at which mail to a sending host's people is received. */
export const receivingHost = (host: string): string => `in.${host}`;

/** The records that are needed to receive mail there. */
export const receivingRecords = (
  facts: Pick<HostFacts, 'host' | 'kind' | 'serviceHost'>,
): readonly WantedRecord[] => {
  const { host, kind, serviceHost } = facts;
  const receiver = receivingHost(host);
  return hintedFor(kind, [
    mx(
      {
        purpose: 'inbound_mx',
        name: receiver,
        value: serviceHost,
        hint: say`Optional, for receiving mail at addresses of ${receiver}. The MX of ${apexOf(facts)} itself stays as it is.`,
      },
      false,
    ),
    ...transportRecords(receiver, serviceHost),
  ]);
};

export const wantedRecords = (facts: HostFacts): WantedRecords => {
  const { host, serviceHost } = facts;
  const apex = apexOf(facts);
  const returnPath = `bounce.${host}`;
  return {
    host,
    records: hintedFor(facts.kind, [
      ...keyRecords(facts),
      txt(
        {
          purpose: 'spf',
          name: apex,
          value: spfText(serviceHost),
          hint: say`A name may have one SPF record only: where there is one, add the include to it.`,
        },
        true,
      ),
      mx({ purpose: 'mail_from_mx', name: returnPath, value: serviceHost }, true),
      txt({ purpose: 'mail_from_spf', name: returnPath, value: spfText(serviceHost) }, true),
      txt(
        {
          purpose: 'dmarc',
          name: `_dmarc.${apex}`,
          value: dmarcText(serviceHost),
          hint: say`Where there is a DMARC record, keep it; it must not say aspf=s.`,
        },
        true,
      ),
      ...(host === apex
        ? []
        : [
            txt(
              {
                purpose: 'dmarc_subdomain',
                name: `_dmarc.${host}`,
                value: dmarcText(serviceHost),
                hint: say`With the same policy (p=) as at _dmarc.${apex}.`,
              },
              true,
            ),
          ]),
      // The service's own zone has no logos.
      ...(facts.kind === 'custom' ? [bimiRecord(facts)] : []),
    ]),
    inbound: [
      ...receivingRecords(facts),
      ...hintedFor(facts.kind, transportRecords(returnPath, serviceHost)),
    ],
  };
};

/** The name of the SPF record that lists the addresses mail leaves from. */
export const spfTarget = (serviceHost: string): string => `spf.${serviceHost}`;

/** RFC 7208. With `-all` some receivers refuse before they look at the DKIM signature. */
export const spfText = (serviceHost: string): string => `v=spf1 include:${spfTarget(serviceHost)} ~all`;

export const dmarcReports = (serviceHost: string): string => `mailto:dmarc@${serviceHost}`;

/** RFC 9989. Alignment is relaxed, because the return path `bounce.<host>` never matches strictly. */
export const dmarcText = (serviceHost: string): string =>
  `v=DMARC1; p=none; adkim=r; aspf=r; rua=${dmarcReports(serviceHost)}`;

/** RFC 8460 §3. */
export const tlsReportText = (serviceHost: string): string => `v=TLSRPTv1; rua=mailto:tls-rpt@${serviceHost}`;

/** The name of a token's key record (RFC 6376 §3.6.2.1). */
export const dkimTarget = (token: string, serviceHost: string): string => `${token}.dkim.${serviceHost}`;

/** The name of the record with the MTA-STS policy's id (RFC 8461 §3.1). */
export const mtaStsTarget = (serviceHost: string): string => `_mta-sts.${serviceHost}`;

/** The web server of the policy (RFC 8461 §3.3). */
export const mtaStsPolicyTarget = (serviceHost: string): string => `mta-sts.${serviceHost}`;
