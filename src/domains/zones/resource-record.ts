// Resource records of the service's own zones (RFC 1035 §3.2, RFC 3596) as plain values, and as lines of a zone file
// (§5). Names are in lower case, absolute, and without the trailing dot.

/** `name` is the owner of the record, `ttl` is in seconds. */
interface Owned {
  readonly name: string;
  readonly ttl: number;
}

/** `rname` is the mailbox as a domain name; dots in its local part are written `\.` (RFC 1035 §8). */
interface StartOfAuthority {
  readonly mname: string;
  readonly rname: string;
  readonly serial: number;
  readonly refresh: number;
  readonly retry: number;
  readonly expire: number;
  readonly minimum: number;
}

export type SoaRecord = Owned & { readonly type: 'SOA'; readonly data: StartOfAuthority };
export type MxRecord = Owned & {
  readonly type: 'MX';
  readonly data: { readonly preference: number; readonly exchange: string };
};
/** `data` is an address, a name or the whole text. */
export type PlainRecord = Owned & {
  readonly type: 'A' | 'AAAA' | 'NS' | 'CNAME' | 'TXT';
  readonly data: string;
};

export type ResourceRecord = PlainRecord | MxRecord | SoaRecord;
export type RecordType = ResourceRecord['type'];

/** The length of a character-string is one octet (RFC 1035 §3.3). */
const MAX_STRING_OCTETS = 255;

/**
 * Splits the text of a TXT record into character-strings, which readers join without a separator (RFC 7208 §3.3).
 */
export const toStrings = (text: string): Buffer[] => {
  const octets = Buffer.from(text);
  const strings: Buffer[] = [];
  for (let start = 0; start === 0 || start < octets.length; start += MAX_STRING_OCTETS)
    strings.push(octets.subarray(start, start + MAX_STRING_OCTETS));
  return strings;
};

/** A name in comparable form: ASCII lower case (RFC 4343), no trailing dot. */
export const toComparable = (name: string): string =>
  name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()).replace(/\.$/, '');

/** Whether `name` is `ancestor` or below it. Both are comparable. */
export const isWithin = (name: string, ancestor: string): boolean =>
  name === ancestor || name.endsWith(`.${ancestor}`);

const absolute = (name: string): string => `${name}.`;

/** A character-string in quotes: `"` and `\` are escaped, unprintable octets are written `\DDD`. */
const quoted = (octets: Buffer): string => {
  const text = octets.toString('latin1').replace(/["\\]|[^ -~]/g, (character) => {
    if (character === '"' || character === '\\') return `\\${character}`;
    return `\\${String(character.charCodeAt(0)).padStart(3, '0')}`;
  });
  return `"${text}"`;
};

/** A text as the character-strings of a TXT record (RFC 1035 §5.1). */
export const textData = (text: string): string => toStrings(text).map(quoted).join(' ');

const dataText = (record: ResourceRecord): string => {
  switch (record.type) {
    case 'A':
    case 'AAAA':
      return record.data;
    case 'NS':
    case 'CNAME':
      return absolute(record.data);
    case 'MX':
      return `${record.data.preference} ${absolute(record.data.exchange)}`;
    case 'TXT':
      return textData(record.data);
    case 'SOA': {
      const { mname, rname, serial, refresh, retry, expire, minimum } = record.data;
      return [absolute(mname), absolute(rname), serial, refresh, retry, expire, minimum].join(' ');
    }
    default:
      return record satisfies never;
  }
};

/**
 * One line for each record, in the given order; the SOA must come first. Names are absolute and lines are whole, so
 * that lines can be sorted, compared and cut without regard to $ORIGIN or $TTL.
 */
export function* zoneFile(records: Iterable<ResourceRecord>): Generator<string> {
  for (const record of records)
    yield `${absolute(record.name)} ${record.ttl} IN ${record.type} ${dataText(record)}\n`;
}
