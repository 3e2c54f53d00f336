export const words = {
  footer: {
    unsubscribe: 'Von weiteren E-Mails dieser Art abmelden',
    preferences: 'Listen auswählen',
    sentWith: 'Versendet mit',
  },
  /** What a person is told of their data: what was erased, what is kept and why, and the parts that are shown. */
  person: {
    erased: {
      copies: 'Nachrichten an diese Person, je Empfänger',
      mentions_in_messages: 'Stellen in anderen Nachrichten, die die Adresse nannten',
    },
    kept: {
      counts: {
        what: 'Zahlen, Zeiten und Ergebnisse des Versands unter einem Pseudonym',
        why: 'Sie nennen die Person nicht mehr und sichern den Betrieb.',
      },
    },
    titles: {
      messages: 'Nachrichten an Sie',
    },
  },
};

export type Words = typeof words;
