// Rates a message without sending it: the rating of its content, the verdicts of all gates, the report of the scanners, and
// what the sender can do. Nothing is stored, and no idempotency key is looked at.

import { z } from 'zod';
import { missingLegal } from '#src/accounts/tenants/legal.ts';
import { type Assessment, gradeOf, inboxRiskOf } from '#src/content/assessment.ts';
import { wordsOf } from '#src/content/rate-content.ts';
import type { ErrorCode } from '#src/kernel/errors.ts';
import type { MemberLanguage } from '#src/kernel/language.ts';
import type { RequestContext } from '#src/kernel/route.ts';
import { said } from '#src/kernel/say.ts';
import { scannerReport } from '#src/kernel/scanner-report.ts';
import { decisionSchema, decisionsFor } from '#src/messages/schema.ts';
import type { Draft } from './draft.ts';
import { type Assess, type Candidate, type Evaluation, evaluate, scan } from './evaluate.ts';
import { DELICATE_TRACKING, type Facts, recipientsOf, warnsOfTracking } from './gate.ts';
import { type GateResult, gates } from './gates.ts';
import type { IntakeContext } from './intake-context.ts';
import { wordsIn } from './words.ts';

const words = { id: z.string(), why: z.string(), advice: z.string() };

const titledSchema = z
  .strictObject({ ...decisionSchema.shape, title: z.string().describe('of the gate, for people') })
  .meta({ id: 'ScoreDecision' });

export const scoreAnswer = z
  .strictObject({
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
    scanner: scannerReport.nullable().describe('what the scanners said; null where none is configured'),
    decisions: z.array(titledSchema).describe("each gate's verdict, as the message would show it"),
    broadcast: z
      .strictObject({ eligible: z.boolean(), missing: z.array(z.string()) })
      .nullable()
      .describe('on marketing routes: the codes by which it is not ready for them'),
    impressum: z
      .strictObject({ complete: z.boolean(), missing: z.array(z.string()) })
      .nullable()
      .describe('on marketing routes'),
  })
  .meta({ id: 'Score' });

export type ScoreAnswer = z.infer<typeof scoreAnswer>;

/** The codes that say what a practice lacks for marketing. */
const ELIGIBILITY: ReadonlySet<ErrorCode> = new Set(
  gates.flatMap(({ isForMarketing, errors }) => (isForMarketing ? errors : [])),
);

const titles = new Map(gates.map(({ name, title }) => [name, title]));

/** Who asks: the languages of findings and of refusals. */
export type SaidTo = Pick<RequestContext, 'answerLanguage' | 'speak'>;

type Warning = ScoreAnswer['warnings'][number];

const resultWarnings = (
  draft: Draft,
  facts: Facts,
  { suppressed, heldUntil, verdicts }: GateResult,
  language: MemberLanguage,
): Warning[] => {
  const { findings } = wordsIn(language);
  const isAll = suppressed.size > 0 && suppressed.size === recipientsOf(draft).length;
  const ids: (keyof typeof findings)[] = [];
  if (suppressed.size > 0) ids.push(isAll ? 'recipient_suppressed' : 'recipients_suppressed');
  if (heldUntil !== null) ids.push('held');
  if (facts.unsubscribe === null) ids.push('no_way_out');
  const found = ids.map((id) => ({ id, ...findings[id] }));
  return warnsOfTracking(verdicts)
    ? [...found, { id: DELICATE_TRACKING, ...findings[DELICATE_TRACKING] }]
    : found;
};

export const scoreOf = (
  draft: Draft,
  facts: Facts,
  result: GateResult,
  content: Assessment,
  { answerLanguage: language, speak }: SaidTo,
): ScoreAnswer => {
  const found = content.findings.map((finding) => ({
    id: finding.id,
    ...wordsOf(finding, language),
    weight: finding.weight,
  }));
  const reasons = found.filter(({ weight }) => weight > 0).toSorted((a, b) => b.weight - a.weight);
  const weightless = found.filter(({ weight }) => weight <= 0).map(({ weight: _, ...rest }) => rest);
  const isRefusedAsPromotional = result.refusals.some(({ code }) => code === 'promotional_on_transactional');
  const promotional = isRefusedAsPromotional
    ? content.promotional.map((id) => ({ id, ...wordsOf({ id }, language) }))
    : [];
  const warnings = [...promotional, ...weightless, ...resultWarnings(draft, facts, result, language)];
  const advice = [...reasons, ...warnings].map((one) => one.advice).filter((text) => text !== '');
  const isMarketing = facts.route.type === 'marketing';
  const codes = result.refusals.map(({ code }) => code).filter((code) => ELIGIBILITY.has(code));
  const legal = missingLegal(facts);
  return {
    score: content.score,
    grade: gradeOf(content.score),
    inbox_risk: inboxRiskOf(content.score),
    would_block: content.block !== null,
    would_refuse: result.refusal?.code ?? null,
    hint: result.refusal?.saidBy(speak).hint ?? null,
    reasons,
    warnings,
    recommendations: [...new Set(advice)],
    scanner: content.scanner,
    decisions: result.verdicts.map((verdict) => ({
      ...verdict,
      title: speak(titles.get(verdict.gate) ?? said(verdict.gate)),
    })),
    broadcast: isMarketing ? { eligible: codes.length === 0, missing: [...new Set(codes)] } : null,
    impressum: isMarketing ? { complete: legal.length === 0, missing: legal } : null,
  };
};

/** Throws AppError where a send could not even be evaluated: there is no such route, project or template. */
export const score = async (
  intake: IntakeContext,
  tenantId: string,
  candidate: Candidate,
  to: SaidTo,
): Promise<ScoreAnswer> => {
  const { content, files, clock } = intake;
  // Past refusals, because the sender wants to know all of them at once.
  const evaluateBy = (assess: Assess): Promise<Evaluation> =>
    files.read(tenantId, (db) =>
      evaluate(db, intake, candidate, assess, { now: clock.now(), pastRefusals: true }),
    );
  const byRules = await evaluateBy(content.rate);
  const scanned = content.scans() ? await scan(intake, tenantId, byRules) : null;
  const { draft, facts, result } = scanned === null ? byRules : await evaluateBy(() => scanned);
  if (facts.content === null) throw new Error("the content of a sender's message is always assessed");
  const answer = scoreOf(draft, facts, result, facts.content, to);
  return { ...answer, decisions: decisionsFor(answer.decisions, candidate.projects) };
};
