// What is refused of mail submitted by SMTP, in German, by the English texts.
import type { Sentences } from '#src/kernel/say.ts';

export const words = {
  'The password is not an API token.': 'Das Passwort ist kein API-Token.',
  'Mail is submitted with a team or project token as password.':
    'Mail reicht man mit einem Team- oder Projekt-Token als Passwort ein.',
  'Too many messages in a short time.': 'Zu viele Nachrichten in kurzer Zeit.',
  'A message has at most {} recipients.': 'Eine Nachricht hat höchstens {} Empfänger.',
} satisfies Sentences;
