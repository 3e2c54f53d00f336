import type { Words } from '../de/public.ts';

export const words: Words = {
  preview: {
    cut: 'The preview ends here: the mail is larger than it shows. The source has all of it.',
    empty: 'The mail has no text.',
  },
  person: {
    erased: {
      reports: 'reports about domains',
    },
  },
};
