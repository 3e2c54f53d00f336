// Checks the evidence of one person's consent, without the service: its signature, each entry with what it says and names, and the
// way from the first entry to the head. That these are all entries of the person is what the signature says; no chain can show it.
import { createHash } from 'node:crypto';
import { signatureFault } from '#src/kernel/evidence-key.ts';
import { contentFault, type DocumentState, type Fault } from './content-rules.ts';
import { canonicalJson, digestOf, genesisOf, hashOf, reachOf, withheldMails } from './entry.ts';
import { type Evidence, evidenceSchema } from './evidence-schema.ts';

export interface EvidenceCheck {
  /** Null: it is no evidence. */
  readonly evidence: Evidence | null;
  /** The first wrong entry, and what is wrong with the signature. */
  readonly faults: readonly Fault[];
}

type Entry = Evidence['entries'][number];
type Place = Pick<Entry, 'seq' | 'hash'>;

const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex');

const entryFault = (entry: Entry, documentState: (hash: string) => DocumentState): string | null => {
  const { seq, id, person, facts, openings, former, reached, hash } = entry;
  const facts_json = canonicalJson(facts);
  const digest = digestOf({ seq, id, person: bytes(person), facts_json });
  const found = hashOf({ seq, former: bytes(former), reached: bytes(reached), digest });
  if (!found.equals(bytes(hash))) return 'it is not what was written: its hash does not follow from it';
  return contentFault(facts_json, JSON.stringify(openings), documentState);
};

/** Whether the links lead from one place to the other. */
const leads = (from: Place, links: Evidence['links'][number], to: Place): boolean => {
  let at = from;
  for (const { seq, former, reached, digest } of links) {
    const isNext = seq - 1 === at.seq && former === at.hash;
    const isReached = reachOf(seq) === at.seq && reached === at.hash;
    if (seq <= at.seq || !(isNext || isReached)) return false;
    const link = { seq, former: bytes(former), reached: bytes(reached), digest: bytes(digest) };
    at = { seq, hash: hashOf(link).toString('hex') };
  }
  return at.seq === to.seq && at.hash === to.hash;
};

const documentStates = (documents: Evidence['documents']): ((hash: string) => DocumentState) => {
  const states = Object.entries(documents).map(([hash, { content }]): [string, DocumentState] => {
    const found = createHash('sha256').update(Buffer.from(content, 'base64')).digest('hex');
    return [hash, found === hash ? 'right' : 'changed'];
  });
  const byHash = new Map(states);
  return (hash) => byHash.get(hash) ?? 'gone';
};

const firstFault = (evidence: Evidence): Fault | null => {
  const { practice, entries, links, head, documents } = evidence;
  const stateOf = documentStates(documents);
  const withheld = withheldMails(evidence);
  const documentState = (hash: string): DocumentState =>
    stateOf(hash) === 'gone' && withheld.has(hash) ? 'right' : stateOf(hash);
  const genesis = genesisOf(practice.id).toString('hex');
  for (const [index, entry] of entries.entries()) {
    const fault = (what: string): Fault => ({ seq: entry.seq, id: entry.id, what });
    const what = entryFault(entry, documentState);
    if (what !== null) return fault(what);
    if (entry.person !== entries[0]?.person) return fault('it is about another person');
    if (entry.seq === 1 && entry.former !== genesis) return fault('it begins the ledger of another practice');
    const next = entries[index + 1] ?? head;
    if (!leads(entry, links[index] ?? [], next))
      return fault(`the way from it to ${next === head ? 'the head' : `entry ${next.seq}`} is broken`);
  }
  return null;
};

/** `json`: as the API gave it. */
export const verifyEvidence = (json: unknown): EvidenceCheck => {
  const parsed = evidenceSchema.safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const what = `it is no evidence of consent: ${issue?.path.join('.')}: ${issue?.message}`;
    return { evidence: null, faults: [{ seq: null, id: null, what }] };
  }
  const { signature, ...signed } = parsed.data;
  const ofEntries = firstFault(parsed.data);
  const ofSignature = signatureFault(signature, canonicalJson(signed));
  return {
    evidence: parsed.data,
    faults: [
      ...(ofEntries ? [ofEntries] : []),
      ...(ofSignature === null ? [] : [{ seq: null, id: null, what: ofSignature }]),
    ],
  };
};
