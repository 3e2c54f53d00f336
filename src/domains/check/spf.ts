// Checks SPF of the apex and of the return path (RFC 7208): one record, valid with everything it includes, and with the
// service among its senders. If it is not, the judgement shows the one record to publish.
import { say, type Text, type Value } from '#src/kernel/say.ts';
import type { WantedRecord } from '../records/host-check.ts';
import { spfTarget } from '../records/wanted-records.ts';
import { absentText, askForText, joined, type TextFacts } from './absence.ts';
import { type CheckLookup, type Texts, valuesOf } from './check-lookup.ts';
import { because, type Judgement, quote, sentences, unknown } from './judgement.ts';
import {
  allOf,
  asSpf,
  isSpf,
  mergeSpf,
  mistakesOf,
  readSpf,
  type SpfMechanism,
  type SpfMistake,
  type SpfRecord,
} from './spf-record.ts';
import {
  branchesOf,
  MAX_LOOKUPS,
  MAX_VOID_LOOKUPS,
  problemBehind,
  type SpfBranch,
  type SpfTree,
  walkSpf,
} from './spf-tree.ts';
import { type SpfVerdict, spfVerdict } from './spf-verdict.ts';

/** More records at one name are not merged. */
const MAX_RECORDS = 5;
const MAX_SHOWN_MISTAKES = 5;
/** Records have some ten terms; a hostile one has thousands. */
const MAX_ASKED_TERMS = 50;

export interface SpfFacts extends TextFacts {
  /** One tree for each record found. */
  readonly trees: readonly SpfTree[];
  /** Null if there are several records, or none. */
  readonly reception: Reception | null;
  /** Lookups that including the service costs, besides the one for the include itself. */
  readonly serviceLookups: number;
}

export const askForSpf = async (
  lookup: CheckLookup,
  wanted: WantedRecord,
  zones: readonly string[],
  serviceHost: string,
): Promise<SpfFacts> => {
  const target = spfTarget(serviceHost);
  const [facts, service] = await Promise.all([
    askForText(lookup, wanted, zones, isSpf),
    lookup.texts(target),
  ]);
  const walk = (at: string, texts: Texts) => {
    const walked = { terms: 0 };
    return Promise.all(
      joined(texts)
        .filter(isSpf)
        .slice(0, MAX_RECORDS)
        .map((text) => walkSpf(lookup, at, readSpf(text), walked)),
    );
  };
  const [trees, [serviceTree]] = await Promise.all([walk(wanted.name, facts.texts), walk(target, service)]);
  const [tree, ...others] = trees;
  const reception = tree?.record && others.length === 0 ? await receive(tree, tree.record, target) : null;
  return { ...facts, trees, reception, serviceLookups: serviceTree ? branchesOf(serviceTree).length : 0 };
};

/** The term that names the service, wherever it is and whatever its qualifier. */
const termFor = (record: SpfRecord, target: string): SpfMechanism | undefined =>
  record.terms.find(
    (term): term is SpfMechanism =>
      term.kind === 'mechanism' && term.name === 'include' && term.domain === target,
  );

const includes = (record: SpfRecord, target: string): boolean => termFor(record, target)?.qualifier === '+';

const notListedHint = (record: SpfRecord, target: string): Text => {
  const term = termFor(record, target);
  if (!term)
    return say`It does not list this service: add include:${target} to it, as shown. Do not add a second SPF record.`;
  return term.qualifier === '+'
    ? say`${term.text} comes after "all" and is never evaluated: move it before "all", as shown.`
    : say`${term.text} does not allow this service's mail: leave the ${term.qualifier} out, as shown.`;
};

const mistakeHint = ({ text, problem, meant }: SpfMistake): Text =>
  text === ''
    ? say`The record ${problem}.`
    : say`The term ${quote(text)} ${problem}; ${meant === null ? say`correct it, or leave it out as in the record shown` : say`it was probably meant as ${quote(meant)}`}.`;

/**
 * Finds a record of several strings that lacks a space where two of them meet; readers join strings without a separator
 * (RFC 7208 §3.3). `only` is the one SPF record that was found.
 */
