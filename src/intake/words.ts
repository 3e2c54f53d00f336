// The words about a mail that is to be sent, and of samples.
import { catalogue } from '#src/kernel/catalogue.ts';
import type { MemberLanguage } from '#src/kernel/language.ts';
import type { Words as CheckWords } from './words/de/content-check.ts';
import type { Words } from './words/de/members.ts';
import type { Words as PersonWords } from './words/de/person.ts';

export const wordsIn = catalogue<Words, MemberLanguage>(import.meta.url, './words/*/members.ts');
export const checkWordsIn = catalogue<CheckWords, MemberLanguage>(
  import.meta.url,
  './words/*/content-check.ts',
);
export const publicWordsIn = catalogue<PersonWords>(import.meta.url, './words/*/person.ts');
