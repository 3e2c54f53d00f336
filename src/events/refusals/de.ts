// What is refused of records that two people change, in German, by the English texts.
import type { Sentences } from '#src/kernel/say.ts';

export const words = {
  'The record has been changed since it was read.': 'Der Eintrag wurde geändert, seit er gelesen wurde.',
} satisfies Sentences;
