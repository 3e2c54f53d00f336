// Reads a file of comma-separated values (RFC 4180; also with semicolons or tabs, as spreadsheet programs write them in Europe), or
// a plain list with one address a line. It is kept as pieces of UTF-8, and read from any row on: so a crash, or a pause,
// goes on where it was, and no more than two pieces are in memory. Pure.
import { isUtf8 } from 'node:buffer';
import { CsvError, type CsvErrorCode, parse } from 'csv-parse';
import { UnreadableFile } from './unreadable.ts';

/** Octets of one row. */
const MAX_ROW = 16_384;
/** Octets of a piece. A row is in two at the most. */
export const PIECE_BYTES = 2 * MAX_ROW;

export const delimiters = [',', ';', '\t', '|'] as const;
export type Delimiter = (typeof delimiters)[number];

/** Where a row begins. */
export interface Place {
  readonly byte: number;
  /** The first line is 1. */
  readonly line: number;
}

export interface Row {
  readonly line: number;
  readonly cells: readonly string[];
  /** Where the next one begins. */
  readonly end: Place;
}

/** `utf-16` without a byte order mark shows itself by the NULs of its first letters. */
export const encodingOf = (bytes: Uint8Array): string => {
  const [first, second, third, fourth] = bytes;
  if ((first === 0xff && second === 0xfe) || (first && second === 0 && third && fourth === 0))
    return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (first === 0 && second && third === 0 && fourth))
    return 'utf-16be';
  return isUtf8(bytes) ? 'utf-8' : 'windows-1252';
};

/** Each piece has `PIECE_BYTES`; the last one is shorter. */
export function* inPieces(parts: Iterable<Buffer>): Generator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for (const part of parts) {
    rest = rest.length === 0 ? part : Buffer.concat([rest, part]);
    for (; rest.length >= PIECE_BYTES; rest = rest.subarray(PIECE_BYTES)) yield rest.subarray(0, PIECE_BYTES);
  }
  if (rest.length > 0) yield rest;
}

/** The text in parts, without a byte order mark. */
export function* textParts(bytes: Uint8Array, encoding: string): Generator<string> {
  const decoder = new TextDecoder(encoding);
  for (let at = 0; at < bytes.length; at += PIECE_BYTES)
    yield decoder.decode(bytes.subarray(at, at + PIECE_BYTES), { stream: at + PIECE_BYTES < bytes.length });
}

/** The line that names the delimiter for Excel: `sep=;`. */
const TOLD = /^"?sep=([,;\t|])"?[\t;,]*(?:\r\n|\r|\n)/i;

/** How the rows of a file are divided, and where the first one begins. */
export const beginningOf = (beginning: Buffer): { readonly delimiter: Delimiter; readonly at: Place } => {
  const told = TOLD.exec(beginning.subarray(0, 32).toString('latin1'));
  if (told) return { delimiter: told[1] as Delimiter, at: { byte: told[0].length, line: 2 } };
  return { delimiter: delimiterOf(beginning), at: { byte: 0, line: 1 } };
};

/** The most frequent one in the head line; or, where it has none or there is no head line, in the first lines that have any. */
const delimiterOf = (beginning: Buffer): Delimiter => {
  const lines = beginning
    .toString()
    .split(/[\r\n]+/, 10)
    .filter((line) => line.trim() !== '');
  const countIn = (some: readonly string[]): readonly { mark: Delimiter; count: number }[] =>
    delimiters
      .map((mark) => ({
        mark,
        count: some.reduce((sum, line) => sum + line.replace(/"[^"]*"/g, '').split(mark).length - 1, 0),
      }))
      .toSorted((a, b) => b.count - a.count);
  const isHead = !lines[0]?.includes('@');
  const [inHead] = isHead ? countIn(lines.slice(0, 1)) : [];
  return (inHead && inHead.count > 0 ? inHead : countIn(lines)[0])?.mark ?? ',';
};

const problems: Readonly<Partial<Record<CsvErrorCode, 'behind_quote' | 'too_long'>>> = {
  CSV_INVALID_CLOSING_QUOTE: 'behind_quote',
  CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE: 'behind_quote',
  CSV_MAX_RECORD_SIZE: 'too_long',
};

const CR = 13;
const LF = 10;

/** Line breaks in the bytes; CRLF is one. */
const breaksIn = (bytes: Buffer, from: number, to: number): number => {
  let count = 0;
  for (let at = from; at < to; at++)
    if (bytes[at] === LF ? bytes[at - 1] !== CR || at === from : bytes[at] === CR) count += 1;
  return count;
};

const SPACES: ReadonlySet<number | undefined> = new Set([LF, CR, 0x20, 0x09]);
/** The end of the empty lines that begin there; `isLast`: no row follows what is behind the last line break. */
const emptyUntil = (bytes: Buffer, from: number, isLast: boolean): number => {
  let end = from;
  let at = from;
  for (; SPACES.has(bytes[at]); at += 1) if (bytes[at] === LF || bytes[at] === CR) end = at + 1;
  return isLast && at === bytes.length ? at : end;
};

/** The parser looks so far ahead before it ends a row. */
const LOOK_AHEAD = Buffer.from('\n'.repeat(8));

interface Parsed {
  readonly info: { readonly bytes: number };
  readonly record: readonly string[];
}

/**
 * The whole rows in `window`, whose first byte is at `start`; empty ones are left out of them. `isLast`: the file ends with it.
 * Throws UnreadableFile.
 */
export const rowsIn = (
  window: Buffer,
  start: Place,
  delimiter: Delimiter,
  isLast: boolean,
): { readonly rows: Row[]; readonly end: Place } => {
  const nul = window.indexOf(0);
  if (nul >= 0) throw new UnreadableFile(['nul', start.line + breaksIn(window, 0, nul)]);
  const parser = parse({
    delimiter,
    info: true,
    max_record_size: MAX_ROW,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    trim: true,
  });
  // The parser fails at once, and again as an event.
  parser.on('error', () => undefined);
  parser.write(isLast ? Buffer.concat([window, LOOK_AHEAD]) : window);
  const rows: Row[] = [];
  let { line } = start;
  let from = 0;
  /** Goes on to a byte, with the lines up to there. */
  const goTo = (to: number): void => {
    line += breaksIn(window, from, to);
    from = to;
  };
  for (let parsed: Parsed | null = parser.read(); parsed !== null; parsed = parser.read()) {
    goTo(emptyUntil(window, from, false));
    const begun = line;
    goTo(Math.min(parsed.info.bytes, window.length));
    if (parsed.record.some((cell) => cell !== ''))
      rows.push({ line: begun, cells: parsed.record, end: { byte: start.byte + from, line } });
  }
  const rest = emptyUntil(window, from, isLast);
  // A CR at the end may belong to the LF that comes next.
  goTo(isLast || window[rest - 1] !== CR ? rest : Math.max(from, rest - 1));
  const { errored } = parser;
  if (errored instanceof CsvError)
    throw new UnreadableFile([problems[errored.code] ?? 'malformed', line, MAX_ROW]);
  if (errored !== null) throw errored;
  if (isLast && from < window.length) throw new UnreadableFile(['unclosed', line]);
  if (from === 0 && window.length > 0) throw new UnreadableFile(['too_long', line, MAX_ROW]);
  return { rows, end: { byte: start.byte + from, line } };
};
