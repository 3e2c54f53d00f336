// Resource records as the service's own zones hold them (RFC 1035 §3.2, RFC 3596): plain values that the DNS listener
// encodes and the zone file prints. Names are lower-case, absolute, without the trailing dot.

/** What every record has: `name` is its owner, `ttl` is in seconds. */
interface Owned {
  readonly name: string;
  readonly ttl: number;
}

/** `rname` is the mailbox as a domain name, dots of its local part written `\.` (RFC 1035 §8). */
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

/** A character-string's length is one octet (RFC 1035 §3.3). */
const MAX_STRING_OCTETS = 255;

/** A TXT record's text as its character-strings, which readers join without a separator (RFC 7208 §3.3). */
export const toStrings = (text: string): Buffer[] => {
  const octets = Buffer.from(text);
  const strings: Buffer[] = [];
  for (let start = 0; start === 0 || start < octets.length; start += MAX_STRING_OCTETS)
    strings.push(octets.subarray(start, start + MAX_STRING_OCTETS));
  return strings;
};

/** A name as it is compared: ASCII lower case (RFC 4343), no trailing dot. */
export const toComparable = (name: string): string =>
  name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()).replace(/\.$/, '');

/** Whether `name` is `ancestor` or lies below it. Both comparable. */
export const isWithin = (name: string, ancestor: string): boolean =>
  name === ancestor || name.endsWith(`.${ancestor}`);
