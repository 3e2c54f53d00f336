// Comma-separated values (RFC 4180) as the service writes them. Pure.

/**
 * Where spreadsheet programs may see the beginning of a formula: of the text, and behind what they may take for the end of a cell.
 * Some of them pass over spaces and quotes.
 */
const BEGINNING = String.raw`(?<=^|[;\t\r\n])`;
const FORMULA = String.raw`(?=(?:[^\S\t\r\n]|["'])*[=+\-@])`;
/** Nearly every cell: it begins with a letter or a digit, and nothing in it ends a cell. */
const HARMLESS = /^(?:[A-Za-z\d][^;\t\r\n]*)?$/;
const unguarded = new RegExp(BEGINNING + FORMULA, 'g');
const guards = new RegExp(`${BEGINNING}'${FORMULA}`, 'g');

/** A formula must not run when the file is opened: it is led by an apostrophe, which spreadsheet programs read as: this is text. */
const guarded = (text: string): string => (HARMLESS.test(text) ? text : text.replace(unguarded, "'"));

/** Undoes that in a cell that was written here. */
export const withoutGuard = (text: string): string => text.replace(guards, '');

/** Null is an empty cell; `asIs` a text that is in no language of the service, such as a value that a person typed. */
export type CsvCell = string | number | null | { readonly asIs: string };

/** How a file is written: see csv-form.ts. */
export interface CsvForm {
  readonly separator: ',' | ';';
  /** Before the fraction of a number. */
  readonly decimal: '.' | ',';
  /** Times and days as people write them; other texts as they are. */
  readonly textOf: (text: string) => string;
  readonly headingOf: (column: string) => string;
}

const plain: CsvForm = {
  separator: ',',
  decimal: '.',
  textOf: (text) => text,
  headingOf: (column) => column,
};

const written = (value: CsvCell, { decimal, textOf }: CsvForm): string => {
  if (value === null) return '';
  if (typeof value === 'number') return String(value).replace('.', decimal);
  return guarded(typeof value === 'string' ? textOf(value) : value.asIs);
};

const quoted = { ',': /[",\r\n]/, ';': /[";\r\n]/ } as const;

const cell = (value: CsvCell, form: CsvForm): string => {
  const text = written(value, form);
  return quoted[form.separator].test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** One record with its line end. */
export const csvLine = (values: readonly CsvCell[], form = plain): string =>
  `${values.map((value) => cell(value, form)).join(form.separator)}\r\n`;

/** Programs such as Excel take a file that does not begin with it for one in the encoding of their country. */
const BYTE_ORDER_MARK = '\ufeff';

/** The first record of a file, with the headings of its columns. */
export const csvHead = (columns: readonly string[], form = plain): string =>
  BYTE_ORDER_MARK + csvLine(columns.map(form.headingOf), form);
