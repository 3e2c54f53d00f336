// The types of a content rule.
import type { Language } from '#src/kernel/language.ts';
import type { Reading } from '../reading/read-content.ts';

export type Words = Readonly<Record<Language, string>>;

export interface RuleMatch {
  /** Short and without personal data; null if the rule's words say all. */
  readonly detail: string | null;
  /** How many different ones were found; 1 if absent. */
  readonly count?: number;
}

/** A rule's id with the words that are shown about it. */
export interface RuleWords {
  readonly id: string;
  readonly why: Words;
  readonly advice: Words;
}

export interface ContentRule extends RuleWords {
  /** Adds to the score: 0 to 100. In a list the first is for one finding, the second for two, the last for all more. */
  readonly weight: number | readonly number[];
  readonly finds: (reading: Reading) => RuleMatch | null;
}
