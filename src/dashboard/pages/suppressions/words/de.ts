import type { Suppression } from '#api';

export const words = {
  intro: 'Wohin nichts gesendet wird. Sperren schützen die Personen und den Ruf Ihrer Domain.',
  search: 'Adresse suchen',
  anyReason: 'Jeder Grund',
  scope: 'Gilt für',
  anyScope: 'Überall',
  scopes: { team: 'Alles', project: 'Ein Projekt', route: 'Ein Versandweg' },
  project: (name: string) => `Projekt: ${name}`,
  route: (name: string) => `Versandweg: ${name}`,
  reasons: {
    hard_bounce: 'Endgültig abgewiesen',
    soft_bounces: 'Mehrmals abgewiesen',
    complaint: 'Als Spam gemeldet',
    unsubscribe: 'Abgemeldet',
    unsubscribe_all: 'Von allem abgemeldet',
    manual: 'Von Hand gesperrt',
    import: 'Aus einer Datei',
    erasure: 'Daten gelöscht',
  } satisfies Record<Suppression['reason'], string>,
  found: 'Gesperrte Adressen',
  add: 'Adresse sperren',
  addIt: 'Sperren',
  added: 'Die Adresse ist gesperrt.',
  import: 'Aus Datei',
  lift: 'Aufheben',
  liftTitle: (address: string) => `Sperre von ${address} aufheben?`,
  liftText: 'Von da an geht wieder Mail an diese Adresse.',
  warnings: {
    complaint:
      'Diese Person hat Ihre Mail als Spam gemeldet. Schreiben Sie ihr wieder, wird sie es erneut tun, und große Anbieter nehmen dann auch Ihre andere Mail schlechter an. Heben Sie die Sperre nur auf, wenn die Person Sie ausdrücklich darum bittet.',
    unsubscribe:
      'Diese Person hat sich selbst abgemeldet. Ihr ohne neue Einwilligung zu schreiben, ist verboten. Heben Sie die Sperre nur auf, wenn sie Sie ausdrücklich darum bittet.',
    unreachable:
      'Der Server hat frühere Post endgültig abgewiesen, meist weil es die Adresse nicht gibt. Prüfen Sie zuerst die Schreibweise.',
  },
  lifted: 'Die Sperre ist aufgehoben.',
  empty: 'Keine Adresse ist gesperrt',
  emptyText:
    'Adressen, die endgültig abgewiesen werden, und Personen, die sich abmelden oder Ihre Mail als Spam melden, werden von selbst gesperrt.',
  nothingFound: 'Keine Sperre gefunden',
  nothingFoundText: 'Keine Sperre passt zu dem, was Sie suchen und auswählen.',
  fileHint:
    'CSV, Excel (.xlsx), vCard oder Adressen. Sagt eine Spalte, wer sich abgemeldet hat, werden nur diese gesperrt. Dazu, wenn Sie wollen: reason, scope, project, route, note.',
  importTitle: 'Adressen aus einer Datei sperren',
  importIt: 'Einlesen',
  running: (done: number) => `${done} Zeilen gelesen …`,
  finished: 'Fertig gelesen',
  failed: 'Die Datei konnte nicht gelesen werden',
  counts: {
    added: 'Neu gesperrt',
    updated: 'Geändert',
    already: 'Waren schon gesperrt',
    duplicates: 'Doppelt in der Datei',
    suppressed: 'Gesperrt',
    left_out: 'Ausgelassen',
    failed: 'Nicht lesbar',
  },
  report: 'Zeilen, die nicht übernommen wurden',
};
