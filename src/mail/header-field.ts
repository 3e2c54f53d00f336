// Writes header fields (RFC 5322 §2.2) as octets, one character each: ASCII but for addresses (RFC 6532), with encoded-words for text (RFC 2047), parameters in UTF-8
// (RFC 2231) and folding. Readers get the same value back, without white space around it. It does not know which fields exist
// or may be set. Pure.
import type { Mailbox } from './mailbox.ts';

/** RFC 5322 §2.1.1: the recommended length of a line, without its CRLF. */
const LINE_LENGTH = 78;
/** RFC 2047 §2: an encoded-word has at most 75 characters, 12 of which are `=?UTF-8?Q?` and `?=`. */
const WORD_FRAME = 12;
const WORD_PAYLOAD = 75 - WORD_FRAME;
/** The first encoded-word has at least this much room, even behind a long field name. */
const FIRST_PAYLOAD = 16;
/** The longest run without a folding point that is written unencoded. A line may have 998 characters (RFC 5322 §2.1.1), and
 * names take up to 76. */
const UNBROKEN_LIMIT = 900;
/** The longest display name or parameter value that is quoted. */
const QUOTED_LENGTH = 60;
/** The longest piece of a continued parameter, between ` filename*0*=UTF-8''` and `;`. */
const PIECE_LENGTH = LINE_LENGTH - 22;

