// Checks a CNAME that must lead to the service: DKIM tokens (RFC 6376 §3.6.2.1) and MTA-STS (RFC 8461 §8.2). An answer
// from a wildcard of the zone does not count, because it says nothing about what was published.
import type { Lookup } from '#src/kernel/dns-lookup.ts';
import { nothing, say } from '#src/kernel/say.ts';
import type { WantedRecord } from '../records/host-check.ts';
import { type Absence, absentHint, askWhyAbsent, besideOf, wildcardHint } from './absence.ts';
import { type CheckLookup, type Texts, valuesOf } from './check-lookup.ts';
import { judgeKey } from './dkim-record.ts';
import { because, type Judgement, quote, sentences, unknown } from './judgement.ts';

/** What was found at a name. */
interface Holding {
  readonly cname: Lookup<string>;
  readonly addresses: Lookup<string>;
  readonly txt: Lookup<readonly string[]>;
}

export interface AliasFacts {
  readonly cname: Lookup<string>;
  /** Each target in order, from the first one. */
  readonly aliases: readonly string[];
  /** What the wanted target holds. */
  readonly target: Texts;
  /** What is at the end of an alias that leads somewhere else; null if it leads to the wanted target. */
  readonly elsewhere: Texts | null;
  /** What the name and its sibling hold; null if the alias is as wanted. */
  readonly holding: Holding | null;
  readonly beside: Holding | null;
  readonly absence: Absence | null;
}

const holdingOf = async (lookup: CheckLookup, name: string): Promise<Holding> => {
  const [cname, addresses, txt] = await Promise.all([
    lookup.cname(name),
    lookup.addresses(name),
    lookup.txt(name),
  ]);
  return { cname, addresses, txt };
};

export const askForAlias = async (
  lookup: CheckLookup,
  { name, value }: WantedRecord,
  zones: readonly string[],
): Promise<AliasFacts> => {
  const [cname, aliases, target] = await Promise.all([
    lookup.cname(name),
    lookup.aliases(name),
    lookup.texts(value),
  ]);
  const nothing = { cname, aliases, target, elsewhere: null, holding: null, beside: null, absence: null };
  if (cname.kind === 'failed' || aliases.includes(value)) return nothing;
  const isThere = async (at: string) => (await lookup.aliases(at)).includes(value);
  const [elsewhere, holding, beside, absence] = await Promise.all([
    cname.kind === 'found' ? lookup.texts(name) : null,
    holdingOf(lookup, name),
    holdingOf(lookup, besideOf(name)),
    cname.kind === 'none' ? askWhyAbsent(lookup, name, zones, isThere) : null,
  ]);
  return { ...nothing, elsewhere, holding, beside, absence };
};

const sameValues = <T>(one: Lookup<T>, other: Lookup<T>): boolean => {
  const written = (answer: Lookup<T>) =>
    valuesOf(answer)
      .map((record) => JSON.stringify(record))
      .toSorted()
      .join();
  return one.kind === 'found' && other.kind === 'found' && written(one) === written(other);
};

/** Judges an alias that is as wanted by what its target holds. */
type JudgeTarget = (target: Texts) => Judgement;

const judgeWrongTarget = (wanted: WantedRecord, facts: AliasFacts): Judgement => {
  const { value } = wanted;
  const [first = ''] = facts.aliases;
  const beside = facts.beside;
  if (facts.holding && beside && sameValues(facts.holding.cname, beside.cname))
    return { status: 'missing', found: [first], hint: wildcardHint(wanted) };
  const leadsNowhere = facts.elsewhere?.answer.kind === 'none' && !facts.elsewhere.answer.nameExists;
  const appended = first.startsWith(`${value}.`) ? first.slice(value.length + 1) : '';
  return {
    status: 'mismatch',
    found: facts.aliases,
    hint: sentences(
      say`The CNAME leads to ${quote(first)}, not to ${value}.`,
      appended !== '' &&
        say`Your provider has put ${appended} behind the target: enter it with a dot at its end (${value}.).`,
      leadsNowhere && say`Where it leads now there is nothing.`,
      facts.elsewhere?.answer.kind === 'failed' && say`Where it leads now no server answers.`,
      appended === '' && say`Change its target to ${value}.`,
    ),
  };
};

