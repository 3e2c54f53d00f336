export const words = {
  intro: 'Mail, die der Dienst hier behalten und niemandem zugestellt hat, die neueste zuerst.',
  unknown: '(Nachricht nicht mehr da)',
  recipient: 'Empfänger',
  captured: 'Abgefangen',
  search: 'Empfänger oder Betreff',
  nothingFoundText: 'Keine abgefangene Mail hat alle diese Wörter im Empfänger oder im Betreff.',
  ofMessage: 'Nur die Mails einer Nachricht.',
  empty: 'Nichts abgefangen',
  emptyText:
    'Wo der Betreiber Mail abfangen lässt, verlässt sie den Dienst nicht: Sie erscheint hier, wie ihr Empfänger sie sähe.',
};
