// Walks an SPF record with everything it includes, and counts the lookups that a receiver needs in the worst case, when
// no sender before the last one matches (RFC 7208 §4.6.4). Finds what goes wrong on the way. The walk is bounded;
// macros are counted, not expanded. Own code, because the library that evaluates SPF stops at the first match or error,
// so that it neither counts all lookups nor names the include behind a problem.
import type { Lookup, LookupFailure } from '#src/kernel/dns-lookup.ts';
import { say, type Text } from '#src/kernel/say.ts';
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
/** Enough to show how far a record exceeds the limit; beyond it the hint says "more than". */
const MAX_WALKED = 40;
/** A term inside a sentence is cut to this length. */
const MAX_SHOWN_CHARACTERS = 80;

/** One included record. */
export interface SpfNode {
  readonly domain: string;
  readonly record: SpfRecord | null;
  readonly branches: readonly SpfBranch[];
}

/** A term that costs a lookup. */
export interface SpfBranch {
  readonly term: SpfMechanism | SpfModifier;
  /** The record that an include or redirect leads to. */
  readonly node: SpfNode | null;
  /** NXDOMAIN, or no records of the type. */
  readonly isVoid: boolean;
  /** Why a receiver that evaluates the term fails; completes "include:x …". */
  readonly problem: Text | null;
  /** The lookup failed. */
  readonly failure: { readonly name: string; readonly reason: LookupFailure } | null;
}

export interface SpfTree extends SpfNode {
  /** The walk stopped early: the record costs more than was counted. */
  readonly cut: boolean;
}

const queries = new Set(['include', 'a', 'mx', 'ptr', 'exists', 'redirect']);

/** Terms walked so far in all records at a name. */
export interface Walked {
  terms: number;
}

export const walkSpf = async (
  lookup: CheckLookup,
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
    if (way.includes(name)) return { ...branch, problem: say`leads back to where it was asked from` };
    const { answer } = await lookup.texts(name);
    if (answer.kind === 'failed') return { ...branch, failure: { name, reason: answer.reason } };
    const texts = valuesOf(answer)
      .map((strings) => strings.join(''))
      .filter(isSpf);
    const [text] = texts;
    if (text === undefined) {
      const nothing =
        answer.kind === 'none' && !answer.nameExists
          ? say`leads to a name that does not exist`
          : say`leads to a name that has no SPF record`;
      return { ...branch, isVoid: answer.kind === 'none', problem: nothing };
    }
    if (texts.length > 1)
      return {
        ...branch,
        problem: say`leads to a name with ${texts.length} SPF records, where only one may be`,
      };
    const read = readSpf(text);
    const [mistake] = mistakesOf(read);
    const problem = mistake
      ? say`leads to a record with a mistake in it: the term ${mistake.text.slice(0, MAX_SHOWN_CHARACTERS)} ${mistake.problem}`
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
    const answer: Lookup<unknown> = await (term.name === 'mx' ? lookup.mx(name) : lookup.addresses(name));
    if (answer.kind === 'failed') return { ...branch, failure: { name, reason: answer.reason } };
    const tooMany = term.name === 'mx' && valuesOf(answer).length > MAX_EXCHANGES;
    return {
      ...branch,
      isVoid: answer.kind === 'none',
      problem: tooMany ? say`leads to more than ${MAX_EXCHANGES} mail servers, which is not allowed` : null,
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

/** All branches, outer ones first. */
export const branchesOf = (node: SpfNode): SpfBranch[] =>
  node.branches.flatMap((branch) => [branch, ...(branch.node ? branchesOf(branch.node) : [])]);

/**
 * Why an evaluation may fail at this branch or below, the outermost problem first; null if nothing is wrong.
 */
export const problemBehind = (branch: SpfBranch): Text | null => {
  const term = branch.term.text.slice(0, MAX_SHOWN_CHARACTERS);
  if (branch.problem !== null) return say`${term} ${branch.problem}`;
  for (const next of branch.node?.branches ?? []) {
    const problem = problemBehind(next);
    if (problem !== null) return say`${term} includes ${problem}`;
  }
  return null;
};
