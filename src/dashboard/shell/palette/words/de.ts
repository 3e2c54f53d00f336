export const words = {
  action: 'Aktion',
  person: 'Person',
  /** Each is named by the page that does it. */
  actions: {
    letter: 'Nachricht schreiben',
    templates: 'Vorlage anlegen',
    lists: 'Liste anlegen',
    campaigns: 'Rundschreiben anlegen',
    webhooks: 'Webhook anlegen',
    alerts: 'Meldung im Chat anlegen',
    tokens: 'Token anlegen',
    members: 'Mitglied einladen',
  },
};
