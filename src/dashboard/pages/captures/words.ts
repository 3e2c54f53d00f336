import { words } from '#dashboard/words.ts';

export const capturesWords = words({
  de: {
    title: 'Abgefangene Mail',
    intro: 'Mail, die der Dienst hier behalten und niemandem zugestellt hat, die neueste zuerst.',
    subject: 'Betreff',
    unknown: '(Nachricht nicht mehr da)',
    recipient: 'Empfänger',
    size: 'Größe',
    captured: 'Abgefangen',
    found: 'Abgefangene Mails',
    search: 'Empfänger oder Betreff',
    nothingFound: 'Nichts gefunden',
    nothingFoundText: 'Keine abgefangene Mail hat alle diese Wörter im Empfänger oder im Betreff.',
    ofMessage: 'Nur die Mails einer Nachricht.',
    showAll: 'Alle zeigen',
    empty: 'Nichts abgefangen',
    emptyText:
      'Wo der Betreiber Mail abfangen lässt, verlässt sie den Dienst nicht: Sie erscheint hier, wie ihr Empfänger sie sähe.',
  },
  en: {
    title: 'Captured mail',
    intro: 'Mail that the service kept here and delivered to no one, newest first.',
    subject: 'Subject',
    unknown: '(message no longer kept)',
    recipient: 'Recipient',
    size: 'Size',
    captured: 'Captured',
    found: 'Captured mail',
    search: 'Recipient or subject',
    nothingFound: 'Nothing found',
    nothingFoundText: 'No captured mail has all these words in its recipient or subject.',
    ofMessage: 'Only the mails of one message.',
    showAll: 'Show all',
    empty: 'Nothing captured',
    emptyText:
      'Where the operator has mail captured, it does not leave the service: it appears here as its recipient would see it.',
  },
});
