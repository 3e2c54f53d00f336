// A zone as text (RFC 1035 §5), for operators who serve it with a name server of their own. Every name is absolute and
// every line whole, so that lines can be sorted, compared and cut without regard to $ORIGIN or $TTL.
import { type ResourceRecord, toStrings } from './resource-record.ts';

const absolute = (name: string): string => `${name}.`;

/** A character-string in quotes: `"` and `\` escaped, what cannot be printed as `\DDD`. */
const quoted = (octets: Buffer): string => {
  const text = octets.toString('latin1').replace(/["\\]|[^ -~]/g, (character) => {
    if (character === '"' || character === '\\') return `\\${character}`;
    return `\\${String(character.charCodeAt(0)).padStart(3, '0')}`;
  });
  return `"${text}"`;
};

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
      return toStrings(record.data).map(quoted).join(' ');
    case 'SOA': {
      const { mname, rname, serial, refresh, retry, expire, minimum } = record.data;
      return [absolute(mname), absolute(rname), serial, refresh, retry, expire, minimum].join(' ');
    }
    default:
      return record satisfies never;
  }
};

/** The records' lines, each with its line feed, in the order given: SOA has to come first. */
export function* zoneFile(records: Iterable<ResourceRecord>): Generator<string> {
  for (const record of records)
    yield `${absolute(record.name)} ${record.ttl} IN ${record.type} ${dataText(record)}\n`;
}
