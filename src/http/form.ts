// Forms as browsers and mail tools send them: multipart/form-data (RFC 7578) and application/x-www-form-urlencoded.
// The platform's own parsers read them; here they become a plain record of strings and files for the route's schema to judge.
import { MIMEType } from 'node:util';
import { AppError } from '#src/kernel/errors.ts';
import { cut, formatPath } from '#src/kernel/fields.ts';
import { say, type Text } from '#src/kernel/say.ts';

export const FORM_TYPES = ['multipart/form-data', 'application/x-www-form-urlencoded'] as const;

const MULTIPART = /^multipart\/form-data[\t ]*(?:;|$)/i;
const URL_ENCODED = /^application\/x-www-form-urlencoded[\t ]*(?:;[\t ]*(?:charset="?utf-?8"?[\t ]*)?)?$/i;

/** Whether a Content-Type is one of a form, in UTF-8. */
export const isFormType = (type: string): boolean => MULTIPART.test(type) || URL_ENCODED.test(type);

/** No form of the service has a tenth of it. */
const MAX_FIELDS = 100;
/** Browsers write two or three lines above a field. */
const MAX_PART_HEAD = 4 * 1024;

const refuse = (path: string, message: Text, cause?: unknown): AppError =>
  new AppError('invalid_request', say`\`${path}\` ${message}.`, {
    hint: say`Send each field once, as a browser sends a form, in UTF-8.`,
    extra: { fields: [{ path, message }] },
    cause,
  });

const tooMany = (): AppError => refuse('body', say`has more than ${MAX_FIELDS} fields`);

const malformed = (cause: unknown): AppError => refuse('body', say`is not a whole, well-formed form`, cause);

const readType = (type: string): MIMEType => {
  try {
    return new MIMEType(type);
  } catch (cause) {
    throw malformed(cause);
  }
};

const hasLongHead = (body: Buffer, at: number, delimiter: string): boolean => {
  const end = at + MAX_PART_HEAD;
  const isLast = body.toString('latin1', at + delimiter.length, at + delimiter.length + 2) === '--';
  return !isLast && end <= body.length && !body.subarray(at, end).includes('\r\n\r\n');
};

/** Looked at before they are parsed, a second of work where 10 MiB are nothing but parts or lines above one. */
const requireFew = (bytes: Uint8Array<ArrayBuffer>, { essence, params }: MIMEType): void => {
  const isMultipart = essence === 'multipart/form-data';
  // Delimiters are one more than the parts, separators one fewer than the pairs.
  const [mark, most] = isMultipart ? [`--${params.get('boundary')}`, MAX_FIELDS + 1] : ['&', MAX_FIELDS - 1];
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let count = 0;
  for (let at = body.indexOf(mark); at >= 0; at = body.indexOf(mark, at + mark.length)) {
    count += 1;
    if (count > most) throw tooMany();
    if (isMultipart && hasLongHead(body, at, mark))
      throw refuse('body', say`has a part with more than ${MAX_PART_HEAD} bytes above its content`);
  }
};

/** Parses by the type as it was read here: of a list of types the platform would take another one. */
const parse = async (bytes: Uint8Array<ArrayBuffer>, type: MIMEType): Promise<FormData> => {
  try {
    return await new Response(bytes, { headers: { 'Content-Type': String(type) } }).formData();
  } catch (cause) {
    throw malformed(cause);
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
  const form = readType(type);
  requireFew(bytes, form);
  const fields = new Map<string, string | File>();
  for (const [name, value] of await parse(bytes, form)) {
    if (fields.has(name)) throw refuse(formatPath('body', [cut(name)]), say`is in the form more than once`);
    fields.set(name, value instanceof File && files.includes(name) ? value : await textOf(value));
  }
  // The fields are own properties, whatever their names: `__proto__` is a field like others, which no schema knows.
  return Object.fromEntries(
    [...fields].filter(([, value]) => (typeof value === 'string' ? value !== '' : value.size > 0)),
  );
};
