// The words of this room: pages and mails for strangers, what people read of their data, and what members see.
import { catalogue } from '#src/kernel/catalogue.ts';
import type { MemberLanguage } from '#src/kernel/language.ts';
import type { Words } from './words/de/members.ts';
import type { Words as PeopleWords } from './words/de/people.ts';
import type { Words as PublicWords } from './words/de/public.ts';

export const publicWordsIn = catalogue<PublicWords>(import.meta.url, './words/*/public.ts');
export const peopleWordsIn = catalogue<PeopleWords>(import.meta.url, './words/*/people.ts');
export const wordsIn = catalogue<Words, MemberLanguage>(import.meta.url, './words/*/members.ts');
