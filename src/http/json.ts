// JSON from outside (RFC 8259): bytes to a value that the rest of the service may trust to be well-formed text of
// bounded depth. Says where a document breaks, never what stood there.
import { isUtf8 } from 'node:buffer';
import { AppError } from '#src/kernel/errors.ts';
import { formatPath } from '#src/kernel/fields.ts';

/** No schema of the service nests deeper than a dozen; what recurses over values stays far from the stack's end. */
export const MAX_DEPTH = 64;
/** A batch of 500 messages with all their recipients has a fifth of it; what is parsed, walked and described costs
 * some 10 µs each, on the event loop. */
export const MAX_VALUES = 100_000;
const BYTE_ORDER_MARK = 0xfeff;

const WHITESPACE = new Set([0x20, 0x09, 0x0a, 0x0d]);
const SCALAR = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

/** Offset after the token that `pattern` finds at `offset`, or -1. */
const after = (pattern: RegExp, text: string, offset: number): number => {
  pattern.lastIndex = offset;
  return pattern.test(text) ? pattern.lastIndex : -1;
};

/** Scans the string that opens at `offset`: where it ends, or where it breaks. */
const scanString = (text: string, offset: number): { end: number } | { broken: number } => {
  let at = offset + 1;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === 0x22) return { end: at + 1 };
    if (code < 0x20) return { broken: at };
    const next = code === 0x5c ? after(ESCAPE, text, at) : at + 1;
    if (next < 0) return { broken: at };
    at = next;
  }
  return { broken: at };
};

type Expectation = 'value' | 'value or ]' | 'key' | 'key or }' | ':' | ', or end';

/**
 * Offset of the first character of `text` that cannot stand there; `text.length` where the document is cut short, -1
 * where it is whole. The engine's own message has the position only sometimes, and quotes the content.
 */
export const jsonErrorOffset = (text: string): number => {
  const open: ('{' | '[')[] = [];
  let expected: Expectation = 'value';
  let at = 0;
  while (true) {
    while (WHITESPACE.has(text.charCodeAt(at))) at += 1;
    const character = text[at];
    if (character === undefined) return expected === ', or end' && open.length === 0 ? -1 : at;
    const inside = open.at(-1);
    if (expected === ':') {
      if (character !== ':') return at;
      expected = 'value';
      at += 1;
    } else if (expected === ', or end') {
      if (character === ',' && inside) expected = inside === '{' ? 'key' : 'value';
      else if ((character === '}' && inside === '{') || (character === ']' && inside === '[')) open.pop();
      else return at;
      at += 1;
    } else if (
      (character === ']' && expected === 'value or ]') ||
      (character === '}' && expected === 'key or }')
    ) {
      open.pop();
      expected = ', or end';
      at += 1;
    } else if (character === '"') {
      const string = scanString(text, at);
      if ('broken' in string) return string.broken;
      expected = expected.startsWith('key') ? ':' : ', or end';
      at = string.end;
    } else if (expected.startsWith('key')) {
      return at;
    } else if (character === '{' || character === '[') {
      open.push(character);
      expected = character === '{' ? 'key or }' : 'value or ]';
      at += 1;
    } else {
      const next = after(SCALAR, text, at);
      if (next < 0) return at;
      expected = ', or end';
      at = next;
    }
  }
};

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

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    const offset = jsonErrorOffset(text);
    throw new AppError(
      'invalid_json',
      offset >= text.length
        ? 'The body is not JSON: it ends too early.'
        : `The body is not JSON: character ${offset + 1} cannot stand where it does.`,
    );
  }
};
