import { plural } from '#dashboard/words.ts';
import type { words as german } from './de.ts';

export const words: typeof german = {
  intro: 'One message to all on a list who have consented.',
  opened: 'Opened',
  clicked: 'Clicked',
  create: 'New campaign',
  people: (count) => plural(count, { one: '# person', other: '# people' }),
  noTemplate: 'Begin empty',
  firstText: ['Hello,', ''],
  noList: 'Create a list first.',
  toLists: 'To the lists',
  found: 'Campaigns',
  empty: 'No campaign yet',
  emptyText: 'Write something, see how many people get it, and send it now or at a time of your choice.',
  nothingFound: 'No campaign has this status',
};
