// Why a row of an import, or the whole file, was not taken as it is: kept as a code with its values, and said in German and
// English. Pure.
import type { Language } from '#src/kernel/language.ts';

type Say = Readonly<Record<Language, (...values: string[]) => string>>;

const quoted = (text = ''): string => `“${text}”`;
const zitat = (text = ''): string => `„${text}“`;

const says = {
  no_address: { de: () => 'hat keine Adresse', en: () => 'has no address' },
  bad_address: { de: () => 'hat keine gültige Adresse', en: (problem = '') => problem },
  not_sendable: {
    de: () =>
      'hat vor dem @ Umlaute oder andere Zeichen, die der Mailserver dieses Dienstes nicht annimmt (SMTPUTF8)',
    en: () =>
      'has letters beyond ASCII before its @, and the mail server of this service takes no such address (SMTPUTF8)',
  },
  long_value: {
    de: (column, most) => `hat mehr als ${most} Zeichen in der Spalte ${column}`,
    en: (column, most) => `has more than ${most} characters in the column ${column}`,
  },
  duplicate: {
    de: (line) => `hat die Adresse von Zeile ${line}`,
    en: (line) => `has the address of line ${line}`,
  },
  left: {
    de: (column, value) =>
      `hat sich laut Datei abgemeldet oder ist nicht erreichbar: ${zitat(column)} ist ${zitat(value)}`,
    en: (column, value) => `has left or cannot be reached by the file: ${quoted(column)} is ${quoted(value)}`,
  },
  unconfirmed: {
    de: (column, value) =>
      `hat laut Datei nicht bestätigt oder zugestimmt: ${zitat(column)} ist ${value ? zitat(value) : 'leer'}`,
    en: (column, value) =>
      `has not confirmed or agreed by the file: ${quoted(column)} is ${value ? quoted(value) : 'empty'}`,
  },
  unknown: {
    de: (column, value) =>
      `wird ausgelassen, weil ${zitat(column)} ${value ? zitat(value) : 'leer'} ist: nur bekannte Angaben machen zu Abonnenten`,
    en: (column, value) =>
      `is left out because ${quoted(column)} is ${value ? quoted(value) : 'empty'}: only what is known makes a subscriber`,
  },
  left_by_name: {
    de: (name) => `ist laut dem Namen der Datei kein Abonnent: ${zitat(name)}`,
    en: (name) => `is no subscriber by the name of the file: ${quoted(name)}`,
  },
  left_at: {
    de: (line) => `ist laut Zeile ${line} der Datei kein Abonnent`,
    en: (line) => `is no subscriber by line ${line} of the file`,
  },
  not_left: {
    de: () => 'wird nicht gesperrt: laut Datei hat sich die Person nicht abgemeldet',
    en: () => 'is not suppressed: the file does not say that the person has left',
  },
  suppressed: { de: () => 'ist gesperrt', en: () => 'is suppressed' },
  own_wish: {
    de: (reason) => `ist auf eigenen Wunsch gesperrt (${reason})`,
    en: (reason) => `is suppressed by the person's own wish (${reason})`,
  },
  has_left: {
    de: () =>
      'hat sich von dieser Liste abgemeldet, abgelehnt oder ihre Mail verweigert: nur die Person selbst kann sich wieder anmelden',
    en: () => 'has left this list, declined, or refused its mail: only they can subscribe again',
  },
  asked_often: {
    de: (times) => `wurde ${times}-mal gefragt und hat nicht bestätigt`,
    en: (times) => `was asked ${times} times and has not confirmed`,
  },
  not_asked: {
    de: () => 'ist gesperrt und kann nicht um eine Bestätigung gebeten werden',
    en: () => 'is suppressed, and cannot be asked to confirm',
  },
  gets_nothing: {
    de: (reason) => `ist auf der Liste und bekommt nichts: die Adresse ist gesperrt (${reason})`,
    en: (reason) => `is on the list, and gets nothing: it is suppressed (${reason})`,
  },
  bad_scope: {
    de: () => 'hat einen Geltungsbereich, der nicht team, project oder route ist',
    en: () => 'has a scope that is none of team, project, route',
  },
  bad_note: {
    de: () => 'hat eine Notiz, die zu lang ist oder Steuerzeichen hat',
    en: () => 'has a note that is too long or has control characters',
  },
  /** Of another part of the service. */
  refused: { de: (text = '') => text, en: (text = '') => text },

  // Of the whole file.
  no_address_column: {
    de: (line) => `Zeile ${line} nennt keine Spalte „E-Mail“ oder „Adresse“`,
    en: (line) => `line ${line} names no column \`email\` or \`address\``,
  },
  above_head: {
    de: (line) =>
      `Zeile ${line} ist ein Titel. Entfernen Sie, was über der Zeile mit den Spaltennamen steht, und importieren Sie die Datei noch einmal.`,
    en: (line) =>
      `line ${line} is a title: remove what is above the row of headings, and import the file again`,
  },
  empty: { de: () => 'in der Datei steht nichts', en: () => 'line 1 is the last one, and all are empty' },
  too_long: {
    de: (line, most) =>
      `Zeile ${line} ist länger als ${most} Oktette oder hat ein Anführungszeichen, das nie endet`,
    en: (line, most) => `line ${line} is longer than ${most} octets, or has a quote that is never closed`,
  },
  unclosed: {
    de: (line) => `Zeile ${line} hat ein Anführungszeichen, das nie endet`,
    en: (line) => `line ${line} has a quote that is never closed`,
  },
  behind_quote: {
    de: (line) => `Zeile ${line} geht hinter dem schließenden Anführungszeichen weiter`,
    en: (line) => `line ${line} goes on behind a closing quote`,
  },
  malformed: { de: (line) => `Zeile ${line} ist fehlerhaft`, en: (line) => `line ${line} is malformed` },
  nul: {
    de: (line) => `Zeile ${line} hat ein NUL: die Datei ist kein Text`,
    en: (line) => `line ${line} has a NUL: the file is no text`,
  },
  old_excel: {
    de: () =>
      'Das ist eine alte oder verschlüsselte Excel-Datei. Speichern Sie sie als .xlsx ohne Kennwort oder als „CSV UTF-8“.',
    en: () =>
      'This is an old or encrypted Excel file. Save it as .xlsx without a password, or as “CSV UTF-8”.',
  },
  other_table: {
    de: (program) =>
      `Das ist eine Datei von ${program}. Speichern oder exportieren Sie sie als .xlsx oder als CSV in UTF-8.`,
    en: (program) => `This is a file of ${program}. Save or export it as .xlsx, or as CSV in UTF-8.`,
  },
  archive: {
    de: () => 'Das ist ein Archiv. Entpacken Sie es und importieren Sie jede Datei für sich.',
    en: () => 'This is an archive. Unpack it and import each file by itself.',
  },
  ldif: {
    de: () =>
      'Das ist LDIF. Wählen Sie beim Export aus dem Adressbuch CSV (durch Kommas getrennt) oder vCard.',
    en: () => 'This is LDIF. Choose CSV (comma separated) or vCard when you export the address book.',
  },
  no_table: {
    de: (form) =>
      `Das ist ${form} und keine Tabelle. Exportieren Sie die Adressen als CSV, .xlsx oder vCard.`,
    en: (form) => `This is ${form}, and no table. Export the addresses as CSV, .xlsx or vCard.`,
  },
  bad_workbook: {
    de: () =>
      'Die Excel-Datei ist beschädigt oder hat kein Tabellenblatt. Speichern Sie sie neu oder als „CSV UTF-8“.',
    en: () => 'The Excel file is damaged or has no sheet. Save it again, or as “CSV UTF-8”.',
  },
  large_workbook: {
    de: (what) =>
      `Die Excel-Datei hat zu viel Inhalt (höchstens ${what}). Speichern Sie das Blatt mit den Adressen als „CSV UTF-8“.`,
    en: (what) =>
      `The Excel file has too much in it (${what} at most). Save the sheet with the addresses as “CSV UTF-8”.`,
  },
  list_archived: { de: () => 'die Liste wurde archiviert', en: () => 'the list was archived' },
} as const satisfies Readonly<Record<string, Say>>;

/** A code and its values. */
export type Reason = readonly [code: keyof typeof says, ...values: readonly (string | number)[]];

export const reasonText = ([code, ...values]: Reason, language: Language): string =>
  (says[code] as Say)[language](...values.map(String));

/** As it is stored. */
export const reasonJson = (reason: Reason): string => JSON.stringify(reason);
export const reasonOf = (json: string): Reason => JSON.parse(json) as Reason;
