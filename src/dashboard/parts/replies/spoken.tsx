// Replies in the present language.
import { translated } from '#dashboard/words.ts';
import { type Replies, repliesIn } from './replies.ts';
import { words } from './words/de.ts';

export const spokenReplies = (): Replies => repliesIn(translated(words));
