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
  nothingWaits: 'Nichts wartet auf den Versand.',
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
  noMailText: 'Sobald Sie senden, zeigt hier eine Kurve, was aus Ihrer Post geworden ist.',
  ratesText: (bounce: string, complaint: string) =>
    `Ab ${bounce} abgewiesenen oder ${complaint} als Spam gemeldeten Mails hält der Dienst den Versand an.`,
  ofLimit: (rate: string, limit: string) => `${rate} von höchstens ${limit}`,
  left: 'Abstand',
  leftText: (bounces: number, complaints: number) =>
    `noch ${bounces} abgewiesene oder ${plural(complaints, { one: '# Meldung', other: '# Meldungen' })}`,
  since: (day: string, count: number) => `seit ${day}, ${plural(count, { one: '# Mail', other: '# Mails' })}`,
  tooFew: (least: string) => `unter ${least} Mails wird nicht angehalten`,
  details: 'Zustellbarkeit',
  last: 'Die letzten Nachrichten',
  all: 'Alle Post',
};