const judgeNoAlias = (wanted: WantedRecord, facts: AliasFacts): Judgement => {
  const { holding, beside, absence } = facts;
  const addresses = valuesOf(holding?.addresses ?? facts.cname);
  if (holding?.addresses.kind === 'found') {
    if (beside && sameValues(holding.addresses, beside.addresses))
      return { status: 'missing', found: addresses, hint: wildcardHint(wanted) };
    return {
      status: 'proxied',
      found: addresses,
      hint: say`There are addresses (A or AAAA) in place of the CNAME: it is published through a proxy. Switch the proxy off for ${wanted.name} ("DNS only"), so that the CNAME to ${wanted.value} itself is seen.`,
    };
  }
  return { status: 'missing', found: [], hint: absence ? absentHint(absence, wanted) : nothing };
};

const judgeAlias = (wanted: WantedRecord, facts: AliasFacts, judgeTarget: JudgeTarget): Judgement => {
  if (facts.cname.kind === 'failed') return unknown(wanted.name, facts.cname.reason);
  if (facts.cname.kind === 'none') return judgeNoAlias(wanted, facts);
  return facts.aliases.includes(wanted.value)
    ? { ...judgeTarget(facts.target), found: facts.aliases.slice(0, facts.aliases.indexOf(wanted.value) + 1) }
    : judgeWrongTarget(wanted, facts);
};

/** A fault at the target is the operator's. */
const judgeKeyTarget =
  (target: string, record: string): JudgeTarget =>
  (texts) => {
    if (texts.answer.kind === 'failed')
      return {
        status: 'error',
        found: [],
        hint: say`Your record is right. The key behind it could not be asked for at ${target}: ${because(texts.answer.reason)}. That is the operator's side; there is nothing for you to do.`,
      };
    const key = judgeKey(target, texts, record);
    return key.status === 'ok'
      ? key
      : {
          status: 'error',
          found: [],
          hint: say`Your record is right. ${key.hint} That zone is the operator's and does not answer as it should yet; there is nothing for you to do.`,
        };
  };

export const judgeDkimAlias = (wanted: WantedRecord, facts: AliasFacts, record: string): Judgement => {
  const verdict = judgeAlias(wanted, facts, judgeKeyTarget(wanted.value, record));
  // A practice that has moved here: its former host goes on answering for the key for some weeks.
  if (verdict.status === 'mismatch' && facts.elsewhere) {
    const key = judgeKey(wanted.name, facts.elsewhere, record);
    if (key.status === 'ok')
      return {
        status: 'ok',
        found: facts.aliases,
        hint: say`The CNAME leads to ${quote(facts.aliases[0] ?? '')}, where the same key is. It works as long as that is there: change its target to ${wanted.value}.`,
      };
  }
  if (verdict.status !== 'missing' || !facts.holding) return verdict;
  // Some tenants publish the key itself instead of the CNAME.
  const texts: Texts = { answer: facts.holding.txt, aliases: [] };
  const key = judgeKey(wanted.name, texts, record);
  const byWildcard = facts.beside !== null && sameValues(facts.holding.txt, facts.beside.txt);
  if (facts.cname.kind !== 'none' || facts.holding.txt.kind !== 'found' || key.status === 'missing')
    return verdict;
  if (byWildcard) return { ...verdict, found: key.found, hint: wildcardHint(wanted) };
  return {
    status: 'mismatch',
    found: key.found,
    hint:
      key.status === 'ok'
        ? say`The key itself is published there as a TXT record. It works now and breaks when the key changes: replace it by the CNAME to ${wanted.value}.`
        : say`A TXT record with another key is there instead of the CNAME: remove it and add the CNAME to ${wanted.value}.`,
  };
};

/** The operator decides what the MTA-STS policy says, so the target is not judged. */
export const judgePolicyAlias = (wanted: WantedRecord, facts: AliasFacts): Judgement => {
  const verdict = judgeAlias(wanted, facts, () => ({ status: 'ok', found: [], hint: nothing }));
  const own = facts.holding ? valuesOf(facts.holding.txt).map((strings) => strings.join('')) : [];
  if (
    verdict.status === 'missing' &&
    facts.cname.kind === 'none' &&
    own.some((text) => /^v=STSv1\s*;/.test(text))
  )
    return {
      status: 'mismatch',
      found: own,
      hint: say`There is a separate MTA-STS record. It does not change when the policy changes: replace it by the CNAME to ${wanted.value}.`,
    };
  return verdict;
};
