// Content-Transfer-Encodings (RFC 2045 §6) whose result no server changes on the way: 7-bit ASCII, lines of at most 76
// characters with CRLF, no white space before a line end, and never the `=_` of boundaries. Speed matters, because each byte
// of each message passes here. Pure.
import type { Piece } from './message.ts';

/** RFC 2045 §6.7 and §6.8, without CRLF. */
const LINE_LENGTH = 76;
/** The octets of one full line of base64. */
const BASE64_LINE_OCTETS = (LINE_LENGTH / 4) * 3;
/** Longer runs of empty lines are put into base64, because some programs canonicalize them for DKIM in quadratic time. */
const EMPTY_LINES_LIMIT = 16;
const TOO_MANY_EMPTY_LINES = '\n'.repeat(EMPTY_LINES_LIMIT + 2);

const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const DOT = 0x2e;
const EQUALS = 0x3d;
const CAPITAL_F = 0x46;
const TILDE = 0x7e;
const HEX = Buffer.from('0123456789ABCDEF');
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

export interface EncodedBody {
  readonly encoding: '7bit' | 'quoted-printable' | 'base64';
  /** Ends with CRLF and is never empty. */
  readonly body: Piece;
  /** See `ComposedMessage`. */
  readonly isRelaxed: boolean;
}

// What an octet is, as bits. An ordinary character has none.
const BLANK = 1;
const IS_TAB = 2;
const IS_EQUALS = 4;
/** Neither encoding may contain it. */
const CODED = 8;
const IS_LF = 16;
const KINDS = Uint8Array.from({ length: 256 }, (_, octet) => {
  if (octet === SPACE) return BLANK;
  if (octet === TAB) return BLANK | IS_TAB;
  if (octet === LF) return IS_LF;
  if (octet === EQUALS) return IS_EQUALS;
  return octet > SPACE && octet <= TILDE ? 0 : CODED;
});

/** Some servers change `From ` and a dot at the start of a line. */
const isUnsafeAtStart = (octets: Buffer, index: number): boolean => {
  const octet = octets[index];
  return octet === DOT || (octet === CAPITAL_F && octets.toString('latin1', index, index + 5) === 'From ');
};

/** Octets between two lines to encode up to which it is cheaper to encode those between them too. */
const NEAR = 300;

/** `end` is behind the LF of the last line. */
interface Lines {
  readonly start: number;
  end: number;
}

interface Survey {
  readonly is7Bit: boolean;
  readonly isRelaxed: boolean;
  /** All that quoted-printable changes; it leaves lines that are not among them as they are. */
  readonly changed: readonly Lines[];
}

/** Looks at each octet once, which is all that most lines need. Each line ends in LF. */
const survey = (octets: Buffer): Survey => {
  const changed: Lines[] = [];
  let is7Bit = true;
  let allKinds = 0;
  let inRow = 0;
  for (let start = 0; start < octets.length; ) {
    let kinds = 0;
    let previous = 0;
    let end = start;
    for (; ; end++) {
      const kind = KINDS[octets[end] ?? LF] ?? IS_LF;
      if (kind === IS_LF) break;
      kinds |= kind;
      inRow |= kind & previous;
      previous = kind;
    }
    const length = end - start;
    const isUnsafe = isUnsafeAtStart(octets, start);
    const isChangedInAny = length > LINE_LENGTH || (kinds & CODED) !== 0 || (previous & BLANK) !== 0;
    if (isChangedInAny || isUnsafe || (kinds & IS_EQUALS) !== 0) {
      const last = changed.at(-1);
      if (last && start - last.end <= NEAR) last.end = end + 1;
      else changed.push({ start, end: end + 1 });
    }
    // In 7bit only a lone dot is at risk among the lines that begin with one.
    if (isChangedInAny || (isUnsafe && (octets[start] !== DOT || length === 1))) is7Bit = false;
    allKinds |= kinds;
    start = end + 1;
  }
  const hasTab = (allKinds & IS_TAB) !== 0;
  return {
    is7Bit: is7Bit && !hasTab && !((allKinds & IS_EQUALS) !== 0 && octets.includes('=_')),
    isRelaxed: !hasTab && (inRow & BLANK) === 0,
    changed,
  };
};

const withCrLf = (octets: Buffer, start: number, end: number): string =>
  octets.toString('latin1', start, end).replaceAll('\n', '\r\n');

/** The characters that each octet takes in quoted-printable: 1 unencoded, 3 as `=XX`. */
const WIDTHS = Uint8Array.from({ length: 256 }, (_, octet) =>
  (octet >= SPACE && octet <= TILDE && octet !== EQUALS) || octet === TAB || octet === LF ? 1 : 3,
);

const quotedPrintableSize = (octets: Buffer, start: number, end: number): number => {
  let size = 0;
  for (let index = start; index < end; index++) size += WIDTHS[octets[index] ?? 0] ?? 0;
  return size;
};

