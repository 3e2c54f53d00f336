// Reads a file of comma-separated values (RFC 4180; also with semicolons or tabs, as spreadsheet programs write them in Europe), or
// a plain list with one address a line. It is kept as pieces of UTF-8, and read from any row on: so a crash, or a pause,
// goes on where it was, and no more than two pieces are in memory. Pure.
import { isUtf8 } from 'node:buffer';
import { CsvError, type CsvErrorCode, parse } from 'csv-parse';

/** Octets of one row. */
const MAX_ROW = 16_384;
/** Octets of a piece. A row is in two at the most. */
export const PIECE_BYTES = 2 * MAX_ROW;

export const delimiters = [',', ';', '\t'] as const;
export type Delimiter = (typeof delimiters)[number];

/** Where a row begins. */
export interface Place {
  readonly byte: number;
  /** From 1. */
  readonly line: number;
}

export interface Row {
  readonly line: number;
  readonly cells: readonly string[];
  /** Where the next one begins. */
  readonly end: Place;
}

/** The file cannot be read from this line on. */
export class UnreadableFile extends Error {
  constructor(line: number, problem: string) {
    super(`line ${line} ${problem}`);
    this.name = 'UnreadableFile';
  }
}

const encodingOf = (bytes: Uint8Array): string => {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return isUtf8(bytes) ? 'utf-8' : 'windows-1252';
};

/** The text in pieces of `PIECE_BYTES`, the last one shorter, without a byte order mark. */
export function* utf8Pieces(bytes: Uint8Array): Generator<Buffer> {
  const decoder = new TextDecoder(encodingOf(bytes));
  let rest: Buffer = Buffer.alloc(0);
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    const part = bytes.subarray(at, at + PIECE_BYTES);
    const stream = at + PIECE_BYTES < bytes.length;
    rest = Buffer.concat([rest, Buffer.from(decoder.decode(part, { stream }))]);
    for (; rest.length >= PIECE_BYTES; rest = rest.subarray(PIECE_BYTES)) yield rest.subarray(0, PIECE_BYTES);
  }
  if (rest.length > 0) yield rest;
}

/** The most frequent one in the first lines that have any. */
export const delimiterOf = (beginning: Buffer): Delimiter => {
  const lines = beginning.toString().split(/[\r\n]+/, 10);
  const counted = delimiters.map((mark) => ({
    mark,
    count: lines.reduce((sum, line) => sum + line.split(mark).length, 0),
  }));
  return counted.toSorted((a, b) => b.count - a.count)[0]?.mark ?? ',';
};

const problems: Readonly<Partial<Record<CsvErrorCode, string>>> = {
  CSV_INVALID_CLOSING_QUOTE: 'goes on behind a closing quote',
  CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE: 'goes on behind a closing quote',
};
const TOO_LONG = `is longer than ${MAX_ROW} octets, or has a quote that is never closed`;

const CR = 13;
const LF = 10;

/** Line breaks in the bytes; CRLF is one. */
const breaksIn = (bytes: Buffer, from: number, to: number): number => {
  let count = 0;
  for (let at = from; at < to; at++)
    if (bytes[at] === LF ? bytes[at - 1] !== CR || at === from : bytes[at] === CR) count += 1;
  return count;
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
  if (nul >= 0)
    throw new UnreadableFile(start.line + breaksIn(window, 0, nul), 'has a NUL: the file is no text');
  const parser = parse({
    delimiter,
    info: true,
    max_record_size: MAX_ROW,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    trim: true,
  });
  // It fails at once, and again as an event.
  parser.on('error', () => undefined);
  parser.write(isLast ? Buffer.concat([window, LOOK_AHEAD]) : window);
  const rows: Row[] = [];
  let { line } = start;
  let from = 0;
  for (let parsed: Parsed | null = parser.read(); parsed !== null; parsed = parser.read()) {
    const to = Math.min(parsed.info.bytes, window.length);
    if (from === window.length) break;
    const next = line + breaksIn(window, from, to);
    if (parsed.record.some((cell) => cell !== ''))
      rows.push({ line, cells: parsed.record, end: { byte: start.byte + to, line: next } });
    line = next;
    from = to;
  }
  const { errored } = parser;
  if (errored instanceof CsvError)
    throw new UnreadableFile(
      line,
      problems[errored.code] ?? (errored.code === 'CSV_MAX_RECORD_SIZE' ? TOO_LONG : 'is malformed'),
    );
  if (errored !== null) throw errored;
  if (isLast && from < window.length) throw new UnreadableFile(line, 'has a quote that is never closed');
  if (from === 0 && window.length > 0) throw new UnreadableFile(line, TOO_LONG);
  return { rows, end: { byte: start.byte + from, line } };
};
