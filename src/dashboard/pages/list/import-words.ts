import type { ImportPreview } from '#api';
import { number, words } from '#dashboard/words.ts';

type Role = ImportPreview['columns'][number]['role'];
type State = ImportPreview['reasons'][number]['state'];
type Form = ImportPreview['form'];

interface Tables {
  readonly roles: Readonly<Record<Role, string>>;
  readonly states: Readonly<Record<State, string>>;
  readonly forms: Readonly<Record<Form, string>>;
}

const german: Tables = {
  roles: {
    address: 'E-Mail-Adresse',
    name: 'Name',
    first_name: 'Vorname',
    last_name: 'Nachname',
    status: 'Status (aktiv, abgemeldet …)',
    opt_in: 'Zustimmung (ja, oder seit wann)',
    opt_out: 'Abmeldung (nein, oder leer)',
    value: 'Wert für Vorlagen',
    ignore: 'Nicht übernehmen',
  },
  states: {
    active: 'Wird eingetragen',
    pending: 'Wird um Bestätigung gebeten',
    left_out: 'Ausgelassen',
    duplicates: 'Doppelt',
    failed: 'Nicht lesbar',
  },
  forms: {
    table: 'Tabelle',
    addresses: 'Liste von Adressen',
    vcard: 'Adressbuch (vCard)',
    workbook: 'Excel, erstes Blatt',
  },
};
const english: Tables = {
  roles: {
    address: 'E-mail address',
    name: 'Name',
    first_name: 'First name',
    last_name: 'Last name',
    status: 'Status (active, unsubscribed …)',
    opt_in: 'Consent (yes, or since when)',
    opt_out: 'Unsubscribed (no, or empty)',
    value: 'Value for templates',
    ignore: 'Not imported',
  },
  states: {
    active: 'Will be added',
    pending: 'Will be asked to confirm',
    left_out: 'Left out',
    duplicates: 'Twice',
    failed: 'Not readable',
  },
  forms: {
    table: 'Table',
    addresses: 'List of addresses',
    vcard: 'Address book (vCard)',
    workbook: 'Excel, first sheet',
  },
};

const delimiters: Readonly<Record<string, { readonly de: string; readonly en: string }>> = {
  ',': { de: 'Kommas', en: 'commas' },
  ';': { de: 'Semikolons', en: 'semicolons' },
  '\t': { de: 'Tabulatoren', en: 'tabs' },
  '|': { de: 'Striche', en: 'bars' },
};

export const importWords = words({
  de: {
    ...german,
    intro:
      'Lesen Sie eine Datei ein oder fügen Sie Adressen ein. Vor der Übernahme sehen Sie, was daraus wird.',
    file: 'Datei',
    fileHint: 'CSV, Excel (.xlsx) oder vCard, auch Ausfuhren anderer Newsletter-Dienste und Adressbücher.',
    paste: 'Oder Adressen einfügen',
    pasteHint: 'Mit Kommas, Semikolons oder Zeilen getrennt, auch mit Namen.',
    preview: 'Ansehen',
    back: 'Andere Datei',
    previewOf: 'Was daraus wird',
    found: ({ form, encoding, delimiter, rows }: ImportPreview) =>
      [
        german.forms[form],
        encoding?.toUpperCase(),
        delimiter && `getrennt durch ${delimiters[delimiter]?.de ?? delimiter}`,
        `${number(rows.read)} Zeilen${rows.is_complete ? '' : ' angesehen'}`,
      ]
        .filter(Boolean)
        .join(', '),
    columns: 'Spalten',
    column: 'Spalte',
    columnNumber: (count: number) => `Spalte ${count}`,
    role: 'Bedeutung',
    examples: 'Beispiele',
    counts: 'Was aus den Zeilen wird',
    state: 'Was daraus wird',
    count: 'Zeilen',
    reason: 'Grund',
    first: 'Die ersten Zeilen',
    line: 'Zeile',
    address: 'Adresse',
    name: 'Name',
    byFile: 'Das sagt die Datei allein. Wer sich hier abgemeldet hat oder gesperrt ist, bleibt es.',
    suppress: (count: number) => `Auch ${number(count)} Abgemeldete und Unzustellbare sperren`,
    suppressHint: 'Sie bekommen dann keine Rundschreiben dieser Praxis, auch nicht über andere Listen.',
    left: (count: number) =>
      `${number(count)} Ausgelassene haben sich laut Datei abgemeldet, beschwert oder waren unzustellbar. Dieselbe Datei kann sie unter „Gesperrte Adressen“ sperren.`,
  },
  en: {
    ...english,
    intro: 'Read a file or paste addresses. Before anything is imported you see what becomes of it.',
    file: 'File',
    fileHint: 'CSV, Excel (.xlsx) or vCard, also exports of other newsletter services and address books.',
    paste: 'Or paste addresses',
    pasteHint: 'Separated by commas, semicolons or lines, also with names.',
    preview: 'Look at it',
    back: 'Another file',
    previewOf: 'What becomes of it',
    found: ({ form, encoding, delimiter, rows }: ImportPreview) =>
      [
        english.forms[form],
        encoding?.toUpperCase(),
        delimiter && `separated by ${delimiters[delimiter]?.en ?? delimiter}`,
        `${number(rows.read)} rows${rows.is_complete ? '' : ' looked at'}`,
      ]
        .filter(Boolean)
        .join(', '),
    columns: 'Columns',
    column: 'Column',
    columnNumber: (count: number) => `Column ${count}`,
    role: 'Meaning',
    examples: 'Examples',
    counts: 'What becomes of the rows',
    state: 'What becomes of it',
    count: 'Rows',
    reason: 'Reason',
    first: 'The first rows',
    line: 'Line',
    address: 'Address',
    name: 'Name',
    byFile: 'That is what the file says alone. Whoever unsubscribed here or is suppressed stays so.',
    suppress: (count: number) => `Also suppress ${number(count)} who unsubscribed or cannot be reached`,
    suppressHint: 'Then they get no newsletters of this practice, by other lists neither.',
    left: (count: number) =>
      `${number(count)} of those left out unsubscribed, complained or could not be reached, by the file. The same file can suppress them under “Suppressions”.`,
  },
});
