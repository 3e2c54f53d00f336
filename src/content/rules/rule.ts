// The types of a content rule.
import type { Reading } from '../reading/read-content.ts';

export interface RuleMatch {
  /** Short and without personal data; null if the rule's words say all. */
  readonly detail: string | null;
  /** How many different ones were found; 1 if absent. */
  readonly count?: number;
}

export interface ContentRule {
  /** Under it the catalogues have the words about what the rule finds. */
  readonly id: string;
  /** Adds to the score: 0 to 100. In a list the first is for one finding, the second for two, the last for all more. */
  readonly weight: number | readonly number[];
  readonly finds: (reading: Reading) => RuleMatch | null;
}
