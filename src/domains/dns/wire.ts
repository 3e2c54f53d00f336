// Decodes queries and encodes responses (RFC 1035 §4, EDNS RFC 6891). The question is sent back exactly as it came, so
// that the client's use of case survives (0x20) and no unusual name is changed. dns-packet encodes the records; their
// owners are pointers into the question where possible (§4.1.4).
import { answer, name as nameCodec } from 'dns-packet';
import { type ResourceRecord, toComparable, toStrings } from '#src/domains/zones/resource-record.ts';
import { type Query, type Question, type Response, truncate } from './answer.ts';

const HEADER_OCTETS = 12;
/**
 * The longest query that is read, many times a name with EDNS, cookies and padding. Bounds the work per packet.
 */
export const MAX_QUERY_OCTETS = 4_096;
/** Fits the MTU of every path (RFC 9715 recommends at most 1400; 1232 is IPv6's minimum less headers). */
const MAX_UDP_OCTETS = 1_232;
/** What every client accepts by UDP (RFC 1035 §4.2.1), and the least that EDNS may say (RFC 6891 §6.2.5). */
const MIN_UDP_OCTETS = 512;
/** The length by TCP has two octets (RFC 1035 §4.2.2). */
export const MAX_TCP_OCTETS = 65_535;

const MAX_NAME_OCTETS = 255;
const TYPE_OPT = 41;
const FLAG_RESPONSE = 0x8000;
const FLAG_AUTHORITATIVE = 0x0400;
const FLAG_TRUNCATED = 0x0200;
const FLAG_RECURSION_DESIRED = 0x0100;
const FLAG_DNSSEC_OK = 0x8000;
const POINTER = 0xc000;
/** A record's type, class, TTL and length of data. */
const FIXED_RECORD_OCTETS = 10;

const escapeOctet = (character: string): string => `\\${String(character.charCodeAt(0)).padStart(3, '0')}`;

/**
 * The labels of the name at `start`. A question has nothing before it to point to, so there are no pointers. Null:
 * malformed.
 */
const readName = (octets: Buffer, start: number): { labels: string[]; end: number } | null => {
  const labels: string[] = [];
  for (let at = start; at < octets.length && at - start < MAX_NAME_OCTETS; ) {
    const length = octets.readUInt8(at);
    at += 1;
    if (length === 0) return { labels, end: at };
    if (length > 63 || at + length > octets.length) return null;
    labels.push(octets.toString('latin1', at, at + length).replace(/[^!-~]|[.\\]/g, escapeOctet));
    at += length;
  }
  return null;
};

const readQuestion = (octets: Buffer): Question | null => {
  const name = readName(octets, HEADER_OCTETS);
  if (!name || name.end + 4 > octets.length) return null;
  return {
    name: name.labels.join('.'),
    type: octets.readUInt16BE(name.end),
    class: octets.readUInt16BE(name.end + 2),
    octets: octets.subarray(HEADER_OCTETS, name.end + 4),
  };
};

/** The end of the name at `start`; pointers are skipped, not followed. Null: malformed. */
const skipName = (octets: Buffer, start: number): number | null => {
  for (let at = start; at < octets.length; ) {
    const length = octets.readUInt8(at);
    if (length === 0) return at + 1;
    if (length >= 0xc0) return at + 2;
    if (length > 63) return null;
    at += 1 + length;
  }
  return null;
};

/**
 * Reads EDNS of a query whose question ends at `start`. 'malformed': cut short, or OPT twice or not at the root
 * (§6.1.1).
 */
const readEdns = (octets: Buffer, start: number): Query['edns'] | 'malformed' => {
  const others = octets.readUInt16BE(6) + octets.readUInt16BE(8);
  const count = others + octets.readUInt16BE(10);
  let edns: Query['edns'] = null;
  let at = start;
  for (let index = 0; index < count; index += 1) {
    const fixed = skipName(octets, at);
    if (fixed === null || fixed + FIXED_RECORD_OCTETS > octets.length) return 'malformed';
    const next = fixed + FIXED_RECORD_OCTETS + octets.readUInt16BE(fixed + 8);
    if (next > octets.length) return 'malformed';
    if (octets.readUInt16BE(fixed) === TYPE_OPT) {
      if (edns || index < others || fixed !== at + 1) return 'malformed';
      edns = {
        payload: octets.readUInt16BE(fixed + 2),
        version: octets.readUInt8(fixed + 5),
        dnssecOk: (octets.readUInt16BE(fixed + 6) & FLAG_DNSSEC_OK) !== 0,
      };
    }
    at = next;
  }
  return edns;
};

