export const words = {
  confirmation: {
    subject: (list: string) => `Bitte bestätigen Sie Ihre Anmeldung: ${list}`,
    greeting: 'Guten Tag,',
    asked: (address: string, list: string, practice: string) =>
      `die Adresse ${address} wurde für die Liste „${list}“ von ${practice} eingetragen.`,
    agree: 'Mit der Bestätigung erklären Sie:',
    click: 'Wenn Sie das möchten, bestätigen Sie es bitte mit diesem Link:',
    link: 'Anmeldung bestätigen',
    until: (days: number) => `Der Link gilt ${days} Tage.`,
    ignore:
      'Wenn Sie sich nicht eingetragen haben, brauchen Sie nichts zu tun: Ohne Bestätigung wird die Adresse nicht aufgenommen.',
    sender: 'Absender',
  },
  form: {
    email: 'E-Mail-Adresse',
    name: 'Name',
    optional: 'freiwillig',
    trap: 'Dieses Feld bitte leer lassen',
    submit: 'Anmelden',
    privacy: 'Datenschutzerklärung',
  },
  confirm: {
    title: {
      asked: 'Anmeldung bestätigen',
      active: 'Ihre Anmeldung ist bestätigt',
      ended: 'Sie sind nicht angemeldet',
    },
    text: {
      asked: (practice: string, list: string, address: string) =>
        `Möchten Sie mit der Adresse ${address} auf die Liste ${list} von ${practice}?`,
      active: (practice: string, list: string, address: string) =>
        `Die Adresse ${address} ist auf der Liste ${list} von ${practice}.`,
      ended: (practice: string, list: string, address: string) =>
        `Die Adresse ${address} ist nicht auf der Liste ${list} von ${practice}.`,
    },
    declare: 'Mit der Bestätigung erklären Sie:',
    confirm: 'Ja, bestätigen',
    decline: 'Nein, danke',
    leave: 'Wieder abmelden',
    unknownTitle: 'Dieser Link ist nicht gültig',
    unknown:
      'Vielleicht ist der Link nicht vollständig, oder er ist abgelaufen. Es wurde nichts geändert. Sie können sich jederzeit noch einmal anmelden.',
  },
  preferences: {
    title: 'Ihre Listen',
    yourAddress: 'Ihre Adresse',
    intro: (practice: string, address: string) => `Auf diesen Listen von ${practice} ist ${address}:`,
    none: (practice: string, address: string) => `${address} ist auf keiner Liste von ${practice}.`,
    left: (lists: string) =>
      `Abgemeldet: ${lists}. E-Mails, die schon unterwegs sind, können Sie noch erreichen.`,
    legend: 'Welche möchten Sie abbestellen?',
    leave: 'Ausgewählte abbestellen',
    leaveAll: 'Alle Listen abbestellen',
    nothingChosen: 'Bitte wählen Sie mindestens eine Liste aus.',
    all: (practice: string) => `Gar keine E-Mails mehr von ${practice}`,
    tracking: 'Auswertung',
    tracked: {
      allowed: (practice: string) =>
        `${practice} kann auswerten, ob Sie die E-Mails öffnen und welche Links darin Sie anklicken. Sie können dem widersprechen; die E-Mails bekommen Sie weiter.`,
      asked: (practice: string) =>
        `${practice} wertet nicht aus, ob Sie die E-Mails Ihrer Listen öffnen und welche Links darin Sie anklicken, solange Sie es nicht erlauben.`,
      objected: (practice: string) =>
        `Sie haben widersprochen: ${practice} wertet nicht aus, ob Sie E-Mails öffnen und welche Links darin Sie anklicken.`,
    },
    object: 'Nicht auswerten',
    agree: 'Auswertung erlauben',
  },
  subscribe: {
    title: (list: string) => `Anmeldung: ${list}`,
    problemTitle: 'Bitte prüfen Sie Ihre Angaben',
    problem: 'Bitte geben Sie eine gültige E-Mail-Adresse ein, zum Beispiel name@example.org.',
    doneTitle: 'Bitte sehen Sie in Ihr Postfach',
    done: (practice: string) =>
      `Wenn noch etwas zu bestätigen ist, bekommen Sie gleich eine E-Mail von <strong>${practice}</strong>. Erst mit dem Link darin ist Ihre Anmeldung gültig.`,
    /** The mail cannot leave now. */
    later: (practice: string) =>
      `Wenn noch etwas zu bestätigen ist, bekommen Sie eine E-Mail von <strong>${practice}</strong>. Zurzeit kann sie nicht gleich gesendet werden: Sie kommt, sobald es wieder geht. Erst mit dem Link darin ist Ihre Anmeldung gültig.`,
    closedTitle: 'Die Anmeldung ist geschlossen',
    closed: {
      over: (practice: string) =>
        `<strong>${practice}</strong> nimmt für diese Liste keine Anmeldungen mehr an. Es wurde nichts gespeichert.`,
      starting: (practice: string) =>
        `<strong>${practice}</strong> richtet den Versand von E-Mails gerade erst ein. So lange kann sich hier niemand anmelden, und es wurde nichts gespeichert. Bitte versuchen Sie es in einigen Tagen noch einmal.`,
      unable: (practice: string) =>
        `<strong>${practice}</strong> kann zurzeit keine E-Mail senden, mit der Sie die Anmeldung bestätigen könnten. Es wurde nichts gespeichert. Bitte versuchen Sie es später noch einmal, oder wenden Sie sich direkt an den Anbieter.`,
    },
    nothing:
      'Keine E-Mail bekommen? Bitte sehen Sie auch im Spam-Ordner nach. Vielleicht sind Sie schon angemeldet, oder wir haben Ihnen heute schon geschrieben.',
    unknownTitle: 'Diese Anmeldung gibt es nicht',
    unknown: 'Vielleicht ist der Link nicht vollständig, oder die Liste wird nicht mehr angeboten.',
  },
  /** What people agree to. */
  wording: {
    sent: {
      termin: 'Nachrichten zu meinen Terminen',
      recall: 'Erinnerungen an fällige Termine',
      newsletter: 'den Newsletter',
      transactional: 'Nachrichten zu meinen Anliegen',
      other: 'Informationen und Angebote',
    },
    list: (practice: string, sent: string, list: string) =>
      `Ich möchte von ${practice} ${sent} („${list}“) per E-Mail bekommen. Diese Einwilligung kann ich jederzeit mit Wirkung für die Zukunft widerrufen, zum Beispiel mit dem Abmeldelink in jeder Mail.`,
    tracking: (practice: string) =>
      `${practice} darf auswerten, ob ich die E-Mails öffne und welche Links darin ich anklicke, um ihre Inhalte zu verbessern. Das ist freiwillig. Ich kann es jederzeit mit Wirkung für die Zukunft widerrufen, auf der Seite „Ihre Listen“, zu der jede Mail führt.`,
  },
  /** What a person is told of their data: what was erased, what is kept and why, and the parts that are shown. */
  person: {
    erased: {
      subscriptions: 'Einträge in Listen',
      mentions_in_lists: 'Nennungen in Einträgen anderer',
      mentions_in_consent:
        'Einträge anderer im Einwilligungsprotokoll, aus denen Angaben mit der Adresse entfernt wurden',
      mentions_in_erasures: 'Anlässe anderer Löschungen',
      import_reports: 'Zeilen in Berichten über Importe',
      links: 'Links in Rundschreiben',
      consent_entries_reduced: 'Einträge des Einwilligungsprotokolls, auf Prüfsummen verkürzt',
      consent_documents: 'Bestätigungsmails im Einwilligungsprotokoll',
    },
    kept: {
      consent_entries: {
        what: 'Einträge des Einwilligungsprotokolls ohne persönliche Angaben',
        why: 'Sie belegen, dass und wann eingewilligt und widerrufen wurde (Art. 7 Abs. 1, Art. 17 Abs. 3 Buchst. e DSGVO); ihre Kette bleibt prüfbar.',
      },
    },
    titles: {
      subscriptions: 'Listen',
      consent: 'Einwilligungen',
    },
  },
};

export type Words = typeof words;
