// What a finding means and what to do about it, in the words of its rule. Pure.
import type { Language } from '#src/kernel/language.ts';
import type { ContentFinding } from './assessment.ts';
import { subjectRules } from './subject-risk.ts';

export interface FindingWords {
  readonly why: string;
  readonly advice: string;
}

export const wordsOf = ({ id }: Pick<ContentFinding, 'id'>, language: Language): FindingWords => {
  const rule = subjectRules.find((one) => one.id === id);
  return { why: rule?.why[language] ?? id, advice: rule?.advice[language] ?? '' };
};
