// Forms as browsers and mail tools send them: multipart/form-data (RFC 7578) and application/x-www-form-urlencoded.
// The platform's own parsers read them; here they become a plain record of strings and files for the route's schema to judge.
import { AppError } from '#src/kernel/errors.ts';
import { cut, formatPath } from '#src/kernel/fields.ts';

export const FORM_TYPES = ['multipart/form-data', 'application/x-www-form-urlencoded'] as const;

const MULTIPART = /^multipart\/form-data[\t ]*(?:;|$)/i;
const URL_ENCODED = /^application\/x-www-form-urlencoded[\t ]*(?:;[\t ]*(?:charset="?utf-?8"?[\t ]*)?)?$/i;

/** Of a Content-Type: whether it is one of a form, in UTF-8. */
export const isFormType = (type: string): boolean => MULTIPART.test(type) || URL_ENCODED.test(type);

/** No form of the service has a tenth of it. */
const MAX_FIELDS = 100;
const AMPERSAND = 0x26;

const refuse = (path: string, message: string, cause?: unknown): AppError =>
  new AppError('invalid_request', `\`${path}\` ${message}.`, {
    hint: 'Send each field once, as a browser sends a form, in UTF-8.',
    extra: { fields: [{ path, message }] },
    cause,
  });

const tooMany = (): AppError => refuse('body', `has more than ${MAX_FIELDS} fields`);

/** Counted before they are parsed: 1 MiB may hold half a million, a tenth of a second of work. */
const hasTooManyPairs = (bytes: Uint8Array): boolean => {
  let count = 0;
  for (let at = bytes.indexOf(AMPERSAND); at >= 0; at = bytes.indexOf(AMPERSAND, at + 1)) {
    count += 1;
    if (count >= MAX_FIELDS) return true;
  }
  return false;
};

const parse = async (bytes: Uint8Array<ArrayBuffer>, type: string): Promise<FormData> => {
  try {
    return await new Response(bytes, { headers: { 'Content-Type': type } }).formData();
  } catch (cause) {
    throw refuse('body', 'is not a whole, well-formed form', cause);
  }
};

/** A file is its text; what is no UTF-8 in it becomes U+FFFD. Browsers write a line break of a field as CRLF. */
const textOf = (value: string | Blob): string | Promise<string> =>
  typeof value === 'string' ? value.replaceAll('\r\n', '\n') : value.text();

/**
 * The fields by their names: strings, or files of the fields in `files`. Empty ones are absent, because browsers send fields
 * that were not filled in. Throws AppError
 * `invalid_request` for what is cut short or malformed, and for a field that is there twice.
 */
export const parseForm = async (
  bytes: Uint8Array<ArrayBuffer>,
  type: string,
  files: readonly string[] = [],
): Promise<Record<string, string | File>> => {
  if (!MULTIPART.test(type) && hasTooManyPairs(bytes)) throw tooMany();
  const entries = [...(await parse(bytes, type))];
  if (entries.length > MAX_FIELDS) throw tooMany();
  const fields = new Map<string, string | File>();
  for (const [name, value] of entries) {
    if (fields.has(name)) throw refuse(formatPath('body', [cut(name)]), 'is in the form more than once');
    fields.set(name, value instanceof File && files.includes(name) ? value : await textOf(value));
  }
  // As own properties, whatever their names: `__proto__` is a field like others, which no schema knows.
  return Object.fromEntries(
    [...fields].filter(([, value]) => (typeof value === 'string' ? value !== '' : value.size > 0)),
  );
};