/** Null if there is nothing to answer: no header, or a response. A query without `question` gets FORMERR. */
export const decodeQuery = (octets: Buffer): Query | null => {
  if (octets.length < HEADER_OCTETS) return null;
  const flags = octets.readUInt16BE(2);
  if (flags & FLAG_RESPONSE) return null;
  const header = {
    id: octets.readUInt16BE(0),
    opcode: (flags >> 11) & 0xf,
    recursionDesired: (flags & FLAG_RECURSION_DESIRED) !== 0,
  };
  const unread: Query = { ...header, question: null, edns: null };
  if (octets.length > MAX_QUERY_OCTETS || octets.readUInt16BE(4) !== 1) return unread;
  const question = readQuestion(octets);
  if (!question) return unread;
  const edns = readEdns(octets, HEADER_OCTETS + question.octets.length);
  return edns === 'malformed' ? unread : { ...header, question, edns };
};

/** The longest response by UDP, in octets. */
export const udpLimit = (query: Query): number =>
  query.edns ? Math.min(MAX_UDP_OCTETS, Math.max(MIN_UDP_OCTETS, query.edns.payload)) : MIN_UDP_OCTETS;

/** Offsets in the message of each name that the question's name ends in. */
const questionOffsets = (question: Question): Map<string, number> => {
  const offsets = new Map<string, number>();
  const labels = toComparable(question.name).split('.');
  let offset = HEADER_OCTETS;
  for (const [index, label] of labels.entries()) {
    if (label !== '') offsets.set(labels.slice(index).join('.'), offset);
    offset += 1 + label.replace(/\\\d{3}/g, '_').length;
  }
  return offsets;
};

const encodeOwner = (owner: string, offsets: ReadonlyMap<string, number>): Buffer => {
  const offset = offsets.get(owner);
  if (offset === undefined) return nameCodec.encode(owner);
  const pointer = Buffer.alloc(2);
  pointer.writeUInt16BE(POINTER | offset);
  return pointer;
};

/** dns-packet writes the record with the root as owner, one octet, which is replaced by the real owner. */
const encodeRecord = (record: ResourceRecord, offsets: ReadonlyMap<string, number>): Buffer => {
  const data = record.type === 'TXT' ? toStrings(record.data) : record.data;
  const encoded = answer.encode({ name: '.', type: record.type, ttl: record.ttl, data });
  return Buffer.concat([encodeOwner(record.name, offsets), encoded.subarray(1, answer.encode.bytes)]);
};

const encodeOpt = (edns: NonNullable<Query['edns']>, rcode: number): Buffer =>
  answer.encode({
    name: '.',
    type: 'OPT',
    udpPayloadSize: MAX_UDP_OCTETS,
    extendedRcode: rcode >> 4,
    ednsVersion: 0,
    flags: edns.dnssecOk ? FLAG_DNSSEC_OK : 0,
    options: [],
  });

/** The response as octets: whole if it fits `limit`, else truncated to its question. */
export const encodeResponse = (query: Query, response: Response, limit: number): Buffer => {
  const offsets = query.question ? questionOffsets(query.question) : new Map<string, number>();
  const sections = [response.answers, response.authorities];
  const header = Buffer.alloc(HEADER_OCTETS);
  header.writeUInt16BE(query.id, 0);
  header.writeUInt16BE(
    FLAG_RESPONSE |
      (query.opcode << 11) |
      (response.authoritative ? FLAG_AUTHORITATIVE : 0) |
      (response.truncated ? FLAG_TRUNCATED : 0) |
      (query.recursionDesired ? FLAG_RECURSION_DESIRED : 0) |
      (response.rcode & 0xf),
    2,
  );
  header.writeUInt16BE(query.question ? 1 : 0, 4);
  header.writeUInt16BE(response.answers.length, 6);
  header.writeUInt16BE(response.authorities.length, 8);
  header.writeUInt16BE(query.edns ? 1 : 0, 10);
  const octets = Buffer.concat([
    header,
    ...(query.question ? [query.question.octets] : []),
    ...sections.flat().map((record) => encodeRecord(record, offsets)),
    ...(query.edns ? [encodeOpt(query.edns, response.rcode)] : []),
  ]);
  if (octets.length <= limit || response.truncated) return octets;
  return encodeResponse(query, truncate(response), limit);
};
