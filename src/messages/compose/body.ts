// The octets of a message's body: each piece at its place, base64 of the files, and the hash that the signatures name. The room before
// the body is for its head, so that the message is never copied. A large body is finished by a thread (sign-worker.ts), which
// gets its memory and nothing else. Pure.
import { createHash, hash } from 'node:crypto';
import { LARGE_BYTES, largeOctets, usedOf } from '#src/kernel/large-octets.ts';
import type { ComposedMessage, Piece } from './message.ts';
import { base64Size, encodeAtEnd, type FilePlace } from './transfer-encoding.ts';

/** Octets of a body that are canonicalized at once. */
const SLICE = 262_144;
/** Only of such text it is known that every verifier canonicalizes it alike. */
const NOT_SIGNABLE = /[^\x20-\x7e\t\r\n]|\r(?!\n)|(?<!\r)\n/;
const CR = 0x0d;
const LF = 0x0a;
const TAB = 0x09;
const SPACE = 0x20;
const LINE_END = '\r\n';

/** What is finished anywhere: plain values beside the memory. */
export interface BodyPlan {
  /** The first octet of the body. What is before it is room for the head. */
  readonly start: number;
  readonly files: readonly FilePlace[];
  /** See `ComposedMessage`. */
  readonly isRelaxed: boolean;
}

export interface LaidOutBody extends BodyPlan {
  readonly octets: Buffer<ArrayBuffer>;
}

const sizeOf = (piece: Piece): number => (typeof piece === 'string' ? piece.length : base64Size(piece.file));

/** `room`: octets before the body. Files are not encoded yet. */
export const layOut = ({ body, isRelaxed }: ComposedMessage, room: number): LaidOutBody => {
  const size = body.reduce((sum, piece) => sum + sizeOf(piece), room);
  const octets = size < LARGE_BYTES ? Buffer.allocUnsafe(size) : largeOctets(size);
  const files: FilePlace[] = [];
  let at = room;
  for (const piece of body) {
    const end = at + sizeOf(piece);
    if (typeof piece === 'string') octets.write(piece, at, 'latin1');
    else {
      octets.set(piece.file, end - piece.file.length);
      files.push({ start: at, end, length: piece.file.length });
    }
    at = end;
  }
  return { octets, start: room, files, isRelaxed };
};

export const encodeFiles = ({ octets, files }: LaidOutBody): void => {
  for (const file of files) encodeAtEnd(octets, file);
};

const isBlank = (octet: number | undefined): boolean =>
  octet === SPACE || octet === LF || octet === CR || octet === TAB;

/** Where the body ends without the white space of its end, which does not count but for one line end (RFC 6376 §3.4.4). */
const endOf = ({ octets, start }: LaidOutBody): number => {
  let end = octets.length;
  while (end > start && isBlank(octets[end - 1])) end -= 1;
  return end;
};

/** Relaxed canonicalization of a body (§3.4.4) but for its end. White space before a line end is one space after the first step. */
const relaxed = (text: string): string => {
  if (NOT_SIGNABLE.test(text)) throw new Error('only 7-bit text with CRLF line ends can be signed');
  return text.replace(/[ \t]+/g, ' ').replaceAll(' \r\n', LINE_END);
};

/** Canonicalization works line by line: a text can be cut behind each line that ends in a visible character. */
const cutBehind = (octets: Buffer, from: number, end: number): number => {
  for (let at = from; at < end; at += LINE_END.length) {
    at = octets.indexOf(LINE_END, at);
    if (at === -1 || at >= end) return end;
    if (!isBlank(octets[at - 1])) return at + LINE_END.length;
  }
  return end;
};

/** The bh= of a body whose files are encoded, in base64.
 * @throws Error where its texts are not 7-bit with CRLF */
const hashBody = (body: LaidOutBody): string => {
  const { octets, start, isRelaxed, files } = body;
  const end = endOf(body);
  // All that is cut off is to be signable too.
  if (!isRelaxed) relaxed(octets.toString('latin1', end));
  if (end === start) return hash('sha256', '', 'base64');
  const ownEnd = octets[end] === CR && octets[end + 1] === LF ? end + LINE_END.length : end;
  if (isRelaxed && ownEnd > end) return hash('sha256', octets.subarray(start, ownEnd), 'base64');

  const digest = createHash('sha256');
  const addText = (from: number, to: number): void => {
    for (let at = from; at < to; ) {
      const next = cutBehind(octets, at + SLICE, to);
      digest.update(relaxed(octets.toString('latin1', at, next)), 'latin1');
      at = next;
    }
  };
  let done = start;
  for (const file of files) {
    addText(done, file.start);
    digest.update(octets.subarray(file.start, Math.min(file.end, end)));
    done = file.end;
  }
  addText(done, end);
  return digest.update(LINE_END).digest('base64');
};

/** Encodes the files. Returns the bh= of the body.
 * @throws Error where its texts are not 7-bit with CRLF */
export const finishBody = (body: LaidOutBody): string => {
  encodeFiles(body);
  return hashBody(body);
};

/** The whole message. `head` ends with the empty line. */
export const withHead = (head: string, { octets, start }: LaidOutBody): Buffer => {
  const from = start - head.length;
  if (from < 0) return Buffer.concat([Buffer.from(head, 'latin1'), octets.subarray(start)]);
  octets.write(head, from, 'latin1');
  return usedOf(octets, from, octets.length);
};
