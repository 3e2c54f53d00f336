// What rspamd answers to POST /checkv2, as a report without addresses or settings of its own. Pure.
import { z } from 'zod';
import { rejections, type ScannerReport } from '../assessment.ts';

type RspamdReport = ScannerReport['rspamd'];

/** The strongest symbols tell why; there may be hundreds. */
const MAX_SYMBOLS = 10;
/** Symbols of an operator's own rules may be named otherwise, and are nobody's business. */
const SYMBOL = /^[A-Z][A-Z0-9_]{1,63}$/;
/** Actions are words, some of them two; an operator may have more of them. */
const ACTION = /^[a-z][a-z ]{0,31}$/;

const answerSchema = z.object({
  is_skipped: z.boolean().optional(),
  score: z.number().optional(),
  required_score: z.number().optional(),
  action: z.string().regex(ACTION).optional(),
  symbols: z.record(z.string(), z.object({ score: z.number() })).optional(),
});

export const rspamdOff: RspamdReport = {
  state: 'off',
  action: null,
  score: null,
  required: null,
  symbols: [],
};

type Symbols = NonNullable<z.infer<typeof answerSchema>['symbols']>;

const strongest = (symbols: Symbols): string[] =>
  Object.entries(symbols)
    .filter(([name, { score }]) => score > 0 && SYMBOL.test(name))
    .sort(([, one], [, other]) => other.score - one.score)
    .slice(0, MAX_SYMBOLS)
    .map(([name]) => name);

/** Throws where it is no such answer. */
export const readRspamdAnswer = (text: string): RspamdReport => {
  const answer = answerSchema.parse(JSON.parse(text));
  // Whatever it decided beforehand is called skipped too, a rejection by the test string for spam filters among it.
  const isSkipped = answer.is_skipped === true && !rejections.has(answer.action ?? null);
  if (isSkipped) return { ...rspamdOff, state: 'skipped' };
  if (answer.action === undefined || answer.score === undefined)
    throw new Error('an answer without action or score');
  return {
    state: 'ok',
    action: answer.action,
    score: answer.score,
    required: answer.required_score ?? null,
    symbols: strongest(answer.symbols ?? {}),
  };
};
