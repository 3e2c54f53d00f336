// The verdicts of the gates as a message's row stores them: lists without field names, because every message has some twenty
// of them. `[gate, facts]` is a gate that passed; any other verdict is the third element. Pure.
import type { z } from 'zod';
import type { decisionSchema } from './schema.ts';

export type Decision = Readonly<z.infer<typeof decisionSchema>>;

type Packed = readonly [gate: string, facts: Decision['facts'], verdict?: Decision['verdict']];

export const packDecisions = (decisions: readonly Decision[]): string =>
  JSON.stringify(
    decisions.map(
      ({ gate, verdict, facts }): Packed => (verdict === 'passed' ? [gate, facts] : [gate, facts, verdict]),
    ),
  );

export const unpackDecisions = (json: string): Decision[] =>
  (JSON.parse(json) as readonly Packed[]).map(([gate, facts, verdict = 'passed']) => ({
    gate,
    verdict,
    facts,
  }));
