import { plural } from '#dashboard/words.ts';

export const words = {
  intro: (from: string) => `Gesendet wird von ${from}`,
  next: 'Ihr nächster Schritt',
  steps: {
    legal: ['Tragen Sie ein, wer sendet', 'Straße, Ort und Datenschutzerklärung gehören unter jede Werbung.'],
    test: ['Senden Sie sich eine Testnachricht', 'So sehen Sie, wie Ihre Post ankommt.'],
    domain: ['Schließen Sie Ihre Domain an', 'Die Einträge Ihrer Domain sind noch nicht gefunden.'],
    access: ['Verbinden Sie Ihre Software oder Ihr Team', 'Mit einem API-Token oder einer Einladung.'],
    live: [
      'Geben Sie den Versand frei',
      'Bis dahin geht Post nur an Adressen, die der Betreiber erlaubt hat.',
    ],
  },
  progress: (done: number, all: number) => `${done} von ${all} Schritten erledigt`,
  go: 'Weiter einrichten',
  plan: (name: string) => `Tarif ${name}`,
  toPlan: 'Tarif ansehen',
  waiting: 'Was gerade wartet',
  waits: (count: number, since: string | null) =>
    `${plural(count, { one: '# Nachricht wartet', other: '# Nachrichten warten' })}${since === null ? '' : `, die älteste ${since.replace(/^vor/, 'seit')}`}.`,
  reasons: {
    sending: { one: '# wird gerade gesendet', other: '# werden gerade gesendet' },
    paused: {
      one: '# wartet, weil der Versand angehalten ist',
      other: '# warten, weil der Versand angehalten ist',
    },
    held: {
      one: '# wartet seit einer Wiederherstellung auf Ihre Entscheidung',
      other: '# warten seit einer Wiederherstellung auf Ihre Entscheidung',
    },
    scheduled: { one: '# ist für später geplant', other: '# sind für später geplant' },
    upstream: {
      one: '# wartet, weil der Versandweg gerade nichts annimmt',
      other: '# warten, weil der Versandweg gerade nichts annimmt',
    },
    retry: {
      one: '# wird noch einmal versucht, weil der Server des Empfängers sie vorerst abgewiesen hat',
      other: '# werden noch einmal versucht, weil der Server des Empfängers sie vorerst abgewiesen hat',
    },
    busy: {
      one: '# wartet auf einen freien Platz im Versandweg',
      other: '# warten auf einen freien Platz im Versandweg',
    },
    next: { one: '# geht gleich hinaus', other: '# gehen gleich hinaus' },
  },
  held: {
    title: (count: number) =>
      `${plural(count, { one: '# Nachricht wartet', other: '# Nachrichten warten' })} auf Ihre Entscheidung.`,
    text: 'Die Daten wurden aus einer Sicherung wiederhergestellt. Diese Nachrichten können danach schon hinausgegangen sein und kämen dann doppelt an. Neue Post geht sofort hinaus.',
    release: 'Senden',
    releaseText: 'Alle zurückgehaltenen Nachrichten gehen hinaus, auch wenn manche schon angekommen ist.',
    discard: 'Verwerfen',
    discardText: 'Keine der zurückgehaltenen Nachrichten geht hinaus. Das lässt sich nicht zurücknehmen.',
    done: 'Erledigt.',
  },
  nextTry: 'Nächster Versuch',
  outcomes: 'Was aus Ihrer Post geworden ist',
  noMailText: 'Sobald Sie senden, steht hier, was aus Ihrer Post geworden ist.',
  sentMails: 'Gesendet',
  opened: 'Geöffnet',
  notMeasured: 'nicht gemessen',
  notReported: 'nicht gemeldet',
  before: (value: string) => `davor ${value}`,
  acceptedShare: (share: string) => `${share} angenommen`,
  refusedShare: (share: string) => `${share} abgewiesen`,
  sentences: {
    unknown: (outcome: string, days: number) => `${outcome} in ${days} Tagen`,
    same: (outcome: string, days: number) => `${outcome}, etwa wie in den ${days} Tagen davor`,
    more: (outcome: string, days: number, points: number) =>
      `${outcome}, ${plural(points, { one: '# Punkt', other: '# Punkte' })} mehr als in den ${days} Tagen davor`,
    less: (outcome: string, days: number, points: number) =>
      `${outcome}, ${plural(points, { one: '# Punkt', other: '# Punkte' })} weniger als in den ${days} Tagen davor`,
  },
  tooFewToCompare: 'Für einen Vergleich mit der Zeit davor sind es zu wenige Mails.',
  look: {
    title: 'Bitte zuerst ansehen',
    records: (count: number) =>
      plural(count, {
        one: '# Eintrag Ihrer Domain stimmt nicht',
        other: '# Einträge Ihrer Domain stimmen nicht',
      }),
    complaints: (count: number) =>
      plural(count, { one: '# Mail wurde als Spam gemeldet', other: '# Mails wurden als Spam gemeldet' }),
    watched: 'So viele Mails wurden abgewiesen oder gemeldet, dass der Versand bald angehalten wird',
    bounced: (count: number) =>
      plural(count, { one: '# Mail wurde abgewiesen', other: '# Mails wurden abgewiesen' }),
    unread: (count: number) =>
      plural(count, {
        one: '# Mail im Posteingang ist ungelesen',
        other: '# Mails im Posteingang sind ungelesen',
      }),
  },
  last: 'Die letzten Nachrichten',
  all: 'Alle Post',
};
