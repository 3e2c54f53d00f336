// JSON from outside (RFC 8259): bytes to a value that the rest of the service may trust to be well-formed text of
// bounded depth. A refusal quotes nothing of the document.
import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { AppError } from '#src/kernel/errors.ts';
import { decodeBase64, type FileFields, FileOctets, formatPath } from '#src/kernel/fields.ts';
import { freeNow } from '#src/kernel/large-octets.ts';
import { say, type Text } from '#src/kernel/say.ts';

/** No schema of the service nests deeper than a dozen; what recurses over values stays far from the stack's end. */
export const MAX_DEPTH = 64;
/** A batch of 500 messages with all their recipients has a fifth of it; what is parsed, walked and described costs
 * some 10 µs each, on the event loop. */
export const MAX_VALUES = 100_000;
const BYTE_ORDER_MARK = 0xfeff;

interface Problem {
  readonly message: Text;
  /** Innermost first: it is filled while the recursion returns, so that the common case costs nothing. */
  readonly path: (string | number)[];
}

const LONE_SURROGATE = say`contains half of a surrogate pair (\\ud800 to \\udfff), which is no character`;

/** The first string, key or depth in `value` that is not acceptable. */
const findProblem = (value: unknown, depth: number): Problem | undefined => {
  if (typeof value === 'string')
    return value.isWellFormed() ? undefined : { message: LONE_SURROGATE, path: [] };
  if (typeof value !== 'object' || value === null || value instanceof FileOctets) return undefined;
  if (depth > MAX_DEPTH) return { message: say`is nested deeper than ${MAX_DEPTH} levels`, path: [] };
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const problem = findProblem(value[index], depth + 1);
      if (problem) return within(problem, index);
    }
    return undefined;
  }
  const record = value as Record<string, unknown>;
  for (const key of Object.keys(record)) {
    if (!key.isWellFormed()) return { message: say`has a field whose name ${LONE_SURROGATE}`, path: [] };
    const problem = findProblem(record[key], depth + 1);
    if (problem) return within(problem, key);
  }
  return undefined;
};

const within = (problem: Problem, key: string | number): Problem => {
  problem.path.push(key);
  return problem;
};

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
/** JSON takes no octet up to it but white space (RFC 8259 §2). */
const SPACE = 0x20;
const OPEN_ARRAY = 0x5b;
const OPEN_OBJECT = 0x7b;

/** Where a string of the document is, without its quotes. */
interface LongString {
  readonly start: number;
  readonly end: number;
}

interface Survey {
  /** More commas, arrays and objects than any request needs. */
  readonly hasTooManyValues: boolean;
  readonly long: readonly LongString[];
}

/** From so many octets on a string of base64 does not go through the parser. */
const LONG_STRING = 32_768;

/** Looks at the document's signs: a few ns a byte at most, against 10 µs a value. */
const survey = (bytes: Buffer): Survey => {
  const long: LongString[] = [];
  let count = 0;
  if (bytes.length <= LONG_STRING) return { hasTooManyValues: false, long };
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      const start = at + 1;
      at = endOfString(bytes, start);
      if (at - start >= LONG_STRING) long.push({ start, end: at });
    } else if (byte === COMMA || byte === OPEN_ARRAY || byte === OPEN_OBJECT) count += 1;
    if (count > MAX_VALUES) return { hasTooManyValues: true, long };
  }
  return { hasTooManyValues: false, long };
};

/** So many bytes are walked through before the native search is asked, which takes as long for one byte as for as many. */
const WALKED = 64;

/** The place of the quote that ends the string, or of the document's end. A file in base64 is one string. */
const endOfString = (bytes: Buffer, start: number): number => {
  for (let at = start; ; ) {
    for (const end = Math.min(at + WALKED, bytes.length); at < end; at += 1) {
      const byte = bytes[at];
      if (byte === QUOTE) return at;
      if (byte === BACKSLASH) at += 1;
    }
    const quote = bytes.indexOf(QUOTE, at);
    if (quote === -1) return bytes.length;
    let first = quote;
    while (first > at && bytes[first - 1] === BACKSLASH) first -= 1;
    if ((quote - first) % 2 === 0) return quote;
    at = quote + 1;
  }
};