const judgeSplit = (texts: Texts, only: string | undefined, target: string): Judgement | null => {
  for (const strings of valuesOf(texts.answer)) {
    const text = strings.join('');
    if (only !== undefined && text !== only) continue;
    const spaced = strings.join(' ');
    if (strings.length < 2 || !isSpf(spaced)) continue;
    const record = readSpf(spaced);
    if (mistakesOf(record).length > 0) continue;
    const asIs = readSpf(text);
    const isWhole = isSpf(text) && mistakesOf(asIs).length === 0;
    if (isWhole && (includes(asIs, target) || !includes(record, target))) continue;
    return {
      status: 'mismatch',
      found: [text],
      hint: say`The record is split into strings, and a space is missing where they meet: receivers join them as they are. Enter it as one line as shown, or end each string but the last with a space.`,
      value: mergeSpf([record], includes(record, target) ? null : target),
    };
  }
  return null;
};

const judgeNone = (wanted: WantedRecord, facts: SpfFacts, target: string): Judgement => {
  for (const text of joined(facts.texts)) {
    const meant = asSpf(text);
    if (meant === null) continue;
    return {
      status: 'mismatch',
      found: [text],
      hint: say`The record does not begin with exactly "v=spf1" and a space, so it counts as none. Replace it by the one shown.`,
      value: mergeSpf([readSpf(meant)], target),
    };
  }
  return absentText(wanted, facts);
};

interface Findings {
  readonly mistakes: Text[];
  /** Terms that make every evaluation fail. */
  readonly leaveOut: Set<string>;
}

/** Faults of a record that are certain even if some lookups failed. */
const faultsOf = (tree: SpfTree, record: SpfRecord, target: string): Findings => {
  const leaveOut = new Set<string>();
  const mistakes = mistakesOf(record).slice(0, MAX_SHOWN_MISTAKES).map(mistakeHint);
  if (allOf(record)?.qualifier === '+')
    mistakes.push(say`"+all" allows anyone to send as your domain: end the record with ~all.`);
  for (const branch of tree.branches) {
    const problem = branch.term.domain === target ? null : problemBehind(branch);
    if (problem === null) continue;
    leaveOut.add(branch.term.text);
    mistakes.push(
      say`${problem}: receivers treat the whole record as invalid. Correct it, or leave it out as in the record shown.`,
    );
  }
  const voids = branchesOf(tree).filter(({ isVoid, problem }) => isVoid && problem === null);
  if (voids.length > MAX_VOID_LOOKUPS) {
    for (const branch of tree.branches) if (voids.includes(branch)) leaveOut.add(branch.term.text);
    const named = voids.slice(0, 4).map(({ term }) => term.text);
    mistakes.push(
      say`${voids.length} of its terms lead to nothing (${named.join(', ')}), and receivers allow ${MAX_VOID_LOOKUPS}: leave them out.`,
    );
  }
  return { mistakes, leaveOut };
};

/** Whether the service's mail passes, and which terms a receiver rejects that could be read here. */
interface Reception {
  readonly passes: boolean;
  readonly rejected: readonly { readonly text: string; readonly problem: string }[];
}

/** Asks the receiver about the record without the terms that are known to make every evaluation fail. */
const receive = async (tree: SpfTree, record: SpfRecord, target: string): Promise<Reception> => {
  const { leaveOut } = faultsOf(tree, record, target);
  const kept = record.terms.filter(({ kind, text }) => kind !== 'mistake' && !leaveOut.has(text));
  const included = new Map(
    branchesOf(tree).flatMap(({ node }) => (node?.record ? [[node.domain, node.record.text] as const] : [])),
  );
  const ask = (terms: readonly string[]): Promise<SpfVerdict> =>
    spfVerdict(tree.domain, ['v=spf1', ...terms].join(' '), included, target);
  const texts = kept.map(({ text }) => text);
  const whole = await ask(texts);
  if (whole.invalid === null) return { passes: whole.passes, rejected: [] };
  const rejected: { text: string; problem: string }[] = [];
  for (const text of texts.slice(0, MAX_ASKED_TERMS)) {
    // The include matches first, so that only the syntax of the term is judged.
    const { invalid } = await ask([`include:${target}`, text]);
    if (invalid !== null) rejected.push({ text, problem: invalid });
  }
  const { passes } = await ask(texts.filter((text) => !rejected.some((one) => one.text === text)));
  return { passes, rejected };
};

