// Other forms of files become rows of comma-separated values, so that all are read, kept and taken up again in one way. Each row
// is on the line on which it began, as far as no other one is there. Pure.
import { PIECE_BYTES } from '../read-rows.ts';

/** Code units: a value that is longer is refused where it is read, whatever follows. */
export const MAX_CELL = 1_200;

const cell = (text: string): string => {
  const shown = text
    .slice(0, MAX_CELL)
    .replace(/[\r\n\0]+/g, ' ')
    .toWellFormed()
    .trim();
  return shown === '' ? '' : `"${shown.replaceAll('"', '""')}"`;
};

export interface CsvRows {
  /** `line`: from 1. */
  readonly add: (line: number, cells: readonly string[]) => void;
  /** What has come together, once there is enough of it or `isEnd`; else nothing. */
  readonly take: (isEnd: boolean) => Buffer | null;
}

export const createCsvRows = (): CsvRows => {
  let lines: string[] = [];
  let size = 0;
  /** The line on which the next row would be. */
  let next = 1;
  return {
    add: (line, cells) => {
      const text = `${'\n'.repeat(Math.max(0, line - next))}${cells.map(cell).join(',')}\n`;
      next = Math.max(line, next) + 1;
      lines.push(text);
      size += text.length;
    },
    take: (isEnd) => {
      if (size === 0 || (size < PIECE_BYTES && !isEnd)) return null;
      const taken = Buffer.from(lines.join(''));
      lines = [];
      size = 0;
      return taken;
    },
  };
};
