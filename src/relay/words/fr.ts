import type { Words } from './de.ts';

export const words: Words = {
  person: {
    erased: {
      captured_mails: 'messages dans la boîte de test locale',
    },
  },
};
