// Makes DKIM signatures (RFC 6376, with RFC 8301 and RFC 8463): relaxed/relaxed, one field for each key. The parts that do
// not depend on the key (canonical header, body hash, list of names) are made once for all keys; the private-key operation is
// handed in. dkim-signer canonicalizes, which is correct for 7-bit text only, so anything else is refused.
import { createHash, hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { DKIMCanonicalizer } from 'dkim-signer';
import type { DkimSigner } from '#src/mail/dkim-key.ts';
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
/** UTF-16 code units of a body that are canonicalized at once, 3 ms of work; other requests run in between. */
const BODY_SLICE = 262_144;
/** The canonicalizer differs from RFC 6376 for other white space and for line ends that are not CRLF, and needs quadratic
 * time for runs of empty lines, so 64 of them are refused. */
const NOT_CANONICALIZABLE = /[^\x20-\x7e\t\r\n]|\r(?!\n)|(?<!\r)\n|(?:\r\n[ \t]*){65}/;

/** Relaxed canonicalization of a body changes only runs of white space, tabs, and white space before a line end (§3.4.4).
 * Most texts and all encoded parts have none of them and are their own canonical form. This check saves a fifth of the cost
 * of composing and signing without the private-key operation. */
const CHANGED_BY_RELAXED = /\t| {2}| \r\n/;

/** The canonical form of a body that has no white space at its end. */
const canonicalBody = (trimmed: string): string =>
  CHANGED_BY_RELAXED.test(trimmed) ? DKIMCanonicalizer.relaxedBody(trimmed) : `${trimmed}\r\n`;

/** The bh= of a body, base64. */
const hashBody = async (body: string): Promise<string> => {
  // Empty lines at the end do not count, and a body of nothing else is empty (§3.4.4). The canonicalizer would keep one line.
  const trimmed = body.trimEnd();
  if (trimmed === '') return hash('sha256', '', 'base64');
  if (trimmed.length <= BODY_SLICE) return hash('sha256', canonicalBody(trimmed), 'base64');

  // Canonicalization works line by line, so a body can be cut behind each line that ends in a visible character.
  const cut = /\S\r\n/g;
  const digest = createHash('sha256');
  for (let start = 0; start < trimmed.length; ) {
    cut.lastIndex = start + BODY_SLICE;
    const end = cut.test(trimmed) ? cut.lastIndex : trimmed.length;
    digest.update(canonicalBody(trimmed.slice(start, end).trimEnd()), 'latin1');
    start = end;
    await setImmediate();
  }
  return digest.digest('base64');
};

/** The names of `h=` and their canonical fields in the same order. Fields of one name begin with the last (§5.4.2). */
const selectFields = (header: string): { names: string[]; canonical: string } => {
  const fields = new Map<string, string[]>();
  for (const field of header.trimEnd().split(/\r\n(?![ \t])/)) {
    const { key, value } = DKIMCanonicalizer.relaxedHeaderLine(field);
    const same = fields.get(key);
    if (same === undefined) fields.set(key, [`${key}:${value}\r\n`]);
    else same.unshift(`${key}:${value}\r\n`);
  }
  const names: string[] = [];
  let canonical = '';
  for (const [name, oversigned] of signedFields) {
    for (const field of fields.get(name) ?? []) {
      names.push(name);
      canonical += field;
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

/** The DKIM-Signature fields to put before the header, one for each signer in their order, folded and with CRLF. `time` is
 * in ms since the epoch.
 * @throws Error where the message is not 7-bit text with CRLF, has no From, or a key does not fit its algorithm */
export const signMessage = async (
  composed: ComposedMessage,
  signers: readonly DkimSigner[],
  time: number,
  sign: Sign,
): Promise<string> => {
  if (signers.length === 0) return '';
  if (NOT_CANONICALIZABLE.test(composed.header) || NOT_CANONICALIZABLE.test(composed.body)) {
    throw new Error('only 7-bit text with CRLF line ends can be signed');
  }
  const { names, canonical } = selectFields(composed.header);
  const listed = names.map((name, index) => (index < names.length - 1 ? `${name}:` : `${name};`));
  const bodyHash = await hashBody(composed.body);
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
      const { key, value } = DKIMCanonicalizer.relaxedHeaderLine(field);
      const signature = await sign(`${canonical}${key}:${value}`, signer);
      return `${field}${signature.replace(/.{72}(?!$)/g, '$&\r\n ')}\r\n`;
    }),
  );
  return fields.join('');
};
