// How likely mail lands in the inbox, as far as the sending side can tell: what subjects risk, what became of mail at each
// large receiver, and how the operator's seed addresses fared. Pure.
import type { z } from 'zod';
import { riskLevels, type SubjectRisk, subjectRisk, subjectRules } from '#src/intake/content/subject-risk.ts';
import type { Language } from '#src/kernel/language.ts';
import { toIso } from '#src/kernel/time.ts';
import type { Status } from '#src/messages/rules.ts';
import { type Provider, providerOf, providers } from './providers.ts';
import type { placementSchema, subjectRiskSchema } from './reports-schema.ts';
import type { RecipientOutcomeRow, SubjectRow } from './store.ts';

type SubjectReport = z.infer<typeof subjectRiskSchema>;
type Placement = z.infer<typeof placementSchema>;

const WORST_SUBJECTS = 10;

interface Rated extends SubjectRisk {
  readonly subject: string;
  messages: number;
}

/** Each subject is looked at once, however many messages bear it. */
const rate = (rows: readonly SubjectRow[]): Rated[] => {
  const rated = new Map<string, Rated>();
  for (const { subject } of rows) {
    const known = rated.get(subject);
    if (known) known.messages += 1;
    else rated.set(subject, { subject, messages: 1, ...subjectRisk(subject) });
  }
  return [...rated.values()];
};

const messagesIn = (subjects: readonly Rated[]): number =>
  subjects.reduce((sum, { messages }) => sum + messages, 0);

/** Without the subjects themselves. */
export const subjectReport = (
  rows: readonly SubjectRow[],
  language: Language,
): SubjectReport & { readonly rated: readonly Rated[] } => {
  const rated = rate(rows);
  const sum = rated.reduce((total, { score, messages }) => total + score * messages, 0);
  const [low, medium, high] = riskLevels.map((wanted) =>
    messagesIn(rated.filter(({ level }) => level === wanted)),
  );
  const rules = subjectRules.flatMap(({ id, why, advice }) => {
    const messages = messagesIn(rated.filter((subject) => subject.rules.includes(id)));
    const share = messages / rows.length;
    return messages === 0 ? [] : [{ id, messages, share, why: why[language], advice: advice[language] }];
  });
  return {
    sampled: rows.length,
    average_score: rows.length === 0 ? null : sum / rows.length,
    levels: { low: low ?? 0, medium: medium ?? 0, high: high ?? 0 },
    rules: rules.toSorted((a, b) => b.messages - a.messages),
    rated,
  };
};

/** The riskiest subjects, none of those without risk. */
export const worstSubjects = (rated: readonly Rated[]): NonNullable<Placement['worst_subjects']> =>
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

type Came = 'waiting' | 'delayed' | 'processed' | 'delivered' | 'bounced' | 'failed';

const cameOf: Readonly<Record<Status, Came | null>> = {
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
  // Never sent there.
  suppressed: null,
};

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

/** What became of the recipients at each provider, in the order of the table; `rows` without the simulator's. */
export const providerReport = (rows: readonly RecipientOutcomeRow[]): Placement['providers'] => {
  const counts = new Map<Provider, ReturnType<typeof emptyCounts>>(
    providers.map((provider) => [provider, emptyCounts()]),
  );
  for (const { address, status } of rows) {
    const came = cameOf[status];
    const ofProvider = counts.get(providerOf(domainOf(address)));
    if (came === null || ofProvider === undefined) continue;
    ofProvider.recipients += 1;
    ofProvider[came] += 1;
    if (status === 'spam_complaint') ofProvider.complaints += 1;
  }
  return [...counts].map(([provider, ofProvider]) => ({ provider, ...ofProvider }));
};

export const withoutSimulator = (
  rows: readonly RecipientOutcomeRow[],
  simulatorDomain: string,
): RecipientOutcomeRow[] => rows.filter(({ address }) => domainOf(address) !== simulatorDomain);

/** `testers` as the configuration has them: addresses, or domains with a leading @. `rows` newest first. */
export const testerReport = (
  testers: readonly string[],
  rows: readonly RecipientOutcomeRow[],
): Placement['testers'] =>
  testers.map((tester) => {
    const last = rows.find(({ address }) =>
      tester.startsWith('@') ? `@${domainOf(address)}` === tester : address.toLowerCase() === tester,
    );
    if (last === undefined) return { tester, last: null };
    const { status, smtp_code, enhanced_code, updated_at } = last;
    return { tester, last: { status, smtp_code, enhanced_code, at: toIso(updated_at) } };
  });