const advice = (tree: SpfTree, record: SpfRecord): Text => {
  const all = allOf(record);
  const terms = [record, ...branchesOf(tree).flatMap(({ node }) => node?.record ?? [])].flatMap(
    (part) => part.terms,
  );
  const hasRedirect = record.terms.some((term) => term.kind === 'modifier' && term.name === 'redirect');
  const behind = all ? record.terms.slice(record.terms.indexOf(all) + 1) : [];
  const unreached = behind.find((term) => term.kind === 'mechanism');
  return sentences(
    terms.some((term) => term.kind === 'mechanism' && term.name === 'ptr') &&
      say`It uses "ptr", which is slow and no longer recommended (RFC 7208, 5.5): name the addresses instead.`,
    unreached !== undefined &&
      say`Terms after ${quote(all?.text ?? '')} are never evaluated (${unreached.text}): move them before it.`,
    all?.qualifier === '?' && say`"?all" says nothing about other senders: ~all would be better.`,
    !all && !hasRedirect && say`It has no "all" at its end: add ~all.`,
  );
};

const costsTooMuch = (lookups: Value, isListed: boolean): Text =>
  isListed
    ? say`It costs ${lookups} DNS lookups, and receivers stop at ${MAX_LOOKUPS}: leave out senders that are no longer used.`
    : say`It costs ${lookups} DNS lookups with this service, and receivers stop at ${MAX_LOOKUPS}: leave out senders that are no longer used.`;

const failureIn = (branches: readonly SpfBranch[]): SpfBranch['failure'] =>
  branches.find(({ failure }) => failure !== null)?.failure ?? null;

const judgeOne = (
  tree: SpfTree,
  record: SpfRecord,
  { serviceLookups, reception }: SpfFacts,
  target: string,
): Judgement => {
  const found = [record.text];
  const { mistakes, leaveOut } = faultsOf(tree, record, target);
  for (const { text, problem } of (reception?.rejected ?? []).slice(0, MAX_SHOWN_MISTAKES)) {
    leaveOut.add(text);
    mistakes.push(
      say`Receivers reject the term ${quote(text)} (${problem}): leave it out as in the record shown.`,
    );
  }
  const all = branchesOf(tree);
  const passes = reception?.passes ?? false;
  const counted = all.length + (passes ? 0 : 1 + serviceLookups);
  const tooMany = tree.cut || all.length > MAX_LOOKUPS;
  const value = (): string => mergeSpf([record], passes ? null : target, leaveOut);
  const failure = failureIn(all);
  const ours = all.find(({ term }) => term.domain === target);
  if (mistakes.length === 0 && !tooMany) {
    if (ours && problemBehind(ours) !== null)
      return {
        status: 'error',
        found,
        hint: say`Your record is right. ${target}, which it includes, does not answer as it should yet: ${problemBehind(ours) ?? ''}. That zone is the operator's; there is nothing for you to do.`,
        value: record.text,
      };
    if (failure)
      return {
        status: 'error',
        found,
        hint: sentences(
          say`${failure.name}, which the record includes, could not be asked for: ${because(failure.reason)}.`,
          failure.name === target && say`That zone is the operator's; there is nothing for you to do.`,
          passes
            ? say`Receivers cannot check the record as long as that lasts.`
            : say`So it cannot be said whether it lists ${target}.`,
        ),
        value: passes ? record.text : value(),
      };
    if (passes) return { status: 'ok', found, hint: advice(tree, record), value: record.text };
  }
  return {
    status: 'mismatch',
    found,
    hint: sentences(
      ...mistakes,
      !passes && failure === null && notListedHint(record, target),
      (tooMany || counted > MAX_LOOKUPS) &&
        costsTooMuch(tree.cut ? say`more than ${all.length}` : counted, passes),
    ),
    value: value(),
  };
};

export const judgeSpf = (wanted: WantedRecord, facts: SpfFacts, serviceHost: string): Judgement => {
  const { texts, trees } = facts;
  const target = spfTarget(serviceHost);
  if (texts.answer.kind === 'failed') return unknown(wanted.name, texts.answer.reason);
  const found = joined(texts).filter(isSpf);
  if (found.length > 1) {
    const leaveOut = new Set(
      trees.flatMap((tree) => [...faultsOf(tree, tree.record ?? readSpf(''), target).leaveOut]),
    );
    const records = trees.flatMap(({ record }) => record ?? []);
    return {
      status: 'multiple',
      found,
      hint: say`There are ${found.length} SPF records at ${wanted.name}, and only one may be: receivers take none of them. Replace them all by the one shown.`,
      value: mergeSpf(records, target, leaveOut),
    };
  }
  const split = judgeSplit(texts, found[0], target);
  if (split) return split;
  const [tree] = trees;
  if (!tree?.record) return judgeNone(wanted, facts, target);
  return judgeOne(tree, tree.record, facts, target);
};
