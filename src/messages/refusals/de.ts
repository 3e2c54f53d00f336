// What is refused of stored messages and of their retention, in German, by the English texts.
import type { Sentences } from '#src/kernel/say.ts';

export const words = {
  'There is no such message.': 'Diese Nachricht gibt es nicht.',
  'must be at most {}, because the installation keeps it no longer':
    'darf höchstens {} sein, weil die Installation es nicht länger aufbewahrt',
  'A practice cannot keep data longer than the installation does.':
    'Eine Praxis kann Daten nicht länger aufbewahren als die Installation.',
  'Choose fewer days, or null for the period of the installation. Only the operator can raise that period.':
    'Wählen Sie weniger Tage oder null für die Frist der Installation. Nur der Betreiber kann diese Frist verlängern.',
  'Messages are exported {} times a minute at most.':
    'Nachrichten werden höchstens {}-mal in der Minute exportiert.',
  'expected at least one of them': 'erwartet wird mindestens eines davon',
} satisfies Sentences;
