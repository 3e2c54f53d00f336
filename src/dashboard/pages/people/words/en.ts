import type { words as german } from './de.ts';

export const words: typeof german = {
  intro: 'Everyone who got mail, newest first. Search by name or address.',
  search: 'Name or email address',
  caption: 'People with mail',
  byConditions: 'Choose by conditions',
  allAgain: 'Show everyone again',
  person: 'Person',
  lastMail: 'Last message',
  open: (address) => `Show all about ${address}`,
  empty: 'So far, mail has gone to no one',
  emptyText: 'Everyone you have written to is here, with all that is stored about them.',
  nothing: 'No person with mail is found for this',
  nothingText: 'Enter the whole email address: then you also see who is only on a list.',
};
