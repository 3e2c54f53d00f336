// What a row of the bounce tables holds. The tables stand beside it; bounce-class.ts puts them in order and reads them.

export interface BounceRule {
  /** Only `hard` suppresses at once and counts into the bounce rate. */
  readonly class: 'hard' | 'soft';
  readonly rule: string;
  /** Enhanced status codes; `x` stands for any class. */
  readonly enhanced?: readonly string[];
  readonly code?: readonly number[];
  /** Looked for in the reply's words, in which addresses stand as `@`. */
  readonly text?: RegExp;
  /** Name of the host whose words they are, where several use a code for different things. */
  readonly speaker?: RegExp;
  /** Where the meaning comes from. */
  readonly source: string;
  /** A raw reply this row is for. */
  readonly example: string;
  /** Who gave it, where that decides. */
  readonly exampleSpeaker?: string;
}

export const registry = 'RFC 5248 registry of enhanced status codes';
