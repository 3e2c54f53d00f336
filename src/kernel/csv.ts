// Comma-separated values (RFC 4180) as the service writes them. Pure.

/**
 * Where spreadsheet programs may see the beginning of a formula: of the text, and behind what they may take for the end of a cell.
 * Some of them pass over spaces and quotes.
 */
const BEGINNING = String.raw`(?<=^|[;\t\r\n])`;
const FORMULA = String.raw`(?=(?:[^\S\t\r\n]|["'])*[=+\-@])`;
const unguarded = new RegExp(BEGINNING + FORMULA, 'g');
const guards = new RegExp(`${BEGINNING}'${FORMULA}`, 'g');

/** A formula must not run when the file is opened: it is led by an apostrophe, which spreadsheet programs read as: this is text. */
const guarded = (text: string): string => text.replace(unguarded, "'");

/** Undoes that in a cell that was written here. */
export const withoutGuard = (text: string): string => text.replace(guards, '');

/** Null is an empty cell. */
export type CsvCell = string | number | null;

const cell = (value: CsvCell): string => {
  const text = typeof value === 'number' ? String(value) : guarded(value ?? '');
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** One record with its line end. */
export const csvLine = (values: readonly CsvCell[]): string => `${values.map(cell).join(',')}\r\n`;

/** Programs such as Excel take a file that does not begin with it for one in the encoding of their country. */
const BYTE_ORDER_MARK = '\ufeff';

/** The first record of a file. */
export const csvHead = (columns: readonly string[]): string => BYTE_ORDER_MARK + csvLine(columns);
