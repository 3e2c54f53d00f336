import type { Words } from '../de/person.ts';

export const words: Words = {
  person: {
    erased: {
      webhooks: 'réponses de webhooks',
      alerts: 'exemples dans des alertes',
    },
  },
};
