// The records of a sending host as a zone file (RFC 1035 §5), for the import that DNS providers offer. An import adds
// and never replaces, so a record that exists already and may exist only once is left out, with a comment. The
// service's own zones are in zone.ts. Pure.

import { inEnglish } from '#src/kernel/say.ts';
import { isWithin, type ResourceRecord, type SoaRecord, zoneFile } from '../zones/resource-record.ts';
import type { CheckedRecord, HostCheck, HostFacts, WantedRecord, WantedRecords } from './host-check.ts';

export interface ZoneExport {
  /** The zone, without the trailing dot. */
  readonly apex: string;
  /** Host of the service that the records are for. */
  readonly serviceHost: string;
  readonly kind: HostFacts['kind'];
  readonly wanted: WantedRecords;
  /** False: the BIMI record shows a placeholder instead of the domain's own logo. */
  readonly hasLogo: boolean;
  /** The last check; null if there was none. */
  readonly check: HostCheck | null;
  /** Name servers of the apex; empty if the lookup did not succeed. */
  readonly nameservers: readonly string[];
  /** 32 bits. */
  readonly serial: number;
}

const TTL_S = 3_600;
/** A zone file without NS lines is invalid; these names cannot exist (RFC 6761 §6.4). */
const PLACEHOLDERS = ['ns1.name-server.invalid', 'ns2.name-server.invalid'];
/** Some providers put imported records behind a proxy without this; others read it as a comment. */
const UNPROXIED = 'cf_tags=cf-proxied:false';
const MAX_COMMENT_CHARACTERS = 4_000;
/** The root has 13; a hostile zone may name thousands. */
const MAX_NAMESERVERS = 13;
/** A name from the DNS can hold any octet; in a zone file a space begins the next field. */
const HOST_NAME = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/i;

/** Outside text can hold anything; a line break would begin a record. */
const comment = (text: string): string => {
  const line = text
    .replace(/[^ -~]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .slice(0, MAX_COMMENT_CHARACTERS);
  return line === '' ? ';\n' : `; ${line}\n`;
};

const toResourceRecord = ({ name, type, value, priority }: WantedRecord): ResourceRecord =>
  type === 'MX'
    ? { name, type, ttl: TTL_S, data: { preference: priority ?? 0, exchange: value } }
    : { name, type, ttl: TTL_S, data: value };

const lineOf = (record: WantedRecord): string => [...zoneFile([toResourceRecord(record)])].join('').trimEnd();

const recordLine = (record: WantedRecord): string =>
  `${lineOf(record)}${record.type === 'CNAME' ? ` ; ${UNPROXIED}` : ''}\n`;

const commentedOut = (record: WantedRecord, reason: string): string =>
  comment(reason) + comment(lineOf(record));

/** Only one TXT of each kind may exist at its name; with two of them receivers use none. */
const textLines = (record: WantedRecord, found: CheckedRecord | undefined, hasLogo: boolean): string => {
  if (record.purpose === 'bimi' && !hasLogo)
    return commentedOut(record, 'Optional: publish this by hand once your logo is at such an address:');
  if (!found) return recordLine(record);
  const healed = { ...record, value: found.value };
  // The check says which policy the host's DMARC record must copy from its domain.
  if (found.status === 'missing') return recordLine(record.purpose === 'dmarc_subdomain' ? healed : record);
  switch (found.status) {
    case 'ok':
      return commentedOut(healed, 'Left out, because it is already there and right:');
    case 'error':
      return (
        comment(
          `Left out, because it could not be found out whether there is one. ${inEnglish(found.hint)}`,
        ) +
        // The lookup that failed may be the one for the policy to copy.
        (record.purpose === 'dmarc_subdomain'
          ? ''
          : commentedOut(
              record,
              'Publish it by hand if there is none, and never a second one beside another:',
            ))
      );
    case 'mismatch':
    case 'multiple':
    case 'proxied':
      return (
        comment(`Left out, because there is one that is to be changed. ${inEnglish(found.hint)}`) +
        commentedOut(healed, 'By hand, replace the record that is there by this one:')
      );
    default:
      return found.status satisfies never;
  }
};

const isInTheWay = ({ status, found }: CheckedRecord): boolean =>
  (status === 'mismatch' || status === 'multiple' || status === 'proxied') && found.length > 0;

const otherLines = (record: WantedRecord, found: CheckedRecord | undefined): string =>
  (found && isInTheWay(found)
    ? comment(`Before the import, remove what is at ${found.name}: ${found.found.join(', ')}`)
    : '') + recordLine(record);

const keyOf = ({ purpose, type, name }: WantedRecord): string => `${purpose} ${type} ${name}`;

const startOfAuthority = (apex: string, mname: string, serial: number): SoaRecord => ({
  name: apex,
  type: 'SOA',
  ttl: TTL_S,
  data: {
    mname,
    rname: `hostmaster.${apex}`,
    serial: serial >>> 0,
    refresh: 3_600,
    retry: 600,
    expire: 1_209_600,
    minimum: 300,
  },
});

/** ASCII text; every line ends with a line feed. */
export const zoneExport = ({
  apex,
  serviceHost,
  kind,
  wanted,
  hasLogo,
  check,
  nameservers,
  serial,
}: ZoneExport): string => {
  // A name server inside the zone would need its addresses in the file, and importing wrong ones does harm.
  const outside = nameservers
    .filter((name) => HOST_NAME.test(name) && !isWithin(name, apex))
    .slice(0, MAX_NAMESERVERS);
  const shown = outside.length > 0 ? outside : PLACEHOLDERS;
  const [primary = ''] = shown;
  const found = new Map(
    [...(check?.records ?? []), ...(check?.inbound ?? [])].map((record) => [keyOf(record), record]),
  );
  const section = (title: string, records: readonly WantedRecord[]): string[] => [
    comment(''),
    comment(title),
    ...records.map((record) =>
      record.type === 'TXT'
        ? textLines(record, found.get(keyOf(record)), hasLogo)
        : otherLines(record, found.get(keyOf(record))),
    ),
  ];
  const frame: ResourceRecord[] = [
    startOfAuthority(apex, primary, serial),
    ...shown.map((name): ResourceRecord => ({ name: apex, type: 'NS', ttl: TTL_S, data: name })),
  ];
  return [
    comment(
      `Records of ${wanted.host}, for sending mail by ${serviceHost}. To be imported into the zone ${apex}.`,
    ),
    ...(kind === 'managed' ? [comment('The service serves them itself: there is nothing to import.')] : []),
    ...(check === null && kind === 'custom'
      ? [
          comment(
            'The DNS of the domain was never checked here. If it has an SPF or a DMARC record already,',
          ),
          comment('remove the new one from this file and change the old one by hand.'),
        ]
      : []),
    comment('SOA and NS are here because a zone file needs them: an import leaves yours as they are.'),
    ...zoneFile(frame),
    ...section(
      'Needed for sending',
      wanted.records.filter(({ required }) => required),
    ),
    ...section('Optional', [...wanted.records.filter(({ required }) => !required), ...wanted.inbound]),
  ].join('');
};
