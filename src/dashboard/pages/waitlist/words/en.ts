import type { words as german } from './de.ts';

export const words: typeof german = {
  intro: 'Who would like a plan that is not open yet, in the order of their entries.',
  entered: 'Entered',
  asked: 'Last asked',
  removeTitle: (email) => `Take ${email} off the waiting list?`,
  removeText: 'The entry is deleted. The person gets no email about it.',
  removed: 'The entry is deleted.',
  empty: 'No one waits',
  emptyText: 'On the first page of the service people can enter themselves for a plan. Here you see them.',
};
