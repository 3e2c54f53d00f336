// Content-Transfer-Encodings (RFC 2045 §6) whose result no server changes on the way: 7-bit ASCII, lines of at most 76
// characters with CRLF, no white space before a line end, and never the `=_` of boundaries. Speed matters, because each byte
// of each message passes here. Pure.

/** RFC 2045 §6.7 and §6.8, without CRLF. */
const LINE_LENGTH = 76;
/** The octets of one full line of base64. */
const BASE64_LINE_OCTETS = (LINE_LENGTH / 4) * 3;
/** Longer runs of empty lines are put into base64, because canonicalizing them for DKIM needs quadratic time. */
const EMPTY_LINES_LIMIT = 16;
const TOO_MANY_EMPTY_LINES = '\n'.repeat(EMPTY_LINES_LIMIT + 2);

const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const DOT = 0x2e;
const EQUALS = 0x3d;
const CAPITAL_F = 0x46;
const UNDERSCORE = 0x5f;
const TILDE = 0x7e;
const HEX = Buffer.from('0123456789ABCDEF');

export interface EncodedBody {
  readonly encoding: '7bit' | 'quoted-printable' | 'base64';
  /** Ends with CRLF and is never empty. */
  readonly body: string;
}

/** Whether `text`, whose lines end in LF, needs no encoding. */
const is7Bit = (text: string): boolean => {
  let column = 0;
  let previous = LF;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === LF) {
      if (previous === SPACE || (previous === DOT && column === 1)) return false;
      column = 0;
    } else {
      if (code < SPACE || code > TILDE || column === LINE_LENGTH) return false;
      if (code === UNDERSCORE && previous === EQUALS) return false;
      if (column === 0 && code === CAPITAL_F && text.startsWith('From ', index)) return false;
      column++;
    }
    previous = code;
  }
  return true;
};

/** The characters that each octet takes in quoted-printable: 1 unencoded, 3 as `=XX`. */
const WIDTHS = Uint8Array.from({ length: 256 }, (_, octet) =>
  (octet >= SPACE && octet <= TILDE && octet !== EQUALS) || octet === TAB || octet === LF ? 1 : 3,
);

const quotedPrintableSize = (octets: Buffer): number => {
  let size = 0;
  for (let index = 0; index < octets.length; index++) size += WIDTHS[octets[index] ?? 0] ?? 0;
  return size;
};

/** Some servers change `From ` and a dot at the start of a line. */
const isUnsafeAtStart = (octets: Buffer, index: number): boolean => {
  const octet = octets[index];
  return octet === DOT || (octet === CAPITAL_F && octets.toString('latin1', index, index + 5) === 'From ');
};

const encodeQuotedPrintable = (octets: Buffer, size: number): string => {
  // Line breaks, soft breaks and the escapes next to them add less than twice the size.
  const output = Buffer.allocUnsafe(3 * size + LINE_LENGTH);
  let length = 0;
  let column = 0;
  for (let index = 0; index < octets.length; index++) {
    const octet = octets[index] ?? 0;
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

/** Base64 in lines of 76 characters; empty content becomes an empty line. */
export const encodeBase64 = (content: Uint8Array): string => {
  if (content.length === 0) return '\r\n';
  const octets = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const output = Buffer.allocUnsafe(Math.ceil(octets.length / BASE64_LINE_OCTETS) * (LINE_LENGTH + 2));
  let length = 0;
  for (let index = 0; index < octets.length; index += BASE64_LINE_OCTETS) {
    length += output.write(octets.toString('base64', index, index + BASE64_LINE_OCTETS), length, 'latin1');
    output[length++] = CR;
    output[length++] = LF;
  }
  return output.toString('latin1', 0, length);
};

/** Encodes text with any line ends. The encoding stays readable unless it would be longer than base64. */
export const encodeText = (text: string): EncodedBody => {
  const lines = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  const ended = lines.endsWith('\n') ? lines : `${lines}\n`;
  const spread = ended.includes(TOO_MANY_EMPTY_LINES);
  if (!spread && is7Bit(ended)) return { encoding: '7bit', body: ended.replaceAll('\n', '\r\n') };

  const octets = Buffer.from(ended);
  const size = quotedPrintableSize(octets);
  if (spread || 3 * size > 4 * octets.length) {
    return { encoding: 'base64', body: encodeBase64(Buffer.from(ended.replaceAll('\n', '\r\n'))) };
  }
  return { encoding: 'quoted-printable', body: encodeQuotedPrintable(octets, size) };
};
