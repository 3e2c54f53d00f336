import type { Words } from './de.ts';

export const words: Words = {
  footer: {
    unsubscribe: 'Unsubscribe from emails like this',
    preferences: 'Choose lists',
    sentWith: 'Sent with',
  },
  person: {
    erased: {
      copies: 'messages to the person, one for each recipient',
      mentions_in_messages: 'places in other messages that named the address',
    },
    kept: {
      counts: {
        what: 'counts, times and outcomes of sending under a pseudonym',
        why: 'They no longer name the person and keep the service working.',
      },
    },
    titles: {
      messages: 'Messages to you',
    },
  },
};
