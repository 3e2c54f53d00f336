// Reads encoded-words (RFC 2047) in the value of a header field, as header-field.ts writes them. Neighbours of one
// character set are decoded as one, for some writers cut characters in two. What is no encoded-word stays as it stands.
// Pure.
import { decodeText } from './charset.ts';

/** §2; a language may follow the character set (RFC 2231 §5). */
const WORD = /=\?([\w!#$%&'+\-^`{}~]{1,60})(?:\*[\w-]{0,60})?\?([bq])\?([^?]{0,8000})\?=/gi;

interface Piece {
  readonly charset: string;
  readonly bytes: Buffer;
}

const quotedBytes = (text: string): Buffer =>
  Buffer.from(
    text
      .replace(/_/g, ' ')
      .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );

const bytesOf = (encoding: string, text: string): Buffer =>
  encoding.toLowerCase() === 'b' ? Buffer.from(text, 'base64') : quotedBytes(text);

const join = (pieces: readonly Piece[]): string => {
  let text = '';
  for (let from = 0; from < pieces.length; ) {
    const charset = pieces[from]?.charset ?? '';
    let to = from;
    while (pieces[to]?.charset === charset) to += 1;
    text += decodeText(Buffer.concat(pieces.slice(from, to).map(({ bytes }) => bytes)), charset);
    from = to;
  }
  return text;
};

/** White space between two of them is none (§6.2). */
export const decodeWords = (value: string): string => {
  let text = '';
  let end = 0;
  let pieces: Piece[] = [];
  for (const { index, 0: word, 1: charset = '', 2: encoding = '', 3: content = '' } of value.matchAll(WORD)) {
    const between = value.slice(end, index);
    if (pieces.length === 0 || between.trim() !== '') {
      text += join(pieces) + between;
      pieces = [];
    }
    pieces.push({ charset: charset.toLowerCase(), bytes: bytesOf(encoding, content) });
    end = index + word.length;
  }
  return text + join(pieces) + value.slice(end);
};
