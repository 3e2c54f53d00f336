import type { words as german } from './de.ts';

export const words: typeof german = {
  title: 'Someone else has saved this meanwhile',
  who: (name, at) =>
    `${name ?? 'Someone'} changed this${at ? ` on ${at}` : ''}, after you had opened it. Which version is right?`,
  theirs: 'As it is saved now',
  mine: 'As you have written it',
  rest: 'What you have not changed yourself stays as it is saved now, whichever you choose.',
  other: 'Other fields',
  empty: 'empty',
  yes: 'yes',
  no: 'no',
  takeTheirs: 'Take the other version',
  saveMine: 'Save my version',
};
