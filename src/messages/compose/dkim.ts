// DKIM signatures (RFC 6376, with RFC 8301 and RFC 8463): relaxed/relaxed, one field per key. What does not depend on
// the key (canonical header, body hash, the list of names) is made once for all keys; the private-key operation runs on
// the thread pool. Canonicalisation is dkim-signer's, which is right for plain 7-bit text only: anything else is refused.
// It does not verify, and it publishes nothing.
import { createHash, hash, sign } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { DKIMCanonicalizer } from 'dkim-signer';
import type { DkimSigner } from '#src/mail/dkim-key.ts';
import type { ComposedMessage } from './message.ts';

/** Every field that is present is signed. The marked ones are named once more than they occur, so that adding another
 * breaks the signature (RFC 6376 §8.15). RFC 8058 §4 wants both List-Unsubscribe fields. */
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

/** Where lines of the signature field are broken. */
const LINE_LENGTH = 76;
/** How much of a body is canonicalised before others get their turn: 3 ms of work. UTF-16 code units. */
const BODY_SLICE = 262_144;
/** What the canonicaliser reads differently from RFC 6376 (other white space, line ends that are not CRLF), and runs of
 * 64 empty lines, for which it needs time with their square. */
const NOT_CANONICALIZABLE = /[^\x20-\x7e\t\r\n]|\r(?!\n)|(?<!\r)\n|(?:\r\n[ \t]*){65}/;

/** What relaxed canonicalisation of a body changes (§3.4.4): runs of white space, tabs, white space before a line end.
 * Most texts and all encoded parts have none of it: they are their own canonical form, which is a fifth of all that
 * composing and signing cost beside the private-key operation. */
const CHANGED_BY_RELAXED = /\t| {2}| \r\n/;

/** Canonical form of a body without white space at its end. */
const canonicalBody = (trimmed: string): string =>
  CHANGED_BY_RELAXED.test(trimmed) ? DKIMCanonicalizer.relaxedBody(trimmed) : `${trimmed}\r\n`;

/** The bh= of a body, base64. */
const hashBody = async (body: string): Promise<string> => {
  // Trailing empty lines do not count, and a body of nothing else is empty (§3.4.4): the canonicaliser keeps one.
  const trimmed = body.trimEnd();
  if (trimmed === '') return hash('sha256', '', 'base64');
  if (trimmed.length <= BODY_SLICE) return hash('sha256', canonicalBody(trimmed), 'base64');

  // Canonicalisation is by line, so a body can be cut behind any line that ends in something visible.
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

/** `h=` and the canonical fields it names, in its order: each name from its last occurrence upwards (§5.4.2). */
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

/** Joins the pieces of a tag's value; a line that would become too long is broken between two of them. */
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

const signData = (data: string, { algorithm, privateKey }: DkimSigner): Promise<Buffer> => {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const settle = (error: Error | null, signature: Buffer): void =>
    error ? reject(error) : resolve(signature);
  // RFC 8463 §3: Ed25519 signs the SHA-256 hash of the data.
  if (algorithm === 'ed25519-sha256') sign(null, hash('sha256', data, 'buffer'), privateKey, settle);
  else sign('sha256', Buffer.from(data, 'latin1'), privateKey, settle);
  return promise;
};

/** The DKIM-Signature fields, one per signer and in their order, each folded and with its CRLF: to be put before the
 * header. `time` is in milliseconds since the epoch.
 * @throws Error where the message is not 7-bit text with CRLF, has no From, or a key does not fit its algorithm */
export const signMessage = async (
  composed: ComposedMessage,
  signers: readonly DkimSigner[],
  time: number,
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
      const signature = await signData(`${canonical}${key}:${value}`, signer);
      return `${field}${signature.toString('base64').replace(/.{72}(?!$)/g, '$&\r\n ')}\r\n`;
    }),
  );
  return fields.join('');
};
