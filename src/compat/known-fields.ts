// Values in another API's form without the fields that are not known here: such APIs ignore them, and null means absent in them.
// What is no object, or no list, is left as it is for the native schema to refuse. Pure.
import { AppError } from '#src/kernel/errors.ts';
import { say, type Text } from '#src/kernel/say.ts';

type Rewrite = (value: unknown) => unknown;

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The fields of these names; those in `rewrites` as rewritten. */
export const known = (
  value: unknown,
  names: readonly string[],
  rewrites: Readonly<Record<string, Rewrite>> = {},
): unknown => {
  if (!isObject(value)) return value;
  return Object.fromEntries(
    names.flatMap((name) => {
      const field = value[name];
      if (field === undefined || field === null) return [];
      const rewrite = Object.hasOwn(rewrites, name) ? rewrites[name] : undefined;
      return [[name, rewrite ? rewrite(field) : field]];
    }),
  );
};

/** `known` of each item of a list. */
export const knownEach = (
  list: unknown,
  names: readonly string[],
  rewrites?: Readonly<Record<string, Rewrite>>,
): unknown => (Array.isArray(list) ? list.map((item) => known(item, names, rewrites)) : list);

/** `known` of fields whose names may be in any case, where the empty text means absent too. */
export const knownInAnyCase = (
  value: unknown,
  names: readonly string[],
  rewrites?: Readonly<Record<string, Rewrite>>,
): unknown => {
  if (!isObject(value)) return value;
  const proper = new Map(names.map((name) => [name.toLowerCase(), name]));
  const given = Object.entries(value).flatMap(([key, field]) => {
    const name = proper.get(key.toLowerCase());
    return name === undefined || field === '' ? [] : [[name, field]];
  });
  return known(Object.fromEntries(given), names, rewrites);
};

/** Encoders break base64 into lines (RFC 2045 §6.8). */
export const withoutSpace = (text: unknown): unknown =>
  typeof text === 'string' ? text.replace(/\s+/g, '') : text;

/** `text/csv; charset=utf-8` as `text/csv`. */
export const withoutParameters = (type: unknown): unknown =>
  typeof type === 'string' ? type.split(';', 1)[0]?.trim() : type;

/** The refusal of a field for what it asks. */
export const refused = (path: string, message: Text, hint: Text): AppError =>
  new AppError('invalid_request', say`\`${path}\`: ${message}`, {
    hint,
    extra: { fields: [{ path, message }] },
  });

const SPECIAL = /[^\p{L}\p{M}\p{N} '_-]/u;

/** `Name <address>`; null: no name. */
export const mailboxText = (mailbox: { readonly address: string; readonly name: string | null }): string => {
  const { address, name } = mailbox;
  if (name === null) return address;
  return `${SPECIAL.test(name) ? `"${name.replace(/["\\]/g, '\\$&')}"` : name} <${address}>`;
};

/** The depth of models within models that is read; deeper ones are left for the native schema to refuse. */
const MAX_DEPTH = 8;

const namedValues = (model: unknown, prefix = '', depth = 0): [string, unknown][] => {
  if (Array.isArray(model)) return [];
  return isObject(model) && depth < MAX_DEPTH
    ? Object.entries(model).flatMap(([name, value]) => namedValues(value, `${prefix}.${name}`, depth + 1))
    : [[prefix.slice(1), model ?? '']];
};

/** Placeholders name the values inside of others by a dot; none names a list. What is null is shown as nothing. */
export const flatModel = (model: unknown): object => Object.fromEntries(namedValues(model));
