// The rules of the house over a message's content. Pure.
import type { Content, ContentRating } from './assessment.ts';
import { subjectRisk, subjectRules } from './subject-risk.ts';

export const rateContent = ({ subject }: Content): ContentRating => {
  const found = new Set(subjectRisk(subject).rules);
  return {
    findings: subjectRules
      .filter(({ id }) => found.has(id))
      .map(({ id, weight }) => ({ id, weight, detail: null })),
    promotional: [],
    promotionalScore: 0,
    linkHosts: [],
  };
};
