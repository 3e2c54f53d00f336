// What a rule over a message's content is. Types only.
import type { Language } from '#src/kernel/language.ts';
import type { Reading } from '../reading/read-content.ts';

export type Words = Readonly<Record<Language, string>>;

export interface Found {
  /** Short and without personal data; null where the rule's words say all. */
  readonly detail: string | null;
  /** How many different ones; 1 where absent. */
  readonly count?: number;
}

/** A rule's id with what is told about it. */
export interface RuleWords {
  readonly id: string;
  readonly why: Words;
  readonly advice: Words;
}

export interface ContentRule extends RuleWords {
  /** 0 to 100: what it adds to the score. A list: by how many different ones were found, the last for more. */
  readonly weight: number | readonly number[];
  readonly finds: (reading: Reading) => Found | null;
}
