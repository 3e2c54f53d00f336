import { plural } from '#dashboard/words.ts';
import type { words as german } from './de.ts';

export const words: typeof german = {
  intro: 'What happens in this practice, as it happens, in the form in which webhooks get it.',
  all: 'All events',
  waiting: (count) => plural(count, { one: '# new event is waiting', other: '# new events are waiting' }),
  live: 'New events appear by themselves.',
  paused: 'Paused.',
  list: 'Events, newest first',
  more: 'Load older ones',
  empty: 'No events yet',
  emptyText: 'As soon as a message is created, accepted, refused or read, it is here.',
};
