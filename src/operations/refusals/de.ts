// What is refused of restored data, in German, by the English texts.
import type { Sentences } from '#src/kernel/say.ts';

export const words = {
  'No file of that practice was prepared in the data directory.':
    'Im Datenverzeichnis wurde keine Datei dieser Praxis bereitgelegt.',
  '`sendwerk restore` prepares it, on this machine, and then asks for this.':
    '`sendwerk restore` legt sie auf diesem Rechner bereit und ruft dann dies hier auf.',
} satisfies Sentences;
