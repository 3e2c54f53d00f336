// Answers a query as an authoritative server (RFC 1034 §4.3.2, negative answers RFC 2308, EDNS RFC 6891, ANY RFC 8482),
// from the decoded query to the sections of the response. It answers for its own zones only: no recursion, no zone
// transfer, no update, no DNSSEC. Pure.
import {
  type PlainRecord,
  type RecordType,
  type ResourceRecord,
  type SoaRecord,
  toComparable,
} from '#src/domains/zones/resource-record.ts';
import type { ResolvedName, Zones } from '#src/domains/zones/zone.ts';

/** Response codes (RFC 1035 §4.1.1; BADVERS RFC 6891 §9, whose upper bits are in the OPT record). */
export const rcodes = {
  NOERROR: 0,
  FORMERR: 1,
  SERVFAIL: 2,
  NXDOMAIN: 3,
  NOTIMP: 4,
  REFUSED: 5,
  BADVERS: 16,
} as const;
export type Rcode = (typeof rcodes)[keyof typeof rcodes];

export const recordTypeNumbers: Readonly<Record<RecordType, number>> = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  MX: 15,
  TXT: 16,
  AAAA: 28,
};
const TYPE_IXFR = 251;
const TYPE_AXFR = 252;
const TYPE_ANY = 255;
const CLASS_IN = 1;
const OPCODE_QUERY = 0;
/** RFC 6891 knows only this version. */
const EDNS_VERSION = 0;
/** Our chains have one link (a managed host's key, then the service's); more would be a loop. */
const MAX_CNAME_HOPS = 4;

export interface Question {
  /**
   * The name in presentation form, in the client's case, without trailing dot, unusual octets as `\DDD`; '' is the
   * root.
   */
  readonly name: string;
  readonly type: number;
  readonly class: number;
  /** The question section as it came; it is sent back unchanged. */
  readonly octets: Buffer;
}

export interface Query {
  readonly id: number;
  readonly opcode: number;
  readonly recursionDesired: boolean;
  /** Null if there is not exactly one question, or if the message cannot be read. */
  readonly question: Question | null;
  /** `payload` is the UDP size that the client accepts, in octets. */
  readonly edns: { readonly version: number; readonly payload: number; readonly dnssecOk: boolean } | null;
}

export interface Response {
  readonly rcode: Rcode;
  readonly authoritative: boolean;
  readonly truncated: boolean;
  readonly answers: readonly ResourceRecord[];
  readonly authorities: readonly ResourceRecord[];
}

/** A response with a code and nothing else. */
export const bare = (rcode: Rcode): Response => ({
  rcode,
  authoritative: false,
  truncated: false,
  answers: [],
  authorities: [],
});

/** The client must ask again by TCP (RFC 2181 §9: no part of an RRset is left in the response). */
export const truncate = (response: Response): Response => ({
  ...response,
  truncated: true,
  answers: [],
  authorities: [],
});

const positive = (answers: readonly ResourceRecord[]): Response => ({
  ...bare(rcodes.NOERROR),
  authoritative: true,
  answers,
});

/**
 * NODATA or NXDOMAIN. The SOA says how long to cache it: the smaller of its TTL and minimum (RFC 2308 §3).
 */
const negative = (rcode: Rcode, answers: readonly ResourceRecord[], soa: SoaRecord): Response => ({
  ...positive(answers),
  rcode,
  authorities: [{ ...soa, ttl: Math.min(soa.ttl, soa.data.minimum) }],
});

/** The records of the type; for ANY the first RRset only (RFC 8482 §4.1). */
const select = (found: ResolvedName, type: number): ResourceRecord[] => {
  const wanted = type === TYPE_ANY && found.records[0] ? recordTypeNumbers[found.records[0].type] : type;
  return found.records.filter((record) => recordTypeNumbers[record.type] === wanted);
};

const isAlias = (record: ResourceRecord): record is PlainRecord => record.type === 'CNAME';

/** Follows CNAMEs inside our zones; the code is that of the last name (RFC 6604 §3). */
const lookUp = (question: Question, zones: Zones): Response => {
  const answers: ResourceRecord[] = [];
  let name = toComparable(question.name);
  for (let hop = 0; hop <= MAX_CNAME_HOPS; hop += 1) {
    const found = zones.resolveName(name);
    if (!found) return hop === 0 ? bare(rcodes.REFUSED) : positive(answers);
    if (!found.exists) return negative(rcodes.NXDOMAIN, answers, found.soa);
    const matching = select(found, question.type);
    if (matching.length > 0) return positive([...answers, ...matching]);
    const alias = found.records.find(isAlias);
    if (!alias) return negative(rcodes.NOERROR, answers, found.soa);
    answers.push(alias);
    name = toComparable(alias.data);
  }
  return positive(answers);
};

/** Throws only what `zones` throws. */
export const answerQuery = (query: Query, zones: Zones): Response => {
  const { question } = query;
  if (query.opcode !== OPCODE_QUERY) return bare(rcodes.NOTIMP);
  if (!question) return bare(rcodes.FORMERR);
  if (query.edns && query.edns.version !== EDNS_VERSION) return bare(rcodes.BADVERS);
  if (question.class !== CLASS_IN) return bare(rcodes.REFUSED);
  if (question.type === TYPE_AXFR || question.type === TYPE_IXFR) return bare(rcodes.REFUSED);
  return lookUp(question, zones);
};
