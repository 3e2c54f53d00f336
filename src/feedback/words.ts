// The words of the pages behind the unsubscribe link.
import { catalogue } from '#src/kernel/catalogue.ts';
import type { Words } from './words/de.ts';

export type { Words };
export const wordsIn = catalogue<Words>(import.meta.url, './words/*.ts');
