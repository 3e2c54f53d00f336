// The words of the page on which an address agrees to be forwarded to.
import { catalogue } from '#src/kernel/catalogue.ts';
import type { Words } from './words/de.ts';

export const wordsIn = catalogue<Words>(import.meta.url, './words/*.ts');
