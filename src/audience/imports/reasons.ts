// Why a row of an import, or the whole file, was not taken as it is: kept as a code with its values. Pure.
import type { Words } from '#src/audience/words/de/members.ts';
import { wordsIn } from '#src/audience/words.ts';
import type { MemberLanguage } from '#src/kernel/language.ts';

/** A code and its values. */
export type Reason = readonly [code: keyof Words['imports'], ...values: readonly (string | number)[]];

export const reasonText = ([code, ...values]: Reason, language: MemberLanguage): string =>
  (wordsIn(language).imports[code] as (...values: string[]) => string)(...values.map(String));

/** The reason as it is stored. */
export const reasonJson = (reason: Reason): string => JSON.stringify(reason);
export const reasonOf = (json: string): Reason => JSON.parse(json) as Reason;
