// Makes DKIM signatures (RFC 6376, with RFC 8301 and RFC 8463): relaxed/relaxed, one field for each key. The parts that do
// not depend on the key (canonical header, body hash, list of names) are made once for all keys; the private-key operation is
// handed in. Only 7-bit text with CRLF is signed.
import { isUtf8 } from 'node:buffer';
import type { DkimSigner } from '#src/mail/dkim-key.ts';
import { finishBody, layOut } from './body.ts';
import type { ComposedMessage } from './message.ts';

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
const BEYOND_ASCII = /[\x80-\xff]/;
/** A header may have the octets of UTF-8 in its addresses (RFC 8616 §3). */
const NOT_SIGNABLE_HEADER = /[^\x20-\x7e\x80-\xff\t\r\n]|\r(?!\n)|(?<!\r)\n/;

const isSignableHeader = (header: string): boolean =>
  !NOT_SIGNABLE_HEADER.test(header) && (!BEYOND_ASCII.test(header) || isUtf8(Buffer.from(header, 'latin1')));

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
 * in ms since the epoch, `bodyHash` from `finishBody`.
 * @throws Error where the header has other octets than a mail may have, there is no From, or a key does not fit its algorithm */
export const signHeader = async (
  header: string,
  bodyHash: string,
  signers: readonly DkimSigner[],
  time: number,
  sign: Sign,
): Promise<string> => {
  if (!isSignableHeader(header)) throw new Error('only 7-bit text with CRLF line ends can be signed');
  const { names, canonical } = selectFields(header);
  const listed = names.map((name, index) => (index < names.length - 1 ? `${name}:` : `${name};`));
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

/** The fields of a message whose octets are made elsewhere. */
export const signMessage = async (
  composed: ComposedMessage,
  signers: readonly DkimSigner[],
  time: number,
  sign: Sign,
): Promise<string> => signHeader(composed.header, finishBody(layOut(composed, 0)), signers, time, sign);
