export const words = {
  title: 'E-Mails abbestellen',
  doneTitle: 'Sie sind abgemeldet',
  unknownTitle: 'Dieser Link ist nicht gültig',
  /** What people call the mail of a route. */
  mail: {
    marketing: 'Newsletter und Angebote',
    transactional: 'Mitteilungen wie Terminbestätigungen und Erinnerungen',
  },
  /** Where it is no longer known. */
  yourAddress: 'Ihre Adresse',
  ask: (practice: string, address: string, mail: string) =>
    `Möchten Sie an <strong>${address}</strong> keine E-Mails dieser Art mehr von <strong>${practice}</strong> bekommen? Gemeint sind: ${mail}.`,
  /** What the second button ends as well. */
  warnAll: (practice: string) =>
    `Oder möchten Sie gar keine E-Mails mehr von ${practice} bekommen? Das gilt auch für Terminbestätigungen und Erinnerungen.`,
  stop: 'Diese E-Mails abbestellen',
  stopAll: 'Alle E-Mails dieses Absenders abbestellen',
  stopped: {
    route: (practice: string, address: string, mail: string) =>
      `<strong>${practice}</strong> schickt an <strong>${address}</strong> keine E-Mails dieser Art mehr. Gemeint sind: ${mail}.`,
    team: (practice: string, address: string) =>
      `<strong>${practice}</strong> schickt an <strong>${address}</strong> keine E-Mails mehr.`,
  },
  alreadySent: 'E-Mails, die schon unterwegs sind, können Sie noch erreichen.',
  /** The mail asks whether someone wants to be on a list. */
  question: {
    title: 'Anmeldung ablehnen',
    ask: (practice: string, address: string) =>
      `Möchten Sie die Anmeldung von <strong>${address}</strong> bei <strong>${practice}</strong> ablehnen? Für andere E-Mails ändert sich nichts.`,
    stop: 'Anmeldung ablehnen',
    doneTitle: 'Sie haben die Anmeldung abgelehnt',
    stopped: (practice: string, address: string) =>
      `Die Anmeldung von <strong>${address}</strong> bei <strong>${practice}</strong> ist abgelehnt. Für andere E-Mails ändert sich nichts.`,
  },
  lists: 'Nur einzelne Listen abbestellen',
  sender: 'Absender',
  unknown:
    'Vielleicht ist der Link nicht vollständig, oder die E-Mail ist so alt, dass wir sie nicht mehr zuordnen können. Es wurde nichts geändert.',
  unknownAdvice:
    'Bitte öffnen Sie den Link noch einmal direkt aus der E-Mail, oder antworten Sie dem Absender, dass Sie keine E-Mails mehr möchten.',
  /** What a person is told of their data: what was erased, what is kept and why, and the parts that are shown. */
  person: {
    erased: {
      suppressions: 'Sperreinträge, in denen die Adresse lesbar war',
    },
    kept: {
      suppressions: {
        what: 'Sperreinträge mit einer verschlüsselten Prüfsumme der Adresse',
        why: 'Damit die Adresse keine Post mehr bekommt, auch wenn sie wieder importiert wird (Art. 17 Abs. 3 Buchst. b, Art. 21 DSGVO). Die Adresse lässt sich daraus nicht lesen.',
      },
    },
    titles: {
      suppressions: 'Sperren',
    },
  },
};

export type Words = typeof words;
