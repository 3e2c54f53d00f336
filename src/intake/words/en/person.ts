import type { Words } from '../de/person.ts';

export const words: Words = {
  person: {
    erased: {
      stored_answers: 'stored answers of the API',
    },
  },
  letter: {
    closing: 'Kind regards',
  },
};
