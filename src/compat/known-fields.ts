// Values in another API's form without the fields that are not known here: such APIs ignore them, and null means absent in them.
// What is no object, or no list, is left as it is for the native schema to refuse. Pure.

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
