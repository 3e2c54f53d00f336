export const words = {
  form: {
    optional: 'freiwillig',
    required: 'Pflichtfeld',
    trap: 'Dieses Feld bitte leer lassen',
    choose: 'Bitte wählen',
    submit: 'Absenden',
    privacy: 'Datenschutzerklärung',
    fileHint: (megabytes: string) => `PDF, Bild oder Office-Datei, höchstens ${megabytes} MB`,
  },
  page: {
    problemTitle: 'Bitte prüfen Sie Ihre Angaben',
    problems: {
      missing: (label: string) => `„${label}“ fehlt noch.`,
      email: (label: string) =>
        `„${label}“: Bitte geben Sie eine gültige E-Mail-Adresse ein, zum Beispiel name@example.org.`,
      phone: (label: string) =>
        `„${label}“: Bitte geben Sie eine Telefonnummer ein, zum Beispiel 030 123456.`,
      date: (label: string) => `„${label}“: Bitte geben Sie einen Tag ein, zum Beispiel 31.12.2030.`,
      choice: (label: string) => `„${label}“: Bitte wählen Sie einen der Vorschläge.`,
      long: (label: string, most: string) => `„${label}“ ist zu lang: höchstens ${most} Zeichen.`,
      characters: (label: string) => `„${label}“ enthält Zeichen, die hier nicht möglich sind.`,
      file: (label: string) =>
        `„${label}“: Diese Datei können wir nicht annehmen. Möglich sind PDF, Bilder und Office-Dateien mit einem gewöhnlichen Namen.`,
      fileSize: (label: string, megabytes: string) =>
        `„${label}“: Die Datei ist zu groß, höchstens ${megabytes} MB.`,
    },
    fileAgain: 'Bitte wählen Sie auch Ihre Dateien noch einmal aus.',
    doneTitle: 'Vielen Dank',
    done: (practice: string) => `Ihre Angaben sind bei <strong>${practice}</strong> angekommen.`,
    askedTitle: 'Bitte sehen Sie in Ihr Postfach',
    asked: (practice: string) =>
      `<strong>${practice}</strong> schickt Ihnen gleich eine E-Mail. Erst wenn Sie den Link darin öffnen und bestätigen, kommen Ihre Angaben an.`,
    spam: 'Keine E-Mail bekommen? Bitte sehen Sie auch im Spam-Ordner nach.',
    back: 'Zurück zur Website',
    closedTitle: 'Das Formular ist geschlossen',
    closed: {
      closed: (practice: string) =>
        `<strong>${practice}</strong> nimmt über dieses Formular nichts mehr an. Es wurde nichts gespeichert.`,
      starting: (practice: string) =>
        `<strong>${practice}</strong> richtet das Formular gerade erst ein. Es wurde nichts gespeichert. Bitte versuchen Sie es in einigen Tagen noch einmal, oder melden Sie sich auf einem anderen Weg.`,
      unable: (practice: string) =>
        `<strong>${practice}</strong> kann über dieses Formular zurzeit nichts annehmen. Es wurde nichts gespeichert. Bitte versuchen Sie es später noch einmal, oder melden Sie sich auf einem anderen Weg.`,
    },
    unknownTitle: 'Dieses Formular gibt es nicht',
    unknown: 'Vielleicht ist der Link nicht vollständig, oder das Formular wurde entfernt.',
  },
  proof: {
    subject: (title: string) => `Bitte bestätigen: ${title}`,
    greeting: 'Guten Tag,',
    text: (practice: string) =>
      `über ein Formular von ${practice} wurde etwas mit dieser E-Mail-Adresse abgeschickt. Damit es ankommt, bestätigen Sie bitte, dass es von Ihnen ist:`,
    link: 'Bestätigen',
    until: (days: number) => `Der Link gilt ${days} Tage.`,
    ignore: 'Waren Sie das nicht? Dann brauchen Sie nichts zu tun: Es kommt nichts an.',
    sender: 'Absender',
    title: { asked: 'Abschicken bestätigen', done: 'Vielen Dank' },
    ask: (practice: string, title: string) =>
      `Ihre Angaben aus dem Formular „${title}“ an <strong>${practice}</strong> schicken?`,
    button: 'Ja, abschicken',
    unknownTitle: 'Dieser Link ist nicht gültig',
    unknown:
      'Vielleicht ist der Link nicht vollständig, oder er ist abgelaufen. Sie können das Formular noch einmal ausfüllen.',
  },
  receiptSubject: (title: string) => `Angekommen: ${title}`,
  mail: {
    intro: (form: string) => `Über das Formular „${form}“ wurde abgeschickt:`,
    yes: 'ja',
    none: '–',
    files: 'siehe Anhang',
    proved: 'Die E-Mail-Adresse wurde bestätigt.',
    unproved: 'Ob die Angaben stimmen und von wem sie sind, ist nicht geprüft.',
  },
  presets: {
    labels: {
      name: 'Name',
      birthday: 'Geburtsdatum',
      email: 'E-Mail-Adresse',
      phone: 'Telefon',
      message: 'Ihre Nachricht',
      medicine: 'Medikament, Stärke und Packungsgröße',
      pickup: 'Wie möchten Sie das Rezept bekommen?',
      reason: 'Worum geht es?',
      wish: 'Wann passt es Ihnen?',
      day: 'Frühester Tag',
      file: 'Datei',
      question: 'Ihre Frage',
      consent:
        'Ich bin einverstanden, dass meine Angaben zur Bearbeitung meiner Anfrage verwendet werden. Ich kann das jederzeit widerrufen.',
    },
    pickup: ['E-Rezept auf die Karte', 'Ich hole es ab', 'An meine Apotheke'],
    wish: ['Vormittags', 'Nachmittags', 'Egal'],
    titles: {
      contact: 'Schreiben Sie uns',
      prescription: 'Rezept bestellen',
      appointment: 'Termin anfragen',
      own: 'Formular',
    },
    purposes: {
      contact: 'Wir verwenden Ihre Angaben nur, um Ihre Nachricht zu beantworten.',
      prescription:
        'Wir verwenden Ihre Angaben nur, um Ihr Rezept vorzubereiten. Neue Medikamente besprechen Sie bitte in der Sprechstunde.',
      appointment:
        'Wir verwenden Ihre Angaben nur, um einen Termin mit Ihnen zu vereinbaren. In Notfällen rufen Sie bitte an.',
      own: 'Wir verwenden Ihre Angaben nur, um Ihre Anfrage zu bearbeiten.',
    },
  },
};

export type Words = typeof words;