const LINE_BREAK_OR_NUL = /[\r\n\0]/;
/** Words of printable ASCII with short runs of white space between them, which can be folded and need no encoding. */
const PLAIN = /^[\x21-\x7e]+(?:[ \t]{1,8}[\x21-\x7e]+)*$/;
/** Folds are only before single spaces, because some readers turn all white space at a fold into one space. */
const FOLDING_POINT = /(?<=[^ \t])(?= [^ \t])/;
const ENCODED_WORD = /=\?[^?\s]+\?[bq]\?[^?\s]*\?=/i;
const ATOMS = /^[\w!#$%&'*+\-/=?^`{|}~]+(?: [\w!#$%&'*+\-/=?^`{|}~]+)*$/;
const QUOTABLE = /^[\x20-\x7e]*$/;
const NON_ASCII = /[^\0-\x7f]/;

/** RFC 5322 §3.6.8, but only letters, digits and hyphens, and at most 76 characters. */
export const isHeaderName = (name: string): boolean => /^[A-Za-z0-9-]{1,76}$/.test(name);

/** A safe value is well-formed and has no control characters but TAB, so that it cannot end its field. */
export const isHeaderValueSafe = (value: string): boolean =>
  !/[\0-\x08\x0a-\x1f\x7f]/.test(value) && value.isWellFormed();

const refuseLineBreaks = (name: string, value: string): void => {
  if (LINE_BREAK_OR_NUL.test(value)) throw new Error(`line break or NUL in the value of ${name}`);
};

/** Folds at single spaces where a line would exceed 78 characters. `column` is where the value begins. */
const fold = (value: string, column: number): string => {
  if (column + value.length <= LINE_LENGTH) return value;
  let folded = '';
  let used = column;
  for (const word of value.split(FOLDING_POINT)) {
    if (folded !== '' && used + word.length > LINE_LENGTH) {
      folded += '\r\n';
      used = 0;
    }
    folded += word;
    used += word.length;
  }
  return folded;
};

const isPlain = (value: string): boolean =>
  PLAIN.test(value) &&
  !ENCODED_WORD.test(value) &&
  (value.length <= UNBROKEN_LIMIT ||
    value.split(FOLDING_POINT).every(({ length }) => length <= UNBROKEN_LIMIT));

/** The characters that Q may leave unencoded in a phrase (RFC 2047 §5 (3)), the strictest of its places. */
const Q_LITERAL = /^[A-Za-z0-9!*+/-]$/;

const encodeQ = (character: string): string => {
  if (Q_LITERAL.test(character)) return character;
  if (character === ' ') return '_';
  return Buffer.from(character).toString('hex').toUpperCase().replace(/../g, '=$&');
};

/** Encoded-words separated by single spaces, which readers drop. The first word has less room. */
const encodeWords = (value: string, column: number): string => {
  const characters = Array.from(value.toWellFormed());
  const asQ = characters.map(encodeQ);
  const qLength = asQ.reduce((length, encoded) => length + encoded.length, 0);
  const useB = Math.ceil(Buffer.byteLength(value) / 3) * 4 < qLength;
  const words: string[] = [];
  let payload = '';
  let size = 0;
  let room = Math.max(FIRST_PAYLOAD, LINE_LENGTH - column - WORD_FRAME);
  const end = (): void => {
    words.push(useB ? `=?UTF-8?B?${Buffer.from(payload).toString('base64')}?=` : `=?UTF-8?Q?${payload}?=`);
    payload = '';
    size = 0;
    room = WORD_PAYLOAD;
  };
  for (const [index, character] of characters.entries()) {
    const encoded = useB ? character : (asQ[index] ?? '');
    const added = useB ? Buffer.byteLength(character) : encoded.length;
    const limit = Math.min(room, WORD_PAYLOAD);
    if (size + added > (useB ? Math.floor(limit / 4) * 3 : limit)) end();
    payload += encoded;
    size += added;
  }
  end();
  return words.join(' ');
};

/** A whole field of unstructured text: `Subject: …\r\n`. ASCII is only folded, so ASCII values with a structure (message
 * identifiers, URLs) may be given too.
 * @throws Error on CR, LF or NUL in the value */
export const encodeUnstructured = (name: string, value: string): string => {
  refuseLineBreaks(name, value);
  const column = name.length + 2;
  if (column + value.length <= LINE_LENGTH && isPlain(value)) return `${name}: ${value}\r\n`;
  const trimmed = value.replace(/^[ \t]+/, '').trimEnd();
  if (trimmed === '') return `${name}:\r\n`;
  return `${name}: ${fold(isPlain(trimmed) ? trimmed : encodeWords(trimmed, column), column)}\r\n`;
};

const formatName = (name: string, column: number): string => {
  if (name.length <= QUOTED_LENGTH && !ENCODED_WORD.test(name)) {
    if (ATOMS.test(name)) return name;
    if (QUOTABLE.test(name)) return `"${name.replace(/["\\]/g, '\\$&')}"`;
  }
  return encodeWords(name, column);
};

/** The octets of UTF-8, one character each: what composing and SMTP commands work with. */
export const octetsOf = (text: string): string =>
  NON_ASCII.test(text) ? Buffer.from(text).toString('latin1') : text;

/**
 * One mailbox on one line, as octets. An address that is not ASCII is in UTF-8 there (RFC 6532 §3.2): an encoded-word is no
 * address. @throws Error on a line break in the name
 */
export const formatMailbox = ({ address, name }: Mailbox, column = 0): string => {
  const shown = name?.trim() ?? '';
  if (shown === '') return octetsOf(address);
  refuseLineBreaks('a display name', shown);
  return `${formatName(shown, column)} <${octetsOf(address)}>`;
};

/** A whole field of mailboxes: `To: …\r\n`, folded between mailboxes if possible. */
export const encodeMailboxes = (name: string, mailboxes: readonly Mailbox[]): string => {
  let line = `${name}:`;
  let used = line.length;
  for (const [index, mailbox] of mailboxes.entries()) {
    const comma = index < mailboxes.length - 1 ? ',' : '';
    let formatted = formatMailbox(mailbox, used + 1) + comma;
    if (index > 0 && used + 1 + formatted.length > LINE_LENGTH) {
      formatted = formatMailbox(mailbox, 1) + comma;
      line += '\r\n';
      used = 0;
    }
    const folded = fold(formatted, used + 1);
    line += ` ${folded}`;
    const lastBreak = folded.lastIndexOf('\n');
    used = lastBreak === -1 ? used + 1 + folded.length : folded.length - lastBreak - 1;
  }
  return `${line}\r\n`;
};

const twoLetters: Readonly<Record<string, string>> = {
  ä: 'ae',
  ö: 'oe',
  ü: 'ue',
  Ä: 'Ae',
  Ö: 'Oe',
  Ü: 'Ue',
  ß: 'ss',
};

/** The form for readers without RFC 2231: German letters become two, others lose their accents, the rest becomes `_`. */
const asciiFallback = (value: string): string => {
  const plain = value
    .normalize('NFC')
    .replace(/[äöüÄÖÜß]/g, (letter) => twoLetters[letter] ?? letter)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\x20-\x7e]|["\\%]/gu, '_');
  if (plain.length <= QUOTED_LENGTH) return plain;
  const dot = plain.lastIndexOf('.');
  const extension = dot > 0 && plain.length - dot <= 10 ? plain.slice(dot) : '';
  return plain.slice(0, QUOTED_LENGTH - extension.length) + extension;
};

/** An attribute-char of RFC 2231 §7 stays; all others become `%XX`. */
const percentEncode = (character: string): string =>
  /^[A-Za-z0-9!#$&+.^_`{|}~-]$/.test(character)
    ? character
    : Buffer.from(character).toString('hex').toUpperCase().replace(/../g, '%$&');

/** One parameter of Content-Type or Content-Disposition. Long and non-ASCII values have a second, plain form:
 * `filename*=UTF-8''R%C3%B6ntgen.pdf;\r\n filename="Roentgen.pdf"`. The order matters, because some readers that know both
 * take the first (Python's email). It is folded, without separators before or after it.
 * @throws Error on CR, LF or NUL in the value */
export const encodeParameter = (name: string, value: string): string => {
  refuseLineBreaks(name, value);
  if (
    value.length <= QUOTED_LENGTH &&
    /^[\x20-\x7e]*$/.test(value) &&
    !/["\\]/.test(value) &&
    !ENCODED_WORD.test(value)
  ) {
    return `${name}="${value}"`;
  }
  const pieces: string[] = [''];
  for (const character of value.toWellFormed()) {
    const encoded = percentEncode(character);
    const current = pieces.at(-1) ?? '';
    if (current.length + encoded.length > PIECE_LENGTH) pieces.push(encoded);
    else pieces[pieces.length - 1] = current + encoded;
  }
  const extended =
    pieces.length === 1
      ? [`${name}*=UTF-8''${pieces[0]}`]
      : pieces.map((piece, index) => `${name}*${index}*=${index === 0 ? "UTF-8''" : ''}${piece}`);
  return [...extended, `${name}="${asciiFallback(value)}"`].join(';\r\n ');
};
