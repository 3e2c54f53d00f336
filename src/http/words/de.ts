import { formOf } from '#src/kernel/language.ts';

const after = (seconds: number): string =>
  formOf(seconds, { one: 'einer Sekunde', other: `${seconds} Sekunden` }, 'de');

export const words = {
  landing: {
    title: 'E-Mails, die ankommen sollen',
    intro: (service: string) =>
      `${service} versendet und empfängt E-Mails für Praxen, Vereine und Betriebe: Erinnerungen an Termine, Rechnungen, Rundbriefe und alles, was ein Programm für sie schreibt.`,
    signIn: 'Anmelden',
    open: 'Zu Ihren E-Mails',
    reference: 'Für Entwickler (englisch)',
    audiences: [
      {
        heading: 'Für die Praxis',
        text: 'Sie schreiben einen Brief im Browser und sehen bei jeder E-Mail, ob sie angenommen wurde, gewartet hat oder zurückkam.',
      },
      {
        heading: 'Für Entwickler',
        text: 'Ein Aufruf über HTTP oder eine Nachricht über SMTP. Was bestätigt wurde, geht auch bei einem Absturz nicht verloren.',
      },
      {
        heading: 'Für Empfänger',
        text: 'Rundbriefe bekommt nur, wer eingewilligt hat. Abbestellen geht mit einem Klick, und jede Meldung wird gelesen.',
      },
    ],
    abuse: 'Unerwünschte E-Mail melden',
    operator: (name: string) => `Betrieben von ${name}`,
    legalNotice: 'Impressum',
    status: 'Zustand des Dienstes',
  },
  refusal: {
    home: 'Zur Startseite',
    /** The request has to be another one. */
    refused: {
      title: 'Das hat nicht geklappt',
      text: 'Bitte gehen Sie zurück, ändern Sie Ihre Angaben und senden Sie sie noch einmal ab.',
    },
    notFound: {
      title: 'Diese Seite gibt es nicht',
      text: 'Bitte prüfen Sie die Adresse.',
    },
    tooMany: (seconds: number) => ({
      title: 'Zu viele Anfragen',
      text: `Bitte warten Sie ${formOf(seconds, { one: 'eine Sekunde', other: `${seconds} Sekunden` }, 'de')} und versuchen Sie es dann noch einmal.`,
    }),
    /** Nothing may be promised of the request. */
    unavailable: (seconds: number) => ({
      title: 'Das geht gerade nicht',
      text: `Der Fehler liegt bei uns: Ihre Anfrage konnte nicht bearbeitet werden. Bitte versuchen Sie es in ${after(seconds)} noch einmal.`,
    }),
    /** The same request may succeed later. */
    failed: {
      title: 'Das hat leider nicht geklappt',
      text: 'Der Fehler liegt bei uns. Bitte versuchen Sie es später noch einmal.',
    },
  },
  notBuilt: {
    title: 'Die Oberfläche ist nicht gebaut',
    text: 'E-Mails werden weiter angenommen und gesendet. Führen Sie im Verzeichnis des Dienstes diesen Befehl aus und laden Sie die Seite neu:',
  },
};

export type Words = typeof words;
