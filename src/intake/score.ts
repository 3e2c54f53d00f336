// What a sender is told of a message that is not sent: how its content is rated, what the gates say of it, and what to do
// about either. Pure.
import { z } from 'zod';
import { type Assessment, gradeOf, inboxRiskOf } from '#src/intake/content/assessment.ts';
import { type FindingWords, wordsOf } from '#src/intake/content/rate-content.ts';
import type { ErrorCode } from '#src/kernel/errors.ts';
import type { Language } from '#src/kernel/language.ts';
import { decisionSchema } from '#src/messages/schema.ts';
import type { Draft } from './draft.ts';
import { type Facts, recipientsOf } from './gate.ts';
import { missingLegal } from './gates/broadcast-gates.ts';
import type { Passage } from './gates.ts';
import { DELICATE_TRACKING, delicateWords, warnsOfTracking } from './tracking.ts';

const words = { id: z.string(), why: z.string(), advice: z.string() };

export const scoreAnswer = z.strictObject({
  score: z.int().min(0).max(100).describe('0: nothing speaks against it; from 70 on it is blocked'),
  grade: z.enum(['A', 'B', 'C', 'D', 'E', 'F']),
  inbox_risk: z.enum(['low', 'medium', 'high']).describe('of the spam folder'),
  would_block: z.boolean().describe('whether the content would be kept from leaving'),
  would_refuse: z.string().nullable().describe('the code with which a send would be refused'),
  hint: z.string().nullable().describe('what to do about that'),
  reasons: z
    .array(z.strictObject({ ...words, weight: z.number() }))
    .describe('what makes the score, strongest first'),
  warnings: z.array(z.strictObject(words)).describe('what adds nothing to the score and should be known'),
  recommendations: z.array(z.string()),
  scanner: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe('what the scanners said; null where none is configured'),
  decisions: z.array(decisionSchema).describe("each gate's verdict, as the message would show it"),
  broadcast: z
    .strictObject({ eligible: z.boolean(), missing: z.array(z.string()) })
    .nullable()
    .describe('on marketing routes: the codes by which it is not ready for them'),
  impressum: z
    .strictObject({ complete: z.boolean(), missing: z.array(z.string()) })
    .nullable()
    .describe('on marketing routes'),
});

export type ScoreAnswer = z.infer<typeof scoreAnswer>;

/** Those of decisions 1 that say what a practice lacks for marketing. */
const ELIGIBILITY: ReadonlySet<ErrorCode> = new Set([
  'impressum_incomplete',
  'dkim_not_verified',
  'warmup_not_ready',
  'warmup_cap_reached',
  'consent_required',
]);

type Warning = ScoreAnswer['warnings'][number];

const passageWords: Readonly<
  Record<
    'recipient_suppressed' | 'recipients_suppressed' | 'held' | 'no_way_out',
    Record<Language, FindingWords>
  >
> = {
  recipient_suppressed: {
    de: {
      why: 'Alle Empfänger stehen auf der Sperrliste: Es würde nichts versendet.',
      advice: 'Prüfen Sie, warum die Empfänger gesperrt sind.',
    },
    en: {
      why: 'Every recipient is on the suppression list: nothing would be sent.',
      advice: 'Look up why the recipients are suppressed.',
    },
  },
  recipients_suppressed: {
    de: {
      why: 'Einige Empfänger stehen auf der Sperrliste und bekämen nichts.',
      advice: 'Nehmen Sie gesperrte Empfänger aus Ihren Verteilern.',
    },
    en: {
      why: 'Some recipients are on the suppression list and would get nothing.',
      advice: 'Take suppressed recipients off your lists.',
    },
  },
  held: {
    de: {
      why: 'Die Aufwärmphase der Domain ließe die Nachricht erst an einem späteren Tag hinaus.',
      advice: 'Verteilen Sie große Mengen auf mehrere Tage.',
    },
    en: {
      why: 'The warm-up of the domain would let the message out on a later day only.',
      advice: 'Spread large volumes over several days.',
    },
  },
  no_way_out: {
    de: {
      why: 'Die Nachricht hätte keinen Abmeldelink, weil der Dienst nicht über HTTPS erreichbar ist.',
      advice: 'Bitten Sie den Betreiber, eine öffentliche Adresse mit HTTPS einzurichten.',
    },
    en: {
      why: 'The message would have no unsubscribe link, because the service has no HTTPS address.',
      advice: 'Ask the operator to set up a public origin with HTTPS.',
    },
  },
};

const passageWarnings = (
  draft: Draft,
  facts: Facts,
  { suppressed, heldUntil, verdicts }: Passage,
  language: Language,
): Warning[] => {
  const isAll = suppressed.size > 0 && suppressed.size === recipientsOf(draft).length;
  const ids: (keyof typeof passageWords)[] = [];
  if (suppressed.size > 0) ids.push(isAll ? 'recipient_suppressed' : 'recipients_suppressed');
  if (heldUntil !== null) ids.push('held');
  if (facts.unsubscribe === null) ids.push('no_way_out');
  const found = ids.map((id) => ({ id, ...passageWords[id][language] }));
  return warnsOfTracking(verdicts)
    ? [...found, { id: DELICATE_TRACKING, ...delicateWords[language] }]
    : found;
};

export const scoreOf = (
  draft: Draft,
  facts: Facts,
  passage: Passage,
  content: Assessment,
  language: Language,
): ScoreAnswer => {
  const found = content.findings.map((finding) => ({
    id: finding.id,
    ...wordsOf(finding, language),
    weight: finding.weight,
  }));
  const reasons = found.filter(({ weight }) => weight > 0).toSorted((a, b) => b.weight - a.weight);
  const weightless = found.filter(({ weight }) => weight <= 0).map(({ weight: _, ...rest }) => rest);
  const isRefusedAsPromotional = passage.refusals.some(({ code }) => code === 'promotional_on_transactional');
  const promotional = isRefusedAsPromotional
    ? content.promotional.map((id) => ({ id, ...wordsOf({ id }, language) }))
    : [];
  const warnings = [...promotional, ...weightless, ...passageWarnings(draft, facts, passage, language)];
  const advice = [...reasons, ...warnings].map((one) => one.advice).filter((text) => text !== '');
  const isMarketing = facts.route.type === 'marketing';
  const codes = passage.refusals.map(({ code }) => code).filter((code) => ELIGIBILITY.has(code));
  const legal = missingLegal(facts);
  return {
    score: content.score,
    grade: gradeOf(content.score),
    inbox_risk: inboxRiskOf(content.score),
    would_block: content.block !== null,
    would_refuse: passage.refusal?.code ?? null,
    hint: passage.refusal?.hint ?? null,
    reasons,
    warnings,
    recommendations: [...new Set(advice)],
    scanner: content.scanner && { ...content.scanner },
    decisions: [...passage.verdicts],
    broadcast: isMarketing ? { eligible: codes.length === 0, missing: [...new Set(codes)] } : null,
    impressum: isMarketing ? { complete: legal.length === 0, missing: legal } : null,
  };
};
