// Comma-separated values (RFC 4180) as the service writes them. Pure.

/** The beginnings that spreadsheet programs take for a formula, which must not run when the file is opened. */
const FORMULA = /^[=+\-@\t\r]/;

/** A cell that would be a formula is led by an apostrophe, which spreadsheet programs read as: this is text. */
const guarded = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);

/** Undoes that guard in a cell that was written here. */
export const withoutGuard = (text: string): string =>
  text.startsWith("'") && FORMULA.test(text.slice(1)) ? text.slice(1) : text;

const cell = (value: string | null): string => {
  const text = guarded(value ?? '');
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** One record with its line end; null is an empty cell. */
export const csvLine = (values: readonly (string | null)[]): string => `${values.map(cell).join(',')}\r\n`;
