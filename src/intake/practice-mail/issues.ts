// What there is to say of a mail: what the content rules found, with the parts in which they find it, and the findings of the rules
// for a practice's mail. Pure.
import type { Assessment } from '#src/content/assessment.ts';
import { rateContent, wordsOf } from '#src/content/rate-content.ts';
import { wordsIn } from '#src/intake/words.ts';
import type { ErrorCode } from '#src/kernel/errors.ts';
import type { MemberLanguage } from '#src/kernel/language.ts';
import {
  type CheckedMail,
  type MailRule,
  mailRules,
  type Place,
  type Severity,
  severities,
  severityOf,
  severityOfPromotion,
} from './check-rules.ts';

export interface Issue {
  readonly id: string;
  readonly severity: Severity;
  readonly why: string;
  readonly advice: string;
  readonly found_in: Place[];
  /** The code with which a send is refused for it; null: it would be sent. */
  readonly code: ErrorCode | null;
}

/** A subject in which no rule finds anything. */
const QUIET = 'x';

type Written = Pick<CheckedMail, 'subject' | 'text' | 'html'>;

/** Finds the parts of the mail in which a rule finds something by itself; all, where it needs them together. */
const createLocator = ({ subject, text, html }: Written): ((id: string) => Place[]) => {
  const parts: readonly (readonly [Place, Written])[] = [
    ['subject', { subject, text: null, html: null }],
    ['text', { subject: QUIET, text, html: null }],
    ['html', { subject: QUIET, text: null, html }],
  ];
  const found = parts
    .filter(([place, part]) => place === 'subject' || part.text !== null || part.html !== null)
    .map(([place, part]) => {
      const { findings, promotional } = rateContent({ ...part, attachments: [] });
      return { place, ids: new Set([...findings.map(({ id }) => id), ...promotional]) };
    });
  return (id) => {
    const alone = found.filter(({ ids }) => ids.has(id));
    return (alone.length > 0 ? alone : found).map(({ place }) => place);
  };
};

const PROMOTIONAL = 'promotional_on_transactional';

const rank = ({ severity }: Issue): number => severities.indexOf(severity);

/** The worst first. `content` is null where nothing was assessed. */
export const issuesOf = (
  mail: CheckedMail,
  content: Pick<Assessment, 'findings' | 'promotional'> | null,
  language: MemberLanguage,
): Issue[] => {
  const { kind, result } = mail;
  const { findings = [], promotional = [] } = content ?? {};
  const placesOf = createLocator(mail);
  const isRefused = result.refusals.some(({ code }) => code === PROMOTIONAL);
  // What a send has without a text is a finding of the content rules too.
  const { findings: own } = wordsIn(language);
  const ownWords = (id: MailRule['id']) => (id === 'no_text_part' ? wordsOf({ id }, language) : own[id]);
  const ofRules = mailRules.flatMap(({ id, severity, code, finds }): Issue[] => {
    const found_in = [...finds(mail)];
    if (found_in.length === 0) return [];
    return [{ id, severity, ...ownWords(id), found_in, code }];
  });
  const ofContent = findings
    .filter(({ id }) => !mailRules.some((rule) => rule.id === id))
    .map(
      (finding): Issue => ({
        id: finding.id,
        severity: severityOf(finding, kind),
        ...wordsOf(finding, language),
        found_in: placesOf(finding.id),
        code: null,
      }),
    );
  const ofPromotion = promotional.flatMap((id): Issue[] => {
    const severity = severityOfPromotion(id, kind, isRefused);
    if (severity === null) return [];
    const code = isRefused ? PROMOTIONAL : null;
    return [{ id, severity, ...wordsOf({ id }, language), found_in: placesOf(id), code }];
  });
  return [...ofRules, ...ofContent, ...ofPromotion].toSorted((one, other) => rank(one) - rank(other));
};
