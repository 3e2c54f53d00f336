import { plural } from '#dashboard/words.ts';
import type { words as german } from './de.ts';

export const words: typeof german = {
  intro: 'Texts that are needed again and again, with placeholders for names, days and times.',
  nameHint: 'ASCII letters, digits, dots, hyphens and underscores.',
  create: 'New template',
  firstText: ['Dear {{name}},', ''],
  kind: 'Kind of message',
  allKinds: 'All',
  folders: 'Kinds of templates',
  actions: 'What you can do with it',
  useForMany: 'As a campaign',
  useIt: 'Use',
  duplicate: 'Make a copy',
  duplicated: 'This is the copy.',
  list: 'Templates of this practice',
  empty: 'No templates yet',
  emptyText:
    'Begin with finished German texts for appointments, reminders and campaigns. You can change each of them.',
  seed: 'Create the finished templates',
  seeded: (count) => `${plural(count, { one: '# template was', other: '# templates were' })} created.`,
};
