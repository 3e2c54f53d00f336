// Makes DKIM signatures (RFC 6376, with RFC 8301 and RFC 8463): relaxed/relaxed, one field for each key. The parts that do
// not depend on the key (canonical header, body hash, list of names) are made once for all keys; the private-key operation is
// handed in. Only 7-bit text with CRLF is signed.
import { isUtf8 } from 'node:buffer';
import { createHash, hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { DkimSigner } from '#src/mail/dkim-key.ts';
import type { ComposedMessage, Piece } from './message.ts';

/** The private-key operation for 7-bit text; resolves with the signature in base64. */
export type Sign = (text: string, signer: DkimSigner) => Promise<string>;

/** Each of these fields that is present is signed. Oversigned ones are named once more than they occur, so that an added field
 * breaks the signature (RFC 6376 §8.15). RFC 8058 §4 requires both List-Unsubscribe fields. */
const signedFields: readonly (readonly [name: string, oversigned: boolean])[] = [
  ['from', true],
  ['sender', true],
  ['reply-to', true],
  ['to', true],
  ['cc', true],
  ['subject', true],
  ['date', true],
  ['message-id', true],
  ['in-reply-to', false],
  ['references', false],
  ['mime-version', true],
  ['content-type', true],
  ['content-transfer-encoding', false],
  ['list-id', false],
  ['list-unsubscribe', true],
  ['list-unsubscribe-post', true],
  ['feedback-id', false],
  ['auto-submitted', false],
  ['cfbl-address', false],
  ['cfbl-feedback-id', false],
];

/** The length at which lines of the signature field are broken. */
const LINE_LENGTH = 76;
/** The length of a line of the signature's base64: it has a space before it, the first one ` b=`. */
const SIGNATURE_LINE = 72;
/** What relaxed canonicalization changes within a value: white space that is no single space. */
const RELAXABLE = /[\t\r]| {2}/;
/** UTF-16 code units of a body that are canonicalized at once, 3 ms of work; other requests run in between. */
const BODY_SLICE = 262_144;
/** Only of such text it is known that every verifier canonicalizes it alike. */
const NOT_SIGNABLE = /[^\x20-\x7e\t\r\n]|\r(?!\n)|(?<!\r)\n/;
const BEYOND_ASCII = /[\x80-\xff]/;
/** A header may have the octets of UTF-8 in its addresses (RFC 8616 §3). */
const NOT_SIGNABLE_HEADER = /[^\x20-\x7e\x80-\xff\t\r\n]|\r(?!\n)|(?<!\r)\n/;

const isSignableHeader = (header: string): boolean =>
  !NOT_SIGNABLE_HEADER.test(header) && (!BEYOND_ASCII.test(header) || isUtf8(Buffer.from(header, 'latin1')));

const isSignableBody = (body: readonly Piece[]): boolean =>
  body.every((piece) => typeof piece !== 'string' || !NOT_SIGNABLE.test(piece));

/** Relaxed canonicalization of a body (§3.4.4) but for its end. White space before a line end is one space after the first step. */
const relaxBody = (text: string): string => text.replace(/[ \t]+/g, ' ').replaceAll(' \r\n', '\r\n');

/** The body without the empty lines at its end, which do not count (§3.4.4); empty where it has nothing else. */
const withoutEnd = (body: readonly Piece[]): readonly Piece[] => {
  const last = body.at(-1);
  if (last === undefined) return [];
  // What ends in a buffer has the end of base64, which is one CRLF.
  if (typeof last !== 'string') return body;
  const end = last.trimEnd().length;
  if (end === 0) return withoutEnd(body.slice(0, -1));
  return last.length === end + 2 && last.endsWith('\r\n')
    ? body
    : [...body.slice(0, -1), `${last.slice(0, end)}\r\n`];
};

/** The bh= of a body, base64. */
const hashBody = async ({ body, isRelaxed }: ComposedMessage): Promise<string> => {
  const relaxed = isRelaxed ? (slice: string) => slice : relaxBody;
  const pieces = withoutEnd(body);
  const [only = ''] = pieces;
  if (pieces.length <= 1 && typeof only === 'string' && only.length <= BODY_SLICE)
    return hash('sha256', relaxed(only), 'base64');

  const digest = createHash('sha256');
  let sinceRest = 0;
  const add = async (slice: Piece): Promise<void> => {
    if (typeof slice === 'string') digest.update(relaxed(slice), 'latin1');
    else digest.update(slice);
    sinceRest += slice.length;
    if (sinceRest < BODY_SLICE) return;
    sinceRest = 0;
    await setImmediate();
  };
  // Canonicalization works line by line, so a body can be cut behind each line that ends in a visible character.
  const cut = /\S\r\n/g;
  for (const piece of pieces)
    for (let start = 0; start < piece.length; ) {
      let end = start + BODY_SLICE;
      if (typeof piece === 'string') {
        cut.lastIndex = end;
        end = cut.test(piece) ? cut.lastIndex : piece.length;
      }
      await add(piece.slice(start, end) as Piece);
      start = end;
    }
  return digest.digest('base64');
};

/** A field with its name in lower case, its value unfolded, and its white space as single spaces (§3.4.2), without a line end. */
const relaxField = (field: string): { readonly name: string; readonly canonical: string } => {
  const colon = field.indexOf(':');
  const name = field.slice(0, colon).trimEnd().toLowerCase();
  const value = field.slice(colon + 1);
  return {
    name,
    canonical: `${name}:${(RELAXABLE.test(value) ? value.replace(/[ \t\r\n]+/g, ' ') : value).trim()}`,
  };
};

/** The names of `h=` and their canonical fields in the same order. Fields of one name begin with the last (§5.4.2). */
const selectFields = (header: string): { names: string[]; canonical: string } => {
  const fields = new Map<string, string[]>();
  for (const field of header.trimEnd().split(/\r\n(?![ \t])/)) {
    const { name, canonical } = relaxField(field);
    const same = fields.get(name);
    if (same === undefined) fields.set(name, [canonical]);
    else same.unshift(canonical);
  }
  const names: string[] = [];
  let canonical = '';
  for (const [name, oversigned] of signedFields) {
    for (const field of fields.get(name) ?? []) {
      names.push(name);
      canonical += `${field}\r\n`;
    }
    if (oversigned) names.push(name);
  }
  if (!fields.has('from')) throw new Error('a message without From cannot be signed');
  return { names, canonical };
};

/** Joins the pieces of a tag's value and breaks long lines between two pieces. */
const foldPieces = (start: string, pieces: readonly string[]): string => {
  let folded = start;
  let used = start.length;
  for (const piece of pieces) {
    if (used + piece.length > LINE_LENGTH) {
      folded += '\r\n ';
      used = 1;
    }
    folded += piece;
    used += piece.length;
  }
  return folded;
};

const foldSignature = (signature: string): string => {
  let folded = signature.slice(0, SIGNATURE_LINE);
  for (let start = SIGNATURE_LINE; start < signature.length; start += SIGNATURE_LINE)
    folded += `\r\n ${signature.slice(start, start + SIGNATURE_LINE)}`;
  return folded;
};

/** The DKIM-Signature fields to put before the header, one for each signer in their order, folded and with CRLF. `time` is
 * in ms since the epoch.
 * @throws Error where the body is not 7-bit text with CRLF, the header has other octets, there is no From, or a key does not fit its algorithm */
export const signMessage = async (
  composed: ComposedMessage,
  signers: readonly DkimSigner[],
  time: number,
  sign: Sign,
): Promise<string> => {
  if (signers.length === 0) return '';
  if (!isSignableHeader(composed.header) || (!composed.isRelaxed && !isSignableBody(composed.body))) {
    throw new Error('only 7-bit text with CRLF line ends can be signed');
  }
  const { names, canonical } = selectFields(composed.header);
  const listed = names.map((name, index) => (index < names.length - 1 ? `${name}:` : `${name};`));
  const bodyHash = await hashBody(composed);
  const rest = `t=${Math.floor(time / 1000)};\r\n ${foldPieces('h=', listed)}\r\n bh=${bodyHash};\r\n b=`;
  const fields = await Promise.all(
    signers.map(async (signer) => {
      const { algorithm, domain, selector } = signer;
      const start = foldPieces('DKIM-Signature: v=1;', [
        ` a=${algorithm};`,
        ' c=relaxed/relaxed;',
        ` d=${domain};`,
        ` s=${selector};`,
      ]);
      const field = `${start}\r\n ${rest}`;
      const signature = await sign(canonical + relaxField(field).canonical, signer);
      return `${field}${foldSignature(signature)}\r\n`;
    }),
  );
  return fields.join('');
};
