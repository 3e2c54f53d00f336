// Decodes the content of a part piece by piece (RFC 2045 §6), so that a large file is never in memory as a whole. Octets that base64
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

const decoders: Readonly<Record<string, () => TransferDecoder>> = {
  base64,
  'quoted-printable': quotedPrintable,
};
const unencoded: TransferDecoder = { decode: (piece) => piece, end: () => NOTHING };

/** `encoding` is in lower case; what is unknown is left as it is. */
export const transferDecoder = (encoding: string): TransferDecoder => decoders[encoding]?.() ?? unencoded;
