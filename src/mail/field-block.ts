// Reads header fields (RFC 5322 §2.2), and the blocks of fields in reports (RFC 3464 §2, RFC 5965 §3), as real programs
// write them: values are unfolded, names are in lower case, and lines that are no field are skipped. Encoded-words (RFC 2047)
// stay encoded. Nothing throws. Pure.
import { isUtf8 } from 'node:buffer';
import { decodeText, readUtf8 } from './decode-text.ts';

export interface Field {
  /** The name in lower case. */
  readonly name: string;
  /** Unfolded, without white space around it. */
  readonly value: string;
}

/** UTF-16 code units of a block and of a value, and fields: far more than honest headers and reports have. */
const MAX_CHARACTERS = 262_144;
const MAX_FIELDS = 1_000;
const MAX_VALUE = 8_192;
/** A line that was broken before the colon of its field (RFC 5322 §4.5 allows blanks there). */
const BROKEN_NAME = /(?:\r\n|\r|\n)[ \t]+:/g;
const FIELD = /^([!-9;-~]{1,100})[ \t]*:(.*)$/s;

/** The fields in the order of the block. */
export const readFields = (block: string): Field[] => {
  const fields: { name: string; value: string }[] = [];
  for (const line of block
    .slice(0, MAX_CHARACTERS)
    .replace(BROKEN_NAME, ' :')
    .split(/\r\n|\r|\n/)) {
    const last = fields.at(-1);
    if (/^[ \t]/.test(line)) {
      if (last && last.value.length < MAX_VALUE) last.value += ` ${line.trim()}`;
      continue;
    }
    const [, name, value] = FIELD.exec(line) ?? [];
    if (name === undefined || value === undefined) continue;
    if (fields.length === MAX_FIELDS) break;
    fields.push({ name: name.toLowerCase(), value: value.trim() });
  }
  return fields.map(({ name, value }) => ({
    name,
    value: value.length > MAX_VALUE ? value.slice(0, MAX_VALUE) : value.trim(),
  }));
};

/** Whether more of the value may follow, so that its last word may be half a word. */
export const isCutValue = (value: string): boolean => value.length === MAX_VALUE;

/** Whether `fields` may lack some of `block`, which has more than is read. */
export const isCut = (block: string, fields: readonly Field[]): boolean =>
  block.length >= MAX_CHARACTERS || fields.length >= MAX_FIELDS;

/** The value of the first field with that name; null if there is none. */
export const fieldValue = (fields: readonly Field[], name: string): string | null =>
  fields.find((field) => field.name === name)?.value ?? null;

/** The header of a message without the empty line behind it. */
const headBytes = (source: Buffer): Buffer => {
  const end = source.indexOf('\r\n') === 0 ? 0 : source.indexOf('\r\n\r\n');
  return source.subarray(0, Math.min(end === -1 ? source.length : end, MAX_CHARACTERS));
};

/** The header of a message without the empty line behind it, one character for each octet. */
export const headOf = (source: Buffer): string => headBytes(source).toString('latin1');

const CHARSET = /^content-type:(?:[^\r\n]|\r\n[ \t])*?charset\s{0,5}=\s{0,5}"?([\w.:-]{1,40})/im;

/** Character sets whose octets may look like UTF-8 or ASCII by chance: of all fields, or of none. */
const OF_WHOLE_HEAD = /^(?:utf-7|unicode-1-1-utf-7|gb|big5|euc|shift|sjis|iso-2022|ks_c|windows-31j)/i;

const BEYOND_ASCII = /[\x80-\xff]/;

/** Old programs write text into the header without encoding it: in ISO-2022-JP, in UTF-8, or in the character set of the body.
 * A field with a damaged octet, or in another character set, spoils no other. */
const decodeHead = (head: Buffer): string => {
  if (head.includes('\x1b$')) return decodeText(head, 'iso-2022-jp');
  if (isUtf8(head)) return decodeText(head, null);
  const octets = head.toString('latin1');
  const charset = CHARSET.exec(octets)?.[1] ?? null;
  if (charset !== null && OF_WHOLE_HEAD.test(charset)) return decodeText(head, charset);
  const decode = (line: string): string => {
    if (!BEYOND_ASCII.test(line)) return line;
    const bytes = Buffer.from(line, 'latin1');
    return readUtf8(bytes) ?? decodeText(bytes, charset);
  };
  // Whole lines are decoded: a pattern that looks for an octet within one takes quadratic time where a long line has none.
  return octets.replace(/[^\r\n]+/g, decode);
};

/** The fields of a message's header, in their order. */
export const headFieldsOf = (source: Buffer): Field[] => readFields(decodeHead(headBytes(source)));

/** What `headFieldsOf` does not read as one character for each octet. */
const ENCODED = /[\x1b\x80-\xff]/;

/** The header of a message, read once for all that ask for it. */
export interface Header {
  /** See `headOf`. */
  readonly octets: string;
  /** What is in them. */
  readonly fields: readonly Field[];
  /** See `headFieldsOf`. */
  readonly shown: readonly Field[];
}

export const readHeader = (source: Buffer): Header => {
  const octets = headOf(source);
  const fields = readFields(octets);
  return { octets, fields, shown: ENCODED.test(octets) ? headFieldsOf(source) : fields };
};

/** Splits a value such as `rfc822; a@b.de` or `smtp;550 …` (RFC 3464 §2.1.2). The type is empty if there is none. */
export const typedValue = (value: string): { readonly type: string; readonly text: string } => {
  const [, type, text] = /^[ \t]*([\w.-]{1,30})[ \t]*;(.*)$/s.exec(value) ?? [];
  return type === undefined || text === undefined
    ? { type: '', text: value.trim() }
    : { type: type.toLowerCase(), text: text.trim() };
};
