// Shapes of fields that several rooms take from outside, and the name of a field in an error.
import { z } from 'zod';
import { permissions } from './access.ts';
import { freeNow, largeOctets } from './large-octets.ts';

/** An id of any version, in any spelling. */
export const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Examples have it in the place of the id of a record. */
export const EXAMPLE_ID = '0198c5b2-6c9e-7d21-9f6f-3a1d5b0e7c44';

/** An id that a client names: it may have been written in upper case on its way. */
export const idSchema = z
  .uuid()
  .toLowerCase()
  .meta({ examples: [EXAMPLE_ID] });

export const permissionSchema = z.enum(permissions).meta({ id: 'Permission' });

const TYPED_LENGTH = 200;

/** What `typedWords` takes apart. */
export const typedSchema = z
  .string()
  .max(TYPED_LENGTH)
  // SQLite would end the text at NUL and find more than was searched for.
  .regex(/^[^\0]*$/, 'NUL is not allowed');

/** The parameters of a link in a mail. Unknown ones are ignored: mail programs and click counters add theirs. */
export const mailLinkQuery = z.object({
  t: z
    .string()
    .optional()
    .describe('of the link in the mail')
    .meta({ examples: ['AbCdEf'] }),
});

/** Taken as it comes, and described as `schema`, which is asked later. */
export const asItComes = (schema: z.ZodType, more: z.core.GlobalMeta = {}) =>
  z.unknown().meta({ describedBy: schema, ...more });

/** Control characters, line and paragraph separators, and what steers or hides text without being seen. */
const UNSEEN = /^[^\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]*$/u;
const URL_LENGTH = 2_000;
/** A name with a dot in it, so that it is no IP address and no name of a local network. */
const PUBLIC_NAME = /^(?:[a-z0-9-]+\.)+[a-z][a-z0-9-]*[a-z0-9]$/;

const isPublicHttps = (text: string): boolean => {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  return protocol === 'https:' && PUBLIC_NAME.test(hostname) && username === '' && password === '';
};

/** An address that people are sent to; stored in the form that browsers make of it. */
export const httpsUrlSchema = z
  .string()
  .trim()
  .max(URL_LENGTH)
  .regex(UNSEEN, 'expected no control or invisible characters')
  .refine(isPublicHttps, 'expected an https address with a full domain name')
  .overwrite((text) => (URL.canParse(text) ? new URL(text).href : text))
  .max(URL_LENGTH);

const MAX_PATH_PARTS = 8;
const MAX_KEY_CHARACTERS = 60;

/** `body.to[0]`; keys that are no names are quoted, long ones and long paths are cut. */
export const formatPath = (root: string, path: readonly PropertyKey[]): string => {
  const parts = path.slice(0, MAX_PATH_PARTS).map((key) => {
    if (typeof key === 'number') return `[${key}]`;
    const name = cut(String(key));
    return /^[A-Za-z_][\w-]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
  });
  return `${root}${parts.join('')}${path.length > MAX_PATH_PARTS ? '…' : ''}`;
};

/** A client's own word, short enough for an answer to it. */
export const cut = (word: string): string =>
  word.length > MAX_KEY_CHARACTERS ? `${word.slice(0, MAX_KEY_CHARACTERS).toWellFormed()}…` : word;

/** Fields of JSON that hold a file in base64, each with the one beside it that has the file's name. */
export type FileFields = readonly (readonly [content: string, name: string])[];

/** A file that came in base64, decoded while the body was read. */
export class FileOctets {
  readonly octets: Buffer<ArrayBuffer>;
  constructor(octets: Buffer<ArrayBuffer>) {
    this.octets = octets;
  }
  /** The text that a request would have of it. */
  toJSON(): string {
    return this.octets.toString('base64');
  }
}

/** Characters that are decoded at a time, in whole groups of four. */
const BASE64_SLICE = 65_536;
const decoded = Buffer.allocUnsafeSlow((BASE64_SLICE / 4) * 3);

/** Node takes the letters of base64url too. */
const isOther = (slice: string): boolean => slice.includes('-') || slice.includes('_');

const paddingOf = (end: string): number => (end.endsWith('==') ? 2 : end.endsWith('=') ? 1 : 0);

/**
 * Whether it is base64 (RFC 4648 §4) with its padding and nothing else. Node decodes leniently: what it skips is missing in the length, and
 * of a letter above ASCII it takes the lower octet.
 * `z.base64()` says the same, but takes four times as long and makes a string of the file.
 */
export const isBase64 = (text: string): boolean => {
  if (text.length % 4 !== 0 || Buffer.byteLength(text) !== text.length) return false;
  if (isOther(text)) return false;
  for (let start = 0; start < text.length; start += BASE64_SLICE) {
    const slice = text.slice(start, start + BASE64_SLICE);
    const isLast = start + BASE64_SLICE >= text.length;
    const padding = isLast ? paddingOf(slice) : 0;
    if (decoded.write(slice, 'base64') !== (slice.length / 4) * 3 - padding) return false;
  }
  return true;
};

/**
 * What the text of ASCII in `bytes` from `start` to `end` stands for, by the rule of `isBase64`, without a string of all of it;
 * undefined where it is no base64. The memory is of nothing else.
 */
export const decodeBase64 = (bytes: Buffer, start: number, end: number): Buffer<ArrayBuffer> | undefined => {
  const length = end - start;
  if (length < 4 || length % 4 !== 0) return undefined;
  const padding = paddingOf(bytes.toString('latin1', end - 2, end));
  const octets = largeOctets((length / 4) * 3 - padding);
  let written = 0;
  for (let at = start; at < end; at += BASE64_SLICE) {
    const stop = Math.min(at + BASE64_SLICE, end);
    const slice = bytes.toString('latin1', at, stop);
    const whole = ((stop - at) / 4) * 3 - (stop === end ? padding : 0);
    if (isOther(slice) || octets.write(slice, written, 'base64') !== whole) {
      freeNow(octets);
      return undefined;
    }
    written += whole;
  }
  return octets;
};
