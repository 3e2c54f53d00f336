// Prints aligned tables, records, and JSON for scripts. Names, subjects and notes come from strangers, so nothing in
// them may control the terminal. Pure.

/**
 * Control characters, line and paragraph separators, and invisible characters that change how text is shown.
 */
const UNSEEN = /[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;
const REPLACEMENT = '\ufffd';

export type Cell = string | number | boolean | null | undefined;

/** The text is one line with every character visible. */
export const clean = (text: string): string => text.replaceAll(UNSEEN, REPLACEMENT);

const shown = (cell: Cell): string => {
  if (cell === null || cell === undefined || cell === '') return '-';
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no';
  return clean(String(cell));
};

/** Counts terminal columns; wide characters count as one. */
const widthOf = (text: string): number => [...text].length;
const pad = (text: string, width: number): string => text + ' '.repeat(width - widthOf(text));

const aligned = (rows: readonly (readonly string[])[]): string => {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => widthOf(row[column] ?? ''))),
  );
  return rows
    .map((row) => `${row.map((cell, column) => pad(cell, widths[column] ?? 0)).join('  ')}`.trimEnd())
    .map((line) => `${line}\n`)
    .join('');
};

/** A line for each row below `head`; `nothing` if there are no rows. */
export const table = (
  head: readonly string[],
  rows: readonly (readonly Cell[])[],
  nothing: string,
): string => (rows.length === 0 ? `${nothing}\n` : aligned([head, ...rows.map((row) => row.map(shown))]));

/** A line for each field. */
export const record = (fields: readonly (readonly [name: string, value: Cell])[]): string =>
  aligned(fields.map(([name, value]) => [name, shown(value)]));

/** Indented lines. */
export const paragraph = (text: string): string =>
  text
    .trimEnd()
    .split(/\r\n|\r|\n/)
    .map((line) => `  ${clean(line)}`.trimEnd())
    .map((line) => `${line}\n`)
    .join('');

/** The same value as JSON, without characters that control a terminal. */
export const json = (value: unknown): string =>
  `${JSON.stringify(value, null, 2).replaceAll(UNSEEN, (unseen) =>
    unseen === '\n' ? unseen : `\\u${unseen.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )}\n`;