/** Encodes whole lines. */
const encodeQuotedPrintable = (octets: Buffer, size: number): string => {
  // Line breaks, soft breaks and the escapes next to them add less than twice the size.
  const output = Buffer.allocUnsafe(3 * size + LINE_LENGTH);
  let length = 0;
  let column = 0;
  for (let index = 0; index < octets.length; index++) {
    const octet = octets[index] ?? 0;
    if (KINDS[octet] === 0 && column > 0 && column < LINE_LENGTH - 1) {
      output[length++] = octet;
      column++;
      continue;
    }
    if (octet === LF) {
      output[length++] = CR;
      output[length++] = LF;
      column = 0;
      continue;
    }
    let width = WIDTHS[octet] ?? 0;
    if ((octet === SPACE || octet === TAB) && octets[index + 1] === LF) width = 3;
    // The last column is for the `=` of a soft break, or for the last character before a line break.
    if (column + width >= LINE_LENGTH && (column + width > LINE_LENGTH || octets[index + 1] !== LF)) {
      output[length++] = EQUALS;
      output[length++] = CR;
      output[length++] = LF;
      column = 0;
    }
    if (column === 0 && isUnsafeAtStart(octets, index)) width = 3;
    if (width === 1) {
      output[length++] = octet;
    } else {
      output[length++] = EQUALS;
      output[length++] = HEX[octet >> 4] ?? 0;
      output[length++] = HEX[octet & 15] ?? 0;
    }
    column += width;
  }
  return output.toString('latin1', 0, length);
};

/** The two characters of each 12 bits, in the order in which this machine writes 16 bits. */
const PAIRS = Uint16Array.from(
  { length: 4_096 },
  (_, bits) =>
    new Uint16Array(Uint8Array.of(BASE64.charCodeAt(bits >> 6), BASE64.charCodeAt(bits & 63)).buffer).at(
      0,
    ) as number,
);
const CR_LF = new Uint16Array(Uint8Array.of(CR, LF).buffer).at(0) as number;

/** How many octets that is in base64, in lines of 76 characters. */
export const base64Size = ({ length }: Uint8Array): number =>
  4 * Math.ceil(length / 3) + 2 * Math.ceil(length / BASE64_LINE_OCTETS);

/** Where the base64 of a file is to be. Until then the file's octets are at the end of that place. */
export interface FilePlace {
  readonly start: number;
  readonly end: number;
  /** How many octets the file has. */
  readonly length: number;
}

/** Encodes a file within its place: what is written never comes up to what is still to be read. */
export const encodeAtEnd = (octets: Buffer, { start, end, length }: FilePlace): void => {
  // Pairs of octets are written to even places, and moved if they belong to odd ones.
  const shift = (octets.byteOffset + start) % 2;
  const before = octets[start - shift] ?? 0;
  const output = new Uint16Array(octets.buffer, octets.byteOffset + start - shift, (end - start) / 2);
  const rest = length % 3;
  const lastOctets = Buffer.from(octets.subarray(end - rest, end));
  const whole = end - rest;
  let from = end - length;
  let written = 0;
  while (written < output.length) {
    for (const lineEnd = Math.min(from + BASE64_LINE_OCTETS, whole); from < lineEnd; from += 3) {
      const bits = ((octets[from] ?? 0) << 16) | ((octets[from + 1] ?? 0) << 8) | (octets[from + 2] ?? 0);
      output[written++] = PAIRS[bits >> 12] ?? 0;
      output[written++] = PAIRS[bits & 4_095] ?? 0;
    }
    output[written++] = CR_LF;
    if (from === whole) break;
  }
  if (shift > 0) {
    octets.copyWithin(start, start - shift, end - shift);
    octets[start - shift] = before;
  }
  // The last one or two octets have padding.
  if (rest > 0) octets.write(`${lastOctets.toString('base64')}\r\n`, end - 6, 'latin1');
};

/** Empty content becomes an empty line. */
export const inBase64 = (content: Uint8Array): Piece => (content.length === 0 ? '\r\n' : { file: content });

/** Encodes text with any line ends. The encoding stays readable unless it would be longer than base64. */
export const encodeText = (text: string): EncodedBody => {
  const lines = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  const ended = lines.endsWith('\n') ? lines : `${lines}\n`;
  const octets = Buffer.from(ended);
  const { is7Bit, isRelaxed, changed } = survey(octets);
  const isSpread = ended.includes(TOO_MANY_EMPTY_LINES);
  if (is7Bit && !isSpread) return { encoding: '7bit', body: withCrLf(octets, 0, octets.length), isRelaxed };

  const sizes = changed.map(({ start, end }) => quotedPrintableSize(octets, start, end));
  const size = changed.reduce(
    (sum, { start, end }, index) => sum + (sizes[index] ?? 0) - (end - start),
    octets.length,
  );
  if (isSpread || 3 * size > 4 * octets.length) {
    const body = inBase64(Buffer.from(ended.replaceAll('\n', '\r\n')));
    return { encoding: 'base64', body, isRelaxed: true };
  }
  let body = '';
  let done = 0;
  for (const [index, { start, end }] of changed.entries()) {
    body += withCrLf(octets, done, start);
    body += encodeQuotedPrintable(octets.subarray(start, end), sizes[index] ?? 0);
    done = end;
  }
  body += withCrLf(octets, done, octets.length);
  return { encoding: 'quoted-printable', body, isRelaxed };
};
