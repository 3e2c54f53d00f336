// Checks DMARC at the apex and, for a host below it, at the host (RFC 9989): one record each, the same policy, relaxed
// SPF alignment. Additions of the domain's owner (a stricter policy, reports to others) stay, and a weaker policy is
// never suggested. Own code, because the library that evaluates DMARC answers "no record" also for several records,
// accepts faulty ones silently, and gives neither hints nor a merged record.
import { say, type Text } from '#src/kernel/say.ts';
import { parseTagList, type Tag, type TagList, writeTagList } from '#src/mail/tag-list.ts';
import type { HostFacts, WantedRecord } from '../records/host-check.ts';
import { dmarcReports } from '../records/wanted-records.ts';
import { absentText, joined, type TextFacts } from './absence.ts';
import { type Judgement, quote, sentences, unknown } from './judgement.ts';

const policies = ['none', 'quarantine', 'reject'] as const;
export type DmarcPolicy = (typeof policies)[number];

type Place = Pick<HostFacts, 'host' | 'serviceHost'>;

export interface DmarcJudgement extends Judgement {
  /** The policy that receivers apply; null if there is no valid record, or if the lookup failed. */
  readonly policy: DmarcPolicy | null;
}

/** `v=DMARC1` must come first, in exactly this case (RFC 9989 §4.8). */
const VERSION = /^v[ \t]*=[ \t]*DMARC1[ \t]*(?:;|$)/;
const MEANT = /^[\s"'`“”]*v\s*=\s*DMARC1?[\s"'`“”]*(?:[;,:\s]|$)[\s;,:]*/i;

export const isDmarc = (text: string): boolean => VERSION.test(text);

const isPolicy = (text: string | undefined): text is DmarcPolicy =>
  policies.some((policy) => policy === text);
const lower = (text: string | undefined): string | undefined => text?.toLowerCase();

/** Tags that are separated by white space or commas only. */
const MISSING_SEMICOLON = /(?<![;\s,])[\s,]+(?=(?:p|sp|np|adkim|aspf|fo|rua|ruf|psd|t|pct|rf|ri)[ \t]*=)/g;

const withSemicolons = (text: string): string => text.replace(MISSING_SEMICOLON, '; ');

/** Some receivers ignore the case of tags, others follow RFC 6376 §3.2: all of them understand lower case. */
const withSmallTags = (text: string): string =>
  text
    .split(';')
    .map((piece) => piece.replace(/^\s*[a-z]+(?=[ \t]*=)/i, (tag) => tag.toLowerCase()))
    .join(';');

const strictness = (policy: DmarcPolicy): number => policies.indexOf(policy);

/** Changes to the record; null removes the tag. */
type Changes = Map<string, string | null>;

const changed = (list: TagList, changes: Changes): string => {
  const version: Tag = { name: 'v', value: 'DMARC1' };
  const kept = list.tags
    .filter(({ name }) => name !== 'v')
    .flatMap((tag): Tag[] => {
      const value = changes.get(tag.name);
      return value === null ? [] : [{ name: tag.name, value: value ?? tag.value }];
    });
  const added = [...changes].flatMap(([name, value]): Tag[] =>
    value === null || kept.some((tag) => tag.name === name) ? [] : [{ name, value }],
  );
  // Receivers that follow RFC 7489 expect the policy right after the version.
  const policy = [...kept, ...added].filter(({ name }) => name === 'p');
  const rest = [...kept, ...added].filter(({ name }) => name !== 'p');
  return writeTagList([version, ...policy, ...rest]);
};

interface Reading {
  readonly faults: Text[];
  readonly changes: Changes;
}

const judgePolicy = (list: TagList, { faults, changes }: Reading): DmarcPolicy => {
  const policy = lower(list.get('p'));
  if (isPolicy(policy)) return policy;
  changes.set('p', 'none');
  faults.push(
    policy === undefined
      ? say`It has no policy (p=), which receivers read as p=none or as no record at all: say which.`
      : say`${quote(`p=${list.get('p')}`)} is no policy, and receivers read it as none: say none, quarantine or reject.`,
  );
  return 'none';
};

const judgeAlignment = (list: TagList, { faults, changes }: Reading, host: string): void => {
  const spf = lower(list.get('aspf'));
  if (spf === 's') {
    changes.set('aspf', 'r');
    faults.push(
      say`It demands strict SPF alignment (aspf=s), which the return path bounce.${host} never has: say aspf=r.`,
    );
  }
  for (const name of ['aspf', 'adkim']) {
    const value = lower(list.get(name));
    if (value === undefined || value === 'r' || value === 's') continue;
    changes.set(name, 'r');
    faults.push(say`${quote(`${name}=${list.get(name)}`)} cannot be: say ${name}=r.`);
  }
};

const judgeSyntax = (list: TagList, { faults, changes }: Reading): void => {
  for (const { kind, text } of list.problems.slice(0, 3))
    faults.push(
      kind === 'duplicate'
        ? say`${quote(text)} is there a second time: leave it out.`
        : say`${quote(text)} is no tag=value: put a semicolon between tags and leave out what is none.`,
    );
  if (lower(list.get('psd')) === 'y') {
    changes.set('psd', null);
    faults.push(
      say`It claims to be a public suffix (psd=y), so the return path would no longer align: leave psd out.`,
    );
  }
};

const NO_LONGER_KNOWN = ['pct', 'rf', 'ri'];

const adviceOn = (list: TagList, serviceHost: string): Text => {
  const removed = NO_LONGER_KNOWN.filter((name) => list.get(name) !== undefined);
  const reports = list.get('rua');
  return sentences(
    removed.length > 0 &&
      (removed.length === 1
        ? say`Since RFC 9989 ${removed.join(', ')} no longer exists: leave it out.`
        : say`Since RFC 9989 ${removed.join(', ')} no longer exist: leave them out.`),
    list.get('t')?.toLowerCase() === 'y' && say`It says t=y (testing): receivers do not apply the policy.`,
    reports === undefined &&
      say`It asks for no reports: add rua=${dmarcReports(serviceHost)} to see who sends as your domain.`,
    reports !== undefined &&
      !/^mailto:/i.test(reports) &&
      say`${quote(`rua=${reports}`)} is no address that reports can go to: it must begin with mailto:.`,
  );
};

const judgeRecord = (text: string, { host, serviceHost }: Place): DmarcJudgement => {
  const parted = withSemicolons(text);
  const small = withSmallTags(parted);
  const list = parseTagList(small);
  const reading: Reading = { faults: [], changes: new Map() };
  if (parted !== text) reading.faults.push(say`A semicolon is missing between its tags.`);
  if (small !== parted) reading.faults.push(say`Not all receivers know tags in capitals: write them small.`);
  judgeSyntax(list, reading);
  const policy = judgePolicy(list, reading);
  judgeAlignment(list, reading, host);
  if (reading.faults.length === 0)
    return { status: 'ok', found: [text], hint: adviceOn(list, serviceHost), value: text, policy };
  return {
    status: 'mismatch',
    found: [text],
    hint: sentences(...reading.faults),
    value: changed(list, reading.changes),
    policy,
  };
};

/**
 * Receivers ignore all of several records. The merged one has the strictest policy, and reports go where one of the
 * records sent them.
 */
const mergeDmarc = (texts: readonly string[], place: Place): string => {
  const [strictest, ...others] = texts
    .map((text) => judgeRecord(text, place))
    .toSorted((a, b) => strictness(b.policy ?? 'none') - strictness(a.policy ?? 'none'))
    .map(({ value }) => parseTagList(value ?? ''));
  const reports = [strictest, ...others].map((list) => list?.get('rua')).find((rua) => rua !== undefined);
  return changed(strictest ?? parseTagList(''), new Map(reports === undefined ? [] : [['rua', reports]]));
};

const judgeNone = (wanted: WantedRecord, facts: TextFacts, place: Place): DmarcJudgement => {
  for (const text of joined(facts.texts)) {
    if (!MEANT.test(text)) continue;
    const meant = `v=DMARC1; ${text.replace(MEANT, '').replace(/(?<!["'`“”\s])["'`“”\s]+$/, '')}`;
    return {
      status: 'mismatch',
      found: [text],
      hint: say`The record does not begin with exactly "v=DMARC1;", so it counts as none. Replace it by the one shown.`,
      value: judgeRecord(meant, place).value ?? wanted.value,
      policy: null,
    };
  }
  return { ...absentText(wanted, facts), policy: null };
};

