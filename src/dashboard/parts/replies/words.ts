import { translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

export const replyWords = () => translated(words);
