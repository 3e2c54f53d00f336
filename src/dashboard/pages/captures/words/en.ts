import type { words as german } from './de.ts';

export const words: typeof german = {
  intro: 'Mail that the service kept here and delivered to no one, newest first.',
  unknown: '(message no longer kept)',
  recipient: 'Recipient',
  captured: 'Captured',
  search: 'Recipient or subject',
  nothingFoundText: 'No captured mail has all these words in its recipient or subject.',
  ofMessage: 'Only the mails of one message.',
  empty: 'Nothing captured',
  emptyText:
    'Where the operator has mail captured, it does not leave the service: it appears here as its recipient would see it.',
};
