import { words } from '#dashboard/words.ts';

const day = (count: number): string => (count === 1 ? '1 Tag' : `${count} Tage`);
const englishDay = (count: number): string => (count === 1 ? '1 day' : `${count} days`);

export const retentionWords = words({
  de: {
    title: 'Aufbewahrung',
    intro:
      'Wie lange etwas gespeichert bleibt. Danach löscht der Dienst es von selbst, und niemand holt es zurück.',
    how: 'Angaben in Tagen. Ein leeres Feld heißt: so lange, wie der Dienst es vorsieht.',
    what: 'Was',
    period: 'Wie lange',
    days: (count: number) => (count === 0 ? 'wird nicht gespeichert' : day(count)),
    asLong: 'so lange wie der Dienst',
    inForce: (days: number, most: number) => `Zurzeit ${day(days)}, höchstens ${day(most)}.`,
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
        'Danach sind Betreff, Adressen, Schlagworte und eigene Angaben unkenntlich; Ergebnisse und Zahlen bleiben. Nichts anderes einer Nachricht bleibt länger.',
      consent_ip:
        'Von welcher Adresse jemand zugestimmt hat: Teil des Nachweises. 0: wird gar nicht gespeichert.',
      consent_user_agent:
        'Mit welchem Browser jemand zugestimmt hat: Teil des Nachweises. 0: wird gar nicht gespeichert.',
    },
    withConsent: (most: number) =>
      `Leer: so lange die Einwilligung gilt und danach ${day(most)}. Eine Zahl zählt ab dem Eintrag, auch solange die Einwilligung gilt.`,
    withConsentShort: (days: number) => `mit der Einwilligung und ${day(days)} danach`,
    save: 'Speichern',
    saved: 'Gespeichert. Es gilt ab dem nächsten Aufräumen.',
  },
  en: {
    title: 'Retention',
    intro: 'How long things are kept. After that the service removes them by itself, for good.',
    how: 'In days. An empty field means: as long as the service keeps it.',
    what: 'What',
    period: 'How long',
    days: (count: number) => (count === 0 ? 'not stored' : englishDay(count)),
    asLong: 'as long as the service',
    inForce: (days: number, most: number) => `At present ${englishDay(days)}, at most ${englishDay(most)}.`,
    kinds: {
      bodies: 'Content of messages',
      attachments: 'Attachments',
      events: 'History of sending',
      messages: 'Subjects and addresses',
      consent_ip: 'Network addresses of consents',
      consent_user_agent: 'Browser names of consents',
    },
    explanations: {
      bodies:
        'Text, HTML and header fields, from the planned sending on. After that a message cannot be looked at or sent again.',
      attachments: 'Files of messages, from the planned sending on.',
      events: 'What happened to a message: accepted, refused, opened.',
      messages:
        'After that subjects, addresses, tags and metadata cannot be recognized; outcomes and counts remain. Nothing else of a message is kept longer.',
      consent_ip: 'From which address someone agreed: part of the evidence. 0: not stored at all.',
      consent_user_agent: 'With which browser someone agreed: part of the evidence. 0: not stored at all.',
    },
    withConsent: (most: number) =>
      `Empty: as long as the consent lasts, and ${englishDay(most)} after its end. A number is counted from the entry, also while the consent lasts.`,
    withConsentShort: (days: number) => `with the consent and ${englishDay(days)} after it`,
    save: 'Save',
    saved: 'Saved. It holds from the next clean-up on.',
  },
});
