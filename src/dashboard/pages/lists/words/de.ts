export const words = {
  intro:
    'Wer Rundschreiben bekommt. Zu jedem Eintrag wird aufbewahrt, worauf er beruht: die Bestätigung der Person oder Ihre Angabe.',
  descriptionHint: 'Steht auf den Seiten zum An- und Abmelden.',
  active: 'Aktiv',
  pending: 'Unbestätigt',
  left: 'Abgemeldet',
  bounced: 'Unerreichbar',
  showArchived: 'Auch archivierte',
  create: 'Neue Liste',
  createIt: 'Anlegen',
  channel: 'Wofür gilt die Einwilligung?',
  channels: {
    newsletter: 'Rundschreiben (Neuigkeiten)',
    recall: 'Erinnerungen an Vorsorge',
    other: 'Anderes',
  },
  language: 'Sprache der Bestätigungsmails',
  languages: { de: 'Deutsch', en: 'Englisch', fr: 'Französisch' },
  isPublicHint: 'Eingetragen ist erst, wer den Link in der Bestätigungsmail benutzt.',
  list: 'Listen dieser Praxis',
  empty: 'Noch keine Liste',
  emptyText:
    'Legen Sie eine Liste an. Danach tragen sich Personen über ein Formular ein, oder Sie übernehmen eine Tabelle mit Adressen.',
};
