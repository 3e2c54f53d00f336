// The gates' verdicts as they lie in a message's row: a list each, without the names that are the same for all, because
// every message has some twenty of them. `[gate, facts]` has passed; else the verdict is the third. Pure.
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

/** Rows of the first versions hold whole records. */
export const unpackDecisions = (json: string): Decision[] =>
  (JSON.parse(json) as readonly (Packed | Decision)[]).map((kept) =>
    'gate' in kept ? kept : { gate: kept[0], verdict: kept[2] ?? 'passed', facts: kept[1] },
  );
