// The content of a message as a listener receives it: whole, bounded, and with CRLF as its only line end. With a bare CR or LF
// one message can be made to look like two to the next server (SMTP smuggling): such a message is refused, and its connection
// is closed, because what follows may be the smuggled commands.
import type { Readable } from 'node:stream';
import { gather } from '#src/kernel/gathered.ts';
import { freeNow } from '#src/kernel/large-octets.ts';

/** A reply that ends a command. smtp-server sends `responseCode` and the message. */
export class SmtpRefusal extends Error {
  override readonly name = 'SmtpRefusal';
  readonly responseCode: number;
  /** Whether the connection is to be closed after the reply. */
  readonly closes: boolean;

  /** `text` begins with the enhanced status code (RFC 3463). */
  constructor(code: number, text: string, closes = false) {
    super(text);
    this.responseCode = code;
    this.closes = closes;
  }
}

export const crowded = (): SmtpRefusal =>
  new SmtpRefusal(452, '4.3.1 too many large messages are being received, try again later');

export const holdsNul = (): SmtpRefusal =>
  new SmtpRefusal(550, '5.6.0 the message holds a NUL, which must be encoded (base64)', true);

const CR = 13;
const NUL = 0;
const QUESTION_MARK = 63;

/** One that ends a piece may have its LF in the next. */
const BARE = /\r(?!\n|$)|(?<!\r)\n/;

/**
 * Finds a bare CR or LF in a piece of the content; `before` is the octet before it. Each piece is looked at as it comes: lines
 * by the million take a while. Of usual lines a pattern takes a fifth of the time of a loop.
 */
const problemIn = (piece: Buffer, before: number): SmtpRefusal | null => {
  const text = (before === CR ? '\r' : '') + piece.toString('latin1');
  const at = text.search(BARE);
  return at === -1
    ? null
    : new SmtpRefusal(550, `5.5.2 bare <${text[at] === '\r' ? 'CR' : 'LF'}> received`, true);
};

/** Replaces each NUL of the content, octet by octet, so that no line and no field begins or ends in another place. Whether
 * there was any. */
export const replaceNul = (content: Buffer): boolean => {
  const first = content.indexOf(NUL);
  if (first === -1) return false;
  // Goes octet by octet: to search for the next one takes long where there are millions.
  for (let at = first; at < content.length; at += 1) if (content[at] === NUL) content[at] = QUESTION_MARK;
  return true;
};

/** Calls `take` with each piece; where it returns a promise, nothing more is read meanwhile. To iterate over the stream would join the
 * pieces that have come. Rejects where `take` fails or the client leaves. */
const eachPiece = (stream: Readable, take: (piece: Buffer) => unknown): Promise<void> =>
  new Promise((resolve, reject) => {
    const fail = (error: Error): unknown => stream.destroy(error);
    stream.on('data', (piece: Buffer) => {
      try {
        const taking = take(piece);
        if (!(taking instanceof Promise)) return;
        stream.pause();
        taking.then(() => stream.resume(), fail);
      } catch (error) {
        fail(error as Error);
      }
    });
    stream.once('end', resolve);
    stream.once('error', reject);
    stream.once('close', () => reject(new Error('the client has left')));
  });

/**
 * The content between DATA and the final dot, without its stuffed dots; `expected` is its declared size. Content over
 * `limitBytes`, or for which `hold` finds no room, is read to its end and thrown away, because the client waits for its reply
 * there. With `takesNul`, a NUL is content like any other. Rejects with SmtpRefusal.
 */
export const readData = async (
  stream: Readable,
  expected: number,
  limitBytes: number,
  hold: (bytes: number) => boolean | Promise<boolean>,
  takesNul = false,
): Promise<Buffer> => {
  const content = gather(expected);
  let length = 0;
  let fits = true;
  let problem: SmtpRefusal | null = null;
  let before = 0;
  const keep = (piece: Buffer, isHeld: boolean): void => {
    fits &&= isHeld;
    if (fits && length <= limitBytes) content.add(piece);
    else content.free();
    // Whole, it is what the socket has read; a part of that may have commands behind it.
    freeNow(piece);
  };
  await eachPiece(stream, (piece) => {
    length += piece.length;
    problem ??= !takesNul && piece.includes(NUL) ? holdsNul() : problemIn(piece, before);
    before = piece.at(-1) ?? before;
    const held = !fits || length > limitBytes || hold(piece.length);
    return held instanceof Promise ? held.then((isHeld) => keep(piece, isHeld)) : keep(piece, held);
  });
  if (length > limitBytes) throw new SmtpRefusal(552, `5.3.4 the message is larger than ${limitBytes} bytes`);
  if (!fits) throw crowded();
  if (problem) throw problem;
  return content.bytes();
};
