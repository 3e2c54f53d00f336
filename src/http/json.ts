// JSON from outside (RFC 8259): bytes to a value that the rest of the service may trust to be well-formed text of
// bounded depth. A refusal quotes nothing of the document.
import { isUtf8 } from 'node:buffer';
import { AppError } from '#src/kernel/errors.ts';
import { formatPath } from '#src/kernel/fields.ts';

/** No schema of the service nests deeper than a dozen; what recurses over values stays far from the stack's end. */
export const MAX_DEPTH = 64;
/** A batch of 500 messages with all their recipients has a fifth of it; what is parsed, walked and described costs
 * some 10 µs each, on the event loop. */
export const MAX_VALUES = 100_000;
const BYTE_ORDER_MARK = 0xfeff;

interface Problem {
  readonly message: string;
  /** Innermost first: it is filled while the recursion returns, so that the common case costs nothing. */
  readonly path: (string | number)[];
}

const LONE_SURROGATE = 'contains half of a surrogate pair (\\ud800 to \\udfff), which is no character';

/** The first string, key or depth in `value` that is not acceptable. */
const findProblem = (value: unknown, depth: number): Problem | undefined => {
  if (typeof value === 'string')
    return value.isWellFormed() ? undefined : { message: LONE_SURROGATE, path: [] };
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth > MAX_DEPTH) return { message: `is nested deeper than ${MAX_DEPTH} levels`, path: [] };
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const problem = findProblem(value[index], depth + 1);
      if (problem) return within(problem, index);
    }
    return undefined;
  }
  const record = value as Record<string, unknown>;
  for (const key of Object.keys(record)) {
    if (!key.isWellFormed()) return { message: `has a field whose name ${LONE_SURROGATE}`, path: [] };
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
const OPEN_ARRAY = 0x5b;
const OPEN_OBJECT = 0x7b;

/** Whether the document has more commas, arrays and objects than any request needs: 1 ns a byte, against 10 µs a value. */
const hasTooManyValues = (bytes: Buffer): boolean => {
  if (bytes.length <= MAX_VALUES) return false;
  let count = 0;
  let inString = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) inString = !inString;
    else if (inString) at += byte === BACKSLASH ? 1 : 0;
    else if (byte === COMMA || byte === OPEN_ARRAY || byte === OPEN_OBJECT) count += 1;
    if (count > MAX_VALUES) return true;
  }
  return false;
};

/** The value of a request body. Throws AppError `invalid_json` or `invalid_request`. */
export const parseJson = (bytes: Uint8Array): unknown => {
  if (!isUtf8(bytes)) throw new AppError('invalid_json', 'The body is not well-formed UTF-8.');
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (hasTooManyValues(buffer)) {
    const message = `has more than ${MAX_VALUES} values`;
    throw new AppError('invalid_request', `The body ${message}.`, {
      extra: { fields: [{ path: 'body', message }] },
    });
  }
  const decoded = buffer.toString('utf8');
  const text = decoded.charCodeAt(0) === BYTE_ORDER_MARK ? decoded.slice(1) : decoded;
  const value = parse(text);
  const problem = findProblem(value, 1);
  if (problem) {
    const path = formatPath('body', problem.path.reverse());
    throw new AppError('invalid_request', `\`${path}\` ${problem.message}.`, {
      extra: { fields: [{ path, message: problem.message }] },
    });
  }
  return value;
};

/** The parser's own words up to where it quotes the document: `Unexpected token 'x', "{x}" is not valid JSON`. */
const problemOf = (error: unknown): string => {
  const [words = ''] = (error as SyntaxError).message.split(/(?:, (?:\.\.\.)?|^)"/, 1);
  return words === '' ? '' : `: ${words}`;
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new AppError('invalid_json', `The body is not JSON${problemOf(error)}.`);
  }
};
