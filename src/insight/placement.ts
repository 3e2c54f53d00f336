// Estimates how likely mail lands in the inbox, as far as the sending side can know: the risk of its subjects, the outcome
// of mail at each large provider, and the newest mail to the operator's seed addresses. Pure.
import type { z } from 'zod';
import { wordsOf } from '#src/content/rate-content.ts';
import { riskLevels, type SubjectRisk, subjectRisk, subjectRules } from '#src/content/subject-risk.ts';
import type { MemberLanguage } from '#src/kernel/language.ts';
import { toIso } from '#src/kernel/time.ts';
import type { Status } from '#src/messages/rules.ts';
import { type Provider, type placementSchema, providers, type subjectRiskSchema } from './reports-schema.ts';
import type { RecipientOutcomeRow, SubjectRow } from './store.ts';

type SubjectReport = z.infer<typeof subjectRiskSchema>;
type InboxPlacement = z.infer<typeof placementSchema>;

const WORST_SUBJECTS = 10;

interface RatedSubject extends SubjectRisk {
  readonly subject: string;
  messages: number;
}

/** Rates each distinct subject once, because many messages share a subject. */
const rate = (rows: readonly SubjectRow[]): RatedSubject[] => {
  const rated = new Map<string, RatedSubject>();
  for (const { subject } of rows) {
    const known = rated.get(subject);
    if (known) known.messages += 1;
    else rated.set(subject, { subject, messages: 1, ...subjectRisk(subject) });
  }
  return [...rated.values()];
};

const messagesIn = (subjects: readonly RatedSubject[]): number =>
  subjects.reduce((sum, { messages }) => sum + messages, 0);

/** The report contains no subjects; these are in `rated`, because only some callers may see them. */
export const subjectReport = (
  rows: readonly SubjectRow[],
  language: MemberLanguage,
): SubjectReport & { readonly rated: readonly RatedSubject[] } => {
  const rated = rate(rows);
  const sum = rated.reduce((total, { score, messages }) => total + score * messages, 0);
  const [low, medium, high] = riskLevels.map((wanted) =>
    messagesIn(rated.filter(({ level }) => level === wanted)),
  );
  const rules = subjectRules.flatMap(({ id }) => {
    const messages = messagesIn(rated.filter((subject) => subject.rules.includes(id)));
    const share = messages / rows.length;
    return messages === 0 ? [] : [{ id, messages, share, ...wordsOf({ id: `subject_${id}` }, language) }];
  });
  return {
    sampled: rows.length,
    average_score: rows.length === 0 ? null : sum / rows.length,
    levels: { low: low ?? 0, medium: medium ?? 0, high: high ?? 0 },
    rules: rules.toSorted((a, b) => b.messages - a.messages),
    rated,
  };
};

/** The riskiest subjects. Subjects without risk are left out. */
export const worstSubjects = (
  rated: readonly RatedSubject[],
): NonNullable<InboxPlacement['worst_subjects']> =>
  rated
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || b.messages - a.messages)
    .slice(0, WORST_SUBJECTS)
    .map(({ subject, messages, score, level, rules }) => ({
      subject,
      messages,
      score,
      level,
      rules: [...rules],
    }));

type Outcome = 'waiting' | 'delayed' | 'processed' | 'delivered' | 'bounced' | 'failed';

const outcomeOf: Readonly<Record<Status, Outcome | null>> = {
  pending: 'waiting',
  queued: 'waiting',
  delivery_delayed: 'delayed',
  processed: 'processed',
  delivered: 'delivered',
  auto_replied: 'delivered',
  opened: 'delivered',
  clicked: 'delivered',
  unsubscribed: 'delivered',
  spam_complaint: 'delivered',
  soft_bounced: 'bounced',
  hard_bounced: 'bounced',
  failed: 'failed',
  // This mail was never sent.
  suppressed: null,
};

/** Several providers have a domain for each country, for example `hotmail.fr` and `yahoo.co.uk`. */
const families: readonly (readonly [RegExp, Provider])[] = [
  [/^(?:gmail|googlemail)\.com$/, 'gmail'],
  [/^(?:(?:outlook|hotmail|live)\.(?:[a-z]{2,3}\.)?[a-z]{2,3}|msn\.com|passport\.com)$/, 'microsoft'],
  [/^(?:(?:yahoo|aol)\.(?:[a-z]{2,3}\.)?[a-z]{2,3}|ymail\.com|rocketmail\.com)$/, 'yahoo'],
  [/^(?:gmx\.(?:[a-z]{2,3}\.)?[a-z]{2,4}|web\.de)$/, 'gmx_webde'],
  [/^(?:t-online\.de|magenta\.de)$/, 't_online'],
  [/^(?:icloud|me|mac)\.com$/, 'icloud'],
];

/** `domain` in lower-case A-labels. */
export const providerOf = (domain: string): Provider =>
  families.find(([pattern]) => pattern.test(domain))?.[1] ?? 'other';

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1);

const emptyCounts = () => ({
  recipients: 0,
  waiting: 0,
  delayed: 0,
  processed: 0,
  delivered: 0,
  bounced: 0,
  failed: 0,
  complaints: 0,
});

/** Counts the outcomes at each provider, in the order of `providers`. `rows` must not include the simulator's. */
export const providerReport = (rows: readonly RecipientOutcomeRow[]): InboxPlacement['providers'] => {
  const counts = new Map<Provider, ReturnType<typeof emptyCounts>>(
    providers.map((provider) => [provider, emptyCounts()]),
  );
  for (const { address, status } of rows) {
    const outcome = outcomeOf[status];
    const ofProvider = counts.get(providerOf(domainOf(address)));
    if (outcome === null || ofProvider === undefined) continue;
    ofProvider.recipients += 1;
    ofProvider[outcome] += 1;
    if (status === 'spam_complaint') ofProvider.complaints += 1;
  }
  return [...counts].map(([provider, ofProvider]) => ({ provider, ...ofProvider }));
};

export const withoutSimulator = (
  rows: readonly RecipientOutcomeRow[],
  simulatorDomain: string,
): RecipientOutcomeRow[] => rows.filter(({ address }) => domainOf(address) !== simulatorDomain);

/** `testers` are addresses, or domains with a leading @, as in the configuration. `rows` are newest first. */
export const testerReport = (
  testers: readonly string[],
  rows: readonly RecipientOutcomeRow[],
): InboxPlacement['testers'] =>
  testers.map((tester) => {
    const last = rows.find(({ address }) =>
      tester.startsWith('@') ? `@${domainOf(address)}` === tester : address.toLowerCase() === tester,
    );
    if (last === undefined) return { tester, last: null };
    const { status, smtp_code, enhanced_code, updated_at } = last;
    return { tester, last: { status, smtp_code, enhanced_code, at: toIso(updated_at) } };
  });
