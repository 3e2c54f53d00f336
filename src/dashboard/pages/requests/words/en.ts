import type { words as german } from './de.ts';

export const words: typeof german = {
  intro:
    'What programs have asked with your tokens, and how it was answered: the last 1,000 requests of each token since the service started. Contents are never kept here.',
  list: 'Requests, the newest first',
  token: 'API token',
  allTokens: 'All tokens',
  answered: 'Answer',
  classes: {
    '': 'All answers',
    '2xx': 'Accepted (2xx)',
    '4xx': 'Refused (4xx)',
    '5xx': 'Failures of the service (5xx)',
  },
  code: 'Error',
  allCodes: 'All errors',
  requestId: 'Request id',
  gone: 'the program did not wait',
  duration: 'Duration',
  messages: 'Messages',
  reference: 'Read about it in the reference',
  ofMessage: 'Only the request that made this message is shown.',
  ofRequest: 'Only this one request is shown.',
  live: 'New requests appear by themselves.',
  empty: 'No requests yet',
  emptyText: 'As soon as a program asks something with a token, it is shown here.',
  emptyFiltered: 'No request fits',
  emptyFilteredText:
    'Perhaps it is too long ago, the service has been restarted since, or it did not come by a token.',
};
