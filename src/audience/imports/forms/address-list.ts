// Addresses as people paste them: `"Groß, Jürgen" <j@example.org>; Max <m@example.org>, a@example.org`, with commas, semicolons
// and line breaks in any mixture, and names with commas that no one quoted. Everything between two separators becomes a row, so
// that no one is lost: what has no address is reported. Pure.
import { createCsvRows } from './csv-rows.ts';

/** The lines by which a list is distinguished from a table. */
const SAMPLE_LINES = 20;
const MAX_PENDING = 4_000;

interface Entry {
  readonly line: number;
  readonly text: string;
  /** Whether a comma is between it and the next one, which may be a name's. */
  readonly weak: boolean;
}

/** Collects the text between separators, as it comes. */
const createSplitter = () => {
  let text = '';
  let line = 1;
  let begun = 1;
  let isQuoted = false;
  let isEscaped = false;
  let isInAngle = false;
  let wasReturn = false;
  const entries: Entry[] = [];
  const end = (weak: boolean): void => {
    if (text.trim() !== '') entries.push({ line: begun, text: text.trim(), weak });
    text = '';
    isQuoted = false;
    isInAngle = false;
  };
  return {
    read: (part: string): void => {
      for (const character of part) {
        if (character === '\n' || character === '\r') {
          end(false);
          if (!(character === '\n' && wasReturn)) line += 1;
          wasReturn = character === '\r';
          isEscaped = false;
          continue;
        }
        wasReturn = false;
        if (!isQuoted && !isInAngle && (character === ';' || character === ',' || character === '\t')) {
          end(character !== ';');
          continue;
        }
        const isBlank = text === '';
        if (isBlank && /\s/.test(character)) continue;
        if (isBlank) begun = line;
        if (character === '"' && !isEscaped && (isQuoted || isBlank)) isQuoted = !isQuoted;
        else if (!isQuoted && character === '<') isInAngle = true;
        isEscaped = isQuoted && character === '\\' && !isEscaped;
        text += character;
        if (isInAngle && character === '>') end(true);
        else if (text.length > MAX_PENDING) end(false);
      }
    },
    end: () => end(false),
    take: (): Entry[] => entries.splice(0),
  };
};

const hasAddress = (text: string): boolean => text.includes('@');
const unquoted = (text: string): string =>
  text
    .trim()
    .replace(/^(["'])(.*)\1$/s, '$2')
    .replace(/\\(.)/g, '$1');

/** Address and name of what has one address. */
const parted = (text: string): readonly [address: string, name: string] => {
  const inner = unquoted(text);
  const open = inner.lastIndexOf('<');
  if (open === -1) return [inner, ''];
  // `"Groß, Jürgen <j@example.org>"` is in quotes as a whole, `"Groß, Jürgen" <j@example.org>` is not.
  const name = /^(["']).*\1$/s.test(text)
    ? inner.slice(0, open)
    : unquoted(text.slice(0, text.lastIndexOf('<')));
  return [unquoted(inner.slice(open + 1).replace(/>.*$/s, '')), name.trim()];
};

/** Rows of address and name, with the lines on which they began. */
const createReader = () => {
  const splitter = createSplitter();
  let before: Entry | null = null;
  const rows: { readonly line: number; readonly cells: readonly [string, string] }[] = [];
  const add = ({ line, text }: Entry): void => {
    const several = text.includes('<') ? [] : text.split(/\s+/).filter(hasAddress);
    if (several.length > 1) for (const part of text.split(/\s+/)) rows.push({ line, cells: parted(part) });
    else rows.push({ line, cells: parted(text) });
  };
  const read = (entries: readonly Entry[]): void => {
    for (const entry of entries) {
      const isFamilyName = before?.weak && !hasAddress(before.text) && /[^<]<[^<]*@/.test(entry.text);
      if (before && isFamilyName)
        before = { ...entry, line: before.line, text: `${before.text}, ${entry.text}` };
      else {
        if (before) add(before);
        before = entry;
      }
    }
  };
  return {
    read: (part: string): void => {
      splitter.read(part);
      read(splitter.take());
    },
    end: (): void => {
      splitter.end();
      read(splitter.take());
      if (before) add(before);
      before = null;
    },
    take: () => rows.splice(0),
  };
};

/** The list as rows of comma-separated values, address and name. */
export function* listRows(parts: Iterable<string>): Generator<Buffer> {
  const reader = createReader();
  const made = createCsvRows();
  for (const part of parts) {
    reader.read(part);
    for (const { line, cells } of reader.take()) made.add(line, cells);
    const taken = made.take(false);
    if (taken) yield taken;
  }
  reader.end();
  for (const { line, cells } of reader.take()) made.add(line, cells);
  const taken = made.take(true);
  if (taken) yield taken;
}

/** Where addresses are, in the lines of a table: in each in the same cells, of the same number. */
const isTable = (lines: readonly string[]): boolean => {
  const shapes = lines.map((line) =>
    line
      .replace(/"[^"]*"/g, (quoted) => (hasAddress(quoted) ? '@' : ''))
      .split(/[,;\t|]/)
      .map((cell) => (hasAddress(cell) ? '@' : ''))
      .join(','),
  );
  return lines.length > 1 && new Set(shapes).size === 1;
};

/** Bounded: a hostile line is looked at from each of its quotes. */
const QUOTED_NAME = /"[^"]{0,200}"\s{0,10}<[^<>]{1,320}@/;

/** Whether a file that begins so is a list of addresses, and no table. */
export const isAddressList = (beginning: string): boolean => {
  const lines = beginning
    .split(/[\r\n]+/)
    .filter((line) => line.trim() !== '')
    .slice(0, SAMPLE_LINES);
  if (!hasAddress(lines[0] ?? '')) return false;
  // One line is more often pasted than a table; and a name in quotes goes on with `<` in none.
  if (lines.length === 1 || lines.some((line) => QUOTED_NAME.test(line))) return true;
  const rowsOf = (line: string) => {
    const reader = createReader();
    reader.read(line);
    reader.end();
    return reader.take().map(({ cells }) => hasAddress(cells[0]));
  };
  const read = lines.map(rowsOf);
  if (read.flat().every((has) => has)) return true;
  return read.some((rows) => rows.filter((has) => has).length > 1) && !isTable(lines);
};
