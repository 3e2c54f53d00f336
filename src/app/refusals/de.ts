// German for what the composition root's own operations refuse: see kernel/say.ts.
import type { Sentences } from '#src/kernel/say.ts';

export const words = {
  'The practice was erased.': 'Die Praxis wurde gelöscht.',
  'The short name of the practice is another one.': 'Der Kurzname der Praxis ist ein anderer.',
  'Type it as it is. Nothing was erased.': 'Geben Sie ihn so ein, wie er ist. Es wurde nichts gelöscht.',
  '{} copies of its mail are still to be sent.': '{} Exemplare ihrer E-Mails sind noch zu versenden.',
  'One copy of its mail is still to be sent.': 'Ein Exemplar ihrer E-Mails ist noch zu versenden.',
  'Wait for it, or say that what is queued is to be discarded. Nothing was erased.':
    'Warten Sie darauf, oder sagen Sie, dass verworfen werden soll, was wartet. Es wurde nichts gelöscht.',
} satisfies Sentences;
