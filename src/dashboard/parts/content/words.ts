import { partWords } from '#dashboard/parts/words.ts';
import { translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

export const contentWords = () => ({ ...partWords().content, ...translated(words) });
