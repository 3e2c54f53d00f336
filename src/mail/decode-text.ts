// Text in a declared character set (RFC 2046 §4.1.2), and encoded-words in header fields (RFC 2047). Nothing throws. Pure.
//
// libmime decodes encoded-words too, but it joins the base64 of neighbours before it decodes them, which breaks words that
// have no padding.

import { isUtf8 } from 'node:buffer';

const FALLBACK = 'windows-1252';
/** Programs write these without a thought: the octets may be in any character set. */
const MEANINGLESS = /^(?:|us-ascii|ascii|ansi_x3\.4-1968|unknown-8bit|x-unknown|binary|default)$/i;

const utf16 = new TextDecoder('utf-16be');
/** RFC 2152. Browsers do not know it, but old servers write it. */
const decodeUtf7 = (bytes: Uint8Array): string =>
  Buffer.from(bytes)
    .toString('latin1')
    .replace(/\+([A-Za-z0-9+/]*)-?/g, (_, base64: string) =>
      base64 === '' ? '+' : utf16.decode(Buffer.from(base64, 'base64')),
    );

/** The decoder takes an escape sequence behind another one for damage, and programs write them where two texts meet. */
const NEEDLESS_ESCAPE = /\x1b(?:\([A-Z]|\$\(?[@A-Z])(?=\x1b)/g;
const decodeJis = (bytes: Uint8Array): string =>
  new TextDecoder('iso-2022-jp').decode(
    Buffer.from(Buffer.from(bytes).toString('latin1').replace(NEEDLESS_ESCAPE, ''), 'latin1'),
  );

const decoderOf = (label: string) => {
  if (/^(?:cs)?iso-?2022-?jp(?:-\w+)?$/i.test(label)) return { decode: decodeJis };
  if (/^(?:unicode-1-1-)?utf-7$/i.test(label)) return { decode: decodeUtf7 };
  try {
    return new TextDecoder(label);
  } catch {
    return null;
  }
};

const utf8 = new TextDecoder();
const REPLACED = '\ufffd';

/** UTF-8 in which at most half of what is beyond ASCII is damaged, with U+FFFD for that; null where it is none. */
export const readUtf8 = (bytes: Uint8Array): string | null => {
  const text = utf8.decode(bytes);
  if (isUtf8(bytes)) return text;
  const damaged = text.split(REPLACED).length - 1;
  const whole = text.replace(/[\0-\x7f\ufffd]+/g, '').length;
  return whole >= damaged ? text : null;
};

/** Most mail programs read undeclared text in the same way: as UTF-8 if it is that, else as Windows-1252. */
const guess = (bytes: Uint8Array): string => readUtf8(bytes) ?? new TextDecoder(FALLBACK).decode(bytes);

/** `label` is the value of `charset=`; null if there is none. An unknown label is treated as if it were missing. */
export const decodeText = (bytes: Uint8Array, label: string | null): string => {
  const charset = label?.trim() ?? '';
  // Text that is declared as UTF-8 and is not valid is more often Windows-1252 than damaged.
  if (MEANINGLESS.test(charset) || /^utf-?8$/i.test(charset)) return guess(bytes);
  return decoderOf(charset)?.decode(bytes) ?? guess(bytes);
};

const CONTROLS = /\p{Cc}+/gu;
/** One line that can be shown and sent as JSON. */
export const cleanText = (text: string): string => text.replace(CONTROLS, ' ').toWellFormed().trim();

/** RFC 2047 §2; a language may follow the character set (RFC 2231 §5). */
const WORD = /=\?([\w!#$%&'+\-^`{}~]{1,60})(?:\*[\w-]{0,60})?\?([bq])\?([^?]{0,8000})\?=/gi;

interface EncodedWord {
  readonly charset: string;
  readonly bytes: Buffer;
}

const decodeQ = (text: string): Buffer =>
  Buffer.from(
    text
      .replace(/_/g, ' ')
      .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );

/** Neighbours of one character set are decoded together, because some writers cut a character in two. */
const textOf = (words: readonly EncodedWord[]): string => {
  let text = '';
  for (let from = 0; from < words.length; ) {
    const charset = words[from]?.charset ?? '';
    let to = from;
    while (words[to]?.charset === charset) to += 1;
    text += decodeText(Buffer.concat(words.slice(from, to).map(({ bytes }) => bytes)), charset);
    from = to;
  }
  return text;
};

/** The value of a header field with its encoded-words decoded. White space between two of them is dropped (§6.2); all
 * other text stays as it is. */
export const decodeWords = (value: string): string => {
  let text = '';
  let end = 0;
  let words: EncodedWord[] = [];
  for (const { index, 0: whole, 1: charset = '', 2: encoding = '', 3: content = '' } of value.matchAll(
    WORD,
  )) {
    const between = value.slice(end, index);
    if (words.length === 0 || between.trim() !== '') {
      text += textOf(words) + between;
      words = [];
    }
    const bytes = encoding.toLowerCase() === 'b' ? Buffer.from(content, 'base64') : decodeQ(content);
    words.push({ charset: charset.toLowerCase(), bytes });
    end = index + whole.length;
  }
  return text + textOf(words) + value.slice(end);
};
