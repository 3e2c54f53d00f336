import type { Words } from '../de/person.ts';

export const words: Words = {
  person: {
    erased: {
      stored_answers: 'réponses de l’interface qui étaient enregistrées',
    },
  },
  letter: {
    closing: 'Cordialement',
  },
};
