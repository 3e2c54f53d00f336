// How the operator's commands print: aligned tables and records, and JSON for scripts. Names, subjects and notes come
// from strangers: nothing in them may steer a terminal. Pure.

/** Control characters, line and paragraph separators, and what steers or hides text without being seen. */
const UNSEEN = /[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;
const REPLACEMENT = '\ufffd';

export type Cell = string | number | boolean | null | undefined;

/** On one line, with every character seen. */
export const clean = (text: string): string => text.replaceAll(UNSEEN, REPLACEMENT);

const shown = (cell: Cell): string => {
  if (cell === null || cell === undefined || cell === '') return '-';
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no';
  return clean(String(cell));
};

/** Columns of a terminal; wide characters count as one. */
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

/** One line a row under `head`, or `nothing` where there is none. */
export const table = (
  head: readonly string[],
  rows: readonly (readonly Cell[])[],
  nothing: string,
): string => (rows.length === 0 ? `${nothing}\n` : aligned([head, ...rows.map((row) => row.map(shown))]));

/** One line a field. */
export const record = (fields: readonly (readonly [name: string, value: Cell])[]): string =>
  aligned(fields.map(([name, value]) => [name, shown(value)]));

/** Text of several lines, each set in. */
export const paragraph = (text: string): string =>
  text
    .trimEnd()
    .split(/\r\n|\r|\n/)
    .map((line) => `  ${clean(line)}`.trimEnd())
    .map((line) => `${line}\n`)
    .join('');

/** JSON that reads as the same value, and steers no terminal either. */
export const json = (value: unknown): string =>
  `${JSON.stringify(value, null, 2).replaceAll(UNSEEN, (unseen) =>
    unseen === '\n' ? unseen : `\\u${unseen.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )}\n`;
