import { plural } from '#dashboard/words.ts';

export const words = {
  intro:
    'Wie lange etwas gespeichert bleibt. Danach löscht der Dienst es von selbst, und niemand holt es zurück.',
  how: 'Angaben in Tagen. Ein leeres Feld heißt: so lange, wie der Dienst es vorsieht.',
  period: 'Wie lange',
  days: (count: number) =>
    count === 0 ? 'wird nicht gespeichert' : plural(count, { one: '# Tag', other: '# Tage' }),
  asLong: 'so lange wie der Dienst',
  inForce: (days: number, most: number) =>
    `Zurzeit ${plural(days, { one: '# Tag', other: '# Tage' })}, höchstens ${plural(most, { one: '# Tag', other: '# Tage' })}.`,
  kinds: {
    bodies: 'Inhalt von Nachrichten',
    attachments: 'Anhänge',
    events: 'Verlauf des Versands',
    messages: 'Betreff und Adressen',
    consent_ip: 'Netzadressen bei Einwilligungen',
    consent_user_agent: 'Browsernamen bei Einwilligungen',
  },
  explanations: {
    bodies:
      'Text, HTML und Kopfzeilen, ab dem geplanten Versand. Danach lässt sich eine Nachricht nicht mehr ansehen oder noch einmal senden.',
    attachments: 'Dateien an Nachrichten, ab dem geplanten Versand.',
    events: 'Was mit einer Nachricht geschah: angenommen, abgewiesen, geöffnet.',
    messages:
      'Danach sind Betreff, Adressen, Schlagwörter und eigene Angaben unkenntlich; Ergebnisse und Zahlen bleiben. Nichts anderes einer Nachricht bleibt länger.',
    consent_ip:
      'Von welcher Adresse jemand eingewilligt hat: Teil des Nachweises. 0: wird gar nicht gespeichert.',
    consent_user_agent:
      'Mit welchem Browser jemand eingewilligt hat: Teil des Nachweises. 0: wird gar nicht gespeichert.',
  },
  withConsent: (most: number) =>
    `Leer: so lange die Einwilligung gilt und danach ${plural(most, { one: '# Tag', other: '# Tage' })}. Eine Zahl zählt ab dem Eintrag, auch solange die Einwilligung gilt.`,
  withConsentShort: (days: number) =>
    `mit der Einwilligung und ${plural(days, { one: '# Tag', other: '# Tage' })} danach`,
  saved: 'Gespeichert. Es gilt ab dem nächsten Aufräumen.',
};
