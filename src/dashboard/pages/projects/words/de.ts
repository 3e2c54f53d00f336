export const words = {
  title: 'Projekte und Versandwege',
  intro:
    'Projekte trennen die Post einzelner Seiten und Programme. Versandwege bestimmen, wie Mails hinausgehen.',
  newProject: 'Neues Projekt',
  slug: 'Kurzname für die API',
  default: 'Standard',
  archive: 'Archivieren',
  archiveTitle: (name: string) => `${name} archivieren?`,
  archiveText:
    'Über dieses Projekt wird nichts mehr gesendet. Seine Nachrichten bleiben, und es lässt sich zurückholen.',
  restore: 'Zurückholen',
  replyOfPractice: 'Leer: wie für die ganze Praxis eingestellt.',
  replyOfProject: 'Leer: wie für das Projekt oder die Praxis eingestellt.',
  empty: 'Noch keine Projekte',
  emptyText: 'Ein Projekt hält die Post einer Webseite oder eines Programms zusammen.',
  routes: 'Versandwege',
  routesText:
    'Auf jedem Weg wird entweder Persönliches oder Werbung gesendet. So schadet das eine dem anderen nicht.',
  newRoute: 'Neuer Versandweg',
  stream: 'Art',
  streamHints: {
    transactional: 'Termine, Rechnungen, Antworten: was jemand erwartet. Ohne Abmeldelink.',
    marketing:
      'Rundschreiben und Angebote: nur mit Einwilligung. Abmeldelink und Impressum kommen von selbst dazu.',
  },
  project: 'Projekt',
  measures: 'Gemessen wird',
  opens: 'Öffnen',
  clicks: 'Anklicken',
  none: 'nichts',
  makeDefault: 'Zum Standard machen',
  makeDefaultTitle: (name: string) => `${name} zum Standard machen?`,
  makeDefaultText: 'Nachrichten, die keinen Versandweg nennen, gehen dann auf diesem hinaus.',
  trackOpens: 'Öffnen messen',
  trackOpensHint:
    'Ein unsichtbares Bild meldet, dass die Mail geöffnet wurde. Das braucht in der Regel eine Einwilligung.',
  trackClicks: 'Klicks messen',
  trackClicksHint: 'Links führen über diesen Dienst. Auch das braucht in der Regel eine Einwilligung.',
  plainText: 'Textfassung ergänzen',
  plainTextHint: 'Wo eine Nachricht nur HTML hat, wird ihr Text daraus gemacht.',
};
