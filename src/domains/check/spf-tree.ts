// What a receiver asks the DNS for when it checks SPF (RFC 7208 §4.6.4), in the worst case, that none of the senders before
// the last one matches: the record with all that it includes, how many questions that costs, and what goes wrong on the
// way. The walk is bounded; macros are counted, not expanded.
import type { Lookup, LookupFailure } from '#src/kernel/dns-lookup.ts';
import { type CheckLookup, valuesOf } from './check-lookup.ts';
import {
  effectiveTerms,
  hasMacro,
  isSpf,
  mistakesOf,
  readSpf,
  type SpfMechanism,
  type SpfModifier,
  type SpfRecord,
} from './spf-record.ts';

export const MAX_LOOKUPS = 10;
export const MAX_VOID_LOOKUPS = 2;
const MAX_EXCHANGES = 10;
/** Enough to say how far a record is over the limit; beyond that it is "more than". */
const MAX_WALKED = 40;
/** Of a term in a sentence. */
const MAX_SHOWN_CHARACTERS = 80;

/** One included record. */
export interface SpfNode {
  readonly domain: string;
  readonly record: SpfRecord | null;
  readonly branches: readonly SpfBranch[];
}

/** A term that costs a question. */
export interface SpfBranch {
  readonly term: SpfMechanism | SpfModifier;
  /** What an include or redirect leads to, where it leads to a record. */
  readonly node: SpfNode | null;
  /** NXDOMAIN, or no records of the kind asked for. */
  readonly isVoid: boolean;
  /** Why every check fails that comes to the term; completes "include:x …". */
  readonly problem: string | null;
  /** It could not be found out. */
  readonly failure: { readonly name: string; readonly reason: LookupFailure } | null;
}

export interface SpfTree extends SpfNode {
  /** Not all was walked: it costs more than was counted. */
  readonly cut: boolean;
}

const queries = new Set(['include', 'a', 'mx', 'ptr', 'exists', 'redirect']);

/** Terms walked so far, of all records of a name together. */
export interface Walked {
  terms: number;
}

export const walkSpf = async (
  asking: CheckLookup,
  domain: string,
  record: SpfRecord,
  walked: Walked = { terms: 0 },
): Promise<SpfTree> => {
  const follow = async (
    term: SpfMechanism | SpfModifier,
    name: string,
    way: readonly string[],
  ): Promise<SpfBranch> => {
    const branch: SpfBranch = { term, node: null, isVoid: false, problem: null, failure: null };
    if (way.includes(name)) return { ...branch, problem: 'leads back to where it was asked from' };
    const { answer } = await asking.texts(name);
    if (answer.kind === 'failed') return { ...branch, failure: { name, reason: answer.reason } };
    const texts = valuesOf(answer)
      .map((strings) => strings.join(''))
      .filter(isSpf);
    const [text] = texts;
    if (text === undefined) {
      const nothing = answer.kind === 'none' && !answer.nameExists ? 'does not exist' : 'has no SPF record';
      return { ...branch, isVoid: answer.kind === 'none', problem: `leads to a name that ${nothing}` };
    }
    if (texts.length > 1)
      return {
        ...branch,
        problem: `leads to a name with ${texts.length} SPF records, where only one may be`,
      };
    const read = readSpf(text);
    const [mistake] = mistakesOf(read);
    const problem = mistake
      ? `leads to a record with a mistake in it: the term ${mistake.text.slice(0, MAX_SHOWN_CHARACTERS)} ${mistake.problem}`
      : null;
    const node = { domain: name, record: read, branches: await walk(read, name, [...way, name]) };
    return { ...branch, node, problem };
  };

  const ask = async (
    term: SpfMechanism | SpfModifier,
    at: string,
    way: readonly string[],
  ): Promise<SpfBranch> => {
    const branch: SpfBranch = { term, node: null, isVoid: false, problem: null, failure: null };
    const name = term.domain ?? at;
    if (hasMacro(name) || term.name === 'ptr') return branch;
    if (term.name === 'include' || term.name === 'redirect') return follow(term, name, way);
    const answer: Lookup<unknown> = await (term.name === 'mx' ? asking.mx(name) : asking.addresses(name));
    if (answer.kind === 'failed') return { ...branch, failure: { name, reason: answer.reason } };
    const tooMany = term.name === 'mx' && valuesOf(answer).length > MAX_EXCHANGES;
    return {
      ...branch,
      isVoid: answer.kind === 'none',
      problem: tooMany ? `leads to more than ${MAX_EXCHANGES} mail servers, which is not allowed` : null,
    };
  };

  const walk = (read: SpfRecord, at: string, way: readonly string[]): Promise<SpfBranch[]> => {
    const terms = effectiveTerms(read).filter(({ name }) => queries.has(name));
    const affordable = terms.slice(0, Math.max(MAX_WALKED - walked.terms, 0));
    walked.terms += terms.length;
    return Promise.all(affordable.map((term) => ask(term, at, way)));
  };

  const branches = await walk(record, domain, [domain]);
  return { domain, record, branches, cut: walked.terms > MAX_WALKED };
};

/** All branches, the outer ones first. */
export const branchesOf = (node: SpfNode): SpfBranch[] =>
  node.branches.flatMap((branch) => [branch, ...(branch.node ? branchesOf(branch.node) : [])]);

/** Whether mail that `target` lists passes: it is reached by includes that say pass, or by redirects. */
export const passesThrough = (node: SpfNode, target: string): boolean =>
  node.branches.some(
    ({ term, node: next }) =>
      (term.name === 'redirect' ||
        (term.name === 'include' && term.kind === 'mechanism' && term.qualifier === '+')) &&
      (term.domain === target || (next !== null && passesThrough(next, target))),
  );

/** Why a check of any sender may fail on this branch or behind it, the outermost first; null where nothing does. */
export const problemBehind = (branch: SpfBranch): string | null => {
  const term = branch.term.text.slice(0, MAX_SHOWN_CHARACTERS);
  if (branch.problem !== null) return `${term} ${branch.problem}`;
  for (const next of branch.node?.branches ?? []) {
    const problem = problemBehind(next);
    if (problem !== null) return `${term} includes ${problem}`;
  }
  return null;
};
