import type { Words } from './de.ts';

export const words: Words = {
  person: {
    erased: {
      events: 'événements',
      audit_entries: 'entrées du journal des modifications, réduites à un pseudonyme',
    },
    kept: {
      audit_entries: {
        what: 'entrées du journal des modifications faites par cette adresse en tant que membre',
        why: 'Il doit rester possible de savoir qui a modifié quoi (art. 5, par. 2, et art. 32 du RGPD), jusqu’à la fin de leur durée de conservation.',
      },
    },
  },
};
