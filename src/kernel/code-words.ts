// What the codes of refusals are, in few words of a language: for mails about what was refused long ago.
import { refusalsIn } from './catalogue.ts';
import { errorTable } from './error-table.ts';
import type { ErrorCode } from './errors.ts';
import type { Language } from './language.ts';
import { inEnglish, type Speak, speakerOf, type Text } from './say.ts';

const sentencesIn = refusalsIn(() => [import.meta.dirname]);

interface CodeWords {
  readonly brief?: Text;
  readonly hint: Text;
}
const declared: Readonly<Record<ErrorCode, CodeWords>> = errorTable;

export const codeWords = (language: Language): Readonly<Record<string, string>> => {
  const sentences = sentencesIn(language);
  const speak = sentences === undefined ? inEnglish : speakerOf(language, sentences);
  return Object.fromEntries(
    Object.entries(declared).flatMap(([code, { brief }]) => (brief ? [[code, speak(brief)]] : [])),
  );
};

/** What each of the codes is and what to do about it; those without such words are left out. */
export const explainCodes = (codes: readonly string[], speak: Speak) =>
  Object.fromEntries(
    codes.flatMap((code) => {
      const { brief, hint } = declared[code as ErrorCode] ?? {};
      return brief && hint ? [[code, { brief: speak(brief), hint: speak(hint) }]] : [];
    }),
  );
