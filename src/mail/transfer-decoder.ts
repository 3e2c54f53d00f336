// Decodes the content of a part piece by piece (RFC 2045 §6, and uuencode of POSIX), so that a large file is never in memory as a whole. Octets that base64
// does not know are skipped, and text behind padding is decoded too, because some programs encode line by line. Pure.
import { decodeQuotedPrintable } from './quoted-printable.ts';

export interface TransferDecoder {
  readonly decode: (piece: Buffer) => Buffer;
  /** What the last piece was not enough for. */
  readonly end: () => Buffer;
}

const NOTHING = Buffer.alloc(0);

/** Where more runs than that between padding are shorter on average, no honest program has written them. */
const MAX_RUNS = 100;
const MIN_RUN = 16;

const base64 = (): TransferDecoder => {
  let rest = '';
  const decodeRun = (run: string): Buffer => Buffer.from(run, 'base64');
  const decode = (piece: Buffer): Buffer => {
    const known = rest + piece.toString('latin1').replace(/[^A-Za-z0-9+/=]+/g, '');
    const padded = known.split(/=+/);
    const runs =
      padded.length > MAX_RUNS && padded.length * MIN_RUN > known.length ? [padded.join('')] : padded;
    const last = runs.pop() ?? '';
    const whole = last.length - (last.length % 4);
    rest = last.slice(whole);
    return Buffer.concat([...runs.map(decodeRun), decodeRun(last.slice(0, whole))]);
  };
  return { decode, end: () => decodeRun(rest) };
};

/** Longer lines are decoded before they end. */
const MAX_LINE_BYTES = 65_536;

const quotedPrintable = (): TransferDecoder => {
  let rest: Buffer = NOTHING;
  const decode = (piece: Buffer): Buffer => {
    const known = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    let end = known.lastIndexOf('\n') + 1;
    if (known.length - end > MAX_LINE_BYTES) {
      const last = known.lastIndexOf('=');
      end = last >= known.length - 2 ? last : known.length;
    }
    rest = known.subarray(end);
    return decodeQuotedPrintable(known.subarray(0, end));
  };
  return { decode, end: () => decodeQuotedPrintable(rest) };
};

const UU_BEGINS = /(?:^|\n)begin [0-7]{3,4} [^\n]*\n/;
const UU_ENDS = /^end\s*$/;
/** Octets before the line that begins the content, and of a line of it. */
const MAX_UU_PREFACE = 65_536;
const MAX_UU_LINE = 1_024;

/** A line of uuencode: its first character is the number of its octets, which follow as groups of six bits each. */
const uuLine = (line: string, limit: number): Buffer => {
  const bits = (at: number): number => (line.charCodeAt(at) - 0x20) & 0x3f;
  const length = line === '' ? 0 : Math.min(bits(0), limit);
  const out = Buffer.alloc(length);
  for (let index = 0; index < length; index += 1) {
    const at = 1 + Math.floor(index / 3) * 4 + (index % 3);
    // Blanks at the end of a line may have been lost; they are zeros.
    const [high, low] = [at < line.length ? bits(at) : 0, at + 1 < line.length ? bits(at + 1) : 0];
    out[index] =
      index % 3 === 0
        ? (high << 2) | (low >> 4)
        : index % 3 === 1
          ? (high << 4) | (low >> 2)
          : (high << 6) | low;
  }
  return out;
};

/** What is before `begin` is left out; content without it is no uuencode and stays as it is. */
const uuencode = (): TransferDecoder => {
  let state: 'before' | 'within' | 'behind' | 'raw' = 'before';
  let rest = '';
  /** Octets that may follow. Content is not longer than its encoding, however many octets its lines say that they have. */
  let room = 0;
  const take = (line: string): Buffer => {
    if (UU_ENDS.test(line)) state = 'behind';
    if (state === 'behind') return NOTHING;
    const octets = uuLine(line, room);
    room -= octets.length;
    return octets;
  };
  const decode = (piece: Buffer): Buffer => {
    if (state === 'raw') return piece;
    if (state === 'behind') return NOTHING;
    rest += piece.toString('latin1');
    room += piece.length;
    if (state === 'before') {
      const found = UU_BEGINS.exec(rest);
      if (found === null && rest.length <= MAX_UU_PREFACE) return NOTHING;
      if (found === null) {
        state = 'raw';
        return Buffer.from(rest, 'latin1');
      }
      state = 'within';
      rest = rest.slice(found.index + found[0].length);
    }
    const lines = rest.split('\n');
    rest = (lines.pop() ?? '').slice(0, MAX_UU_LINE);
    return Buffer.concat(lines.map((line) => take(line.replace(/\r$/, ''))));
  };
  const end = (): Buffer => {
    if (state === 'before') return Buffer.from(rest, 'latin1');
    return state === 'within' ? take(rest.replace(/\r$/, '')) : NOTHING;
  };
  return { decode, end };
};

const decoders: Readonly<Record<string, () => TransferDecoder>> = {
  base64,
  'quoted-printable': quotedPrintable,
  'x-uuencode': uuencode,
  'x-uue': uuencode,
  uuencode,
  uue: uuencode,
};
const unencoded: TransferDecoder = { decode: (piece) => piece, end: () => NOTHING };

/** `encoding` is in lower case; what is unknown is left as it is. */
export const transferDecoder = (encoding: string): TransferDecoder => decoders[encoding]?.() ?? unencoded;
