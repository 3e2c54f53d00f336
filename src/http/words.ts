// The words of the pages at the origin, and of refusals as pages.
import { catalogue } from '#src/kernel/catalogue.ts';
import type { Words } from './words/de.ts';

export const wordsIn = catalogue<Words>(import.meta.url, './words/*.ts');
