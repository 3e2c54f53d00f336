// The types of a content rule, and what it reads.
import type { Content } from '../assessment.ts';
import type { HtmlReading } from '../reading/html.ts';
import type { Link, TextReading } from '../reading/text.ts';
import type { PhraseHits } from '../reading/vocabulary.ts';

export interface Reading {
  readonly content: Content;
  /** The text part, at most `TEXT_LOOKED_AT`; null if there is none. */
  readonly text: string | null;
  readonly textWords: TextReading | null;
  readonly html: HtmlReading | null;
  /** The words of the visible text of the HTML. */
  readonly htmlWords: TextReading | null;
  /** The links of both parts. */
  readonly links: readonly Link[];
  /** The phrases in the subject and both parts, by topic. */
  readonly phrases: PhraseHits;
}

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
