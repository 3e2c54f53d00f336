// The words that are shown about findings of scanners.
import type { RuleWords } from './rule.ts';

export const scannerWords: readonly RuleWords[] = [
  {
    id: 'rspamd',
    why: {
      de: 'Der Spamfilter bewertet die Mail als auffällig.',
      en: 'The spam filter finds the mail suspicious.',
    },
    advice: {
      de: 'Sehen Sie nach, welche Merkmale er nennt, und ändern Sie die Mail danach.',
      en: 'See which symbols it names, and change the mail accordingly.',
    },
  },
  {
    id: 'virus',
    why: { de: 'Der Virenscanner hat Schadsoftware gefunden.', en: 'The virus scanner found malware.' },
    advice: {
      de: 'Prüfen Sie den Rechner, von dem die Datei stammt, und senden Sie sie nicht.',
      en: 'Check the computer the file comes from, and do not send it.',
    },
  },
  {
    id: 'listed_host',
    why: {
      de: 'Ein Link führt zu einer Seite, die auf einer Sperrliste steht.',
      en: 'A link leads to a site that is on a block list.',
    },
    advice: {
      de: 'Entfernen Sie den Link, oder klären Sie den Eintrag mit dem Betreiber der Liste.',
      en: 'Remove the link, or clarify the entry with the operator of the list.',
    },
  },
  {
    id: 'scanner_unavailable',
    why: {
      de: 'Ein Scanner war nicht zu erreichen; die Mail wurde nicht von allen geprüft.',
      en: 'A scanner could not be reached; the mail was not checked by all of them.',
    },
    advice: {
      de: 'Sie müssen nichts tun; der Betreiber sieht die Störung.',
      en: 'There is nothing for you to do; the operator sees the fault.',
    },
  },
];
