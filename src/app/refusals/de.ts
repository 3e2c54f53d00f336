// German for what the composition root's own operations refuse: see kernel/say.ts.
import type { Sentences } from '#src/kernel/say.ts';

export const words = {
  'The practice was erased.': 'Die Praxis wurde gelöscht.',
  'The short name of the practice is another one.': 'Der Kurzname der Praxis ist ein anderer.',
  'Type it as it is. Nothing was erased.': 'Geben Sie ihn so ein, wie er ist. Es wurde nichts gelöscht.',
  '{} copies of its mail are still to be sent.': '{} Exemplare ihrer E-Mails sind noch zu versenden.',
  'Wait for them, or say that they are to be discarded. Nothing was erased.':
    'Warten Sie auf sie, oder sagen Sie, dass sie verworfen werden sollen. Es wurde nichts gelöscht.',
} satisfies Sentences;
