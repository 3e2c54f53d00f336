// The words of this room's pages for strangers: forwarding, and forms on websites with their mails.
import { catalogue } from '#src/kernel/catalogue.ts';
import type { Words as FormWords } from './words/de/forms.ts';
import type { Words } from './words/de.ts';

export type { FormWords };

export const wordsIn = catalogue<Words>(import.meta.url, './words/*.ts');
export const formWordsIn = catalogue<FormWords>(import.meta.url, './words/*/forms.ts');
