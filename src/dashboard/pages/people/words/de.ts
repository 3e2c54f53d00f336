export const words = {
  intro: 'Wer Post bekommen hat, die Neuesten zuerst. Suchen Sie nach Name oder Adresse.',
  search: 'Name oder E-Mail-Adresse',
  caption: 'Personen mit Post',
  byConditions: 'Nach Bedingungen auswählen',
  allAgain: 'Wieder alle zeigen',
  person: 'Person',
  lastMail: 'Letzte Nachricht',
  open: (address: string) => `Alles zu ${address} zeigen`,
  empty: 'Noch hat niemand Post bekommen',
  emptyText:
    'Hier finden Sie jede Person, der Sie geschrieben haben, mit allem, was über sie gespeichert ist.',
  nothing: 'Dazu ist keine Person mit Post zu finden',
  nothingText: 'Geben Sie die ganze E-Mail-Adresse ein: Dann sehen Sie auch, wer nur auf einer Liste ist.',
};
