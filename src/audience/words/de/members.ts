const quoted = (text = ''): string => `„${text}“`;

/** Why an address is suppressed. */
const becauseOf: Readonly<Record<string, string>> = {
  hard_bounce: 'Post wurde endgültig abgewiesen',
  soft_bounces: 'Post wurde mehrmals abgewiesen',
  complaint: 'als Spam gemeldet',
  unsubscribe: 'abgemeldet',
  unsubscribe_all: 'von allem abgemeldet',
  manual: 'von Hand',
  import: 'aus einer Sperrliste',
  erasure: 'Daten gelöscht',
};
const because = (reason: string): string => (becauseOf[reason] ? ` (${becauseOf[reason]})` : '');

export const words = {
  evidence: {
    title: (address: string) => `Nachweis der Einwilligung: ${address}`,
    about: (practice: string, service: string, time: string) =>
      `Alle Einträge, die das Einwilligungsprotokoll von ${practice} zu dieser Adresse hat, der älteste zuerst. Erstellt von ${service} am ${time}.`,
    proves:
      'Jeder Eintrag trägt eine Prüfsumme (SHA-256), die von ihm und von allen Einträgen davor abhängt, und der Dienst hat alles zusammen signiert. Das beweist, dass nichts verändert wurde, seit der Inhaber des Schlüssels es signiert hat. Wer das war, beweist erst der Fingerabdruck unten: Er muss einer von denen sein, die der Dienst veröffentlicht. Dieses Blatt allein beweist nichts.',
    check: (keys: string) =>
      `Geprüft wird die JSON-Fassung dieses Nachweises: sendwerk consent verify DATEI --origin ADRESSE, mit der Adresse, unter der Ihnen der Dienst bekannt ist. Der Befehl vergleicht den Schlüssel mit ${keys} und mit dem DNS. Endet er mit 0, ist alles in Ordnung, mit 1, wurde etwas verändert, mit 2, ist der Schlüssel unbekannt.`,
    actions: {
      request: 'Die Adresse wurde eingetragen',
      mail: 'Die Bestätigungsmail wurde gesendet',
      confirm: 'Die Anmeldung wurde bestätigt',
      import: 'Der Absender hat eine vorhandene Einwilligung versichert',
      withdraw: 'Die Einwilligung endete',
      wording: 'Der Text der Einwilligung wurde festgelegt',
      tracking: 'Öffnen und Klicken dürfen ausgewertet werden',
      no_tracking: 'Widerspruch gegen die Auswertung von Öffnen und Klicken',
    },
    /** More of an action, by its way. */
    ways: {
      form: 'über das Formular',
      api: 'über die Schnittstelle des Absenders',
      import: 'beim Einlesen einer Datei',
      mail: 'per Mail',
      link: 'über den Link in der Bestätigungsmail',
      button: 'über den Link in der Bestätigungsmail und den Knopf auf seiner Seite',
      preferences: 'auf der Seite der Einstellungen',
      unsubscribe: 'durch Abmeldung',
      complaint: 'durch Beschwerde als Spam',
      bounce: 'weil das Postfach keine Mail annahm',
      declined: 'durch Ablehnung',
      removed: 'der Absender hat die Adresse entfernt',
      expired: 'die Bestätigung blieb aus',
      erased: 'durch Löschung der Daten der Person',
      rectified: 'die Adresse wurde berichtigt',
    },
    personal: {
      address: 'Adresse',
      name: 'Name',
      ip: 'IP-Adresse',
      user_agent: 'Browser',
      form_address: 'Adresse des Formulars',
      message_id: 'Message-ID der Mail',
      evidence: 'Beleg nach Angabe des Absenders',
    },
    time: 'Zeitpunkt',
    list: 'Liste',
    allLists: 'alle',
    basis: 'Rechtsgrundlage',
    way: 'Weg',
    details: 'Weiteres',
    answers: 'Bezieht sich auf Eintrag',
    wording: (version: number | null) =>
      `Text der Einwilligung${version === null ? '' : `, Fassung ${version}`}`,
    form: 'Formular, wie es gezeigt wurde (HTML als Text)',
    mail: 'Mail, wie sie gesendet wurde (RFC 5322)',
    gone: 'wird nicht mehr aufbewahrt',
    /** The mail has a link that can still confirm. */
    notYet:
      'noch nicht: Der Link in der Mail gilt noch. Sie ist hier, sobald die Person geantwortet hat oder der Link abgelaufen ist.',
    place: 'Nummer im Protokoll',
    hash: 'Prüfsumme des Eintrags',
    head: 'Letzter Eintrag des Protokolls',
    key: 'Fingerabdruck des Schlüssels (Ed25519)',
    signature: 'Signatur der JSON-Fassung',
  },
  /** What became of a row, in the file of a report; programs read the English one, which therefore has the names of the API. */
  reported: {
    added: 'neu',
    updated: 'geändert',
    already: 'unverändert',
    duplicates: 'doppelt in der Datei',
    suppressed: 'gesperrt',
    left_out: 'ausgelassen',
    failed: 'nicht lesbar',
  },
  imports: {
    no_address: () => 'hat keine Adresse',
    bad_address: () => 'hat keine gültige Adresse',
    not_sendable: () =>
      'hat vor dem @ Umlaute oder andere Zeichen, die der Mailserver dieses Dienstes nicht annimmt (SMTPUTF8)',
    long_value: (column: string, most: string) => `hat mehr als ${most} Zeichen in der Spalte ${column}`,
    duplicate: (line: string) => `hat die Adresse von Zeile ${line}`,
    left: (column: string, value: string) =>
      `hat sich laut Datei abgemeldet oder ist nicht erreichbar: ${quoted(column)} ist ${quoted(value)}`,
    unconfirmed: (column: string, value: string) =>
      `hat laut Datei nicht bestätigt oder eingewilligt: ${quoted(column)} ist ${value ? quoted(value) : 'leer'}`,
    unknown: (column: string, value: string) =>
      `wird ausgelassen, weil ${quoted(column)} ${value ? quoted(value) : 'leer'} ist: nur mit bekannten Angaben kommt jemand auf die Liste`,
    left_by_name: (name: string) => `ist laut dem Namen der Datei abgemeldet: ${quoted(name)}`,
    left_at: (line: string) => `ist laut Zeile ${line} der Datei abgemeldet`,
    not_left: () => 'wird nicht gesperrt: laut Datei hat sich die Person nicht abgemeldet',
    suppressed: () => 'ist gesperrt',
    own_wish: (reason: string) => `ist auf eigenen Wunsch gesperrt${because(reason)}`,
    has_left: () =>
      'hat sich von dieser Liste abgemeldet, abgelehnt oder ihre Mail verweigert: nur die Person selbst kann sich wieder anmelden',
    asked_often: (times: string) => `wurde ${times}-mal gefragt und hat nicht bestätigt`,
    not_asked: () => 'ist gesperrt und kann nicht um eine Bestätigung gebeten werden',
    gets_nothing: (reason: string) =>
      `ist auf der Liste und bekommt nichts: die Adresse ist gesperrt${because(reason)}`,
    bad_scope: () => 'hat einen Geltungsbereich, der nicht team, project oder route ist',
    bad_note: () => 'hat eine Notiz, die zu lang ist oder Steuerzeichen hat',
    /** Another part of the service gives the text. */
    refused: (text = '') => text,

    // These concern the whole file.
    no_address_column: (line: string) => `Zeile ${line} nennt keine Spalte „E-Mail“ oder „Adresse“`,
    above_head: (line: string) =>
      `Zeile ${line} ist ein Titel. Entfernen Sie, was über der Zeile mit den Spaltennamen steht, und importieren Sie die Datei noch einmal.`,
    empty: () => 'in der Datei steht nichts',
    too_long: (line: string, most: string) =>
      `Zeile ${line} ist länger als ${most} Oktette oder hat ein Anführungszeichen, das nie endet`,
    unclosed: (line: string) => `Zeile ${line} hat ein Anführungszeichen, das nie endet`,
    behind_quote: (line: string) => `Zeile ${line} geht hinter dem schließenden Anführungszeichen weiter`,
    malformed: (line: string) => `Zeile ${line} ist fehlerhaft`,
    nul: (line: string) => `Zeile ${line} hat ein NUL: die Datei ist kein Text`,
    old_excel: () =>
      'Das ist eine alte oder verschlüsselte Excel-Datei. Speichern Sie sie als .xlsx ohne Kennwort oder als „CSV UTF-8“.',
    other_table: (program: string) =>
      `Das ist eine Datei von ${program}. Speichern oder exportieren Sie sie als .xlsx oder als CSV in UTF-8.`,
    archive: () => 'Das ist ein Archiv. Entpacken Sie es und importieren Sie jede Datei für sich.',
    ldif: () =>
      'Das ist LDIF. Wählen Sie beim Export aus dem Adressbuch CSV (durch Kommas getrennt) oder vCard.',
    no_table: (form: string) =>
      `Das ist ${form} und keine Tabelle. Exportieren Sie die Adressen als CSV, .xlsx oder vCard.`,
    bad_workbook: () =>
      'Die Excel-Datei ist beschädigt oder hat kein Tabellenblatt. Speichern Sie sie neu oder als „CSV UTF-8“.',
    large_workbook: (what: string) =>
      `Die Excel-Datei hat zu viel Inhalt (höchstens ${what}). Speichern Sie das Blatt mit den Adressen als „CSV UTF-8“.`,
    list_archived: () => 'die Liste wurde archiviert',
  },
};

export type Words = typeof words;
