import type { Words } from '../de/person.ts';

export const words: Words = {
  person: {
    erased: {
      webhooks: 'answers of webhooks',
      alerts: 'samples in alerts',
    },
  },
};