export const judgeDmarc = (wanted: WantedRecord, facts: TextFacts, place: Place): DmarcJudgement => {
  const { texts } = facts;
  if (texts.answer.kind === 'failed') return { ...unknown(wanted.name, texts.answer.reason), policy: null };
  const found = joined(texts).filter(isDmarc);
  const [text] = found;
  if (text === undefined) return judgeNone(wanted, facts, place);
  if (found.length > 1)
    return {
      status: 'multiple',
      found,
      hint: say`There are ${found.length} DMARC records at ${wanted.name}, and receivers ignore them all. Leave only one, as shown.`,
      value: mergeDmarc(found, place),
      policy: null,
    };
  return judgeRecord(text, place);
};

/** Raises the policy to that of `original` if that one is stricter. */
const raised = (text: string, original: string | undefined): string => {
  const list = parseTagList(text);
  const [own, other] = [list, parseTagList(original ?? '')].map((each) => lower(each.get('p')));
  const isWeaker = isPolicy(other) && (!isPolicy(own) || strictness(own) < strictness(other));
  return isWeaker ? changed(list, new Map([['p', other]])) : text;
};

/** The record at the apex, which the host's record must agree with. */
interface ApexDmarc {
  readonly name: string;
  readonly judgement: DmarcJudgement;
}

