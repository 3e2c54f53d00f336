// The words about what is found in a mail, and those by which its language is known.
import { catalogue } from '#src/kernel/catalogue.ts';
import type { MemberLanguage } from '#src/kernel/language.ts';
import type { Words } from './words/de/findings.ts';
import type { Words as Signs } from './words/de/signs.ts';

export const wordsIn = catalogue<Words, MemberLanguage>(import.meta.url, './words/*/findings.ts');
export const signsOf = catalogue<Signs>(import.meta.url, './words/*/signs.ts');