const BASE64_START = /^[A-Za-z0-9+/]{64}$/;

const isKey = (bytes: Buffer, { end }: LongString): boolean => {
  let at = end + 1;
  while ((bytes[at] ?? COLON) <= SPACE) at += 1;
  return bytes[at] === COLON;
};

/** The octets of a file in base64, which is a value; undefined where it is anything else. */
const fileIn = (bytes: Buffer, place: LongString): Buffer<ArrayBuffer> | undefined =>
  BASE64_START.test(bytes.toString('latin1', place.start, place.start + 64)) && !isKey(bytes, place)
    ? decodeBase64(bytes, place.start, place.end)
    : undefined;

const withoutMark = (text: string): string => (text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text);

/** No client can know it. */
const CUT = `${randomUUID()}:`;

/**
 * Gives what JSON.parse gives of the document. Files in base64 are cut out before and put back after: it would make two more copies
 * of each, slowly. In `fileFields` they are put back decoded.
 */
const parseAround = (bytes: Buffer, long: readonly LongString[], fileFields: FileFields): unknown => {
  const files: (LongString & { readonly octets: Buffer<ArrayBuffer> })[] = [];
  let text = '';
  let done = 0;
  for (const place of long) {
    const octets = fileIn(bytes, place);
    if (octets === undefined) continue;
    text += `${bytes.toString('utf8', done, place.start)}${CUT}${files.length}`;
    files.push({ ...place, octets });
    done = place.end;
  }
  function putBack(this: Readonly<Record<string, unknown>>, key: string, value: unknown): unknown {
    if (typeof value !== 'string' || !value.startsWith(CUT)) return value;
    const file = files[Number(value.slice(CUT.length))];
    if (file === undefined) return value;
    const { octets, start, end } = file;
    if (fileFields.some(([content, name]) => key === content && typeof this[name] === 'string'))
      return new FileOctets(octets);
    freeNow(octets);
    return bytes.toString('latin1', start, end);
  }
  if (files.length > 0) {
    text += bytes.toString('utf8', done);
    try {
      return JSON.parse(withoutMark(text), putBack);
    } catch {
      // What is said about the whole document names the right place.
    }
  }
  return parse(withoutMark(bytes.toString('utf8')));
};

/** The value of a request body. `fileFields`: see Route. Throws AppError `invalid_json` or `invalid_request`. */
export const parseJson = (bytes: Uint8Array, fileFields: FileFields = []): unknown => {
  if (!isUtf8(bytes)) throw new AppError('invalid_json', say`The body is not well-formed UTF-8.`);
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { hasTooManyValues, long } = survey(buffer);
  if (hasTooManyValues) {
    const message = say`has more than ${MAX_VALUES} values`;
    throw new AppError('invalid_request', say`The body ${message}.`, {
      extra: { fields: [{ path: 'body', message }] },
    });
  }
  const value = parseAround(buffer, long, fileFields);
  const problem = findProblem(value, 1);
  if (problem) {
    const path = formatPath('body', problem.path.reverse());
    throw new AppError('invalid_request', say`\`${path}\` ${problem.message}.`, {
      extra: { fields: [{ path, message: problem.message }] },
    });
  }
  return value;
};

/** The parser's own words up to where it quotes the document: `Unexpected token 'x', "{x}" is not valid JSON`. */
const problemOf = (error: unknown): string => {
  const [words = ''] = (error as SyntaxError).message.split(/(?:, (?:\.\.\.)?|^)"/, 1);
  return words;
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    const words = problemOf(error);
    throw new AppError(
      'invalid_json',
      words === '' ? say`The body is not JSON.` : say`The body is not JSON: ${words}.`,
    );
  }
};
