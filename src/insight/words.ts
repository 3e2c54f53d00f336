// The words of this room: the frame of a mail, and what members read of their practice.
import { catalogue } from '#src/kernel/catalogue.ts';
import type { MemberLanguage } from '#src/kernel/language.ts';
import type { Words } from './words/de/members.ts';
import type { Words as PublicWords } from './words/de/public.ts';

export const publicWordsIn = catalogue<PublicWords>(import.meta.url, './words/*/public.ts');
export const wordsIn = catalogue<Words, MemberLanguage>(import.meta.url, './words/*/members.ts');
