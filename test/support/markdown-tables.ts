// The tables of a Markdown file, row by row, each row by the names of its columns. Backquotes are left out.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface TableRow {
  /** The heading above the table. */
  readonly section: string;
  readonly cells: Readonly<Record<string, string>>;
}

const isRow = (line: string): boolean => line.startsWith('|');
const isRule = (line: string): boolean => /^\|[\s:|-]+\|$/.test(line);
const cellsOf = (line: string): string[] =>
  line
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.replaceAll('`', '').trim());

/** `file` is below `test/fixtures/specification`. */
export const specified = (file: string): TableRow[] => {
  const place = fileURLToPath(new URL(`../fixtures/specification/${file}`, import.meta.url));
  const rows: TableRow[] = [];
  let section = '';
  let columns: string[] = [];
  for (const line of readFileSync(place, 'utf8').split('\n')) {
    if (line.startsWith('#')) section = line.replace(/^#+ /, '');
    if (!isRow(line)) columns = [];
    else if (columns.length === 0) columns = cellsOf(line);
    else if (!isRule(line)) {
      const values = cellsOf(line);
      rows.push({ section, cells: Object.fromEntries(columns.map((name, at) => [name, values[at] ?? ''])) });
    }
  }
  return rows;
};

/** The words of a cell: `a, b` or `a and b`. */
export const listed = (cell = ''): string[] => cell.split(/, | and /).filter((word) => word !== '');
