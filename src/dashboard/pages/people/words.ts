import { words } from '#dashboard/words.ts';

export const peopleWords = words({
  de: {
    title: 'Personen',
    intro: 'Wer Post bekommen hat, die Neuesten zuerst. Suchen Sie nach Name oder Adresse.',
    search: 'Name oder E-Mail-Adresse',
    caption: 'Personen mit Post',
    person: 'Person',
    lastMail: 'Letzte Nachricht',
    noSubject: '(ohne Betreff)',
    status: 'Status',
    when: 'Zeit',
    open: (address: string) => `Alles zu ${address} zeigen`,
    empty: 'Noch hat niemand Post bekommen',
    emptyText:
      'Hier finden Sie jede Person, der Sie geschrieben haben, mit allem, was über sie gespeichert ist.',
    emptyAction: 'Erste Nachricht senden',
    nothing: 'Dazu ist keine Person mit Post zu finden',
    nothingText: 'Geben Sie die ganze E-Mail-Adresse ein: Dann sehen Sie auch, wer nur auf einer Liste ist.',
  },
  en: {
    title: 'People',
    intro: 'Everyone who got mail, newest first. Search by name or address.',
    search: 'Name or email address',
    caption: 'People with mail',
    person: 'Person',
    lastMail: 'Last message',
    noSubject: '(no subject)',
    status: 'Status',
    when: 'Time',
    open: (address: string) => `Show all about ${address}`,
    empty: 'So far, mail has gone to no one',
    emptyText: 'Everyone you have written to is here, with all that is stored about them.',
    emptyAction: 'Send the first message',
    nothing: 'No person with mail is found for this',
    nothingText: 'Enter the whole email address: then you also see who is only on a list.',
  },
});
