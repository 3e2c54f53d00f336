import { plural } from '#dashboard/words.ts';
import type { words as german } from './de.ts';

export const words: typeof german = {
  title: 'Only some of the people',
  hint: 'Without a condition everyone on the lists gets it. Of several, all must hold.',
  take: 'Saved segment',
  none: 'none',
  field: 'Field of the person',
  op: 'Comparison',
  ops: {
    is: 'is',
    is_not: 'is not',
    contains: 'contains',
    starts_with: 'begins with',
    before: 'is before',
    after: 'is after',
    exists: 'is filled in',
    missing: 'is empty',
    subscribed_before: 'subscribed before',
    subscribed_after: 'subscribed after',
  },
  value: 'Value',
  remove: 'Remove the condition',
  add: 'Add a condition',
  noList: 'Choose a list first.',
  count: (count, of) =>
    plural(count, { one: `Holds for one of ${of} people.`, other: `Holds for # of ${of} people.` }),
  saveAs: 'Save as a segment',
  name: 'Name of the segment',
  save: 'Save the segment',
  saved: 'The segment is saved.',
};
