export const words = {
  intro:
    'Formulare, mit denen man Ihnen schreibt: auf Ihrer Website oder auf einer Seite hier. Was abgeschickt wird, kommt in den Posteingang.',
  list: 'Formulare',
  empty: 'Noch kein Formular',
  emptyText:
    'Mit einem Formular schreiben Patienten Ihnen, bestellen Rezepte oder fragen Termine an, ohne dass Sie Ihre Adresse veröffentlichen. Wählen Sie eine Vorlage; alles lässt sich danach ändern.',
  create: 'Neues Formular',
  createIt: 'Formular anlegen',
  preset: 'Wofür ist es?',
  presets: {
    contact: 'Kontakt: eine Nachricht an Sie',
    prescription: 'Rezept bestellen',
    appointment: 'Termin anfragen',
    own: 'Etwas anderes: Felder selbst wählen',
  },
  open: 'Offen',
  closed: 'Geschlossen',
  sent: 'In 24 Stunden',
};
