// Makes patterns of the phrases that servers write. Pure.
import { phrases, type Reason } from './phrases.ts';

const GAP = '[^\\n]{0,60}?';
const pattern = (phrase: string): string =>
  phrase
    .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replace(/[\u00c0-\u024f]/g, '\\S{1,2}')
    .replace(/'/g, "['’´`]?")
    .replace(/ … /g, `\\s${GAP}`)
    .replace(/ /g, '[\\s_-]{1,3}');

/** A pattern of what any language writes for the reason. */
export const wordsOf = (reason: Reason): string =>
  Object.values(phrases[reason]).flat().map(pattern).join('|');
