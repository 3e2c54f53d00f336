// What is refused of sources, upstreams and captured messages, in German, by the English texts.
import type { Sentences } from '#src/kernel/say.ts';

export const words = {
  'The message has no such recipient.': 'Diesen Empfänger hat die Nachricht nicht.',
  '{} of the message are older than they are kept, and have been removed.':
    '{} der Nachricht sind älter, als sie aufbewahrt werden, und wurden entfernt.',
  'Text and HTML': 'Text und HTML',
  'The attachments': 'Die Anhänge',
  'What is known of its recipients and its events is still there: see the message and its timeline.':
    'Was über ihre Empfänger und Ereignisse bekannt ist, ist noch da: Sehen Sie die Nachricht und ihren Verlauf an.',
  "The content of the service's own mails cannot be read.":
    'Der Inhalt der eigenen Mails des Dienstes ist nicht zu lesen.',
  'Sources are composed {} times a minute at most for a practice, large ones less often.':
    'Quelltexte werden je Praxis höchstens {}-mal in der Minute erstellt, große seltener.',
  'This upstream is being looked at already.': 'Dieser Upstream wird schon geprüft.',
  'There is no such upstream.': 'Diesen Upstream gibt es nicht.',
  'The configuration has: {}.': 'Die Konfiguration hat: {}.',
  'There is no such captured message.': 'Diese abgefangene Mail gibt es nicht.',
} satisfies Sentences;
