import { plural } from '#dashboard/words.ts';
import type { words as german } from './de.ts';

export const words: typeof german = {
  againText: 'Each of the chosen messages goes to the same recipients once more.',
  held: 'held',
  intro: 'Everything that was sent or should have been, newest first.',
  others: (count) => `and ${count} more`,
  found: 'Messages found',
  emptyText: 'As soon as this practice sends a message, it is here with all that became of it.',
  more: 'More filters',
  nothingFound: 'No message fits',
  fresh: (count) => plural(count, { one: 'Show # new message', other: 'Show # new messages' }),
};
