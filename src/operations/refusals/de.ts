// What is refused of restored data, metrics, certificates and the doctor, in German, by the English texts.
import type { Sentences } from '#src/kernel/say.ts';

export const words = {
  'No check of a name with this token is pending.': 'Zu diesem Token läuft keine Prüfung eines Namens.',
  'No file of that practice was prepared in the data directory.':
    'Im Datenverzeichnis wurde keine Datei dieser Praxis bereitgelegt.',
  '`sendwerk restore` prepares it, on this machine, and then asks for this.':
    '`sendwerk restore` legt sie auf diesem Rechner bereit und ruft dann dies hier auf.',
  'Send the token that the configuration names under `metrics` as `Authorization: Bearer <token>`, or as the password of HTTP Basic.':
    'Senden Sie das Token, das die Konfiguration unter `metrics` nennt, als `Authorization: Bearer <token>` oder als Passwort von HTTP Basic.',
  'The service has just been checked.': 'Der Dienst wurde gerade erst geprüft.',
  'The token for metrics is wrong.': 'Das Token für Messwerte ist falsch.',
} satisfies Sentences;