/**
 * The apex decides what the host's record must say. While the apex cannot be looked up, any suggestion might be a
 * weaker policy.
 */
const judgeNoCopy = (
  wanted: WantedRecord,
  facts: TextFacts,
  { name, judgement: { status, value } }: ApexDmarc,
): DmarcJudgement => {
  if (status === 'error')
    return {
      status,
      found: [],
      hint: say`There is no such record yet. It must say the same policy (p=) as ${name}, and that name could not be asked for: check again later.`,
      policy: null,
    };
  const copied = value === undefined ? wanted.value : changed(parseTagList(value), new Map([['psd', null]]));
  return { ...absentText({ ...wanted, value: copied }, facts), value: copied, policy: null };
};

export const judgeDmarcCopy = (
  wanted: WantedRecord,
  facts: TextFacts,
  place: Place,
  apex: ApexDmarc,
): DmarcJudgement => {
  const copy = judgeDmarc(wanted, facts, place);
  const { policy, value: original } = apex.judgement;
  if (copy.status === 'missing') return judgeNoCopy(wanted, facts, apex);
  if (copy.policy === null)
    return copy.value === undefined ? copy : { ...copy, value: raised(copy.value, original) };
  if (policy === null)
    return copy.status === 'ok' && apex.judgement.status === 'error'
      ? {
          ...copy,
          status: 'error',
          hint: say`It is there. Whether its policy is the same as at ${apex.name} could not be found out: that name could not be asked for.`,
        }
      : copy;
  if (policy === copy.policy) return copy;
  if (strictness(copy.policy) > strictness(policy))
    return {
      ...copy,
      status: 'mismatch',
      hint: sentences(
        copy.status !== 'ok' && copy.hint,
        say`Its policy is stricter (p=${copy.policy}) than at ${apex.name} (p=${policy}); both should be the same. Raise the one at ${apex.name} to p=${copy.policy} rather than lower this one.`,
      ),
    };
  const list = parseTagList(copy.value ?? '');
  return {
    ...copy,
    status: 'mismatch',
    hint: sentences(
      copy.status !== 'ok' && copy.hint,
      say`Its policy (p=${copy.policy}) is not the same as at ${apex.name} (p=${policy}): say p=${policy}.`,
    ),
    value: changed(list, new Map([['p', policy]])),
  };
};
