import type { Words } from '../de/public.ts';

export const words: Words = {
  preview: {
    cut: 'L’aperçu s’arrête ici : l’e-mail est plus long que ce qu’il montre. La source contient tout.',
    empty: 'L’e-mail ne contient pas de texte.',
  },
  person: {
    erased: {
      reports: 'rapports sur des domaines',
    },
  },
};
