// Applies the content rules. The content is read once, into words, links and the visible text of the HTML; all rules use
// that reading. It is bounded: 64 Ki code units of text in each part, 100,000 tags and attributes. Pure.
import type { MemberLanguage } from '#src/kernel/language.ts';
import { escapeHtml } from '#src/kernel/page.ts';
import type { Content, ContentFinding, ContentRating } from './assessment.ts';
import { readHtml } from './reading/html.ts';
import { linksInText, parseLink, readText, TEXT_LOOKED_AT } from './reading/text.ts';
import { createPhrasebook } from './reading/vocabulary.ts';
import { attachmentRules, htmlRules, linkRules, placeholderPhrases, textRules } from './rules/form-rules.ts';
import { fraudPhrases, fraudRules } from './rules/fraud-rules.ts';
import { promotionalPhrases, ratePromotional } from './rules/promotional-rules.ts';
import type { ContentRule, Reading } from './rules/rule.ts';
import { subjectRisk, subjectRules } from './subject-risk.ts';
import type { Words } from './words/de/findings.ts';
import { wordsIn } from './words.ts';

export const contentRules: readonly ContentRule[] = [
  ...textRules,
  ...fraudRules,
  ...linkRules,
  ...htmlRules,
  ...attachmentRules,
];

/** The share of a subject rule's weight that counts here, because the subject is one part of the whole. */
const SUBJECT_SHARE = 0.3;
const MAX_HOSTS = 200;
const DETAIL_LENGTH = 120;

const phrasebook = createPhrasebook({
  ...fraudPhrases,
  ...promotionalPhrases,
  ...placeholderPhrases,
});

const readContent = (content: Content): Reading => {
  const text = content.text?.slice(0, TEXT_LOOKED_AT) ?? null;
  const html = content.html === null ? null : readHtml(content.html);
  const textWords = text === null ? null : readText(text, phrasebook.vocabulary);
  const htmlWords = html === null ? null : readText(html.text, phrasebook.vocabulary);
  const subjectWords = readText(content.subject, phrasebook.vocabulary);
  const texts = [subjectWords, textWords, htmlWords].flatMap((words) => words?.ids ?? []);
  return {
    content,
    text,
    textWords,
    html,
    htmlWords,
    links: [
      ...(html?.links ?? []).map(({ target, text: shown }) => parseLink(target, shown)),
      ...(content.text === null ? [] : linksInText(content.text)),
      ...(html === null ? [] : linksInText(html.text)),
    ],
    phrases: phrasebook.findIn(texts),
  };
};

const weightOf = ({ weight }: ContentRule, count: number): number =>
  typeof weight === 'number' ? weight : (weight[Math.min(count, weight.length) - 1] ?? 0);

const subjectFindings = (subject: string): ContentFinding[] => {
  const found = new Set(subjectRisk(subject).rules);
  return subjectRules
    .filter(({ id }) => found.has(id))
    .map(({ id, weight }) => ({
      id: `subject_${id}`,
      weight: Math.round(weight * SUBJECT_SHARE),
      detail: null,
    }));
};

const findingsOf = (reading: Reading): ContentFinding[] =>
  contentRules.flatMap((rule) => {
    const found = rule.finds(reading);
    if (found === null) return [];
    const detail = found.detail?.slice(0, DETAIL_LENGTH) ?? null;
    return [{ id: rule.id, weight: weightOf(rule, found.count ?? 1), detail }];
  });

const hostsOf = ({ links }: Reading): string[] => {
  const hosts = new Set<string>();
  for (const { host } of links) {
    if (host !== null) hosts.add(host);
    if (hosts.size >= MAX_HOSTS) break;
  }
  return [...hosts];
};

/** The text in the place of a name; it is in no phrase. */
const SOME_NAME = 'X';

/** Names are left out where they stand for themselves, not within words. */
const withoutNames = (content: Content, names: readonly string[]): Content => {
  const spelled = names.flatMap((name) => [name, escapeHtml(name)]).toSorted((a, b) => b.length - a.length);
  const anyOf = spelled.map((name) => RegExp.escape(name)).join('|');
  const name = new RegExp(`(?<![\\p{L}\\p{N}])(?:${anyOf})(?![\\p{L}\\p{N}])`, 'gu');
  const without = (text: string): string => text.replace(name, SOME_NAME);
  const { subject, text, html } = content;
  return {
    ...content,
    subject: without(subject),
    text: text === null ? null : without(text),
    html: html === null ? null : without(html),
  };
};

const promotionalOf = (content: Content, reading: Reading): ReturnType<typeof ratePromotional> => {
  const { names = [] } = content;
  const rated = ratePromotional(reading.phrases);
  if (rated.score === 0 || names.length === 0) return rated;
  return ratePromotional(readContent(withoutNames(content, names)).phrases);
};

export const rateContent = (content: Content): ContentRating => {
  const reading = readContent(content);
  const promotional = promotionalOf(content, reading);
  return {
    findings: [...findingsOf(reading), ...subjectFindings(content.subject)].toSorted(
      (a, b) => b.weight - a.weight,
    ),
    promotional: promotional.ids,
    promotionalScore: promotional.score,
    linkHosts: hostsOf(reading),
  };
};

export type FindingWords = Words['findings'][keyof Words['findings']];

/** The meaning of a finding and what to do about it. An unknown id, which another version may have stored, is shown itself. */
export const wordsOf = ({ id }: Pick<ContentFinding, 'id'>, language: MemberLanguage): FindingWords => {
  const words: Readonly<Record<string, FindingWords>> = wordsIn(language).findings;
  return words[id] ?? { why: id, advice: '' };
};
