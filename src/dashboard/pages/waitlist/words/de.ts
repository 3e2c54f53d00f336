export const words = {
  intro: 'Wer einen Tarif haben möchte, den es noch nicht frei gibt, in der Reihenfolge der Eintragung.',
  entered: 'Eingetragen',
  asked: 'Zuletzt gefragt',
  removeTitle: (email: string) => `${email} von der Warteliste nehmen?`,
  removeText: 'Der Eintrag wird gelöscht. Die Person bekommt davon keine E-Mail.',
  removed: 'Der Eintrag ist gelöscht.',
  empty: 'Es wartet niemand',
  emptyText: 'Auf der Startseite können sich Interessierte für einen Tarif eintragen. Hier sehen Sie sie.',
};
