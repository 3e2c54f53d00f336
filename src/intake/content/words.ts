// What a finding means and what to do about it, in the words of its rule. Pure.
import type { Language } from '#src/kernel/language.ts';
import type { ContentFinding } from './assessment.ts';
import { contentRules } from './rate-content.ts';
import { promotionalRules } from './rules/promotional-rules.ts';
import type { RuleWords } from './rules/rule.ts';
import { scannerWords } from './rules/scanner-words.ts';
import { subjectRules } from './subject-risk.ts';

export interface FindingWords {
  readonly why: string;
  readonly advice: string;
}

/** Of all that is ever found, each id once. */
export const allWords: readonly RuleWords[] = [
  ...contentRules,
  ...promotionalRules,
  ...scannerWords,
  ...subjectRules.map(({ id, why, advice }) => ({ id: `subject_${id}`, why, advice })),
];

const byId: ReadonlyMap<string, RuleWords> = new Map(allWords.map((words) => [words.id, words]));

/** An id that is not known, as of a message stored by another version, stands for itself. */
export const wordsOf = ({ id }: Pick<ContentFinding, 'id'>, language: Language): FindingWords => {
  const words = byId.get(id);
  return { why: words?.why[language] ?? id, advice: words?.advice[language] ?? '' };
};
