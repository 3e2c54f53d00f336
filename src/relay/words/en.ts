import type { Words } from './de.ts';

export const words: Words = {
  person: {
    erased: {
      captured_mails: 'mails in the local test mailbox',
    },
  },
};
