// Decodes quoted-printable (RFC 2045 §6.7) in one pass. libqp, which mailparser uses, needs quadratic time for a run of
// blanks: 80 kB of them take 23 s. White space at the end of a line was added in transport and is dropped; an invalid escape
// stays as it is. Pure.

const TAB = 9;
const LF = 10;
const CR = 13;
const SPACE = 32;
const EQUALS = 61;

const isBlank = (octet: number | undefined): boolean => octet === SPACE || octet === TAB;

/** The value of a hexadecimal digit, else -1. */
const hexOf = (octet = 0): number => {
  if (octet >= 48 && octet <= 57) return octet - 48;
  const letter = octet | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
};

/** The index of the line end of a soft break that begins at `at`; -1 if there is none. */
const softBreakEnd = (octets: Buffer, at: number): number => {
  let next = at + 1;
  while (isBlank(octets[next])) next += 1;
  if (octets[next] === CR && octets[next + 1] === LF) next += 1;
  return next >= octets.length || octets[next] === LF ? next : -1;
};

export const decodeQuotedPrintable = (octets: Buffer): Buffer => {
  const decoded = Buffer.allocUnsafe(octets.length);
  let end = 0;
  /** The end of the output without white space that may prove to be at a line's end. */
  let kept = 0;
  for (let at = 0; at < octets.length; at += 1) {
    const octet = octets[at] ?? 0;
    if (octet === EQUALS) {
      const high = hexOf(octets[at + 1]);
      const low = hexOf(octets[at + 2]);
      if (high >= 0 && low >= 0) {
        decoded[end++] = high * 16 + low;
        kept = end;
        at += 2;
        continue;
      }
      const lineEnd = softBreakEnd(octets, at);
      if (lineEnd >= 0) {
        kept = end;
        at = lineEnd;
        continue;
      }
    }
    if (octet === LF || (octet === CR && octets[at + 1] === LF)) end = kept;
    decoded[end++] = octet;
    if (!isBlank(octet)) kept = end;
  }
  return decoded.subarray(0, kept);
};
